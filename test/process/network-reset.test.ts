// The day on which the public test network is reset, rehearsed: a new chain with another generation of contracts at new addresses, and one new manifest.

import { strict as assert } from 'node:assert'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import test from 'node:test'
import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk'
import { createClient } from '../../client/src/client.ts'
import type { Client } from '../../client/src/client.ts'
import { secretSigner } from '../../client/src/signer.ts'
import { createSystemClock } from '../../src/base/clock.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { startMain } from '../support/main-process.ts'
import { startNetworkOn } from '../support/network.ts'
import { PROJECT_ROOT } from '../support/program.ts'
import { connectStream } from '../support/stream-client.ts'
import type { StreamClient, StreamFrame } from '../support/stream-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const CLIENTS = 20
const READERS = 4
const PATHS = ['/v1/markets', '/v1/trades?limit=50', '/v1/events?limit=50', '/v1/positions/open', '/v1/oracle/prices', '/v1/leaderboard', '/v1/health']
const OPEN = { op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' } as const

interface EventRow {
  readonly eventId: string
  readonly contractId: string
  readonly txHash: string
}

/** A limit order far from the price. */
const WAITING = {
  op: 'place_limit_order', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long', triggerPrice: '10000000000', triggerCondition: 'Below',
  slippageToleranceBps: 500,
} as const

const isNewEpoch = ({ type, reason }: StreamFrame): boolean => type === 'gap' && reason === 'epoch'

function manifestOf({ contracts, assets, generation }: LocalNetwork, since: string): string {
  const shipped = JSON.parse(readFileSync(`${PROJECT_ROOT}deployments/testnet.json`, 'utf8')) as object
  return JSON.stringify({ ...shipped, since, contracts, assets, generation })
}

/** Reads until it is stopped; returns the responses that are neither a success nor a documented temporary failure. */
async function read(url: string, stop: AbortSignal): Promise<readonly string[]> {
  const unexpected: string[] = []
  for (let round = 0; !stop.aborted; round++) {
    // Each from another address: the load of many clients.
    const path = PATHS[round % PATHS.length] ?? ''
    const { status } = await fetch(`${url}${path}`, { headers: { 'x-forwarded-for': `10.1.${round >> 8 & 255}.${round & 255}` } })
    if (status !== 200) unexpected.push(`${path} ${status}`)
  }
  return unexpected
}

type OrderRequest = Parameters<Client['prepareOrder']>[0]

/** Prepares, signs and submits an order, and returns the id that its events name once they are indexed. */
async function trade(client: Client, { networkPassphrase }: LocalNetwork, secret: string, request: OrderRequest): Promise<number> {
  const { body: { xdr } } = await client.prepareOrder(request)
  const signed = TransactionBuilder.fromXdr(xdr, networkPassphrase)
  signed.sign(Keypair.fromSecret(secret))
  const { body: { status, hash } } = await client.submitTransaction({ signedXdr: signed.toXdr(), pollTimeoutMs: 60_000 })
  assert.equal(status, 'SUCCESS', request.op)
  const readId = async (): Promise<number | null> => (await client.getTransaction({ hash })).body.orderId
  await until(async () => (await readId()) !== null, `the events of ${request.op}`)
  return (await readId()) ?? 0
}

/** An order that was executed, one that was cancelled and one that waits, with what the account reads of them. */
async function createOrders(url: string, network: LocalNetwork) {
  // An account of its own: the others must have the same sequence number on both chains.
  const secret = network.accounts.find(({ name }) => name === 'bob')?.secret ?? ''
  const client = createClient({ url, signer: await secretSigner(secret) })
  await client.login()
  const { body: { price } } = await client.getMarketPrice({ asset: 'BTC' })
  const triggerPrice = String((BigInt(price) * 99n) / 100n)
  const executed = await trade(client, network, secret, { ...WAITING, triggerPrice, triggerCondition: 'Above' })
  const cancelled = await trade(client, network, secret, WAITING)
  await trade(client, network, secret, { op: 'cancel_order', orderId: cancelled })
  const waiting = await trade(client, network, secret, { ...WAITING, leverage: 3 })
  const isSettled = async (): Promise<boolean> => {
    const { status, execution, asset } = (await client.getOrder({ orderId: executed })).body
    const terms = (await client.getOrder({ orderId: waiting })).body.asset
    return status === 'executed' && asset !== null && terms !== null && execution !== null && execution.fee !== null
  }
  await until(isSettled, 'the execution of an order with its fee, and the terms of the others')
  const { orders } = (await client.listAccountOrderHistory({})).body
  assert.deepEqual(orders.map(({ orderId, status }) => [orderId, status]), [[waiting, 'pending'], [cancelled, 'cancelled'], [executed, 'executed']])
  const { fills } = (await client.listAccountFills({})).body
  assert.deepEqual(fills.map(({ orderId, kind }) => [orderId, kind]), [[executed, 'open']])
  return { client, orders, fills, deployment: (await client.getHealth()).body.deployment.name }
}

/** Asserts that the account's rows of the chain before a reset are still read, and that none is open. */
async function assertOrdersEnded({ client, orders, fills, deployment }: Awaited<ReturnType<typeof createOrders>>): Promise<void> {
  const expected = orders.map((order) => (order.status === 'pending' ? { ...order, status: 'cancelled' } : order))
  assert.deepEqual((await client.listAccountOrderHistory({ deployment })).body.orders, expected)
  for (const order of expected) assert.deepEqual((await client.getOrder({ orderId: order.orderId, deployment })).body, order)
  assert.deepEqual((await client.listAccountOrderHistory({ deployment, status: 'pending' })).body.orders, [])
  assert.deepEqual((await client.listAccountFills({})).body.fills, fills.map((fill) => ({ ...fill, deployment })))
  assert.deepEqual((await client.listAccountOrderHistory({})).body.orders, [], 'none of the new chain')
  const { trader } = orders[0] ?? assert.fail('an order')
  assert.deepEqual((await client.listOrders({ trader: trader ?? '' })).body.orders, [])
}

/** The old chain gets the protocol of the new one first, as the public networks did, and trading continues. */
async function upgradeAndTrade(url: string, network: LocalNetwork): Promise<void> {
  // Alice must have the same sequence number on both chains.
  const secret = network.accounts.find(({ name }) => name === 'carol')?.secret ?? ''
  const client = createClient({ url, signer: await secretSigner(secret) })
  await client.login()
  await network.rpc.call('local_upgradeProtocol', { protocol: 30 })
  await until(async () => (await client.getHealth()).body.protocol.network === 30, 'the upgrade in the index')
  await trade(client, network, secret, WAITING)
}

async function listEvents(client: Client): Promise<readonly EventRow[]> {
  return (await client.listEvents({ limit: 500 })).body.events
}

/** No event is served twice, and those from before are still served. */
function assertServed(before: readonly EventRow[], ids: readonly string[]): void {
  assert.equal(new Set(ids).size, ids.length, 'no event is served twice')
  for (const { eventId } of before.slice(0, 20)) assert.ok(ids.includes(eventId) || ids.length === 500, `the old event ${eventId} is still served`)
}

/** Events of both chains never mix: events of the new contracts follow the border, those of the old ones do not. `contractOf`: by transaction. */
function assertNotMixed(client: StreamClient, contractOf: ReadonlyMap<string, string>, old: ReadonlySet<string>): void {
  const border = client.frames.findIndex(isNewEpoch)
  assert.ok(border >= 0, 'the client was informed')
  const events = [...client.frames.entries()].filter(([, { channel }]) => channel === 'events')
  const placed = events.map(([index, { data }]) => ({ index, contract: contractOf.get(data?.['txHash'] as string) }))
  assert.ok(placed.some(({ index, contract }) => contract !== undefined && index > border), 'events of the new contracts arrived')
  for (const { index, contract } of placed) if (contract !== undefined) assert.equal(old.has(contract), index < border, `frame ${index} of ${contract}`)
}

test('follows an upgrade to protocol 30, then a reset with a new generation of contracts by one new file, under load', async () => {
  await using network = await startNetworkOn(createSystemClock(), { seed: 'reset day', port: 0, traders: 6, protocol: 29 })
  await using folder = await temporaryFolder()
  const manifests = `${folder.path}/deployments`
  mkdirSync(manifests)
  writeFileSync(`${manifests}/testnet.json`, manifestOf(network, '2026-07-06'))
  await using main = startMain({
    NETWORK: 'testnet', RPC_URL: network.rpcUrl ?? '', DEPLOYMENTS_DIR: manifests, DATA_DIR: `${folder.path}/data`, POLL_INTERVAL_MS: '200',
    LOG_FORMAT: 'json', WS_MAX_CONNECTIONS_PER_IP: '100', TRUST_PROXY: 'true',
  })
  await main.waitForLine(/^Indexer in sync/)
  const url = await main.url()
  const oldContracts = new Set(Object.values(network.contracts))
  const alice = network.accounts.find(({ name }) => name === 'alice')
  const trader = createClient({ url, signer: await secretSigner(alice?.secret ?? '') })
  await trader.login()
  const early = await createOrders(url, network)
  const before = await listEvents(trader)
  const { uptime } = (await trader.getHealth()).body

  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connectStream(url)))
  for (const client of clients) client.send({ op: 'subscribe', channels: ['events', 'ticker.BTC'] })
  await Promise.all(clients.map((client) => client.settle()))
  const stop = new AbortController()
  const readers = Array.from({ length: READERS }, () => read(url, stop.signal))

  await upgradeAndTrade(url, network)

  // A submission that the old chain accepts and never applies.
  const { body: prepared } = await trader.prepareOrder(OPEN)
  const signed = TransactionBuilder.fromXdr(prepared.xdr, network.networkPassphrase)
  signed.sign(Keypair.fromSecret(alice?.secret ?? ''))
  await network.rpc.call('local_autoClose', { enabled: false })
  const envelope = { signedXdr: signed.toXdr(), pollTimeoutMs: 60_000 }
  const submission = trader.submitTransaction(envelope)
  // The test sends it too, so that the network surely has it before the reset.
  const isQueued = async (): Promise<boolean> =>
    (await network.rpc.call('sendTransaction', { transaction: envelope.signedXdr }) as { status: string }).status === 'DUPLICATE'
  await until(isQueued, 'the transaction in the queue of the network')

  await network.rpc.call('local_reset', { generation: '2', newAddresses: true, protocol: 30 })
  await network.rpc.call('local_autoClose', { enabled: true })
  await main.waitForLine(/reset/)
  // The file is written under another name and renamed, as docs/operating.md says.
  writeFileSync(`${folder.path}/new.json`, manifestOf(network, '2026-12-16'))
  renameSync(`${folder.path}/new.json`, `${manifests}/testnet-2026-12-16.json`)

  await Promise.all(clients.map((client) => client.frame(isNewEpoch)))
  await until(async () => (await listEvents(trader)).some(({ contractId }) => contractId === network.contracts.market), 'an event of the new market')
  const outcome = (await submission).body
  stop.abort()
  assert.deepEqual((await Promise.all(readers)).flat(), [], 'every read was answered')

  await assertOrdersEnded(early)
  const health = (await trader.getHealth()).body
  assert.ok(health.uptime > uptime, 'the process was not restarted')
  assert.deepEqual([health.contracts.market.address, health.deployment.name], [network.contracts.market, 'testnet-2026-12-16'])
  assert.deepEqual(health.protocol, { network: 30, known: 30, unknown: [] })
  const after = await listEvents(trader)
  assertServed(before, after.map(({ eventId }) => eventId))
  const contractOf = new Map(after.map(({ txHash, contractId }) => [txHash, contractId]))
  await Promise.all(clients.map((client) => client.settle()))
  for (const client of clients) assertNotMixed(client, contractOf, oldContracts)
  // It was sent again. The new chain has the account too, but the contract that the transaction calls is gone.
  assert.deepEqual([outcome.status, outcome.hostError], ['FAILED', { type: 'storage', code: 'missing_value' }])
  await Promise.all(clients.map((client) => client.close()))
  assert.equal(await main.stop('SIGTERM'), 0, main.errors())
})
