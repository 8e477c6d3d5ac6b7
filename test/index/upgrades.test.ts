// Contracts that are upgraded in place: each event is decoded by the code that emitted it, wherever pages are cut and whenever the process dies.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { encodeScVal } from '../../src/chain/codec/scval.ts'
import { createChainProof } from '../../src/indexer/identity/chain-proof.ts'
import { createContractWatcher, WATCH_INTERVAL_MS } from '../../src/indexer/identity/contract-watcher.ts'
import { rebuild } from '../../src/indexer/repair/rebuild.ts'
import { listContractVersions } from '../../src/projections/state/contract-versions.ts'
import type { ContractVersion } from '../../src/projections/state/contract-versions.ts'
import { openTestStore } from '../support/database.ts'
import { currentDeploymentOf } from '../support/deployments.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import { functionEntry, wasmHashOf, wasmOf } from '../../src/chain/codec/test-wasm.ts'
import { ConnectionBroken, createIndexFixture } from './fixture.ts'
import type { IndexFixture } from './fixture.ts'
import type { NodeEvent } from './node.ts'
import { emptyIndex } from './tables.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

const CONTRACTS = ['market', 'vault', 'router'] as const

/** Code that declares the event `note` with one value, whose name differs. */
const MODULES: readonly Buffer[] = ['first', 'second', 'third', 'fourth'].map((name) => {
  const location = xdr.ScSpecEventParamLocationV0.scSpecEventParamLocationData
  const param = new xdr.ScSpecEventParamV0({ doc: '', name, type: xdr.ScSpecTypeDef.scSpecTypeU32(), location })
  return wasmOf([xdr.ScSpecEntry.scSpecEntryEventV0(new xdr.ScSpecEventV0({
    doc: '', lib: '', name: 'note', prefixTopics: ['note'], params: [param], dataFormat: xdr.ScSpecEventDataFormat.scSpecEventDataFormatVec,
  }))])
})
const NAMES = ['first', 'second', 'third', 'fourth']

const symbol = (value: string): string => encodeScVal({ type: 'symbol', value })

function executable(wasm: Uint8Array): string {
  return xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('Wasm'), xdr.ScVal.scvBytes(Buffer.from(wasmHashOf(wasm), 'hex'))]).toXdr('base64')
}

/** The contracts of a fixture, and what they do in the ledger that closes next. */
function createContracts({ node, exchange }: IndexFixture): {
  note(pick: number, value: number): NodeEvent
  upgrade(pick: number, wasm: Uint8Array, options?: { readonly silent?: boolean }): NodeEvent | undefined
  expected: { readonly contractId: string; readonly name: string; readonly value: number }[]
} {
  const running = new Map<string, Uint8Array>()
  const addressOf = (pick: number): string => exchange.contracts[CONTRACTS[pick % CONTRACTS.length] ?? 'market']
  const first = defined(MODULES[0], 'the first module')
  for (const [index] of CONTRACTS.entries()) {
    running.set(addressOf(index), first)
    node.instances.set(addressOf(index), { wasm: first, modifiedLedger: 1 })
  }
  node.modules = [...MODULES]
  const expected: { contractId: string; name: string; value: number }[] = []
  return {
    expected,
    // The router's events are not indexed.
    note(pick, value) {
      const contractId = addressOf(pick % 2)
      const wasm = running.get(contractId)
      expected.push({ contractId, name: NAMES[MODULES.findIndex((module) => module === wasm)] ?? '', value })
      return { contractId, transaction: 0, topicsXdr: [symbol('note')], valueXdr: encodeScVal({ type: 'vec', value: [{ type: 'u32', value }] }) }
    },
    upgrade(pick, wasm, { silent = false } = {}) {
      const contractId = addressOf(pick)
      const before = defined(running.get(contractId), 'the running code')
      running.set(contractId, wasm)
      node.instances.set(contractId, { wasm, modifiedLedger: node.latest().sequence + 1 })
      if (silent) return undefined
      return {
        contractId, transaction: 0, isSystem: true, topicsXdr: [symbol('executable_update'), executable(before), executable(wasm)],
        valueXdr: encodeScVal({ type: 'vec', value: [] }),
      }
    },
  }
}

const queue = (fixture: IndexFixture, event: NodeEvent | undefined): void =>
  fixture.queue(event === undefined ? undefined : { event, fact: { kind: 'other', decodes: true, topic: 'note', names: [] } })

