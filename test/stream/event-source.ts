// A client of server-sent events over a real socket, as the HTML standard describes it: it parses events, remembers the last id, and reconnects with it.

import assert from 'node:assert/strict'
import { request as sendRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { StreamFrame } from '../support/stream-client.ts'
import { createArrivals } from '../support/until.ts'

/** An event with the id that was in effect when it arrived. */
interface ReceivedEvent {
  readonly frame: StreamFrame
  /** True if the event itself has an id. */
  readonly id: string | undefined
}

export interface EventSourceClient extends Disposable {
  readonly response: IncomingMessage
  readonly events: readonly ReceivedEvent[]
  readonly comments: readonly string[]
  lastEventId(): string
  retryMs(): number | undefined
  /** Waits for the first matching frame from index `from` on. Rejects when the stream ends without it. */
  frame(matches: (frame: StreamFrame) => boolean, from?: number): Promise<StreamFrame>
  comment(text: string): Promise<void>
  /** Resolves when the response has ended; with false when it broke off. */
  readonly ended: Promise<boolean>
  /** Destroys the socket. */
  destroy(): void
}

export interface EventSourceOptions {
  readonly lastEventId?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Stops after so many events, in the middle of what the socket delivers: later events are lost with the connection. */
  readonly cutAfter?: number
  /** Reads nothing until `response` is resumed. */
  readonly paused?: true
}

/** GET, without following the response. */
export function requestStream(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sendRequest(url, { method, headers, agent: false }, resolve).on('error', reject).end()
  })
}

/** Connects; fails unless the response is a stream of events. */
export async function openEventSource(url: string, options: EventSourceOptions = {}): Promise<EventSourceClient> {
  const { lastEventId: initialId = '', headers = {}, cutAfter = Infinity } = options
  const response = await requestStream(url, { accept: 'text/event-stream', ...headers, ...(initialId === '' ? {} : { 'last-event-id': initialId }) })
  assert.deepEqual([response.statusCode, response.headers['content-type']], [200, 'text/event-stream; charset=utf-8'])
  const events: ReceivedEvent[] = []
  const comments: string[] = []
  const arrivals = createArrivals(() => `last events: ${JSON.stringify(events.slice(-3))}`)
  let lastEventId = initialId
  let retryMs: number | undefined
  let buffered = ''

  /** One event: the lines before a blank line. */
  function take(block: string): void {
    const data: string[] = []
    let id: string | undefined
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) comments.push(line.slice(1).trim())
      const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
      if (field === 'data') data.push(value)
      if (field === 'id') id = value
      if (field === 'retry') retryMs = Number(value)
    }
    if (id !== undefined) lastEventId = id
    if (data.length > 0) events.push({ frame: JSON.parse(data.join('\n')) as StreamFrame, id })
  }

  response.setEncoding('utf8')
  if (options.paused !== true) {
    response.on('data', (text: string) => {
      buffered += text
      for (let end = buffered.indexOf('\n\n'); end >= 0 && events.length < cutAfter; end = buffered.indexOf('\n\n')) {
        take(buffered.slice(0, end))
        buffered = buffered.slice(end + 2)
      }
      if (events.length >= cutAfter) response.destroy()
      arrivals.changed()
    })
  }
  const ended = new Promise<boolean>((resolve) => {
    response.on('error', () => {})
    response.on('close', () => {
      resolve(response.complete)
      arrivals.end()
    })
  })

  return {
    response, events, comments, ended,
    lastEventId: () => lastEventId,
    retryMs: () => retryMs,
    frame: (matches, from = 0) =>
      arrivals.wait(() => events.slice(from).find(({ frame }) => matches(frame))?.frame, `an event for which ${String(matches)}`),
    comment: async (text) => void (await arrivals.wait(() => (comments.includes(text) ? true : undefined), `the comment ${text}`)),
    destroy: () => void response.destroy(),
    [Symbol.dispose]: () => void response.destroy(),
  }
}
