// Prints every liquidation of the exchange once, partial ones too, including those that happened while it was not running.
//
//   npm run example examples/liquidation-watcher.ts liquidations.seq
//
// Expect no output at first, then a line for each liquidation; on the local network, cause some with `local_setPrice` (localnet/README.md). The file stores
// the position in the exchange's log, and the next start continues there. Without a file the example starts with the next liquidation. A line that was
// printed right before a crash may be printed again. Stop it with Ctrl-C. Set GATEWAY_URL for a gateway other than http://127.0.0.1:8080. No API key is
// needed.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createClient } from 'perpetual-exchange-client'

/** Interval at which the position is stored while nothing is liquidated. */
const STORE_INTERVAL_MS = 1_000

const [, , file] = process.argv
const client = createClient({ url: process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080' })

/** Formats a 7-decimal integer. */
function format(value: unknown): string {
  const amount = BigInt(String(value))
  const digits = String(amount < 0n ? -amount : amount).padStart(8, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`
}

function readPosition(): number | undefined {
  try {
    return file === undefined ? undefined : Number(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

// Without a file, start at the current head of the log, so that nothing is missed before the stream connects.
let position = readPosition() ?? (await client.listEvents({ limit: 1 })).seq ?? 0
let storedPosition: number | null = null

/** Replaces the file atomically. */
function store(): void {
  if (file === undefined || position === storedPosition) return
  writeFileSync(`${file}.new`, String(position))
  renameSync(`${file}.new`, file)
  storedPosition = position
}

const stream = client.stream()
let isLagging = false
stream.onProblem((problem) => {
  if (problem.kind === 'disconnected') console.error(`connection lost (${problem.reason}), reconnecting`)
  else if (problem.kind === 'gap') {
    // The only case in which liquidations may be missing. Say where to find them.
    const { since, until, reason } = problem.gap
    console.error(`MISSING: events after position ${since}${until === null ? '' : ` up to ${until}`} (${reason}); see /v1/trades`)
  } else console.error(problem)
})

// The heartbeat carries the age of the last indexed ledger. Without recent ledgers, no output does not mean no liquidations.
stream.on('heartbeat', ({ data }) => {
  const ageSec = data.ledgerCloseTs === null ? null : Math.floor(data.ts / 1000) - data.ledgerCloseTs
  const isOld = ageSec === null || ageSec > 60
  if (isOld && !isLagging) console.error(`the last indexed ledger is ${ageSec ?? 'an unknown number of'} s old: newer liquidations are not included yet`)
  isLagging = isOld
})

console.error(`watching from position ${position} of the log`)
const storeTimer = setInterval(store, STORE_INTERVAL_MS)
process.once('SIGINT', () => stream.close())

for await (const { seq, data } of stream.frames('events', { since: position })) {
  const { trader, asset, direction, positionId, size, closePrice, totalPnl, keeperReward } = data.raw
  const when = new Date(data.ledgerCloseTs * 1000).toISOString()
  const isPartial = data.topic === 'position_partial_liq'
  if (data.topic === 'position_liquidated' || isPartial) {
    const what = `${isPartial ? 'a part of the ' : ''}${direction === 0 ? 'long' : 'short'} ${String(asset)} of ${format(size)} USDC`
    console.log(`${when} position ${String(positionId)}: ${what} at ${format(closePrice)}, keeper reward ${format(keeperReward)}, trader ${String(trader)}`)
  }
  // The total of a cross account. Contracts of generation 1 report none of its positions, those of generation 2 each one that ended.
  if (data.topic === 'cross_liq') {
    console.log(`${when} cross account: PnL ${format(totalPnl)} USDC, keeper reward ${format(keeperReward)}, trader ${String(trader)}`)
  }
  position = seq ?? position
  if (data.topic === 'position_liquidated' || isPartial || data.topic === 'cross_liq') store()
}
clearInterval(storeTimer)
store()
