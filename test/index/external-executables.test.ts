// Contracts whose code an entry of another contract names: the owner changes it without any event, and the entry can be unreadable.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { Address, xdr } from '@stellar/stellar-sdk'
import { RpcFailure } from '../../src/chain/rpc/failure.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { encodeScVal } from '../../src/chain/codec/scval.ts'
import { functionEntry, wasmHashOf, wasmOf } from '../../src/chain/codec/test-wasm.ts'
import { WATCH_INTERVAL_MS } from '../../src/indexer/identity/contract-watcher.ts'
import { listContractVersions } from '../../src/projections/state/contract-versions.ts'
import { readLog } from '../../src/projections/log/stream-log.ts'
import { openTestStore } from '../support/database.ts'
import { createIndexFixture } from './fixture.ts'
import type { IndexFixture } from './fixture.ts'
import type { FakeNode, NodeEvent } from './node.ts'
import { emptyIndex } from './tables.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))

const OWNER = 'CBLVZZ557ALB342GBQIMC2E3IYXJ5AEL7XSVMPX36CVLKRDQGDH22UL6'
const REFERENCE = { owner: OWNER, tag: 'perps-v3' }
/** The referral registry of generation 1 records a trade with two amounts, that of generation 2 with three. */
const [CODE_1, CODE_2] = [['referee', 'fee'], ['referee', 'fee', 'volume']].map((names) => {
  return wasmOf([functionEntry('record_trade', names.map((name) => [name, xdr.ScSpecTypeDef.scSpecTypeI128()]), [])])
}) as [Buffer, Buffer]

interface Stage extends AsyncDisposable {
  readonly fixture: IndexFixture
  readonly node: FakeNode
  readonly contract: string
  /** The code changes in the ledger that closes next. */
  setTag(wasm: Uint8Array | null, tag?: string): void
  close(event?: NodeEvent): void
  index(): Promise<void>
  /** Reads the code when it is due. */
  watch(afterMs?: number): Promise<number>
  /** Returns the known versions of the contract, as far as this test states them. */
  versions(): Promise<readonly object[]>
}

/** Another endpoint of the same network; what it reports can differ. */
interface SecondNode {
  readonly respond: (rpc: Rpc, keys: readonly string[]) => ReturnType<Rpc['getLedgerEntries']>
}

async function createStage(options: { readonly second?: SecondNode; readonly running?: 'reference' | 'own code' } = {}): Promise<Stage> {
  const { second, running = 'reference' } = options
  const withSecond = ({ rpc }: FakeNode): Rpc => (second === undefined ? rpc : {
    ...rpc,
    endpoints: 2,
    getLedgerEntries: (keys, call) => (call?.endpoint === 1 ? second.respond(rpc, keys) : rpc.getLedgerEntries(keys, call)),
  })
  const fixture = createIndexFixture(store, { rpcOf: withSecond })
  const { node, clock } = fixture
  const contract = fixture.exchange.contracts.referral
  node.modules = [CODE_1, CODE_2]
  const stage: Stage = {
    fixture, node, contract,
    setTag(wasm, tag = REFERENCE.tag) {
      const modifiedLedger = node.ledgerCount() + 1
      node.tags = [...node.tags.filter((each) => each.tag !== tag), ...(wasm === null ? [] : [{ owner: OWNER, tag, wasm, modifiedLedger }])]
    },
    close(event) {
      fixture.queue(event === undefined ? undefined : { event, fact: { kind: 'other', decodes: true, topic: 'executable_update', names: [] } })
      fixture.closeLedger()
    },
    index: async () => void (await fixture.catchUp()),
    async watch(afterMs = WATCH_INTERVAL_MS) {
      clock.advance(afterMs)
      return await fixture.indexer.watchContracts()
    },
    async versions() {
      const own = (await listContractVersions(store.read, 1)).filter(({ address }) => address === contract)
      return own.map(({ fromLedger, fromEventId, afterLedger, wasmHash, problem, generation, reference, seq }) => {
        const code = wasmHash === null ? problem : wasmHash === wasmHashOf(CODE_1) ? 'code 1' : 'code 2'
        return { code, generation, tag: reference?.tag ?? null, ledgers: [afterLedger, fromLedger], byEvent: fromEventId !== null, seq }
      })
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  }
  stage.setTag(CODE_1)
  node.instances.set(contract, running === 'reference' ? { reference: REFERENCE, modifiedLedger: 1 } : { wasm: CODE_1, modifiedLedger: 1 })
  stage.close()
  await fixture.indexer.step()
  await fixture.indexer.watchContracts()
  return stage
}

const wasmVal = (wasm: Uint8Array): xdr.ScVal => xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('Wasm'), xdr.ScVal.scvBytes(Buffer.from(wasmHashOf(wasm), 'hex'))])
const referenceVal = (tag: string): xdr.ScVal => xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('ExternalRef'), xdr.ScVal.scvMap([
  new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol('owner'), val: new Address(OWNER).toScVal() }),
  new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol('tag'), val: xdr.ScVal.scvString(tag) }),
])])

