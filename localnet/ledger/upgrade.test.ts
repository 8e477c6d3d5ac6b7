import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Keypair, SorobanDataBuilder, type Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { Genesis } from '../chain.ts'
import { address, bytes, type ContractCode, ContractFailure, symbol, text, type Val, vec, VOID } from '../contracts/shared/host.ts'
import { upgradeEntryPoint } from '../contracts/shared/upgrade.ts'
import { asBytes } from '../contracts/shared/values.ts'
import type { EventRecord } from '../history.ts'
import { valFromBase64 } from '../scval.ts'
import { codeKey, instanceKey } from './keys.ts'
import {
  BOB, CALLER, COUNTER, ISSUER, metaOf, PASSPHRASE, resultOf, startTestChain, TEST_GENESIS, testEntryPoint, type TestChain,
} from './test-chain.ts'
import { wasmModuleOf } from './wasm-spec.ts'
import { fromHex } from './xdr-writer.ts'

const root = mkdtempSync(join(tmpdir(), 'upgrade-'))
after(() => rmSync(root, { recursive: true, force: true }))

function program(build: string, more: ContractCode['entryPoints'] = {}): ContractCode {
  return {
    name: 'program',
    build,
    entryPoints: {
      version: testEntryPoint({}, 'string', (env) => {
        env.emit([symbol('asked')], text(build))
        return text(build)
      }),
      upgrade: upgradeEntryPoint(() => {}),
      upgrade_and_remember: testEntryPoint({ hash: { bytesN: 32 } }, 'string', (env, args) => {
        env.set('instance', symbol('Before'), text(build))
        env.updateCurrentContractWasm(asBytes(args[0]))
        env.set('instance', symbol('After'), text(build))
        return text(build)
      }),
      upgrade_and_fail: testEntryPoint({ hash: { bytesN: 32 } }, 'void', (env, args) => {
        env.updateCurrentContractWasm(asBytes(args[0]))
        throw new ContractFailure(9)
      }),
      remembered: testEntryPoint({}, 'val', (env) => vec(env.get('instance', symbol('Before')) ?? VOID, env.get('instance', symbol('After')) ?? VOID)),
      ...more,
    },
  }
}

/** Upgrades a program and asks it for its version in one transaction. */
const switcher: ContractCode = {
  name: 'switcher',
  entryPoints: {
    switch: testEntryPoint({ at: 'address', hash: { bytesN: 32 } }, 'val', (env, [at, hash]) => {
      if (at?.type !== 'address' || hash === undefined) return VOID
      const before = env.call(at.value, 'version', [])
      env.call(at.value, 'upgrade', [hash])
      return vec(before, env.call(at.value, 'version', []))
    }),
  },
}

const [OLD, NEW] = [program('1'), program('2', { added: testEntryPoint({}, 'void', () => VOID) })]
const [OLD_HASH, NEW_HASH] = [wasmModuleOf(OLD).hash, wasmModuleOf(NEW).hash]
const hashVal = (hash: string): Val => bytes(fromHex(hash))

const GENESIS: Genesis = {
  ...TEST_GENESIS,
  contracts: [{ address: COUNTER, code: OLD }, { address: CALLER, code: switcher }, ...TEST_GENESIS.contracts.slice(-2)],
  uploads: [OLD, NEW],
}

const start = (options: Parameters<typeof startTestChain>[0] = {}): TestChain => startTestChain({ genesis: GENESIS, ...options })
const upgrade = (testChain: TestChain, hash = NEW_HASH) => testChain.apply(testChain.prepare(COUNTER, 'upgrade', [hashVal(hash)]))

function simulated(testChain: TestChain, contract: string, name: string, args: readonly Val[] = []): Val {
  const simulation = testChain.simulate(testChain.call(contract, name, args))
  return valFromBase64((simulation['results'] as { xdr: string }[] | undefined)?.[0]?.xdr ?? '')
}

