// Prints prices as they change, and reports when one crosses a level.
//
//   npm run example examples/price-watcher.ts BTC ETH=3500
//
// Expect a line for each change, with the age of the price: prices are written to the chain every few seconds. The example also reports prices older than a
// minute, at which the exchange opens no positions, and missing prices. Stop it with Ctrl-C. Set GATEWAY_URL for a gateway other than http://127.0.0.1:8080.
// No API key is needed.

import { createClient } from 'perpetual-exchange-client'

const OLD_AFTER_SEC = 60
const MISSING_AFTER_MS = 10_000
const ONE = 10_000_000n

interface Watched {
  /** The level to compare the price with, 7-decimal; null without one. */
  readonly level: bigint | null
  price: bigint | null
  receivedAtMs: number
  hasWarned: boolean
}

/** `3500` or `0.1234567` as a 7-decimal integer, exactly. */
function parsePrice(text: string): bigint {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,7}))?$/.exec(text) ?? []
  if (whole === '') throw new TypeError(`${text} is not a price: write a number with at most 7 decimals`)
  return BigInt(whole + fraction.padEnd(7, '0'))
}

const show = (price: bigint): string => `${price / ONE}.${String(price % ONE).padStart(7, '0')}`

const watched = new Map<string, Watched>()
for (const word of process.argv.length > 2 ? process.argv.slice(2) : ['BTC', 'ETH', 'XLM']) {
  const [asset = '', level] = word.toUpperCase().split('=')
  watched.set(asset, { level: level === undefined ? null : parsePrice(level), price: null, receivedAtMs: Date.now(), hasWarned: false })
}

const stream = createClient({ url: process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080' }).stream()

// The stream reconnects automatically. Until then no new prices arrive, which the user should know.
stream.onProblem((problem) => {
  if (problem.kind === 'disconnected') console.log(`connection lost (${problem.reason}), reconnecting`)
  else if (problem.kind === 'rejected') {
    console.log(`unknown market: ${problem.channels.join(', ')}`)
    process.exitCode = 1
    stop()
  } else console.log(problem)
})

for (const [asset, state] of watched) {
  stream.on(`ticker.${asset}`, ({ data }) => {
    state.receivedAtMs = Date.now()
    const ageSec = Math.max(0, Math.floor(data.ts / 1000) - data.timestamp)
    const isOld = ageSec > OLD_AFTER_SEC
    const [before, price] = [state.price, BigInt(data.price)]
    if (price !== before || isOld !== state.hasWarned) console.log(`${asset} ${show(price)}  ${ageSec} s old${isOld ? ': too old to open a position at' : ''}`)
    if (state.level !== null && before !== null && before < state.level !== price < state.level) {
      console.log(`${asset} went ${price < state.level ? 'below' : 'to or above'} ${show(state.level)}`)
    }
    state.price = price
    state.hasWarned = isOld
  })
}

// A price arrives every three seconds, changed or not. If none arrives, the last one is outdated.
const watchdog = setInterval(() => {
  for (const [asset, state] of watched) {
    if (state.hasWarned || Date.now() - state.receivedAtMs < MISSING_AFTER_MS) continue
    console.log(`${asset} no price for ${MISSING_AFTER_MS / 1000} s: the last one may be outdated`)
    state.hasWarned = true
  }
}, 1_000)

function stop(): void {
  clearInterval(watchdog)
  stream.close()
}
process.once('SIGINT', stop)