function update(contractId: string, before: xdr.ScVal, next: xdr.ScVal): NodeEvent {
  const topicsXdr = [encodeScVal({ type: 'symbol', value: 'executable_update' }), before.toXdr('base64'), next.toXdr('base64')]
  return { contractId, transaction: 0, isSystem: true, topicsXdr, valueXdr: encodeScVal({ type: 'vec', value: [] }) }
}

const FIRST = { code: 'code 1', generation: '1', tag: 'perps-v3', ledgers: [null, 1], byEvent: false, seq: null }

test('a reference resolves to its code, and an upgrade by its owner counts after two readings, between two ledgers', async () => {
  await using stage = await createStage()
  assert.deepEqual(await stage.versions(), [FIRST])
  for (let ledger = 2; ledger <= 4; ledger++) stage.close()
  await stage.index()
  await stage.watch()
  stage.close()
  stage.setTag(CODE_2)
  // The instance changes as well, as it does with every call.
  stage.node.instances.set(stage.contract, { reference: REFERENCE, modifiedLedger: 7 })
  stage.close()
  stage.close()
  await stage.index()
  await stage.watch()
  assert.deepEqual(await stage.versions(), [FIRST], 'one reading of one node proves nothing')
  assert.equal(await stage.watch(5_000), 1, 'the second reading follows soon')
  assert.deepEqual(await stage.versions(), [FIRST, { code: 'code 2', generation: '2.0', tag: 'perps-v3', ledgers: [4, 6], byEvent: false, seq: 1 }])
  const { upgrades } = await readLog(store.read, 0, { limit: 10, accounts: false })
  assert.deepEqual(upgrades.map(({ contract, source, afterLedger, ledger, generation }) => ({ contract, source, afterLedger, ledger, generation })), [
    { contract: 'referral', source: 'entries', afterLedger: 4, ledger: 6, generation: '2.0' },
  ])
  assert.equal(await stage.watch(), 0)
})

test('after a restart, the known version bounds an upgrade by the owner', async () => {
  await using stage = await createStage()
  for (let ledger = 2; ledger <= 4; ledger++) stage.close()
  await stage.index()
  await stage.fixture.restart()
  stage.setTag(CODE_2)
  stage.close()
  await stage.index()
  await stage.watch()
  await stage.watch()
  assert.deepEqual((await stage.versions()).at(-1), { code: 'code 2', generation: '2.0', tag: 'perps-v3', ledgers: [1, 5], byEvent: false, seq: 1 })
})

test('two nodes that agree are enough, and nodes that disagree are not', async () => {
  let isStale = true
  const second: SecondNode = {
    async respond(rpc, keys) {
      const { tags } = stage.node
      if (isStale) stage.node.tags = tags.map((tag) => ({ ...tag, wasm: CODE_1 }))
      const response = await rpc.getLedgerEntries(keys)
      stage.node.tags = tags
      return response
    },
  }
  await using stage = await createStage({ second })
  stage.setTag(CODE_2)
  stage.close()
  await stage.index()
  for (let reading = 0; reading < 3; reading++) await stage.watch()
  assert.deepEqual(await stage.versions(), [FIRST], 'however often one node repeats it')
  isStale = false
  assert.equal(await stage.watch(), 1)
  assert.deepEqual((await stage.versions()).length, 2)
})

test('a node that does not respond has no opinion: two readings of the other one count', async () => {
  const second: SecondNode = { respond: () => Promise.reject(new RpcFailure({ method: 'getLedgerEntries', kind: 'timeout', retryable: true, endpoint: 1 })) }
  await using stage = await createStage({ second })
  stage.setTag(CODE_2)
  stage.close()
  await stage.index()
  await stage.watch()
  assert.deepEqual(await stage.versions(), [FIRST])
  await stage.watch()
  assert.equal((await stage.versions()).length, 2)
})

test('code is unknown, not unchanged, while the entry is missing, and known again afterwards', async () => {
  await using stage = await createStage()
  stage.setTag(null)
  stage.close()
  await stage.index()
  await stage.watch()
  assert.deepEqual(await stage.versions(), [FIRST])
  await stage.watch()
  const problem = `executable tag "perps-v3" of ${OWNER}: found no entry with the hash of code`
  const unknown = { code: problem, generation: null, tag: 'perps-v3', ledgers: [1, 2], byEvent: false, seq: 1 }
  assert.deepEqual(await stage.versions(), [FIRST, unknown])
  const { upgrades: [announced] } = await readLog(store.read, 0, { limit: 10, accounts: false })
  assert.deepEqual([announced?.wasmHash, announced?.generation, announced?.seq], [null, null, 1])
  stage.setTag(CODE_2)
  stage.close()
  await stage.index()
  await stage.watch()
  await stage.watch()
  assert.deepEqual(await stage.versions(), [FIRST, unknown, { ...FIRST, code: 'code 2', generation: '2.0', ledgers: [2, 3], seq: 2 }])
})

