// The stream's document (AsyncAPI 3), served beside the OpenAPI one: made from the same schemas, and exempt from the rate limit like it.

import { CHANNEL_MESSAGES, CLIENT_MESSAGES, CONTROL_MESSAGES, STREAM_SCHEMAS } from '../resources/stream-message.ts'
import type { StreamMessage } from '../resources/stream-message.ts'
import { CACHE_REVALIDATE, prepareResponse, sendResponse } from './response.ts'
import type { App } from './app.ts'

const SOCKET = '/v1/ws'

const TEXTS = {
  description:
    'Prices every three seconds, every event of the exchange as soon as it is indexed, and what concerns one\'s own account, over one WebSocket. Frames of ' +
    'the log carry their place (seq) and that of the frame before them on their channel (prev): a client can prove that it missed nothing, and resume at any ' +
    'instance. Amounts are strings that hold integers in 7-decimal fixed point.',
  server: 'The address of the gateway; ws where it is reached without TLS',
  channel:
    'Channels are chosen by messages: ticker.<ASSET>, candles.<ASSET>.<interval>, trades.<ASSET>, events, account.events.<address>, heartbeat. The last ' +
    'frame before a close tells why; its code is 1012 for a restart, 1013 for a limit, 4401 for a key that was revoked.',
} as const

/** GET /docs/stream.json. */
export function serveAsyncApi(app: App, version: string): void {
  const response = prepareResponse(JSON.stringify(describeStream(version)), { 'cache-control': CACHE_REVALIDATE })
  app.get('/docs/stream.json', { schema: { hide: true }, config: { rateLimited: false } }, (request, reply) => sendResponse(request, reply, response))
}

function describeStream(version: string): object {
  const frames = Object.values(CHANNEL_MESSAGES)
  const messages = [...CLIENT_MESSAGES, ...CONTROL_MESSAGES, ...frames]
  const document = {
    asyncapi: '3.0.0',
    info: { title: 'Perpetual Exchange Gateway: stream', version, description: TEXTS.description },
    defaultContentType: 'application/json',
    servers: { gateway: { host: '{host}', protocol: 'wss', description: TEXTS.server, variables: { host: { default: '127.0.0.1:8080' } } } },
    channels: {
      stream: {
        address: SOCKET,
        title: 'One connection for everything',
        description: TEXTS.channel,
        messages: Object.fromEntries(messages.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: {
      ask: operation('receive', 'What a client sends', CLIENT_MESSAGES),
      answer: operation('send', 'Answers, and what the gateway says by itself', CONTROL_MESSAGES),
      deliver: operation('send', 'Frames of the channels that a client subscribed to', frames),
    },
    components: {
      messages: Object.fromEntries(messages.map(({ name, summary, payload }) => [name, { name, summary, payload }])),
      schemas: Object.fromEntries(STREAM_SCHEMAS.map((schema) => [String((schema as { $id?: string }).$id), withoutId(schema)])),
    },
  }
  // A resource's own references name it as Fastify does.
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
