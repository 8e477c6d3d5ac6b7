// Every endpoint through the client, against a gateway with a history, over real sockets.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createClient } from '../../client/src/client.ts'
import type { Client } from '../../client/src/client.ts'
import { ENDPOINTS, LISTS } from '../../client/src/generated/endpoint-table.ts'
import { GatewayError, Unauthorized } from '../../client/src/errors.ts'
import type { Answer } from '../../client/src/http.ts'
import type { EndpointName, ListName } from '../../client/src/rest.ts'
import { defined } from '../../src/base/assert.ts'
import { createSigningKey } from '../../src/base/proofs/signing.ts'
import { clockOf, createTraderClient, whileTimePasses } from './client-fixture.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

let fixture: GatewayFixture
let url: string
let client: Client
let address: string
let hash: string

before(async () => {
  fixture = await createGatewayFixture({
    traders: 6, seed: 'client endpoints', gateway: { signingKeys: [defined(createSigningKey(generateKeyPairSync('ed25519').privateKey, 0), 'a key')] },
  })
  await fixture.closeLedgers(60)
  await fixture.catchUp()
  url = await fixture.gateway.listen({ host: '127.0.0.1', port: 0 })
  client = await createTraderClient(fixture, url, 'client endpoints')
  const { owner } = await client.login()
  address = owner
  ;({ hash } = await whileTimePasses(fixture, () => client.trade({ op: 'create_referral_code', code: 'endpoints', clientId: 'endpoints' })))
})
after(() => fixture[Symbol.asyncDispose]())

type AnyMethod = (input: Readonly<Record<string, unknown>>) => Promise<Answer<Readonly<Record<string, unknown>>>>

test('every GET endpoint responds', async () => {
  const inputs: Readonly<Partial<Record<EndpointName, Readonly<Record<string, unknown>>>>> = {
    getMarket: { asset: 'btc' }, getMarketPrice: { asset: 'BTC' }, getMarketLimits: { asset: 'BTC' },
    getInstrument: { asset: 'BTC' }, getBook: { asset: 'BTC' }, listCandles: { asset: 'BTC', interval: '1m' },
    getQuote: { asset: 'BTC', direction: 'Long', collateral: '1000000000', leverage: 5 },
    getTransaction: { hash }, getOrder: { orderId: 1 }, getTrader: { address }, getTraderPnl: { address }, listTraderLedger: { address },
    findTransaction: { clientId: 'endpoints' }, listVaultHistory: { id: 1 },
    getVault: { id: 1 }, listVaultTrades: { id: 1 }, listVaultDeposits: { id: 1 }, listVaultWithdraws: { id: 1 }, listVaultFeeClaims: { id: 1 },
    getLogRecord: { leafIndex: 1 }, getLogTile: { path: '0/000.p/1' }, getConsistencyProof: { from: 1, to: 2 },
    lookupReferralCode: { code: 'endpoints' }, getLeaderRank: { trader: address }, getAdlQueue: { asset: 'BTC' }, getShortfall: { address },
    getReferralInfo: { address }, getAccountVolume: { address }, getBetaStatus: { address },
    udfSymbols: { symbol: 'BTC' }, udfHistory: { symbol: 'BTC', resolution: '1', from: 1_783_339_200, to: 1_783_349_200 },
  }
  const vault = (await client.listVaults()).body.vaults[0]
  const event = (await client.listEvents({ limit: 1 })).body.events[0]
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [EndpointName, string][]) {
    // No day of this history is over.
    if (!endpoint.startsWith('GET ') || name === 'downloadExport') continue
    const input = name === 'getInclusionProof' ? { eventId: event?.eventId } : inputs[name] ?? {}
    const { body, requestId } = await (client[name] as unknown as AnyMethod)('id' in input ? { id: vault?.id } : input)
    assert.ok(body !== undefined && requestId?.length === 24, name)
    const rows = name in LISTS ? LISTS[name as ListName] : undefined
    if (rows !== undefined) assert.ok(Array.isArray(body[rows]), `${name} has no ${rows}`)
  }
})

