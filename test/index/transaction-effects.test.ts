// Changes by transactions, read from the node once and applied to fills: in any order, in pages cut anywhere, and from nodes that lie or have forgotten.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { silentLog } from '../../src/base/log.ts'
import type { Log } from '../../src/base/log.ts'
import { defined } from '../../src/base/assert.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { parseTransaction } from '../../src/chain/rpc/responses.ts'
import type { TransactionResponse } from '../../src/chain/rpc/responses.ts'
import { createChainProof } from '../../src/indexer/identity/chain-proof.ts'
import { createEntryObserver, OBSERVATION_ATTEMPTS } from '../../src/indexer/pages/entry-observer.ts'
import { contractNames } from '../../src/indexer/identity/epochs.ts'
import { transactionEffects } from '../../src/indexer/pages/transaction-effects.ts'
import { applyEvents } from '../../src/projections/apply.ts'
import { listEpochs } from '../../src/projections/state/epochs.ts'
import { readArchive } from '../../src/projections/log/events.ts'
import { readIndexState } from '../../src/projections/state/index-state.ts'
import { compareShadow, createShadow, dropShadow, shadowOf } from '../../src/projections/repair/shadow.ts'
import type { Writable } from '../../src/store/store.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

let fixture: GatewayFixture
before(async () => {
  fixture = await createGatewayFixture({ traders: 10, seed: 'effects', generation: '2' })
  await fixture.closeLedgers(90)
  await fixture.catchUp()
})
after(() => fixture[Symbol.asyncDispose]())

type Answer = (response: TransactionResponse, hash: string) => TransactionResponse

const asIs: Answer = (response) => response

const GONE: Answer = ({ latestLedger }) =>
  ({ status: 'NOT_FOUND', latestLedger, latestLedgerCloseSec: null, oldestLedger: latestLedger + 1, oldestLedgerCloseSec: null })

function nodeWith(answer: Answer): Rpc {
  return {
    getTransaction: async (hash: string) => answer(parseTransaction(await fixture.network.rpc.call('getTransaction', { hash })), hash),
  } as unknown as Rpc
}

/** More rounds than the attempts of one transaction. */
const EMPTY_ROUNDS_MAX = OBSERVATION_ATTEMPTS + 1

/** Reads effects from the local network until nothing more is found; `answer` alters what it returns. Returns the number of observations. */
async function observe(answer: Answer = asIs, archive: Rpc | null = null, log: Log = silentLog): Promise<number> {
  const observer = createEntryObserver(transactionEffects({ archive, log }), {
    rpc: nodeWith(answer), clock: fixture.clock, log: silentLog, proof: createChainProof(async () => true),
  })
  let total = 0
  for (let emptyRounds = 0; emptyRounds < EMPTY_ROUNDS_MAX;) {
    const found = await observer.observe(fixture.store.write)
    if (found === 0) emptyRounds++
    total += found
  }
  return total
}

/** A row per transaction. */
const UNREAD = '(select unnest(seqs) from idx.unread_transactions) u'

async function count(sql: string): Promise<number> {
  const [row] = await fixture.store.read.query<{ count: number }>(`select count(*) as count from ${sql}`)
  return defined(row, 'a row').count
}

/** Replays the archive into a copy of the projections, in pages of this size, and compares the copy. */
async function differencesWithPages(size: number): Promise<unknown> {
  return await fixture.store.write.transaction(async (tx) => {
    await createShadow(tx)
    await replay(tx, size)
    const differences = await compareShadow(tx)
    await dropShadow(tx)
    return differences
  })
}

async function replay(tx: Writable, size: number): Promise<void> {
  const epoch = defined((await listEpochs(tx)).at(-1), 'the epoch')
  const names = contractNames(epoch)
  for (let afterSeq = 0; ;) {
    const rows = await readArchive(tx, afterSeq, size)
    const last = rows.at(-1)
    if (last === undefined) return
    await applyEvents(shadowOf(tx), epoch, rows.map((row) => ({ ...row, contract: defined(names.get(row.contractId), 'a contract') })))
    afterSeq = last.seq
  }
}

test('responses that are not of the transaction, or contradict its events, are ignored', async () => {
  const unread = await count(UNREAD)
  assert.ok(unread > 20)
  const responses = new Map<string, TransactionResponse>()
  await observe((response, hash) => {
    responses.set(hash, response)
    return { status: 'NOT_FOUND', latestLedger: 1, latestLedgerCloseSec: null, oldestLedger: null, oldestLedgerCloseSec: null }
  })
  const envelopeOf = (response: TransactionResponse | undefined): string => (response?.status === 'SUCCESS' ? response.envelopeXdr : undefined) ?? ''
  const lies: Record<string, Answer> = {
    'another ledger': (response) => (response.status === 'NOT_FOUND' ? response : { ...response, ledger: response.ledger + 1 }),
    'another transaction': (response, hash) => ({ ...response, envelopeXdr: envelopeOf([...responses].find(([known]) => known !== hash)?.[1]) }),
    'the meta of another transaction': (response, hash) => {
      const next = [...responses].find(([known]) => known !== hash)?.[1]
      return response.status === 'SUCCESS' && next?.status === 'SUCCESS' ? { ...response, metaXdr: next.metaXdr ?? '' } : response
    },
    'no meta': ({ ...response }) => {
      if (response.status === 'SUCCESS') Reflect.deleteProperty(response, 'metaXdr')
      return response
    },
    'a failure': (response) => (response.status === 'SUCCESS' ? { ...response, status: 'FAILED', resultXdr: '', diagnosticEventsXdr: [] } : response),
  }
  for (const [name, lie] of Object.entries(lies)) assert.equal(await observe(lie), 0, name)
  assert.equal(await count('idx.transaction_effects'), 0)
  assert.equal(await count(UNREAD), unread)
})

