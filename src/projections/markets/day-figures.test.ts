import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestStore } from '../../../test/support/database.ts'
import { textOf } from '../../store/sql.ts'
import type { Writer } from '../../store/store.ts'
import { foldTicks } from '../candles/candles.ts'
import { readDayFigures } from './day-figures.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

const NOW_SEC = 1_783_339_230
const DAY_SEC = 86_400
const ASSETS = ['BTC', 'ETH', 'XLM', 'SOL']

/** Prices by seconds before now. */
async function fold(db: Writer, asset: string, prices: readonly (readonly [agoSec: number, price: bigint])[]): Promise<void> {
  await foldTicks(db, prices.map(([agoSec, price]) => ({ asset, price, timestampSec: NOW_SEC - agoSec })))
}

test('reads the price that was current 24 hours ago and the range since then; history that is shorter has neither', async () => {
  await fold(store.write, 'BTC', [
    [DAY_SEC + 3_600, 900n], [DAY_SEC + 300, 100n], [DAY_SEC - 90, 130n], [DAY_SEC - 7_200, 150n], [7_000, 80n], [30, 120n],
  ])
  // Before the window: higher and lower prices that no longer count.
  await fold(store.write, 'BTC', [[DAY_SEC + 600, 999n], [DAY_SEC + 601, 1n]])
  await fold(store.write, 'ETH', [[DAY_SEC - 120, 5n], [10, 7n]])
  await fold(store.write, 'XLM', [[DAY_SEC + 4_000, 5n], [DAY_SEC - 4_000, 6n], [10, 7n]])
  await fold(store.write, 'SOL', [[DAY_SEC + 60, 5n]])
  const figures = await readDayFigures(store.read, { assets: ASSETS, nowSec: NOW_SEC })
  assert.deepEqual([...figures], [
    ['BTC', { reference: 100n, high: 150n, low: 80n }],
    ['SOL', { reference: 5n, high: 5n, low: 5n }],
  ])
})

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Rows of candles that a plan reads. */
function candlesIn(node: PlanNode): number {
  const own = node['Relation Name'] === 'candles' ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] : 0
  return (node.Plans ?? []).reduce((sum, plan) => sum + candlesIn(plan), own)
}

test('reads a bounded number of candles, however long the history is', async () => {
  await store.write.query(
    `insert into idx.candles (asset, interval, time, open, high, low, close, open_ts, close_ts)
     select 'LONG', i.name, t, 2, 3, 1, 2, t, t from (values ('1m', 60), ('1h', 3600)) i (name, width)
     cross join lateral generate_series($1::bigint - 40 * 86400, $1::bigint, i.width) t`, [NOW_SEC - 30],
  )
  await store.write.query('analyze idx.candles')
  let statement = ''
  const figures = await readDayFigures({
    query: async (given, params) => {
      statement = textOf(given).replaceAll('$1', `array['LONG']`).replaceAll('$2', String(NOW_SEC))
      return await store.read.query(given, params)
    },
  }, { assets: ['LONG'], nowSec: NOW_SEC })
  assert.deepEqual(figures.get('LONG'), { reference: 2n, high: 3n, low: 1n })
  const [explained] = await store.write.query<{ 'QUERY PLAN': unknown }>(`explain (analyze, format json) ${statement}`)
  const text = explained?.['QUERY PLAN']
  const [{ Plan: plan }] = (typeof text === 'string' ? JSON.parse(text) : text) as [{ Plan: PlanNode }]
  assert.ok(candlesIn(plan) > 20 && candlesIn(plan) < 160, `${candlesIn(plan)} candles`)
})