const version = (testChain: TestChain): unknown => (simulated(testChain, COUNTER, 'version') as { value?: unknown }).value

function events(testChain: TestChain): readonly EventRecord[] {
  const untilLedger = testChain.chain.history.latest().sequence + 1
  return [...testChain.chain.history.events({ afterId: null, fromLedger: 1, untilLedger, contractIds: [COUNTER] })]
}

/** The hash that the instance entry of a contract names. */
function executableOf({ chain }: TestChain): string {
  const data = xdr.LedgerEntryData.fromXdr(chain.entries([instanceKey(COUNTER)])[0]?.dataXdr ?? '', 'base64')
  assert(data.type === 'contractData' && data.contractData.val.type === 'scvContractInstance')
  const { executable } = data.contractData.val.instance
  assert(executable.type === 'contractExecutableWasm')
  return executable.wasmHash.toString()
}

/** The transaction with both modules in its footprint. */
function withBothModules(transaction: Transaction, ...signers: readonly Keypair[]): Transaction {
  const envelope = transaction.toEnvelope()
  assert(envelope.type === 'envelopeTypeTx' && envelope.v1.tx.ext.type === 'sorobanData')
  const builder = new SorobanDataBuilder(envelope.v1.tx.ext.sorobanData)
  const modules = [OLD_HASH, NEW_HASH].map((hash) => xdr.LedgerKey.fromXdr(codeKey(hash), 'base64'))
  const others = builder.getReadOnly().filter((key) => key.type !== 'contractCode')
  const extended = TransactionBuilder.cloneFrom(transaction, {
    fee: '1000000', networkPassphrase: PASSPHRASE, sorobanData: builder.setReadOnly([...others, ...modules]).setResourceFee(10_000_000n).build(),
  }).build()
  extended.sign(...signers)
  return extended
}

test('every build of the genesis has a code entry, and the instance names its own', () => {
  using testChain = start()
  assert.equal(testChain.chain.entries([OLD_HASH, NEW_HASH].map(codeKey)).length, 2)
  assert.equal(executableOf(testChain), OLD_HASH)
})

test('a call before the upgrade in the same ledger runs the old code, a call after it the new one', () => {
  using testChain = start()
  const versionCall = (source: Keypair) => withBothModules(testChain.prepare(COUNTER, 'version', [], { source }), source)
  const transactions = [versionCall(BOB), testChain.prepare(COUNTER, 'upgrade', [hashVal(NEW_HASH)]), versionCall(ISSUER)]
  for (const transaction of transactions) testChain.send(transaction)
  testChain.close()
  assert.deepEqual(transactions.map((transaction) => testChain.recordOf(transaction).applicationOrder), [1, 2, 3])
  assert.deepEqual(events(testChain).map(({ type, value }) => [type, valFromBase64(value)]), [
    ['contract', text('1')], ['system', vec()], ['contract', text('2')],
  ])
})

test('the next call of the same transaction runs the new code', () => {
  using testChain = start()
  const answer = simulated(testChain, CALLER, 'switch', [address(COUNTER), hashVal(NEW_HASH)])
  assert.deepEqual(answer, vec(text('1'), text('2')))
  assert.equal(version(testChain), '1', 'a simulation changes nothing')
  testChain.apply(testChain.prepare(CALLER, 'switch', [address(COUNTER), hashVal(NEW_HASH)]))
  assert.deepEqual(events(testChain).map(({ type, value }) => [type, valFromBase64(value)]), [
    ['contract', text('1')], ['system', vec()], ['contract', text('2')],
  ])
})