test('a record of a later protocol is kept whole, and read after the upgrade when no node has it any more', async () => {
  const unread = await count(UNREAD)
  const requested: string[] = []
  const newerMeta = (metaXdr = ''): string => {
    const bytes = Buffer.from(metaXdr, 'base64')
    bytes.writeUInt32BE(5)
    return bytes.toString('base64')
  }
  const unavailable: TransactionResponse = { status: 'NOT_FOUND', latestLedger: 1, latestLedgerCloseSec: null, oldestLedger: null, oldestLedgerCloseSec: null }
  let kept = ''
  let meta = ''
  const upgraded: Answer = (response, hash) => {
    requested.push(hash)
    if (response.status !== 'SUCCESS' || (kept !== '' && kept !== hash)) return unavailable
    kept = hash
    meta = response.metaXdr ?? ''
    return { ...response, metaXdr: newerMeta(meta) }
  }
  const errors: string[] = []
  assert.equal(await observe(upgraded, null, { ...silentLog, error: (_fields, message) => void errors.push(message) }), 1)
  assert.match(errors.join(), /^the network is newer than this gateway/)
  assert.equal(requested.filter((hash) => hash === kept).length, 1, 'not requested again')
  const { newerForms } = defined(await readIndexState(fixture.store.read), 'the state')
  assert.deepEqual(newerForms.map(({ what }) => what), ['transaction meta version 5'])
  assert.equal(await count(UNREAD), unread)

  // What the upgraded version finds: bytes that it can read, kept by one that could not.
  await fixture.store.write.query('update idx.kept_transactions set known_protocol = known_protocol - 1, meta_xdr = $1', [meta])
  assert.equal(await observe(() => unavailable), 1)
  assert.equal(await count(UNREAD), unread - 1)
  assert.deepEqual(await fixture.store.read.query('select tx_hash as hash from idx.transaction_effects where effects is not null'), [{ hash: kept }])
  assert.equal(await count('idx.kept_transactions'), 0)
  await fixture.store.write.query('delete from idx.newer_forms')
})

test('effects add what events do not say, and a replay in pages of any size gives the same rows', async () => {
  assert.deepEqual(await differencesWithPages(250), {}, 'before any effects')
  const unknown = await count('idx.position_fills where payout is null')
  assert.ok(unknown > 0)
  // Half of the transactions, then the others: the copy is compared in between.
  await observe((response, hash) => (hash < '8' ? response : { ...response, status: 'NOT_FOUND' }))
  assert.ok(await count(UNREAD) > 0)
  for (const size of [7, 250]) assert.deepEqual(await differencesWithPages(size), {}, `pages of ${size}`)
  await observe()
  assert.equal(await count(UNREAD), 0)
  assert.equal(await count('idx.position_fills where payout is null or funding is null or fee is null or collateral is null'), 0)
  for (const size of [1, 250]) assert.deepEqual(await differencesWithPages(size), {}, `pages of ${size}`)
})

test('margin modes come with the effects, also of positions that were closed at once', async () => {
  const closed = await count("idx.positions p where p.state = 'closed' and not exists (select 1 from idx.margin_modes m where m.position_id = p.position_id)")
  assert.equal(closed, 0)
  assert.ok(await count("idx.positions p where p.state = 'closed'") > 0)
})

test('a transaction that no node has any more is not requested again, and its figures stay unknown', async () => {
  const known = await count('idx.transaction_effects')
  await fixture.closeLedgers(60)
  await fixture.catchUp()
  const unread = await count(UNREAD)
  assert.ok(unread > 5)
  assert.equal(await observe(GONE), unread)
  assert.equal(await count(UNREAD), 0)
  assert.equal(await count('idx.transaction_effects where effects is null'), unread)
  assert.equal(await count('idx.transaction_effects where effects is not null'), known)
  assert.deepEqual(await differencesWithPages(250), {})
})

test('a transaction that the node dropped is read from an archive node', async () => {
  await fixture.closeLedgers(30)
  await fixture.catchUp()
  const [unread, unknown] = [await count(UNREAD), await count('idx.transaction_effects where effects is null')]
  assert.ok(unread > 2)
  assert.equal(await observe(GONE, nodeWith(asIs)), unread)
  assert.equal(await count('idx.transaction_effects where effects is null'), unknown)
})

test('transactions of an earlier deployment on the same chain are read too, against its own contracts', async () => {
  await using replaced = await createGatewayFixture({ traders: 6, seed: 'earlier deployment' })
  await replaced.closeLedgers(30)
  await replaced.catchUp()
  const unread = async (): Promise<number> => (await replaced.store.read.query(`select 1 from ${UNREAD}`)).length
  assert.ok(await unread() > 3)
  const { contracts } = replaced.network
  await replaced.restartWithContracts({ ...contracts, market: contracts.oracleShim })
  await replaced.closeLedgers(1)
  await replaced.catchUp()
  for (let rounds = 0; rounds < EMPTY_ROUNDS_MAX; rounds++) for (let found = 1; found > 0;) found = await replaced.indexer.observe()
  assert.equal(await unread(), 0)
  const effects = await replaced.store.read.query<{ contractEpoch: number; known: boolean }>(
    'select distinct contract_epoch as "contractEpoch", effects is not null as known from idx.transaction_effects')
  assert.deepEqual(effects, [{ contractEpoch: 1, known: true }])
})
