// GET /docs/stream.json: compares the AsyncAPI document with the messages of the stream.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { schemaMismatches } from './openapi.ts'
import type { OpenApiDocument, Schema } from './openapi.ts'
import { reconcileAll } from './chain-views.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import { call } from '../support/keys.ts'
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
  const response = await bare.gateway.app.inject('/docs/stream.json')
  assert.deepEqual([response.statusCode, response.headers['x-ratelimit-tier']], [200, undefined], 'the route is not rate-limited')
  assert.ok(response.headers['etag'] !== undefined)
  return response.json<Document>()
}

const document = await readDocument()
const { components, operations } = document

/** The name of the message that describes a frame, among those of these operations. */
function messageOf(frame: unknown, operationNames: readonly string[]): string {
  const names = operationNames.flatMap((name) => operations[name]?.messages.map(({ $ref }) => $ref.replace('#/channels/stream/messages/', '')) ?? [])
  const problems = names.map((name) => [name, schemaMismatches(document as never as OpenApiDocument, payloadOf(name), frame)] as const)
  const fits = problems.filter(([, wrong]) => wrong.length === 0).map(([name]) => name)
  // An account's event has one field more than a public event, so only one message may match.
  assert.equal(fits.length, 1, `${JSON.stringify(frame)} matches ${fits.join(' and ') || 'no message'}`)
  return fits[0] ?? ''
}

function payloadOf(name: string): Schema {
  const { payload } = components.messages[name] ?? assert.fail(name)
  return payload
}

test('every reference resolves, and every message belongs to one operation', () => {
  assert.equal(document.asyncapi, '3.1.0')
  assert.equal(document.channels.stream.address, '/v1/ws')
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path)
  for (const path of references) {
    const found = path.split('/').reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document)
    assert.ok(found !== undefined, path)
  }
  const used = Object.values(operations).flatMap(({ messages }) => messages.map(({ $ref }) => $ref.split('/').at(-1)))
  assert.deepEqual(new Set(used), new Set(Object.keys(components.messages)))
  assert.equal(used.length, new Set(used).size)
  for (const { summary } of Object.values(components.messages)) assert.ok(summary.length > 10)
})

test('every line of the documented session matches exactly one message', () => {
  const page = readFileSync(new URL('../../docs/websocket.md', import.meta.url), 'utf8')
  const lines = page.split('\n').filter((line) => /^[<>] \{/.test(line))
  assert.ok(lines.length > 20)
  for (const line of lines) {
    if (line.includes('"op":"buy"')) continue
    messageOf(JSON.parse(line.slice(2)), line.startsWith('>') ? ['receiveMessages'] : ['sendControlMessages', 'sendFrames'])
  }
})

/** Connections look for keys that end at least this often. A check that is still running takes the next one. */
const KEY_CHECK_MS = 1_000
const KEY_CHECKS_MAX = 20

test('every frame of every channel matches the document', async () => {
  const received = new Set<string>()
  await using fixture = await createGatewayFixture({ seed: 'asyncapi', generation: '2', traders: 3, listen: true })
  const { connect, publishLedgers } = fixture
  const trader = await createTrader(fixture, 'documented')
  await publishLedgers(2)
  const client = await connect()
  client.send({ op: 'login', keyId: trader.key.keyId, secret: trader.key.secret })
  client.send({ op: 'login' })
  const accountChannel = `account.events.${trader.address}`
  const assetChannels = ['BTC', 'ETH'].flatMap((asset) => [`ticker.${asset}`, `prices.${asset}`, `trades.${asset}`, `candles.${asset}.1m`])
  const channels = ['events', 'corrections', 'heartbeat', 'checkpoints', accountChannel, `account.orders.${trader.address}`, ...assetChannels]
  client.send({ op: 'subscribe', channels, snapshot: true, id: 'all' })
  client.send({ op: 'subscribe', channels: ['ticker.BTC', 'heartbeat'], id: 'no log channel' })
  client.send({ op: 'subscribe', channels: ['events'], since: 1e9 })
  client.send({ op: 'subscribe', channels: 'events' })
  client.send({ op: 'subscribe', channels: ['events'], since: -1 })
  client.send({ op: 'ping', id: 7 })
  client.send({ op: 'unsubscribe', channels: ['ticker.ETH'] })
  await client.settle()
  await trader.trade({ op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' })
  await publishLedgers(15)
  // The comparison with the ledger puts this right.
  await fixture.store.write.query("update idx.positions set size = size + 7 where state = 'open'")
  await reconcileAll(fixture)
  await fixture.gateway.stream.publishCommitted()
  await fixture.control('local_upgrade', { contract: 'market', build: '2.0' })
  await publishLedgers(1)
  await fixture.gateway.stream.tick()
  fixture.gateway.stream.heartbeat()
  const { key } = trader
  assert.equal((await call(fixture.gateway.app, `/v1/keys/${key.keyId}/rotate`, { method: 'POST', body: { overlapSec: 60 }, key })).status, 200)
  fixture.gateway.stream.start()
  for (let rounds = 0; rounds < KEY_CHECKS_MAX && !client.frames.some(({ type }) => type === 'key_expiring'); rounds++) {
    fixture.clock.advance(KEY_CHECK_MS)
    await client.settle()
  }
  const withoutHeads = client.frames.filter(({ type, id }) => type === 'subscribed' && id === 'no log channel')
  assert.deepEqual(withoutHeads, [{ type: 'subscribed', channels: ['ticker.BTC', 'heartbeat'], id: 'no log channel' }])
  for (const frame of client.frames) received.add(messageOf(frame, ['sendControlMessages', 'sendFrames']))
  const sent = [...(operations['sendControlMessages']?.messages ?? []), ...(operations['sendFrames']?.messages ?? [])]
  const missing = sent.map(({ $ref }) => $ref.split('/').at(-1) ?? '')
    .filter((name) => !received.has(name))
  const onlyInPage = ['draining', 'rejected', 'unsubscribed'].filter((name) => !received.has(name))
  assert.deepEqual(missing.sort(), onlyInPage, 'only messages of the documented session are missing')
})