test('an upgrade emits the system event of the host', () => {
  using testChain = start()
  const record = upgrade(testChain)
  const [event] = events(testChain)
  const executable = (hash: string): Val => vec(symbol('Wasm'), hashVal(hash))
  assert.equal(event?.type, 'system')
  assert.equal(event.contractId, COUNTER)
  assert.deepEqual(event.topics.map(valFromBase64), [symbol('executable_update'), executable(OLD_HASH), executable(NEW_HASH)])
  assert.deepEqual(valFromBase64(event.value), vec())
  const [inMeta] = metaOf(record).operations[0]?.events ?? []
  assert.equal(inMeta?.type.name, 'system')
  const diagnostics = record.diagnosticEventsXdr.map((encoded) => xdr.DiagnosticEvent.fromXdr(encoded, 'base64').event.type.name)
  assert.equal(diagnostics.filter((type) => type === 'system').length, 1)
})

test('the footprint has the instance read-write and both modules read-only', () => {
  using testChain = start()
  const { transactionData } = testChain.simulate(testChain.call(COUNTER, 'upgrade', [hashVal(NEW_HASH)]))
  const builder = new SorobanDataBuilder(transactionData as string)
  assert.deepEqual(builder.getReadWrite().map((key) => key.toXdr('base64')), [instanceKey(COUNTER)])
  assert.deepEqual(builder.getReadOnly().map((key) => key.toXdr('base64')).toSorted(), [OLD_HASH, NEW_HASH].map(codeKey).toSorted())
})

test('a call prepared before the upgrade fails, because its footprint lacks the new module', () => {
  using testChain = start()
  const late = testChain.prepare(COUNTER, 'version', [], { source: BOB })
  upgrade(testChain)
  const result = resultOf(testChain.apply(late)).result
  assert.equal(result.type, 'txFailed')
})

test('rejects the hash of a module that was never uploaded', () => {
  using testChain = start()
  const simulation = testChain.simulate(testChain.call(COUNTER, 'upgrade', [bytes(new Uint8Array(32).fill(1))]))
  assert.match(String(simulation['error']), /^HostError: Error\(Storage, MissingValue\)\n/)
  assert.match(String(simulation['error']), /Wasm does not exist/)
})

test('a failed call leaves the executable, and its event is not emitted', () => {
  using testChain = start()
  const simulation = testChain.simulate(testChain.call(COUNTER, 'upgrade_and_fail', [hashVal(NEW_HASH)]))
  assert.match(String(simulation['error']), /^HostError: Error\(Contract, #9\)\n/)
  assert.match(String(simulation['error']), /\[System Event\] contract:C\w+, topics:\[executable_update, \[Wasm, Bytes\(/)
  assert.equal(executableOf(testChain), OLD_HASH)
  assert.deepEqual(events(testChain), [])
})

test('the running call continues with the old code and keeps its storage', () => {
  using testChain = start()
  testChain.apply(testChain.prepare(COUNTER, 'upgrade_and_remember', [hashVal(NEW_HASH)]))
  assert.deepEqual(simulated(testChain, COUNTER, 'remembered'), vec(text('1'), text('1')))
  assert.equal(version(testChain), '2')
})

test('an upgraded contract stays upgraded after a restart, and follows snapshots and resets', () => {
  const directory = join(root, 'restart')
  {
    using testChain = start({ directory })
    const snapshot = testChain.chain.snapshot()
    upgrade(testChain)
    testChain.chain.restore(snapshot)
    assert.equal(version(testChain), '1')
    upgrade(testChain)
  }
  using testChain = start({ directory })
  assert.equal(version(testChain), '2')
  testChain.chain.reset()
  assert.equal(version(testChain), '1')
})

test('a chain from an earlier version of the project runs the same build of its contract', () => {
  const directory = join(root, 'versions')
  {
    using testChain = start({ directory })
    upgrade(testChain)
  }
  const changed = program('2', { changed: testEntryPoint({}, 'void', () => VOID) })
  using testChain = start({ directory, genesis: { ...GENESIS, uploads: [OLD, changed] } })
  assert.equal(version(testChain), '2')
  assert.equal(executableOf(testChain), wasmModuleOf(changed).hash)
  assert.deepEqual(simulated(testChain, COUNTER, 'changed'), VOID)
})
