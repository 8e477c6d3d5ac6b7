// The AsyncAPI 3 document of the WebSocket stream. Generated from the same schemas as the OpenAPI document.

import type { IncomingHttpHeaders } from 'node:http'
import { createCache } from '../base/cache.ts'
import { CHANNEL_MESSAGES, CLIENT_MESSAGES, CONTROL_MESSAGES, STREAM_SCHEMAS } from '../resources/stream-message.ts'
import type { StreamMessage } from '../resources/stream-message.ts'
import { CACHE_REVALIDATE, JSON_TYPE } from './response.ts'
import type { App } from './app.ts'
import { lazyDocument } from './documents.ts'
import type { Document, Documents } from './documents.ts'

const SOCKET = '/v1/ws'

const TEXTS = {
  description:
    'One WebSocket delivers prices every three seconds and as soon as they change, every exchange event as soon as it is indexed, and the events of ' +
    'your account. Log frames carry ' +
    'their sequence number (seq) and the sequence number of the previous frame on the channel (prev), so that a client can detect missing frames and resume ' +
    'on any instance. Amounts are digit strings in 7-decimal fixed point.',
  server: 'The gateway that serves this document.',
  channel:
    'Subscribe to channels with messages: ticker.<ASSET>, prices.<ASSET>, candles.<ASSET>.<interval>, trades.<ASSET>, events, corrections, ' +
    'account.events.<address>, account.orders.<address>, heartbeat, checkpoints. The close frame states the reason: code 1012 for a restart, 1013 for an ' +
    'exceeded limit or a place that another client got, 4401 for a revoked key.',
} as const

interface StreamServer {
  readonly host: string
  readonly protocol: 'ws' | 'wss'
}

const DEFAULT_SERVER: StreamServer = { host: '127.0.0.1:8080', protocol: 'ws' }
/** A host name or an address, with or without a port. */
const HOST = /^[\w.:[\]-]{1,255}$/
/** Addresses of one gateway. A client can ask at any. */
const SERVERS_MAX = 8

/** GET /docs/stream.json. */
export function serveAsyncApi(app: App, version: string, documents: Documents): void {
  const byServer = createCache<string, () => Promise<Document>>(SERVERS_MAX)
  function documentAt(server: StreamServer): Promise<Document> {
    const key = `${server.protocol} ${server.host}`
    const known = byServer.get(key)
    if (known !== undefined) return known()
    const document = lazyDocument(() => JSON.stringify(describeStream(version, server)), JSON_TYPE)
    byServer.set(key, document)
    return document()
  }
  app.get('/docs/stream.json', { schema: { hide: true }, config: { rateLimited: false } }, async (request, reply) =>
    documents.send(request, reply, await documentAt(serverOf(request.raw.headers)), { 'cache-control': CACHE_REVALIDATE }))
}

/** The address that the client used. The gateway has no TLS of its own: a proxy in front says that it has. */
function serverOf({ host, 'x-forwarded-proto': forwarded }: IncomingHttpHeaders): StreamServer {
  const protocol = forwarded === 'https' ? 'wss' : 'ws'
  return host !== undefined && HOST.test(host) ? { host, protocol } : { ...DEFAULT_SERVER, protocol }
}

export function describeStream(version: string, { host, protocol }: StreamServer = DEFAULT_SERVER): object {
  const frames = Object.values(CHANNEL_MESSAGES)
  const messages = [...CLIENT_MESSAGES, ...CONTROL_MESSAGES, ...frames]
  const document = {
    asyncapi: '3.1.0',
    info: { title: 'Perpetual Exchange Gateway: stream', version, description: TEXTS.description },
    defaultContentType: 'application/json',
    servers: { gateway: { host, protocol, description: TEXTS.server } },
    channels: {
      stream: {
        address: SOCKET,
        title: 'WebSocket stream',
        description: TEXTS.channel,
        messages: Object.fromEntries(messages.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: {
      receiveMessages: operation('receive', 'Messages from clients', CLIENT_MESSAGES),
      sendControlMessages: operation('send', 'Replies and notifications', CONTROL_MESSAGES),
      sendFrames: operation('send', 'Frames of subscribed channels', frames),
    },
    components: {
      messages: Object.fromEntries(messages.map(({ name, summary, payload }) => [name, { name, summary, payload }])),
      schemas: Object.fromEntries(STREAM_SCHEMAS.map((schema) => [String((schema as { $id?: string }).$id), withoutId(schema)])),
    },
  }
  // Resource schemas use Fastify's reference format.
  return JSON.parse(JSON.stringify(document).replaceAll(/"\$ref":"(\w+)#"/g, '"$ref":"#/components/schemas/$1"')) as object
}

function operation(action: 'send' | 'receive', summary: string, messages: readonly StreamMessage[]): object {
  return {
    action, summary, channel: { $ref: '#/channels/stream' },
    messages: messages.map(({ name }) => ({ $ref: `#/channels/stream/messages/${name}` })),
  }
}

function withoutId(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$id'))
}
