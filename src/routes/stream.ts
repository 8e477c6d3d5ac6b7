// GET /v1/stream: public channels of the stream as server-sent events (docs/websocket.md). Not in the specification.

import type { OutgoingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { HttpFailure } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import type { EventsRequest } from '../stream/client-admission.ts'
import type { Stream } from '../stream/stream.ts'
import { streamOriginOf } from './ws.ts'

const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8'
/** A proxy must neither compress nor collect events. */
const EVENT_STREAM_HEADERS = { 'content-type': EVENT_STREAM_TYPE, 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' } as const

const EVENT_ID = /^(.+):(\d{1,15})$/
const EXAMPLE = [
  'retry: 1000', '', 'data: {"type":"hello","ts":1783339200000,"epoch":"k3f9","head":4217,"ledger":1234567}', '',
  'id: k3f9:4217', 'data: {"type":"subscribed","channels":["trades.BTC"],"heads":{"trades.BTC":4200}}', '',
  'id: k3f9:4219', 'data: {"channel":"trades.BTC","seq":4219,"prev":4200,"data":{}}', '', '',
].join('\n')

const schema = operation(
  {
    id: 'streamEvents',
    tag: 'events',
    summary: 'Stream channels as server-sent events',
    description:
      'Sends the frames of public channels of the WebSocket stream (events, trades.<ASSET>, ticker.<ASSET>, prices.<ASSET>, candles.<ASSET>.<interval>, ' +
      'corrections, heartbeat) as server-sent events, each with the JSON of the frame as its data. The id of an event is a position in the log, ' +
      '<epoch>:<seq>. A client that sends the last id as Last-Event-ID, as EventSource does, gets every later frame first. If that is not possible, the ' +
      'stream begins with a message of type gap.',
    ok: Type.String({ description: 'Server-sent events.' }),
    contentType: 'text/event-stream',
    example: EXAMPLE,
    errors: [400, '400 invalid_channels', '503 stream_unavailable'],
    cacheable: false,
  },
  {
    querystring: Type.Object({
      channels: Type.Optional(Type.String({ description: 'Names of channels, separated by commas.', examples: ['trades.BTC,ticker.BTC'] })),
      since: Type.Optional(Type.Unsafe<number>({
        type: 'integer', minimum: 0, description:
          'Continue after this seq. 0: the whole log, earlier epochs included. Last-Event-ID takes precedence, so that EventSource can reconnect.',
      })),
      epoch: Type.Optional(Type.String({ minLength: 1, description: 'The epoch of since. By default the current one.' })),
    }),
    headers: {
      type: 'object',
      properties: {
        'last-event-id': {
          type: 'string', pattern: EVENT_ID.source, description: 'The id of the last event that the client received: <epoch>:<seq>.', examples: ['k3f9:4219'],
        },
      },
    },
  },
)

export function streamRoutes(app: App, { stream }: { readonly stream: Stream }): void {
  app.get('/v1/stream', { schema, config: { endless: true } }, async (request, reply) => {
    const { channels: names = '', since, epoch } = request.query
    const channels = [...new Set(names.split(','))]
    if (names === '') throw invalidChannels('channels is missing.')
    const id = request.raw.headers['last-event-id']
    const position = positionOf(typeof id === 'string' ? id : undefined) ?? { since, epoch }
    await stream.ready()
    const origin = streamOriginOf(request)
    const rejection = stream.eventsRejection(channels, origin)
    if (typeof rejection === 'object') {
      const quoted = rejection.notPublic.map((name) => JSON.stringify(name)).join(', ')
      throw invalidChannels(`Not a public channel: ${quoted.slice(0, NAMES_MAX_LENGTH)}.`)
    }
    if (rejection !== undefined) {
      throw new HttpFailure({
        status: 503, body: { error: rejection, message: UNAVAILABLE_MESSAGES[rejection], retryable: true }, headers: { 'retry-after': String(RETRY_AFTER_SEC) },
        isCallersDoing: rejection === 'too_many_connections',
      })
    }
    if (request.method === 'HEAD') return await reply.headers(EVENT_STREAM_HEADERS).send()
    reply.hijack()
    reply.headers(EVENT_STREAM_HEADERS)
    reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
    stream.sendEvents(reply.raw, { channels, ...position }, { requestId: request.id, origin })
  })
}

const RETRY_AFTER_SEC = 5
const UNAVAILABLE_MESSAGES = {
  server_full: 'This instance has as many connections as it can have. Retry after 5 s.',
  too_many_connections: 'Your address has as many connections as it may have. Close one, or retry after 5 s.',
  restart: 'This instance is shutting down. Connect again.',
} as const
/** A message repeats this many characters of a client's channels. */
const NAMES_MAX_LENGTH = 200

function invalidChannels(problem: string): HttpFailure {
  const message = `${problem} Name channels as in trades.BTC,ticker.BTC, with symbols of GET /v1/markets.`
  return new HttpFailure({ status: 400, body: { error: 'invalid_channels', message } })
}

function positionOf(id: string | undefined): Pick<EventsRequest, 'since' | 'epoch'> | undefined {
  const [, epoch, seq] = EVENT_ID.exec(id ?? '') ?? []
  return epoch === undefined ? undefined : { since: Number(seq), epoch }
}
