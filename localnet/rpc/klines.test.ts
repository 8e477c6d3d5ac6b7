// The outside market of the local network, over its HTTP server.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TEST_PROTOCOL } from '../../test/support/protocol.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { PRICED_SYMBOLS } from '../assets.ts'
import { HISTORY_SEC } from '../price-history.ts'
import { startLocalNetwork } from '../start.ts'
import type { LocalNetwork } from '../start.ts'
import { START_MS } from '../test-network.ts'

type Kline = [openMs: number, open: string, high: string, low: string, close: string, ...unknown[]]

const DAY_MS = 86_400_000
const WIDTHS_MS = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '4h': 14_400_000, '1d': DAY_MS, '1w': 7 * DAY_MS }
const REFUSED = [
  'symbol=NOPEUSDT&interval=1m', 'interval=1m', 'symbol=BTCUSDT&interval=2m', 'symbol=BTCUSDT&interval=1m&limit=1001', 'symbol=BTCUSDT&interval=1m&endTime=x',
]

function start(directory: string | null = null, seed = 'outside', nowMs = START_MS): Promise<LocalNetwork> {
  const clock = createVirtualClock(nowMs)
  return startLocalNetwork({
    clock, random: createSeededRandom('ledger'), log: silentLog, seed, ledgerMs: 1_000, host: '127.0.0.1', port: 0, traders: 0, directory, autoClose: false,
    protocol: TEST_PROTOCOL,
  })
}

async function klines({ klinesUrl }: LocalNetwork, query: string): Promise<Kline[]> {
  const response = await fetch(`${klinesUrl}/api/v3/klines?${query}`)
  assert.equal(response.status, 200, query)
  return (await response.json()) as Kline[]
}

const network = await start()
after(() => network[Symbol.asyncDispose]())

test('every asset has days of history in every interval, which ends at the first price of the network', async () => {
  const genesisMs = network.chain.history.oldest().closeTimeSec * 1_000
  const begin = genesisMs - HISTORY_SEC * 1_000
  for (const [interval, widthMs] of Object.entries(WIDTHS_MS)) {
    const rows = await klines(network, `symbol=BTCUSDT&interval=${interval}&limit=1000`)
    assert.ok(rows.length >= Math.min(1_000, Math.floor(HISTORY_SEC * 1_000 / widthMs) - 1), interval)
    for (const [index, [openMs, open, high, low, close]] of rows.entries()) {
      assert.ok(openMs >= begin && (index === 0 || openMs === (rows[index - 1]?.[0] ?? 0) + widthMs), `${interval} ${openMs}`)
      assert.ok(Number(low) <= Math.min(Number(open), Number(close)) && Number(high) >= Math.max(Number(open), Number(close)))
      if (index > 0) assert.equal(open, rows[index - 1]?.[4], 'a candle opens where the one before closed')
    }
    assert.ok((rows.at(-1)?.[0] ?? 0) <= genesisMs && genesisMs < (rows.at(-1)?.[0] ?? 0) + widthMs)
    assert.equal(rows.at(-1)?.[4], '92400.0000000')
  }
  for (const asset of PRICED_SYMBOLS) assert.equal((await klines(network, `symbol=${asset}USDT&interval=1d&limit=10`)).length, 10, asset)
  const minutes = await klines(network, `symbol=BTCUSDT&interval=1m&limit=60&endTime=${genesisMs - 1}`)
  assert.ok(new Set(minutes.map(([, , , , close]) => close)).size > 30, 'prices move')
})

test('a wider candle has the extremes of the narrower ones, and a range is answered as requested', async () => {
  const [hour] = (await klines(network, 'symbol=ETHUSDT&interval=1h&limit=5')).slice(-3)
  assert.ok(hour !== undefined)
  const minutes = await klines(network, `symbol=ETHUSDT&interval=1m&startTime=${hour[0]}&endTime=${hour[0] + 3_600_000 - 1}`)
  assert.equal(minutes.length, 60)
  const [high, low] = [Math.max(...minutes.map((row) => Number(row[2]))), Math.min(...minutes.map((row) => Number(row[3])))]
  assert.deepEqual(hour.slice(1, 5), [minutes[0]?.[1], high.toFixed(7), low.toFixed(7), minutes.at(-1)?.[4]])
  assert.deepEqual((await klines(network, `symbol=ETHUSDT&interval=1m&startTime=${hour[0]}&limit=3`)), minutes.slice(0, 3))
  assert.deepEqual((await klines(network, `symbol=ETHUSDT&interval=1m&endTime=${hour[0] + 3_600_000 - 1}&limit=3`)), minutes.slice(-3))
  assert.deepEqual(await klines(network, 'symbol=ETHUSDT&interval=1m&endTime=1000'), [])
})

test('a seed determines the history, and a chain keeps its history over a restart with another seed', async () => {
  await using folder = await temporaryFolder()
  const query = 'symbol=SOLUSDT&interval=1h&limit=200&endTime=' + String(START_MS - 1)
  const read = async (directory: string | null, seed: string, nowMs = START_MS): Promise<Kline[]> => {
    await using other = await start(directory, seed, nowMs)
    return await klines(other, query)
  }
  const shared = await klines(network, query)
  assert.equal(shared.length, 200)
  assert.deepEqual(await read(null, 'outside'), shared)
  const stored = await read(folder.path, 'one')
  assert.notDeepEqual(stored, shared)
  assert.deepEqual(await read(folder.path, 'two', START_MS + DAY_MS), stored)
})

test('continues with the prices of the feed', async () => {
  const before = (await klines(network, 'symbol=BTCUSDT&interval=1m&limit=1'))[0]?.[0] ?? 0
  for (let ledger = 0; ledger < 5; ledger++) {
    await network.rpc.call('local_advance', { seconds: 60 })
    await network.step()
  }
  const rows = await klines(network, 'symbol=BTCUSDT&interval=1m&limit=4')
  assert.ok((rows.at(-1)?.[0] ?? 0) > before)
})

test('refuses what the public exchange refuses', async () => {
  for (const query of REFUSED) {
    const response = await fetch(`${network.klinesUrl}/api/v3/klines?${query}`)
    assert.equal(response.status, 400, query)
    assert.deepEqual(Object.keys((await response.json()) as object), ['code', 'msg'])
  }
  assert.equal((await fetch(`${network.klinesUrl}/api/v3/klines`, { method: 'POST' })).status, 405)
})
