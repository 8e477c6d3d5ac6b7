// Corrections after a comparison with the ledger are published with both values: as a list, and on a channel that resumes like every log channel.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { address, text } from '../../localnet/contracts/shared/host.ts'
import { rebuild } from '../../src/indexer/repair/rebuild.ts'
import { requestVerify } from '../../src/indexer/repair/verify.ts'
import type { Correction } from '../../src/resources/correction.ts'
import { reconcileAll } from './chain-views.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { createWallet, obtainKey } from '../support/keys.ts'
import { followPages } from '../support/pagination.ts'
import { assertUnbroken } from '../support/stream-client.ts'
import type { StreamClient } from '../support/stream-client.ts'
import { applyInOneLedger, createChainTrader } from '../support/traders.ts'

interface Page {
  readonly corrections: readonly Correction[]
}

interface Planted {
  readonly positionId: number
  readonly trader: string
  readonly asset: string
  readonly size: string
}

let fixture: GatewayFixture
let live: StreamClient
/** One position that grew, one that disappeared, and one that the ledger does not have. */
let changed: Planted
let removed: Planted
const PHANTOM = 900_000

const read = async (query = ''): Promise<readonly Correction[]> => (await fixture.get<Page>(`/v1/corrections${query}`)).body.corrections

async function plant(): Promise<void> {
  const { store } = fixture
  const [first, second] = await store.read.query<Planted>(
    `select position_id as "positionId", trader, asset, size from idx.positions where state = 'open' order by opened_seq limit 2`,
  )
  assert.ok(first !== undefined && second !== undefined)
  changed = first
  removed = second
  await store.write.query('update idx.positions set size = size + 7 where position_id = $1', [changed.positionId])
  await store.write.query("update idx.positions set state = 'ended' where position_id = $1", [removed.positionId])
  await store.write.query(
    `insert into idx.positions (contract_epoch, position_id, trader, asset, direction, size, entry_price, opened_seq, opened_at, opened_tx_hash, state,
      margin_mode,
       since_seq)
     select contract_epoch, ${PHANTOM}, trader, asset, direction, size, entry_price, opened_seq, opened_at, opened_tx_hash, 'open', margin_mode, since_seq
     from idx.positions where position_id = $1`,
    [changed.positionId],
  )
}

before(async () => {
  fixture = await createGatewayFixture({ listen: true, seed: 'corrections' })
  await fixture.publishLedgers(60)
  live = await fixture.connect()
  live.send({ op: 'subscribe', channels: ['corrections'] })
  await live.settle()
  await plant()
  await reconcileAll(fixture)
  await fixture.gateway.stream.publishCommitted()
  await live.settle()
})

after(() => fixture[Symbol.asyncDispose]())

test('lists what was corrected, newest first, with the values before and after', async () => {
  const rows = await read()
  assert.deepEqual(rows.map(({ seq }) => seq), rows.map(({ seq }) => seq).toSorted((a, b) => b - a))
  const rowOf = (kind: string): Correction | undefined => rows.find((row) => row.kind === kind)
  const [grown, opened, ended] = [rowOf('changed'), rowOf('opened'), rowOf('ended')]
  assert.deepEqual([grown?.positionId, grown?.trader, grown?.asset], [changed.positionId, changed.trader, changed.asset])
  assert.equal(grown?.before?.size, String(BigInt(changed.size) + 7n))
  assert.equal(grown?.after?.size, changed.size)
  assert.deepEqual([opened?.positionId, opened?.before, opened?.after?.size], [removed.positionId, null, removed.size])
  assert.deepEqual([ended?.positionId, ended?.trader, ended?.before?.size, ended?.after], [PHANTOM, changed.trader, String(BigInt(changed.size) + 7n), null])
  const { body } = await fixture.get<{ indexer: { corrections: number } }>('/v1/health')
  assert.equal(body.indexer.corrections, rows.length)
})

test('filters by trader, kind and asset', async () => {
  assert.deepEqual((await read('?kind=ended')).map(({ positionId }) => positionId), [PHANTOM])
  assert.ok((await read(`?trader=${changed.trader}&asset=${changed.asset.toLowerCase()}`)).length >= 2)
  assert.deepEqual((await read(`?trader=${changed.trader}&kind=changed&asset=${changed.asset}`)).map(({ kind }) => kind), ['changed'])
  assert.deepEqual(await read('?trader=GNOBODY'.padEnd(64, 'A')), [])
  assert.equal((await fixture.get('/v1/corrections?kind=unknown')).status, 400)
})

test('sends every correction once on the channel, with the row of the list', async () => {
  const rows = (await read()).toReversed()
  const frames = live.of('corrections')
  assert.deepEqual(frames.map(({ data }) => data), rows)
  assert.deepEqual(frames.map(({ seq }) => seq), rows.map(({ seq }) => seq))
  assertUnbroken(frames, 0)
})