interface Row {
  readonly contractId: string
  readonly payload: Readonly<Record<string, unknown>> | null
  readonly seq: number
}

interface Rows {
  readonly events: readonly Row[]
  readonly upgrades: readonly Omit<ContractVersion, 'noticedAt'>[]
  readonly lastSeq: number | undefined
}

async function readRows(): Promise<Rows> {
  const events = await store.read.query<Row>('select seq, contract_id as "contractId", payload from idx.events order by seq')
  const versions = await listContractVersions(store.read, 1)
  const [cursor] = await store.read.query<{ seq: number }>('select last_seq as seq from idx.cursor')
  const upgrades = versions.filter(({ seq }) => seq !== null).map(({ noticedAt: _noticedAt, ...upgrade }) => upgrade)
  return { events, upgrades, lastSeq: cursor?.seq }
}

async function start(fixture: IndexFixture): Promise<void> {
  await fixture.indexer.step()
  await fixture.indexer.watchContracts()
}

const script = fc.array(
  fc.record({
    op: fc.constantFrom('note', 'note', 'note', 'upgrade', 'upgrade', 'ledger', 'ledger', 'step', 'step', 'watch', 'break', 'restart', 'page size'),
    pick: fc.nat(1_000),
    value: fc.nat(100_000),
  }),
  { minLength: 10, maxLength: 100 },
)

test('each event is decoded by the code that emitted it, wherever pages are cut and processes die', async () => {
  await fc.assert(fc.asyncProperty(script, async (ops) => {
    await emptyIndex(store.write)
    await using fixture = createIndexFixture(store)
    const contracts = createContracts(fixture)
    const survive = async (work: Promise<unknown>): Promise<void> => {
      await work.catch((error: unknown) => assert.ok(error instanceof ConnectionBroken, String(error)))
    }
    fixture.closeLedger()
    await start(fixture)
    for (const { op, pick, value } of ops) {
      if (op === 'note') queue(fixture, contracts.note(pick, value))
      else if (op === 'upgrade') queue(fixture, contracts.upgrade(pick, defined(MODULES[value % MODULES.length], 'a module')))
      else if (op === 'ledger') fixture.closeLedger()
      else if (op === 'step') await survive(fixture.indexer.step())
      else if (op === 'watch') {
        fixture.clock.advance(WATCH_INTERVAL_MS)
        await survive(fixture.indexer.watchContracts())
      } else if (op === 'break') fixture.nextFault = value % 3 === 0 ? 'after commit' : { beforeStatement: value % 16 }
      else if (op === 'restart') await fixture.restart()
      else fixture.node.pageCap = 1 + (pick % 7)
    }
    fixture.closeLedger()
    fixture.nextFault = undefined
    await fixture.catchUp()
    const { events, upgrades, lastSeq } = await readRows()
    const expected = contracts.expected.map(({ contractId, name, value }) => ({ contractId, payload: { topic: 'note', [name]: value } }))
    assert.deepEqual(events.map(({ seq: _seq, ...event }) => event), expected)
    const seqs = [...events, ...upgrades].map(({ seq }) => Number(seq)).toSorted((a, b) => a - b)
    assert.deepEqual(seqs, Array.from({ length: lastSeq ?? 0 }, (_, index) => index + 1))
    await fixture.indexer[Symbol.asyncDispose]()
    const rebuilt = await rebuild(store, { clock: createSystemClock() })
    assert.equal(rebuilt?.redecoded, 0, 'a rebuild decodes every event as before')

    await emptyIndex(store.write)
    fixture.node.pageCap = Number.MAX_SAFE_INTEGER
    await fixture.restart()
    await start(fixture)
    await fixture.catchUp()
    assert.deepEqual(await readRows(), { events, upgrades, lastSeq }, 'the same rows as a single read')
  }), { numRuns: fuzzRuns(6, 30) })
})

