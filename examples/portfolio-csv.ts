// Writes what an account has, and every trade that it has realised, as two CSV files.
//
//   SECRET=S… npm run example examples/portfolio-csv.ts ./portfolio
//
// Expect `holdings.csv`, everything as of one ledger, and `trades.csv`, the oldest trade first. Amounts are written to the last of their seven decimals, and
// nothing is added up in floating point. A cell is empty where something could not be told, and the reason is printed. Each file is replaced as a whole:
// whoever opens one finds the old or the new one. GATEWAY_URL names another gateway than http://127.0.0.1:8080.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, secretSigner } from 'perpetual-exchange-client'

/** A ledger that is older is told to be: the node that was asked may lag behind. */
const OLD_AFTER_SEC = 60
/** So many trades are written at most, the newest ones. */
const TRADES_MAX = 100_000

type Cell = string | number | null

const [, , folder = '.'] = process.argv
const signer = await secretSigner(process.env['SECRET'] ?? '')
const client = createClient({ url: process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080', signer })
await client.login({ label: 'portfolio' })
// Ctrl-C ends the reading; what is not written by then stays as it was.
const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort())
const { signal } = stopped

/** A 7-decimal integer as a decimal number: `-12345678` is `-1.2345678`. */
function decimal(amount: string | null): string | null {
  if (amount === null) return null
  const digits = amount.replace('-', '').padStart(8, '0')
  return `${amount.startsWith('-') ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`
}

const side = (direction: number | null): string | null => direction === null ? null : direction === 0 ? 'long' : 'short'
const time = (seconds: number | null): string | null => seconds === null ? null : new Date(seconds * 1000).toISOString()

function write(name: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): void {
  // No cell holds a comma, a quote or a line break: they are numbers, addresses, symbols and times.
  const text = [columns, ...rows].map((row) => `${row.map((cell) => cell ?? '').join(',')}\n`).join('')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.new`), text)
  renameSync(join(folder, `${name}.new`), join(folder, name))
  console.log(`${join(folder, name)}: ${rows.length} rows`)
}

// One call, one ledger: positions, balances and prices belong together.
const { body: state, isStale } = await client.getAccountState({}, { signal })
const { ledger, ledgerCloseTs, balances, cross } = state
for (const { part, reason } of state.unknown) console.error(`not known: ${part} (${reason})`)
const ageSec = ledgerCloseTs === null ? null : Math.floor(Date.now() / 1000) - ledgerCloseTs
if (ageSec === null || ageSec > OLD_AFTER_SEC) console.error(`the holdings are those of ledger ${ledger}, ${ageSec ?? 'nobody knows how many'} s old`)
if (isStale) console.error('some price could not be read anew')
if (state.positions === null) throw new Error('the positions cannot be read now: nothing was written')

const holding = (kind: string, asset: string, amount: string | null): Cell[] => [ledger, time(ledgerCloseTs), kind, null, asset, null, decimal(amount)]
write('holdings.csv', [
  'ledger', 'time', 'kind', 'position', 'asset', 'side', 'amount', 'collateral', 'entry_price', 'price', 'price_time', 'unrealized_pnl', 'accrued_funding',
  'close_value', 'liquidation_price',
], [
  holding('wallet', 'USDC', balances.usdc), holding('wallet', 'LP', balances.lp), holding('wallet', 'XLM', balances.xlm),
  holding('cross_pool', 'USDC', cross.pool),
  ...state.positions.map((position) => [
    ledger, time(ledgerCloseTs), position.marginMode, position.positionId, position.asset, side(position.direction), decimal(position.size),
    decimal(position.collateral), decimal(position.entryPrice), decimal(position.price), time(position.priceTimestamp), decimal(position.unrealizedPnl),
    decimal(position.accruedFunding), decimal(position.closeValue), decimal(position.liquidationPrice),
  ]),
].map((row) => [...row, ...Array<null>(15 - row.length).fill(null)]))

// The history comes from the index, as of this ledger at least: what the holdings know of is in it.
const trades: Cell[][] = []
for await (const trade of client.rows('listTrades', { trader: signer.address, limit: 200 }, { signal, minLedger: ledger })) {
  if (trades.length >= TRADES_MAX) {
    console.error(`only the newest ${TRADES_MAX} trades are written`)
    break
  }
  trades.unshift([
    time(trade.ts), trade.kind, trade.positionId, trade.asset, side(trade.direction), decimal(trade.size), decimal(trade.entryPrice), decimal(trade.closePrice),
    decimal(trade.pnl), trade.ledger, trade.txHash,
  ])
}
write('trades.csv', ['time', 'kind', 'position', 'asset', 'side', 'size', 'entry_price', 'close_price', 'pnl', 'ledger', 'transaction'], trades)
