import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Candle } from '../resources/candle.ts'
import type { CandleHistory } from './candle-history.ts'
import { readDayHistory } from './day-history.ts'

const NOW_SEC = 1_800_000_000

function candle(time: number, close: number): Candle {
  return { time, open: close, high: close + 1, low: close - 1, close, volume: '0', trades: 0, final: true, source: 'binance' }
}

test('takes the past day from external history before the exchange has a candle of its own, several assets at once', async () => {
  let running = 0
  let most = 0
  const history: CandleHistory = {
    async read({ asset }) {
      most = Math.max(most, ++running)
      await new Promise((resolve) => void setImmediate(resolve))
      running -= 1
      const candles = asset === 'HYPE' ? [] : [candle(NOW_SEC - 86_700, 100), candle(NOW_SEC - 600, 104)]
      return { candles, olderSec: null, isComplete: asset !== 'SOL', hasNative: false, previous: null, head: { ledger: null, seq: 0, epoch: null } }
    },
  }
  const { figures, isComplete } = await readDayHistory(history, { assets: ['BTC', 'ETH', 'HYPE', 'XLM', 'ADA'], nowSec: NOW_SEC })
  assert.deepEqual([[...figures.keys()], isComplete], [['BTC', 'ETH', 'XLM', 'ADA'], true])
  assert.deepEqual(figures.get('BTC'), { reference: 100_0000000n, high: 105_0000000n, low: 100_0000000n })
  assert.equal(most, 4)
  assert.equal((await readDayHistory(history, { assets: ['BTC', 'SOL'], nowSec: NOW_SEC })).isComplete, false)
})
