// GET /docs/stream.json: the stream's document against what the stream really says.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { schemaMismatches } from '../support/openapi.ts'
import type { OpenApiDocument, Schema } from '../support/openapi.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import { onStage } from '../support/stream-stage.ts'
import { createTrader } from '../support/traders.ts'

interface Reference {
  readonly $ref: string
}

interface Document {
  readonly asyncapi: string
  readonly channels: { readonly stream: { readonly address: string; readonly messages: Readonly<Record<string, Reference>> } }
  readonly operations: Readonly<Record<string, { readonly action: string; readonly messages: readonly Reference[] }>>
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly summary: string; readonly payload: Schema }>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

async function readDocument(): Promise<Document> {
  await using bare = await createBareGateway()
  const answer = await bare.gateway.app.inject('/docs/stream.json')
  assert.deepEqual([answer.statusCode, answer.headers['x-ratelimit-tier']], [200, undefined], 'it is not counted')
  assert.ok(answer.headers['etag'] !== undefined)
  return answer.json<Document>()
}

const document = await readDocument()
const { components, operations } = document

/** The message that a frame is, of those of an operation. */
function kindOf(frame: unknown, operation: readonly string[]): string {
  const names = operation.flatMap((name) => operations[name]?.messages.map(({ $ref }) => $ref.replace('#/channels/stream/messages/', '')) ?? [])
  const problems = names.map((name) => [name, schemaMismatches(document as never as OpenApiDocument, payloadOf(name), frame)] as const)
  const fits = problems.filter(([, wrong]) => wrong.length === 0).map(([name]) => name)
  // Events of an account are those of all with the account beside them.
  assert.equal(fits.length, 1, `${JSON.stringify(frame)} is ${fits.join(' and ') || 'nothing'}`)
  return fits[0] ?? ''
}

function payloadOf(name: string): Schema {
  const { payload } = components.messages[name] ?? assert.fail(name)
  return payload
}

test('every reference leads somewhere, and every message belongs to an operation', () => {
  assert.equal(document.asyncapi, '3.1.0')
  assert.equal(document.channels.stream.address, '/v1/ws')
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path)
  for (const path of references) {
    const found = path.split('/').reduce<unknown>((inside, key) => (inside as Record<string, unknown> | undefined)?.[key], document)
    assert.ok(found !== undefined, path)
  }
  const used = Object.values(operations).flatMap(({ messages }) => messages.map(({ $ref }) => $ref.split('/').at(-1)))
  assert.deepEqual(new Set(used), new Set(Object.keys(components.messages)))
  assert.equal(used.length, new Set(used).size)
  for (const { summary } of Object.values(components.messages)) assert.ok(summary.length > 10)
})

test('every line of the session on the page is exactly one of the document\'s messages', () => {
  const page = readFileSync(new URL('../../docs/websocket.md', import.meta.url), 'utf8')
  const lines = page.split('\n').filter((line) => /^[<>] \{/.test(line))
  assert.ok(lines.length > 20)
  for (const line of lines) {
    if (line.includes('"op":"buy"')) continue
    kindOf(JSON.parse(line.slice(2)), line.startsWith('>') ? ['receiveMessages'] : ['sendControlMessages', 'sendFrames'])
  }
})

test('whatever the stream sends of every channel is in the document, under the kind of its channel', async () => {
  const kinds = new Set<string>()
  await onStage({ seed: 'asyncapi', traders: 3 }, async ({ world, connect, publishLedgers }) => {
    const trader = await createTrader(world, 'documented')
    await publishLedgers(2)
    const client = await connect()
    client.send({ op: 'login', keyId: trader.key.keyId, secret: trader.key.secret })
    client.send({ op: 'login' })
    const own = `account.events.${trader.address}`
    const channels = ['events', 'heartbeat', own, ...['BTC', 'ETH'].flatMap((asset) => [`ticker.${asset}`, `trades.${asset}`, `candles.${asset}.1m`])]
    client.send({ op: 'subscribe', channels, snapshot: true, id: 'all' })
    client.send({ op: 'subscribe', channels: ['events'], since: 1e9 })
    client.send({ op: 'subscribe', channels: 'events' })
    client.send({ op: 'subscribe', channels: ['events'], since: -1 })
    client.send({ op: 'ping', id: 7 })
    client.send({ op: 'unsubscribe', channels: ['ticker.ETH'] })
    await client.settle()
    await trader.trade({ op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' })
    await publishLedgers(15)
    await world.gateway.stream.tick()
    world.gateway.stream.heartbeat()
    await client.settle()
    for (const frame of client.frames) kinds.add(kindOf(frame, ['sendControlMessages', 'sendFrames']))
  })
  const sent = [...(operations['sendControlMessages']?.messages ?? []), ...(operations['sendFrames']?.messages ?? [])]
  const missing = sent.map(({ $ref }) => $ref.split('/').at(-1) ?? '')
    .filter((name) => !kinds.has(name))
  assert.deepEqual(missing.sort(), ['draining', 'rejected', 'unsubscribed'].filter((name) => !kinds.has(name)), 'the page\'s session has these')
})