for (const source of ['memory', 'the database'] as const) {
  test(`resumes the channel from ${source}, between the frames of events`, async () => {
    const rows = (await read()).toReversed()
    const since = rows[0]?.seq ?? 0
    const client = await fixture.connect()
    const heads = client.frame(({ type }) => type === 'subscribed')
    const channels = source === 'memory' ? ['corrections', 'events'] : ['corrections', 'events', ...(await personalChannel(client))]
    client.send({ op: 'subscribe', channels, since: since - 5 })
    assert.ok((await heads) !== undefined)
    await client.frame(({ channel, seq }) => channel === 'corrections' && seq === rows.at(-1)?.seq)
    await client.settle()
    assert.deepEqual(client.of('corrections').map(({ data }) => data), rows)
    const seqs = client.frames.filter(({ channel }) => channel === 'corrections' || channel === 'events').map(({ seq }) => seq ?? 0)
    assert.deepEqual(seqs, seqs.toSorted((a, b) => a - b))
    await client.close()
  })
}

/** With a channel of an account, the gateway reads a resume from the database. */
async function personalChannel(client: StreamClient): Promise<readonly string[]> {
  const wallet = createWallet('corrections')
  const { keyId, secret } = await obtainKey(fixture.gateway.app, wallet)
  client.send({ op: 'login', keyId, secret })
  await client.frame(({ type }) => type === 'login')
  return [`account.events.${wallet.publicKey()}`]
}

test('publishes a vault that differed from the factory, with both figures', async () => {
  const leader = await createChainTrader(fixture, 'leader')
  const contract = fixture.network.contracts.vaultFactory
  await applyInOneLedger(fixture, [{ trader: leader, contract, functionName: 'create_vault', args: [address(leader.address), text('North')] }])
  await fixture.catchUp()
  const [vault] = await fixture.store.write.query<{ vaultId: number; total: string }>(
    'select vault_id as "vaultId", total_usdc::text as total from idx.vaults order by created_seq desc limit 1')
  await fixture.indexer.observe()
  assert.deepEqual(await read('?kind=vault'), [], 'nothing differs')
  await fixture.store.write.query('update idx.vaults set total_usdc = total_usdc + 5, paused = true where vault_id = $1', [vault?.vaultId ?? -1])
  fixture.clock.advance(600_000)
  while ((await read('?kind=vault')).length === 0) assert.ok((await fixture.indexer.observe()) > 0)
  const [row, ...others] = await read('?kind=vault')
  assert.deepEqual(others, [])
  assert.deepEqual([row?.vaultId, row?.positionId, row?.trader, row?.asset], [vault?.vaultId, null, null, null])
  const { totalUsdc, paused, ...same } = row?.before ?? {}
  assert.deepEqual([totalUsdc, paused], [String(BigInt(vault?.total ?? 0) + 5n), true])
  assert.deepEqual(row?.after, { ...same, totalUsdc: vault?.total, paused: false })
  const { body } = await fixture.get<{ indexer: { vaultCorrections: number } }>('/v1/health')
  assert.equal(body.indexer.vaultCorrections, 1)
  await fixture.gateway.stream.publishCommitted()
  await live.settle()
  assert.deepEqual(live.of('corrections').at(-1)?.data, row)
})

test('filters by time and by deployment, in pages of any length', async () => {
  const rows = await read()
  const times = [...new Set(rows.map(({ correctedAt }) => Math.floor(correctedAt / 1_000)))]
  assert.ok(times.length > 1, 'corrections of several times')
  const name = (await fixture.store.read.query<{ name: string }>('select name from idx.epochs'))[0]?.name ?? ''
  for (const time of times.flatMap((second) => [second, second + 1])) {
    const isBefore = ({ correctedAt }: Correction): boolean => correctedAt < time * 1_000
    assert.deepEqual(await read(`?to=${time}`), rows.filter(isBefore))
    assert.deepEqual(await read(`?from=${time}&deployment=${name}`), rows.filter((row) => !isBefore(row)))
    const pages = await followPages(fixture, `/v1/corrections?from=${time}&deployment=${name}&limit=1`, 'corrections')
    assert.deepEqual(pages.flat(), rows.filter((row) => !isBefore(row)))
  }
  const [newest, oldest] = [times[0] ?? 0, times.at(-1) ?? 0]
  assert.deepEqual(await read(`?from=${oldest}&to=${newest}&kind=changed`), rows.filter(({ kind }) => kind === 'changed'))
  assert.deepEqual([await read(`?from=${newest}&to=${oldest}`), await read('?deployment=another'), await read('?to=0')], [[], [], []])
})

interface DamagedEvent extends Record<string, unknown> {
  readonly seq: number
  readonly eventId: string
  readonly txHash: string
  readonly topic: string
}