test('an upgrade inside a transaction splits its events, and takes its own place in the log', async () => {
  await emptyIndex(store.write)
  await using fixture = createIndexFixture(store)
  const contracts = createContracts(fixture)
  fixture.closeLedger()
  await start(fixture)
  queue(fixture, contracts.note(0, 1))
  queue(fixture, contracts.upgrade(0, defined(MODULES[1], 'a module')))
  queue(fixture, contracts.note(0, 2))
  fixture.closeLedger()
  await fixture.catchUp()
  const { events, upgrades, lastSeq } = await readRows()
  assert.deepEqual(events.map(({ seq, payload }) => [seq, payload]), [[1, { topic: 'note', first: 1 }], [3, { topic: 'note', second: 2 }]])
  assert.deepEqual(upgrades.map(({ seq, fromLedger, wasmHash }) => [seq, fromLedger, wasmHash]), [[2, 2, wasmHashOf(defined(MODULES[1], 'a module'))]])
  assert.equal(lastSeq, 3)
  const { added, removed, replaced } = await fixture.verify()
  assert.deepEqual({ added, removed, replaced }, { added: 0, removed: 0, replaced: 0 }, 'a verification does not take upgrades for events')
})

/** Code of the referral registry: generation 2 records a trade with its volume. */
function referralModule(...volume: readonly string[]): Buffer {
  const names = ['referee', 'original_fee', ...volume]
  return wasmOf([functionEntry('record_trade', names.map((name) => [name, xdr.ScSpecTypeDef.scSpecTypeI128()]), [])])
}

test('code that cannot be read does not stop the index, is recorded as unknown, and is read later', async () => {
  await emptyIndex(store.write)
  await using fixture = createIndexFixture(store)
  const { node } = fixture
  const { referral } = fixture.exchange.contracts
  const [before, next] = [referralModule(), referralModule('volume')]
  node.instances.set(referral, { wasm: before, modifiedLedger: 1 })
  node.modules = [before]
  fixture.closeLedger()
  await start(fixture)
  const generations = async (): Promise<unknown[]> => (await listContractVersions(store.read, 1)).map(({ generation, seq }) => [generation, seq])
  assert.deepEqual(await generations(), [['1', null]])

  node.instances.set(referral, { wasm: next, modifiedLedger: 2 })
  queue(fixture, {
    contractId: referral, transaction: 0, isSystem: true, topicsXdr: [symbol('executable_update'), executable(before), executable(next)],
    valueXdr: encodeScVal({ type: 'vec', value: [] }),
  })
  fixture.closeLedger()
  const [result] = await fixture.catchUp()
  assert.equal(result?.kind, 'indexed')
  assert.deepEqual(await generations(), [['1', null], [null, 1]])
  node.modules = [before, next]
  fixture.clock.advance(WATCH_INTERVAL_MS)
  assert.equal(await fixture.indexer.watchContracts(), 1)
  assert.deepEqual(await generations(), [['1', null], ['2.0', 1]])
})

test('an upgrade without an event counts after two readings, from the ledger that bounds it', async () => {
  await emptyIndex(store.write)
  await using fixture = createIndexFixture(store)
  const contracts = createContracts(fixture)
  fixture.closeLedger()
  await start(fixture)
  contracts.upgrade(1, defined(MODULES[2], 'a module'), { silent: true })
  fixture.closeLedger()
  fixture.clock.advance(WATCH_INTERVAL_MS)
  assert.equal(await fixture.indexer.watchContracts(), 1, 'the code is stored; the upgrade is in a ledger that is not indexed yet')
  await fixture.catchUp()
  fixture.clock.advance(WATCH_INTERVAL_MS)
  assert.equal(await fixture.indexer.watchContracts(), 0)
  assert.deepEqual((await readRows()).upgrades, [])
  fixture.clock.advance(WATCH_INTERVAL_MS)
  assert.equal(await fixture.indexer.watchContracts(), 1)
  const { upgrades, lastSeq } = await readRows()
  assert.deepEqual(upgrades.map(({ seq, fromLedger, fromEventId }) => [seq, fromLedger, fromEventId]), [[1, 2, null]])
  assert.equal(lastSeq, 1)
})

test('a reading counts although pages were written before its result is', async () => {
  await emptyIndex(store.write)
  await using fixture = createIndexFixture(store)
  createContracts(fixture)
  const { clock, exchange, indexer, node } = fixture
  const proof = createChainProof(async () => true)
  const watcher = createContractWatcher({ rpc: node.rpc, deployment: currentDeploymentOf(exchange.contracts), clock, log: silentLog, proof })
  const { signal } = new AbortController()
  fixture.closeLedger()
  await indexer.step()
  await watcher.poll(store.write, signal)
  await watcher.settled()
  fixture.closeLedger()
  await proof.observeStep(() => indexer.step())
  await watcher.poll(store.write, signal)
  await watcher.settled()
  assert.equal((await listContractVersions(store.read, 1)).length, CONTRACTS.length)
})
