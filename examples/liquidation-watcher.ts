// Prints every liquidation of the exchange: none twice, and none left out while it was not running.
//
//   npm run example examples/liquidation-watcher.ts liquidations.place
//
// Expect silence, then a line for each liquidation; on the local network `local_setPrice` brings some about (localnet/README.md). In the file it keeps how
// far it has come in the exchange's log, and the next start goes on from there; without the file it begins with the next liquidation. A line that was printed
// right before a crash may be printed again. Ctrl-C ends it. GATEWAY_URL names another gateway than http://127.0.0.1:8080. It needs no key.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createClient } from 'perpetual-exchange-client'

/** How long a place that no liquidation moved may be kept in memory only. */
const KEEP_EVERY_MS = 1_000

const [, , file] = process.argv
const client = createClient({ url: process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080' })

/** 7-decimal integers as people write them. */
function show(value: unknown): string {
  const amount = BigInt(String(value))
  const digits = String(amount < 0n ? -amount : amount).padStart(8, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`
}

function readPlace(): number | undefined {
  try {
    return file === undefined ? undefined : Number(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

// Without a file it begins where the log ends now: from here on nothing is left out, whenever the connection comes about.
let place = readPlace() ?? (await client.listEvents({ limit: 1 })).seq ?? 0
let kept: number | null = null

/** Whoever reads the file finds the old place or the new one, never half of it. */
function keep(): void {
  if (file === undefined || place === kept) return
  writeFileSync(`${file}.new`, String(place))
  renameSync(`${file}.new`, file)
  kept = place
}

const stream = client.stream()
let isBehind = false
stream.onProblem((problem) => {
  if (problem.kind === 'disconnected') console.error(`connection lost (${problem.reason}), connecting again`)
  else if (problem.kind === 'gap') {
    // The one case in which something may be missing: it is said, and where to look.
    const { since, until, reason } = problem.gap
    console.error(`NOT SEEN: what happened behind place ${since}${until === null ? '' : ` up to ${until}`} (${reason}); it is at /v1/trades`)
  } else console.error(problem)
})

// The heartbeat tells how old the newest ledger is that the index has seen: silence is good news only while that is young.
stream.on('heartbeat', ({ data }) => {
  const ageSec = data.ledgerCloseTs === null ? null : Math.floor(data.ts / 1000) - data.ledgerCloseTs
  const isOld = ageSec === null || ageSec > 60
  if (isOld && !isBehind) console.error(`the newest ledger here is ${ageSec ?? 'many'} s old: liquidations may have happened that are not told yet`)
  isBehind = isOld
})

console.error(`watching from place ${place} of the log`)
const keeping = setInterval(keep, KEEP_EVERY_MS)
process.once('SIGINT', () => stream.close())

for await (const { seq, data } of stream.frames('events', { since: place })) {
  const { trader, asset, direction, positionId, size, closePrice, totalPnl, keeperReward } = data.raw
  const when = new Date(data.ledgerCloseTs * 1000).toISOString()
  if (data.topic === 'position_liquidated') {
    const what = `${direction === 0 ? 'long' : 'short'} ${String(asset)} of ${show(size)} USDC`
    console.log(`${when} position ${String(positionId)}: ${what} at ${show(closePrice)}, keeper got ${show(keeperReward)}, trader ${String(trader)}`)
  }
  // A cross account goes as a whole: the contract tells of it once, and names none of its positions.
  if (data.topic === 'cross_liq') {
    console.log(`${when} cross account: PnL ${show(totalPnl)} USDC, keeper got ${show(keeperReward)}, trader ${String(trader)}`)
  }
  place = seq ?? place
  if (data.topic === 'position_liquidated' || data.topic === 'cross_liq') keep()
}
clearInterval(keeping)
keep()