test('a checkpoint is returned as text, a tile as bytes, and the log verifies', async () => {
  const note = (await client.getCheckpoint()).body
  const { size } = await client.verify.consistency(note)
  assert.ok(note.includes(`\n${size}\n`))
  const tile = (await client.getLogTile({ path: '0/000.p/2' })).body
  assert.deepEqual([tile instanceof Uint8Array, tile.length], [true, 64])
  const { eventId } = (await client.listEvents({ limit: 1 })).body.events[0] ?? assert.fail('no event')
  const proof = (await client.getInclusionProof({ eventId })).body
  const { events } = (await client.getLogRecord({ leafIndex: proof.leafIndex })).body
  const event = events.find((each) => each.eventId === eventId) ?? assert.fail('the record does not have it')
  assert.equal((await client.verify.inclusion(proof, event)).leafIndex, proof.leafIndex)
})

test('a day that is not over cannot be downloaded', async () => {
  const failure = await client.downloadExport({ kind: 'trades', file: '2026-07-06.ndjson.gz' }).catch((error: unknown) => error)
  assert.ok(failure instanceof GatewayError && failure.code === 'export_not_available', String(failure))
})

test('a revoked key is rejected', async () => {
  const other = await createTraderClient(fixture, url, 'client endpoints')
  const { keyId } = await other.login({ label: 'short-lived' })
  assert.deepEqual((await other.getAccountIdentity()).body, { owner: address, tier: 'standard', keyId })
  assert.deepEqual(other.allowance()?.tier, 'standard')
  assert.deepEqual((await other.revokeKey({ keyId })).body, { revoked: true })
  await assert.rejects(other.getAccountIdentity(), (error: unknown) => error instanceof Unauthorized && error.code === 'invalid_credentials')
})

test('rows() yields every row once and in order while new rows arrive', async () => {
  const seen: string[] = []
  const { body } = await client.listEvents({ limit: 500 })
  const known = body.events.map(({ eventId }) => eventId)
  assert.ok(known.length > 30, 'the history is too short for several pages')
  for await (const { eventId } of client.rows('listEvents', { limit: 7 })) {
    seen.push(eventId)
    if (seen.length === 20) {
      await fixture.closeLedgers(3)
      await fixture.catchUp()
    }
  }
  assert.deepEqual(seen.slice(0, known.length), known)
  assert.equal(new Set(seen).size, seen.length)
})

test('leaving the loop requests no further page', async () => {
  let calls = 0
  const counted = createClient({
    url, clock: clockOf(fixture),
    fetch: (to, init) => {
      calls += 1
      return fetch(to, init)
    },
  })
  for await (const page of counted.pages('listEvents', { limit: 5 })) {
    assert.equal(page.body.events.length, 5)
    assert.ok((page.ledger ?? 0) > 0 && (page.seq ?? 0) > 0)
    if (calls === 2) break
  }
  assert.equal(calls, 2)
})

test('an error response becomes an error with its code, hint and request id', async () => {
  const missing = await client.lookupReferralCode({ code: 'nobody' }).catch((error: unknown) => error)
  assert.ok(missing instanceof GatewayError)
  assert.deepEqual([missing.status, missing.code, missing.requestId?.length], [404, 'unknown_code', 24])
  const invalid = await client.listTrades({ limit: 0 }).catch((error: unknown) => error)
  assert.ok(invalid instanceof GatewayError)
  assert.deepEqual([invalid.status, invalid.code], [400, 'FST_ERR_VALIDATION'])
  assert.match(invalid.hint ?? '', /limit/)
})

test('minLedger makes the response wait for that ledger', async () => {
  const next = fixture.network.chain.history.latest().sequence + 2
  const { ledger } = await whileTimePasses(fixture, () => client.listEvents({ limit: 1 }, { minLedger: next }))
  assert.ok((ledger ?? 0) >= next)
})
