// The first five minutes of somebody who has just installed the project: the README's commands in their order, copied from it with nothing changed but ports,
// in a copy of the project. They lead to a price, a key and a position, and what the README shows has the shape of what is answered.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../client/src/client.ts'
import { assertShown, blocksOf, readPage } from '../support/page.ts'
import { createShownRun } from '../support/shown-run.ts'

const FIVE_MINUTES_MS = 300_000
const README = readPage('README.md')
const BLOCKS = blocksOf(README)
const ORDER = 'A first order'

test('the README leads from the installed project to a price, a key and a filled order within five minutes', { timeout: FIVE_MINUTES_MS }, async (context) => {
  await using run = await createShownRun()
  const startedMs = performance.now()
  const [begin, ...rest] = BLOCKS.filter(({ language }) => language === 'sh')
  const [install = '', start = ''] = begin?.text.split('\n')[0]?.split(' && ') ?? []
  assert.equal(install, 'npm ci', 'the README begins with the installation')
  await run.start(start)
  // The README says that traders close positions: whoever reads as fast as this waits for the first.
  const stream = createClient({ url: run.url }).stream()
  for await (const { data } of stream.frames('events', { since: 0 })) if (data.topic === 'position_closed') break
  stream.close()

  for (const block of rest) {
    // What comes behind the order is how to look at its position.
    const look = block.heading === ORDER ? `\necho; ${/`(curl -s \$URL\/v1\/account\/me\/state [^`]*)`/.exec(README)?.[1]}` : ''
    const output = await run.shell(block.text + look)
    const [first = '', second = ''] = output.trim().split('\n')
    const shown = BLOCKS[BLOCKS.indexOf(block) + 1]
    if (shown === undefined || shown.language === 'sh') assert.doesNotThrow(() => JSON.parse(first), block.text)
    else assertShown(shown.language === 'http' ? output : first, shown, block.text)
    if (block.text.includes('/v1/markets/BTC')) assert.ok(BigInt((JSON.parse(first) as { oracle: { price: string } }).oracle.price) > 0n)
    if (block.heading !== ORDER) continue
    assert.equal((JSON.parse(first) as { status: string }).status, 'SUCCESS', first)
    const { positions } = JSON.parse(second) as { positions: readonly Record<string, unknown>[] }
    assert.deepEqual(positions.map(({ asset, direction, leverage }) => ({ asset, direction, leverage })), [{ asset: 'BTC', direction: 0, leverage: 5 }], second)
  }
  assert.ok(rest.some(({ heading }) => heading === ORDER))
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs < FIVE_MINUTES_MS, `${Math.round(tookMs / 1000)} s`)
  context.diagnostic(`from \`${start}\` to the position: ${Math.round(tookMs / 1000)} s`)
  assert.equal(await run.stop(), 0, run.errors())
})
