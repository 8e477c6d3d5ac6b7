// The command line and the examples on contracts of generation 2: one network for all of them.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { run } from '../../client/src/cli/run.ts'
import { systemClock } from '../../client/src/clock.ts'
import { startExchange } from './exchange-process.ts'
import type { ExchangeProcess } from './exchange-process.ts'
import { walkGrid } from './grid-walk.ts'

let exchange: ExchangeProcess
let environment: Readonly<Record<string, string>>

before(async () => {
  exchange = await startExchange({ LOCAL_GENERATION: '2', LOCAL_SEED: 'examples of generation 2' })
  environment = { URL: exchange.url, SECRET: await exchange.secretOf('alice'), KEY_FILE: join(exchange.folder, 'alice.key') }
  await command('key', 'new', '--key-file', environment['KEY_FILE'] ?? '')
  await holdPrice('BTC')
})
after(() => exchange[Symbol.asyncDispose]())

async function holdPrice(asset: string): Promise<bigint> {
  const alice = await exchange.clientOf('alice')
  const { body: { price } } = await alice.getMarketPrice({ asset })
  await exchange.control('local_setPrice', { asset, price })
  return BigInt(price)
}

/** The output of a command of the command line, in this process. Fails unless it succeeds. */
async function command(...words: readonly string[]): Promise<string> {
  let [output, errors] = ['', '']
  const code = await run(words, {
    environment, version: '', clock: systemClock, signal: new AbortController().signal, isErrorTerminal: false,
    writeOut: (text) => void (output += text), writeError: (text) => void (errors += text), readInput: () => Promise.resolve(''),
  })
  assert.equal(code, 0, `${words.join(' ')}: ${errors}`)
  return output
}

const json = async <T>(...words: readonly string[]): Promise<T> => JSON.parse(await command(...words, '--json')) as T

test('the command line opens with a price bound, changes collateral, closes in part, and shows positions and status', async () => {
  await using stream = exchange.example('event-stream', ['btc'])
  assert.match(await command('status'), /^prices +16, the oldest is \d+ s old/m)
  const { positionId } = await json<{ readonly positionId: number }>(
    'do', 'open_position', 'asset=BTC', 'collateral=100', 'leverage=5', 'direction=Long', 'slippageBps=50',
  )
  const position = `positionId=${positionId}`
  await command('do', 'close_position_partial', position, 'closeSize=200')
  await command('do', 'add_collateral', position, 'amount=10.5')
  assert.match(await command('positions'), new RegExp(`^ *${positionId} +BTC +long +isolated +300\\.00`, 'm'))
  const { positions } = await json<{ readonly positions: readonly { readonly collateral: string }[] }>('positions')
  // 100 USDC, less the fee of 0.5 USDC at most and two fifths, and 10.5 USDC.
  const collateral = Number(positions[0]?.collateral) / 1e7
  assert.ok(collateral > 70 && collateral <= 70.5, String(collateral))
  assert.match(await command('close', String(positionId), '--size', '100'), /^size +100\.00$/m)
  assert.match(await command('close', String(positionId)), /^size +200\.00$/m)
  assert.match(await command('positions'), /^No open positions\.$/m)
  for (const kind of ['open', 'reduce', 'reduce', 'close']) await stream.waitForLine(new RegExp(`^#\\d+ BTC ${kind} at \\d`))

  await using exporter = exchange.example('portfolio-csv', ['portfolio'], environment)
  assert.equal(await exporter.exited, 0, exporter.errors())
  const trades = readFileSync(join(exchange.folder, 'portfolio', 'trades.csv'), 'utf8').trimEnd().split('\n').slice(1).map((line) => line.split(','))
  assert.deepEqual(trades.map(([, kind, id, , , size]) => [kind, Number(id), Number(size)]), [
    ['reduce', positionId, 200], ['reduce', positionId, 100], ['close', positionId, 200],
  ])
})

test('a plan buys every slice, an order is followed to its execution, the watchers begin, and the grid bot trades beside them', async () => {
  // Most of its time is waiting.
  const grid = walkGrid(exchange, { account: 'carol', asset: 'BNB', stepUsdc: 1 })
  await Promise.all([grid, watchAndFollow()])
})

async function watchAndFollow(): Promise<void> {
  const secret = { SECRET: await exchange.secretOf('bob') }
  const price = await holdPrice('ETH')
  await using prices = exchange.example('price-watcher', ['pump', 'UNI'])
  await using liquidations = exchange.example('liquidation-watcher', [])
  await using buyer = exchange.example('resume-after-crash', [join(exchange.folder, 'plan.journal'), 'BTC', '2'], secret)
  assert.equal(await buyer.exited, 0, buyer.errors())
  assert.match(buyer.output(), /all 2 slices bought\n$/)
  const trigger = (price * 995n) / 1000n / 10_000_000n
  await using follower = exchange.example('follow-order', [join(exchange.folder, 'order.json'), 'ETH', String(trigger)], secret)
  const [, id = ''] = /^order (\d+) pending$/.exec(await follower.waitForLine(/^order \d+ pending$/)) ?? []
  await exchange.control('local_setPrice', { asset: 'ETH', price: String((price * 994n) / 1000n) })
  await follower.waitForLine(new RegExp(`^order ${id} executed at \\d+, fee \\d+, position \\d+$`))
  assert.equal(await follower.exited, 0, follower.errors())
  for (const asset of ['PUMP', 'UNI']) await prices.waitForLine(new RegExp(`^${asset} \\d+\\.\\d{7} {2}\\d+ s old$`))
  assert.equal(await prices.stop('SIGINT'), 0, prices.errors())
  await liquidations.waitForLine(/^watching from position \d+ of the log$/)
  assert.equal(await liquidations.stop('SIGINT'), 0, liquidations.errors())
}
