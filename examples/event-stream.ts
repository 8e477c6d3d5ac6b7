// Prints every trade of some assets, read with plain HTTP: server-sent events, resumed after a lost connection.
//
//   npm run example examples/event-stream.ts BTC ETH
//
// Expect one line per trade: position in the log, asset, kind and price, first those since the log began. A browser's EventSource does by itself what `read`
// and the loop below do. Stop it with Ctrl-C. Set GATEWAY_URL for a gateway other than http://127.0.0.1:8080. No API key is needed.

import { setTimeout as sleep } from 'node:timers/promises'
import { displayText } from 'perpetual-exchange-client'

const RETRY_MS = 1_000

interface Message {
  readonly type?: string
  readonly reason?: string
  readonly channel?: string
  readonly seq?: number
  readonly data?: { readonly asset: string; readonly kind: string; readonly price: string }
}

const assets = process.argv.slice(2).map((asset) => asset.toUpperCase())
if (assets.length === 0) throw new TypeError('name at least one asset, like BTC')
const url = new URL('/v1/stream', process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080')
url.search = new URLSearchParams({ channels: assets.map((asset) => `trades.${asset}`).join(','), since: '0' }).toString()

const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort())
/** The id of the last event: everything up to there has arrived. */
let lastEventId = ''

function print({ type, reason, seq, data }: Message): void {
  if (type === 'gap') console.log(`trades are missing (${reason}): read GET /v1/trades`)
  if (data !== undefined) console.log(displayText(`#${seq} ${data.asset} ${data.kind} at ${Number(data.price) / 1e7}`))
}

/** Reads the stream until the connection ends. */
async function read(): Promise<void> {
  const response = await fetch(url, { headers: lastEventId === '' ? {} : { 'last-event-id': lastEventId }, signal: stopped.signal })
  if (response.status === 400) throw new TypeError(`unknown asset among ${assets.join(', ')}`)
  if (!response.ok || response.body === null) throw new Error(`response ${response.status}`)
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = `${text}${chunk}`.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1]
      if (data !== undefined) print(JSON.parse(data) as Message)
      lastEventId = /^id: (.*)$/m.exec(event)?.[1] ?? lastEventId
    }
  }
}

while (!stopped.signal.aborted) {
  try {
    await read()
  } catch (error) {
    if (error instanceof TypeError && error.message.startsWith('unknown asset')) throw error
  }
  if (!stopped.signal.aborted) console.log('connection lost, resuming')
  await sleep(RETRY_MS, undefined, { signal: stopped.signal }).catch(() => {})
}
