// What a comparison with the ledger changed is published with both values: as a list, and on a channel that resumes like every log channel.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rebuild } from '../../src/indexer/rebuild.ts'
import type { Correction } from '../../src/resources/correction.ts'
import { reconcileAll } from '../support/chain-views.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { createWallet, obtainKey } from '../support/keys.ts'
import { assertUnbroken } from '../support/stream-client.ts'
import type { StreamClient } from '../support/stream-client.ts'

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
    `insert into idx.positions (deployment, position_id, trader, asset, direction, size, entry_price, opened_seq, opened_at, opened_tx_hash, state, margin_mode,
       since_seq)
     select deployment, ${PHANTOM}, trader, asset, direction, size, entry_price, opened_seq, opened_at, opened_tx_hash, 'open', margin_mode, since_seq
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
  await rebuild(fixture.store, { clock: fixture.clock })
  assert.deepEqual(await read(), rows)
})
