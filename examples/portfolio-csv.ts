// Writes an account's holdings and all its realised trades to two CSV files.
//
//   SECRET=S… npm run example examples/portfolio-csv.ts ./portfolio
//
// Expect `holdings.csv`, all from one ledger, and `trades.csv`, oldest trade first. Amounts are exact, with seven decimals. Cells of unknown values are
// empty, and the reason is printed. Each file is replaced atomically. Set GATEWAY_URL for a gateway other than http://127.0.0.1:8080.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, secretSigner } from 'perpetual-exchange-client'

/** Warn about older ledgers: the gateway's node may lag behind. */
const OLD_AFTER_SEC = 60
/** The maximum number of trades; the newest are written. */
const TRADES_MAX = 100_000

type Cell = string | number | null

const [, , folder = '.'] = process.argv
const signer = await secretSigner(process.env['SECRET'] ?? '')
const client = createClient({ url: process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080', signer })
await client.login({ label: 'portfolio' })
// Ctrl-C aborts the requests. Files that are not written yet keep their old contents.
const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort())
const { signal } = stopped

/** Formats a 7-decimal integer: `-12345678` is `-1.2345678`. */
function decimal(amount: string | null): string | null {
  if (amount === null) return null
  const digits = amount.replace('-', '').padStart(8, '0')
  return `${amount.startsWith('-') ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`
}

const side = (direction: number | null): string | null => direction === null ? null : direction === 0 ? 'long' : 'short'
const time = (seconds: number | null): string | null => seconds === null ? null : new Date(seconds * 1000).toISOString()

function write(name: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): void {
  // Cells need no quoting: they are numbers, addresses, symbols and times.
  const text = [columns, ...rows].map((row) => `${row.map((cell) => cell ?? '').join(',')}\n`).join('')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.new`), text)
  renameSync(join(folder, `${name}.new`), join(folder, name))
  console.log(`${join(folder, name)}: ${rows.length} rows`)
}

// One call reads positions, balances and prices from one ledger.
const { body: state, isStale } = await client.getAccountState({}, { signal })
const { ledger, ledgerCloseTs, balances, cross } = state
for (const { part, reason } of state.unknown) console.error(`unknown: ${part} (${reason})`)
const ageSec = ledgerCloseTs === null ? null : Math.floor(Date.now() / 1000) - ledgerCloseTs
if (ageSec === null || ageSec > OLD_AFTER_SEC) console.error(`the holdings are from ledger ${ledger}, which is ${ageSec ?? 'an unknown number of'} s old`)
if (isStale) console.error('some prices could not be refreshed')
if (state.positions === null) throw new Error('the positions are not available; nothing was written')

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

// The history comes from the index. minLedger makes sure that it includes the ledger of the holdings.
const trades: Cell[][] = []
for await (const trade of client.rows('listTrades', { trader: signer.address, limit: 200 }, { signal, minLedger: ledger })) {
  if (trades.length >= TRADES_MAX) {
    console.error(`only the newest ${TRADES_MAX} trades are written`)
    break
  }
  // A position that auto-deleveraging closed is also listed as a close.
  if (trade.kind === 'adl') continue
  trades.unshift([
    time(trade.ts), trade.kind, trade.positionId, trade.asset, side(trade.direction), decimal(trade.size), decimal(trade.entryPrice), decimal(trade.closePrice),
    decimal(trade.pnl), trade.ledger, trade.txHash,
  ])
}
write('trades.csv', ['time', 'kind', 'position', 'asset', 'side', 'size', 'entry_price', 'close_price', 'pnl', 'ledger', 'transaction'], trades)
