// The first five minutes with the project: runs the README's commands in order in a copy of the project, changing only ports. They must produce a price, a key
// and a position, and their output must have the shape that the README shows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../client/src/client.ts'
import { assertOutputMatches, blocksOf, readPage } from './markdown.ts'
import { createDocumentedRun } from './documented-run.ts'

const FIVE_MINUTES_MS = 300_000
const README = readPage('README.md')
const BLOCKS = blocksOf(README)
const ORDER = 'A first order'
/** The README's command that shows the position. */
const ACCOUNT = /`(npm run -s cli -- account [^`]*)`/.exec(README)?.[1] ?? ''

test('the README\'s commands produce a price, a key and a position within five minutes', { timeout: FIVE_MINUTES_MS }, async (context) => {
  await using run = await createDocumentedRun()
  const startedMs = performance.now()
  const [quickStart, ...rest] = BLOCKS.filter(({ language }) => language === 'sh')
  const [install = '', start = ''] = quickStart?.text.split('\n')[0]?.split(' && ') ?? []
  assert.equal(install, 'npm ci', 'the README starts with the installation')
  await run.start(start)
  // The README shows a closed trade and the figures of a day: wait for the first ones.
  const client = createClient({ url: run.url })
  const stream = client.stream()
  for await (const { data } of stream.frames('events', { since: 0 })) if (data.topic === 'position_closed') break
  for await (const _ of stream.frames('ticker.BTC')) if ((await client.getMarket({ asset: 'BTC' })).body.change24h !== null) break
  stream.close()

  for (const block of rest.filter(({ heading }) => heading !== ORDER)) {
    const output = await run.shell(block.text)
    const shown = BLOCKS[BLOCKS.indexOf(block) + 1]
    if (shown === undefined || shown.language === 'sh') assert.doesNotThrow(() => JSON.parse(output), block.text)
    else assertOutputMatches(output, shown, block.text)
    if (block.text.includes('/v1/markets/BTC')) assert.ok(BigInt((JSON.parse(output) as { oracle: { price: string } }).oracle.price) > 0n)
  }

  const order = rest.find(({ heading }) => heading === ORDER)
  assert.ok(order)
  const environment = { URL: run.url }
  await run.shell(order.text, environment)
  const secret = /SECRET=\S+/.exec(order.text)?.[0]
  const state = JSON.parse(await run.shell(`${secret} ${ACCOUNT} --json`, environment)) as { positions: readonly Record<string, unknown>[] }
  assert.deepEqual(state.positions.map(({ asset, direction, leverage }) => ({ asset, direction, leverage })), [{ asset: 'BTC', direction: 0, leverage: 5 }])
  const durationMs = performance.now() - startedMs
  assert.ok(durationMs < FIVE_MINUTES_MS, `${Math.round(durationMs / 1000)} s`)
  context.diagnostic(`from \`${start}\` to the position: ${Math.round(durationMs / 1000)} s`)
  assert.equal(await run.stop(), 0, run.errors())
})