/** Removes one event, changes one and invents one. */
async function damageArchive(): Promise<Readonly<Record<'missing' | 'altered' | 'invented', DamagedEvent>>> {
  const { write } = fixture.store
  const events = await write.query<DamagedEvent>(
    `select seq, event_id as "eventId", tx_hash as "txHash", topic from idx.events where not is_transfer and topic = 'position_opened' order by seq limit 3`)
  const [missing, altered, copied] = events
  assert.ok(missing !== undefined && altered !== undefined && copied !== undefined)
  await write.query('delete from idx.events where seq = $1', [missing.seq])
  await write.query("update idx.events set tx_hash = repeat('0', 64) where seq = $1", [altered.seq])
  const inventedId = `${copied.eventId.slice(0, 29)}9`
  const [{ seq } = { seq: 0 }] = await write.query<{ seq: number }>('update idx.cursor set last_seq = last_seq + 1 returning last_seq as seq')
  await write.query(
    `insert into idx.events select (jsonb_populate_record(e, jsonb_build_object('seq', $1::bigint, 'event_id', $2::text))).* from idx.events e where seq = $3`,
    [seq, inventedId, copied.seq])
  return { missing, altered, invented: { ...copied, seq, eventId: inventedId } }
}

/** A page that differs is requested again, and the requests wait for the clock. */
async function withClock<Result>(work: Promise<Result>): Promise<Result> {
  const state = { isDone: false }
  const end = (): void => { state.isDone = true }
  work.then(end, end)
  while (!state.isDone) {
    await fixture.idle()
    if (!state.isDone) fixture.clock.advance(1_000)
  }
  return await work
}

async function verify(): Promise<void> {
  await requestVerify(fixture.store.write, fixture.clock.nowMs())
  for (let steps = 0; steps < 500; steps++) {
    const isVerifying = await withClock(fixture.indexer.verify())
    const isRebuilding = (await fixture.indexer.rebuild()) !== 'none'
    if (!isVerifying && !isRebuilding) return
  }
  assert.fail('the verification did not end')
}

test('publishes every event that a verification added, replaced or removed, and the names of the epoch after it', async () => {
  await fixture.gateway.stream.publishCommitted()
  await live.settle()
  const published = live.of('corrections').length
  const earlier = await read()
  const [{ epoch: oldEpoch } = { epoch: '' }] = earlier
  const { missing, altered, invented } = await damageArchive()
  await verify()

  const rows = await read('?kind=event')
  const rowOf = (event: DamagedEvent): Correction | undefined => rows.find(({ eventId }) => eventId === event.eventId)
  const [added, replaced, dropped] = [rowOf(missing), rowOf(altered), rowOf(invented)]
  assert.equal(rows.length, 3)
  assert.deepEqual([added?.before, added?.after?.txHash, added?.after?.topic], [null, missing.txHash, 'position_opened'])
  assert.deepEqual([replaced?.before?.txHash, replaced?.after], ['0'.repeat(64), { ...replaced?.before, txHash: altered.txHash }])
  assert.deepEqual([dropped?.before?.txHash, dropped?.before?.topic, dropped?.after], [invented.txHash, 'position_opened', null])
  for (const row of [added, replaced]) assert.deepEqual([row?.trader, row?.asset], [row?.after?.payload?.['trader'], row?.after?.payload?.['asset']])

  // The names of the epoch lead from the one that clients knew to the present one.
  const names = (await read('?kind=epoch')).toReversed()
  assert.deepEqual(names.map(({ before: old }) => old?.epoch), [oldEpoch, names[0]?.after?.epoch])
  assert.deepEqual([names[0]?.after?.fromSeq, names[1]?.after?.fromSeq], [missing.seq + 1, undefined])
  assert.equal((await read())[0]?.epoch, names.at(-1)?.after?.epoch)
  assert.deepEqual((await read()).slice(rows.length + names.length).map(({ before: old, after: now }) => [old, now]),
    earlier.map(({ before: old, after: now }) => [old, now]), 'earlier corrections stay')

  await fixture.gateway.stream.publishCommitted()
  await live.settle()
  assert.ok(live.frames.some(({ type, reason }) => type === 'gap' && reason === 'epoch'))
  assert.deepEqual(live.of('corrections').slice(published).map(({ data }) => data), (await read()).slice(0, rows.length + names.length).toReversed())

  await verify()
  assert.equal((await read('?kind=event')).length, 3, 'nothing is corrected twice')
})

test('corrections of the open interest have both sums, and a rebuild keeps all corrections', async () => {
  const count = (await read()).length
  const { asset } = changed
  await fixture.store.write.query('update idx.open_interest set long_size = long_size + 5 where asset = $1', [asset])
  const [stored] = await fixture.store.read.query<{ long: string }>('select long_size as long from idx.open_interest where asset = $1', [asset])
  fixture.clock.advance(600_000)
  await reconcileAll(fixture)
  const [row] = await read(`?kind=interest&asset=${asset}`)
  const [present] = await fixture.store.read.query<{ long: string }>(
    "select coalesce(sum(size), 0)::text as long from idx.positions where asset = $1 and direction = 0 and state = 'open'", [asset],
  )
  assert.deepEqual([row?.positionId, row?.trader], [null, null])
  assert.deepEqual([row?.before?.openInterestLong, row?.after?.openInterestLong], [stored?.long, present?.long])
  assert.notEqual(stored?.long, present?.long)
  const rows = await read()
  assert.ok(rows.length > count)
  await fixture.indexer[Symbol.asyncDispose]()
  await rebuild(fixture.store, { clock: createSystemClock() })
  assert.deepEqual(await read(), rows)
})
