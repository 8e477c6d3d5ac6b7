// The portfolio exporter against a real account: every cell equals the gateway's value.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startExchange } from './exchange-process.ts'
import { unitsOf } from './units.ts'

type Row = Readonly<Record<string, string>>

function readCsv(file: string): Row[] {
  const [columns = [], ...rows] = readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => line.split(','))
  for (const row of rows) assert.equal(row.length, columns.length, row.join(','))
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ''])))
}

const units = (cell: string | undefined): string | null => cell === '' || cell === undefined ? null : unitsOf(cell)
const seconds = (cell: string | undefined): number | null => cell === '' || cell === undefined ? null : Date.parse(cell) / 1000
const side = (direction: number | null | undefined): string => direction === 0 ? 'long' : 'short'

test('the exporter writes exact holdings and trades of one ledger', async () => {
  await using exchange = await startExchange()
  const alice = await exchange.clientOf('alice')
  const open = async (asset: string, direction: 'Long' | 'Short', collateral: string): Promise<number> =>
    (await alice.trade({ op: 'open_position', asset, direction, collateral, leverage: 3 })).positionId ?? -1
  const closed = await open('BTC', 'Long', '1234567891')
  const lost = await open('XLM', 'Short', '333333333')
  const openId = await open('ETH', 'Short', '999999999')
  await alice.trade({ op: 'deposit_cross_margin', amount: '5000000007' })
  const { body: { price } } = await alice.getMarketPrice({ asset: 'XLM' })
  await exchange.control('local_setPrice', { asset: 'XLM', price: String(BigInt(price) * 1009n / 1000n) })
  for (const positionId of [closed, lost]) await alice.trade({ op: 'close_position', positionId })
  // Nothing changes from here on, so the test reads the same state as the exporter.
  await exchange.control('local_autoClose', { enabled: false })

  const folder = join(exchange.folder, 'portfolio')
  await using exporter = exchange.example('portfolio-csv', [folder], { SECRET: await exchange.secretOf('alice') })
  assert.equal(await exporter.exited, 0, exporter.errors())
  assert.deepEqual(readdirSync(folder).toSorted(), ['holdings.csv', 'trades.csv'])

  const { body: state } = await alice.getAccountState()
  const holdings = readCsv(join(folder, 'holdings.csv'))
  for (const row of holdings) assert.deepEqual([Number(row['ledger']), seconds(row['time'])], [state.ledger, state.ledgerCloseTs])
  const balances = holdings.filter(({ position }) => position === '').map(({ kind, asset, amount }) => [kind, asset, units(amount)])
  const { usdc, lp, xlm } = state.balances
  assert.deepEqual(balances, [['wallet', 'USDC', usdc], ['wallet', 'LP', lp], ['wallet', 'XLM', xlm], ['cross_pool', 'USDC', '5000000007']])
  const [position, ...others] = state.positions ?? []
  assert.deepEqual([position?.positionId, others], [openId, []])
  const [row] = holdings.filter((each) => each['position'] === String(openId))
  assert.deepEqual(
    [row?.['kind'], row?.['asset'], row?.['side'], seconds(row?.['price_time'])], ['isolated', 'ETH', 'short', position?.priceTimestamp],
  )
  assert.deepEqual(
    ['amount', 'collateral', 'entry_price', 'price', 'unrealized_pnl', 'accrued_funding', 'close_value', 'liquidation_price'].map((name) => units(row?.[name])),
    [
      position?.size, position?.collateral, position?.entryPrice, position?.price, position?.unrealizedPnl, position?.accruedFunding, position?.closeValue,
      position?.liquidationPrice,
    ],
  )

  const { body: { trades } } = await alice.listTrades({ trader: state.owner })
  assert.deepEqual(trades.map(({ positionId }) => positionId), [lost, closed])
  const rows = readCsv(join(folder, 'trades.csv'))
  assert.deepEqual(
    rows.map((each) => [
      seconds(each['time']), each['kind'], Number(each['position']), each['asset'], each['side'], units(each['size']), units(each['entry_price']),
      units(each['close_price']), units(each['pnl']), Number(each['ledger']), each['transaction'],
    ]),
    trades.toReversed().map((each) => [
      each.ts, each.kind, each.positionId, each.asset, side(each.direction), each.size, each.entryPrice, each.closePrice, each.pnl, each.ledger, each.txHash,
    ]),
  )
  // A loss below one dollar keeps its sign and leading zero.
  assert.match(rows[1]?.['pnl'] ?? '', /^-0\.\d{7}$/)
})