test('an event that switches to a reference takes its exact position, with a tag longer than 264 characters', async () => {
  await using stage = await createStage({ running: 'own code' })
  const tag = 't'.repeat(4_000)
  stage.setTag(CODE_2, tag)
  stage.node.instances.set(stage.contract, { reference: { owner: OWNER, tag }, modifiedLedger: 2 })
  stage.close(update(stage.contract, wasmVal(CODE_1), referenceVal(tag)))
  await stage.index()
  assert.deepEqual(await stage.versions(), [
    { ...FIRST, tag: null }, { code: 'code 2', generation: '2.0', tag, ledgers: [null, 2], byEvent: true, seq: 1 },
  ])
  stage.close(update(stage.contract, referenceVal(tag), wasmVal(CODE_1)))
  await stage.index()
  assert.deepEqual((await stage.versions()).at(-1), { code: 'code 1', generation: '1', tag: null, ledgers: [null, 3], byEvent: true, seq: 2 })
})

test('what a reference named in the past is unknown if its entry has changed since, and the change itself is an upgrade', async () => {
  await using stage = await createStage({ running: 'own code' })
  const event = update(stage.contract, wasmVal(CODE_1), referenceVal(REFERENCE.tag))
  stage.close(event)
  stage.close()
  stage.setTag(CODE_2)
  stage.node.instances.set(stage.contract, { reference: REFERENCE, modifiedLedger: 2 })
  stage.close()
  await stage.index()
  await stage.watch()
  await stage.watch()
  const problem = `executable tag "perps-v3" of ${OWNER}: the code that it named at ledger 2 was not read`
  assert.deepEqual(await stage.versions(), [
    { ...FIRST, tag: null },
    { code: problem, generation: null, tag: 'perps-v3', ledgers: [null, 2], byEvent: true, seq: 1 },
    { code: 'code 2', generation: '2.0', tag: 'perps-v3', ledgers: [2, 4], byEvent: false, seq: 2 },
  ])
})

test('code that no node resolved at its event is filled in later, without another upgrade', async () => {
  await using stage = await createStage({ running: 'own code' })
  const { tags } = stage.node
  stage.node.tags = []
  stage.node.instances.set(stage.contract, { reference: REFERENCE, modifiedLedger: 2 })
  stage.close(update(stage.contract, wasmVal(CODE_1), referenceVal(REFERENCE.tag)))
  await stage.index()
  assert.equal(((await stage.versions()).at(-1) as { generation: unknown }).generation, null)
  stage.node.tags = tags
  await stage.watch()
  assert.deepEqual((await stage.versions()).slice(1), [{ code: 'code 1', generation: '1', tag: 'perps-v3', ledgers: [null, 2], byEvent: true, seq: 1 }])
})

test('the code before the first event of an index is unknown if a reference named it', async () => {
  await using stage = await createStage({ running: 'own code' })
  await store.write.query('delete from idx.contract_versions')
  stage.setTag(CODE_2)
  stage.close(update(stage.contract, referenceVal(REFERENCE.tag), wasmVal(CODE_1)))
  await stage.index()
  const problem = `executable tag "perps-v3" of ${OWNER}: the code that it named at ledger 1 was not read`
  assert.deepEqual(await stage.versions(), [
    { code: problem, generation: null, tag: 'perps-v3', ledgers: [null, 0], byEvent: false, seq: null },
    { code: 'code 1', generation: '1', tag: null, ledgers: [null, 2], byEvent: true, seq: 1 },
  ])
})

test('an executable of a later protocol is named as newer than the gateway', async () => {
  await using stage = await createStage({ running: 'own code' })
  stage.node.instances.set(stage.contract, { executableType: 3, modifiedLedger: 2 })
  stage.close()
  await stage.index()
  await stage.watch()
  await stage.watch()
  const problem = 'this gateway is older than the network: unknown executable type 3'
  assert.deepEqual((await stage.versions()).at(-1), { code: problem, generation: null, tag: null, ledgers: [1, 2], byEvent: false, seq: 1 })
  const next = xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('Native')])
  stage.close(update(stage.contract, wasmVal(CODE_1), next))
  await stage.index()
  const { code } = (await stage.versions()).at(-1) as { code: unknown }
  assert.equal(code, 'this gateway is older than the network: unknown executable "Native"')
  const forms = await store.read.query<{ what: string; ledger: number }>('select what, ledger from idx.newer_forms order by ledger')
  assert.deepEqual(forms, [{ what: 'executable type 3', ledger: 2 }, { what: 'executable "Native"', ledger: 3 }])
})
