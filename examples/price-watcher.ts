// Prints prices as they change, and tells when one crosses a level.
//
//   npm run example examples/price-watcher.ts BTC ETH=3500
//
// Expect a line for each change, with the age of the price: prices are written to the chain every few seconds. A price older than a minute is called old,
// because the exchange opens no position at it any more, and silence is told as well. Ctrl-C ends it. GATEWAY_URL names another gateway than
// http://127.0.0.1:8080. It needs no key.

import { createClient } from 'perpetual-exchange-client'

const OLD_AFTER_SEC = 60
const SILENT_AFTER_MS = 10_000
const ONE = 10_000_000n

interface Watched {
  /** What the price is compared with, 7-decimal; null when nothing was asked for. */
  readonly level: bigint | null
  price: bigint | null
  heardAtMs: number
  isTroubled: boolean
}

/** `3500` or `0.1234567` as a 7-decimal integer: a float would round. */
function parsePrice(text: string): bigint {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,7}))?$/.exec(text) ?? []
  if (whole === '') throw new TypeError(`${text} is no price: write digits, with seven decimals at most`)
  return BigInt(whole + fraction.padEnd(7, '0'))
}

const show = (price: bigint): string => `${price / ONE}.${String(price % ONE).padStart(7, '0')}`

const watched = new Map<string, Watched>()
for (const word of process.argv.length > 2 ? process.argv.slice(2) : ['BTC', 'ETH', 'XLM']) {
  const [asset = '', level] = word.toUpperCase().split('=')
  watched.set(asset, { level: level === undefined ? null : parsePrice(level), price: null, heardAtMs: Date.now(), isTroubled: false })
}

const stream = createClient({ url: process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080' }).stream()

// The connection comes back by itself. Whoever looks at the prices has to know that they stand still meanwhile.
stream.onProblem((problem) => {
  if (problem.kind === 'disconnected') console.log(`connection lost (${problem.reason}), connecting again`)
  else if (problem.kind === 'rejected') {
    console.log(`not traded here: ${problem.channels.join(', ')}`)
    process.exitCode = 1
    stop()
  } else console.log(problem)
})

for (const [asset, state] of watched) {
  stream.on(`ticker.${asset}`, ({ data }) => {
    state.heardAtMs = Date.now()
    const ageSec = Math.max(0, Math.floor(data.ts / 1000) - data.timestamp)
    const isOld = ageSec > OLD_AFTER_SEC
    const [before, price] = [state.price, BigInt(data.price)]
    if (price !== before || isOld !== state.isTroubled) console.log(`${asset} ${show(price)}  ${ageSec} s old${isOld ? ': too old to open a position at' : ''}`)
    if (state.level !== null && before !== null && before < state.level !== price < state.level) {
      console.log(`${asset} went ${price < state.level ? 'below' : 'to or above'} ${show(state.level)}`)
    }
    state.price = price
    state.isTroubled = isOld
  })
}

// A price comes every three seconds, changed or not: when none comes, what was printed last is not the price any more.
const watchdog = setInterval(() => {
  for (const [asset, state] of watched) {
    if (state.isTroubled || Date.now() - state.heardAtMs < SILENT_AFTER_MS) continue
    console.log(`${asset} no price for ${SILENT_AFTER_MS / 1000} s: the last one may be wrong by now`)
    state.isTroubled = true
  }
}, 1_000)

function stop(): void {
  clearInterval(watchdog)
  stream.close()
}
process.once('SIGINT', stop)
