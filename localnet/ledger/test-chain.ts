// Test support: a chain with a few accounts and two small contracts, on a virtual clock.

import {
  Account, Asset, Contract, type FeeBumpTransaction, hash, Keypair, Operation, rpc, StrKey, type Transaction, TransactionBuilder, xdr,
} from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { createVirtualClock, type VirtualClock } from '../../src/base/clock.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { TEST_PROTOCOL } from '../../test/support/protocol.ts'
import type { Chain, ChainOptions, Genesis, SimulationResult } from '../chain.ts'
import { type ContractCode, ContractFailure, type EntryPoint, type SpecType, type Val, VOID } from '../contracts/shared/host.ts'
import { address, symbol, text, u32, u64, vec } from '../contracts/shared/host.ts'
import { assetContract } from '../contracts/shared/token.ts'
import { createChain } from '../create-chain.ts'
import type { TransactionRecord } from '../history.ts'
import { toScVal } from '../scval.ts'
import { assetContractAddress, networkIdOf } from './addresses.ts'
import { accountKey } from './keys.ts'
import { toHex } from './xdr-writer.ts'

export const PASSPHRASE = 'A network for tests'
export const NETWORK_ID = networkIdOf(PASSPHRASE)
/** 2026-11-21 12:00 UTC. */
export const START_SEC = 1_795_262_400

/** A key pair derived from a number. */
export const testKeypair = (seed: number): Keypair => Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(seed))

export const ALICE = testKeypair(1)
export const BOB = testKeypair(2)
export const ISSUER = testKeypair(3)
/** Has no account. */
export const UNFUNDED = testKeypair(9)
export const USDC = `USDC:${ISSUER.publicKey()}`
export const USDC_CONTRACT = assetContractAddress(NETWORK_ID, USDC)
export const NATIVE_CONTRACT = assetContractAddress(NETWORK_ID, 'native')
export const COUNTER = StrKey.encodeContract(hash(Buffer.from('counter')))
export const CALLER = StrKey.encodeContract(hash(Buffer.from('caller')))
/** Two more instances of the caller's code, for longer call chains. */
export const FORWARDERS = ['relay', 'other relay'].map((name) => StrKey.encodeContract(hash(Buffer.from(name))))
export const START_BALANCE = 100_000_000_000n

export const testEntryPoint = (inputs: Readonly<Record<string, SpecType>>, output: SpecType, run: EntryPoint['run']): EntryPoint => ({
  inputs: Object.entries(inputs), output, run,
})

const first = (args: readonly Val[]): Val => defined(args[0], 'the first argument')

/** Counts, stores values, fails and emits events on request. */
export const counterCode: ContractCode = {
  name: 'counter',
  structs: { Pair: [['amount', 'i128'], ['name', 'symbol']] },
  errors: { 7: 'RequestedFailure' },
  entryPoints: {
    increment: testEntryPoint({ who: 'address' }, 'u32', (env, args) => {
      const who = first(args)
      if (who.type === 'address') env.requireAuth(who.value)
      const key = vec(symbol('Count'), who)
      const before = env.get('persistent', key)
      const count = u32((before?.type === 'u32' ? before.value : 0) + 1)
      env.set('persistent', key, count)
      env.emit([symbol('counted'), who], vec(count))
      return count
    }),
    set_count: testEntryPoint({ who: 'address', count: 'u32' }, 'void', (env, args) => {
      env.set('persistent', vec(symbol('Count'), first(args)), args[1] ?? VOID)
      return VOID
    }),
    remove_count: testEntryPoint({ who: 'address' }, 'void', (env, args) => {
      env.get('persistent', vec(symbol('Count'), first(args)))
      env.remove('persistent', vec(symbol('Count'), first(args)))
      return VOID
    }),
    count: testEntryPoint({ who: 'address' }, 'u32', (env, args) => env.get('persistent', vec(symbol('Count'), first(args))) ?? u32(0)),
    fail: testEntryPoint({ code: 'u32' }, 'void', (env, args) => {
      const code = first(args)
      env.set('persistent', vec(symbol('Before')), u32(1))
      env.emit([symbol('before')], VOID)
      throw new ContractFailure(code.type === 'u32' ? code.value : 0)
    }),
    arm: testEntryPoint({}, 'void', (env) => {
      env.set('persistent', vec(symbol('Armed')), VOID)
      return VOID
    }),
    fail_when_armed: testEntryPoint({ code: 'u32' }, 'void', (env, args) => {
      const code = first(args)
      env.set('persistent', vec(symbol('Before')), u32(1))
      env.emit([symbol('before')], VOID)
      if (env.get('persistent', vec(symbol('Armed'))) !== undefined) throw new ContractFailure(code.type === 'u32' ? code.value : 0)
      return VOID
    }),
    panic: testEntryPoint({}, 'void', () => {
      throw new TypeError('a mistake in the contract')
    }),
    set_instance_value: testEntryPoint({ value: 'val' }, 'void', (env, args) => {
      env.set('instance', vec(symbol('Memory')), first(args))
      return VOID
    }),
    instance_value: testEntryPoint({}, 'val', (env) => env.get('instance', vec(symbol('Memory'))) ?? VOID),
    add_item: testEntryPoint({}, 'u64', (env) => {
      const counter = env.get('persistent', vec(symbol('Counter')))
      const next = u64((counter?.type === 'u64' ? counter.value : 0n) + 1n)
      env.set('persistent', vec(symbol('Counter')), next)
      env.set('persistent', vec(symbol('Item'), next), text('new'))
      return next
    }),
    append: testEntryPoint({ value: 'val' }, 'void', (env, args) => {
      const list = env.get('persistent', vec(symbol('List')))
      env.set('persistent', vec(symbol('List')), vec(...(list?.type === 'vec' ? list.value : []), first(args)))
      return VOID
    }),
    set_temporary: testEntryPoint({ for_a_while: 'val' }, 'void', (env, args) => {
      env.set('temporary', vec(symbol('Passing')), first(args))
      return VOID
    }),
    set_temporary_for: testEntryPoint({ for_a_while: 'val', ledgers: 'u32' }, 'void', (env, args) => {
      env.set('temporary', vec(symbol('Passing')), first(args), u32Value(args[1]))
      return VOID
    }),
    temporary: testEntryPoint({}, 'val', (env) => env.get('temporary', vec(symbol('Passing'))) ?? VOID),
    typed: testEntryPoint({ pair: { struct: 'Pair' }, list: { vec: 'u32' }, maybe: { option: 'bool' }, key: { bytesN: 4 } }, 'void', () => VOID),
    echo: testEntryPoint({ value: 'val' }, 'val', (_, args) => first(args)),
    clock: testEntryPoint({}, 'u64', (env) => u64(env.ledger.timestampSec)),
  },
}

/** Calls the counter, with and without catching failures. */
export const callerCode: ContractCode = {
  name: 'caller',
  entryPoints: {
    forward: testEntryPoint({ to: 'address', name: 'symbol', args: { vec: 'val' } }, 'val', (env, [to, name, args]) => {
      env.set('persistent', vec(symbol('Called')), u32(1))
      return env.call(addressValue(to), symbolValue(name), args?.type === 'vec' ? args.value : [])
    }),
    forward_signed: testEntryPoint({ who: 'address', to: 'address' }, 'val', (env, [who, to]) => {
      env.requireAuth(addressValue(who))
      return env.call(addressValue(to), 'increment', [address(addressValue(who))])
    }),
    increment_as_self: testEntryPoint({ to: 'address' }, 'val', (env, [to]) => env.call(addressValue(to), 'increment', [address(env.self)])),
    authorize_ahead: testEntryPoint({ relays: { vec: 'address' }, to: 'address', grants: 'u32', calls: 'u32' }, 'val', (env, [relays, to, grants, calls]) => {
      const self = address(env.self)
      for (let left = u32Value(grants); left > 0; left--) env.authorizeNextCall(addressValue(to), 'increment', [self])
      const [relay, other] = relays?.type === 'vec' ? relays.value : []
      return env.call(addressValue(relay), 'increment_times', [self, other ?? VOID, to ?? VOID, calls ?? VOID])
    }),
    increment_times: testEntryPoint({ who: 'address', other: 'address', to: 'address', calls: 'u32' }, 'val', (env, [who, other, to, calls]) => {
      try {
        env.call(addressValue(other), 'increment_and_fail', [who ?? VOID, to ?? VOID])
      } catch {
        // The grants that the failed call consumed are available again.
      }
      let count: Val = VOID
      for (let left = u32Value(calls); left > 0; left--) count = env.call(addressValue(to), 'increment', [who ?? VOID])
      return count
    }),
    increment_and_fail: testEntryPoint({ who: 'address', to: 'address' }, 'void', (env, [who, to]) => {
      env.call(addressValue(to), 'increment', [who ?? VOID])
      throw new ContractFailure(1)
    }),
    try_call: testEntryPoint({ to: 'address', name: 'symbol', args: { vec: 'val' } }, 'bool', (env, [to, name, args]) => {
      try {
        env.call(addressValue(to), symbolValue(name), args?.type === 'vec' ? args.value : [])
        return { type: 'bool', value: true }
      } catch {
        return { type: 'bool', value: false }
      }
    }),
    ignore_auth_failure: testEntryPoint({ who: 'address' }, 'void', (env, [who]) => {
      try {
        env.requireAuth(addressValue(who))
      } catch {
        // The host traps the contract even though it catches the failure.
      }
      return VOID
    }),
  },
}

const addressValue = (val: Val | undefined): string => (val?.type === 'address' ? val.value : '')
const u32Value = (val: Val | undefined): number => (val?.type === 'u32' ? val.value : 0)
const symbolValue = (val: Val | undefined): string => (val?.type === 'symbol' ? val.value : '')

export const TEST_GENESIS: Genesis = {
  contracts: [
    { address: COUNTER, code: counterCode },
    ...[CALLER, ...FORWARDERS].map((relay) => ({ address: relay, code: callerCode })),
    { address: USDC_CONTRACT, code: assetContract(USDC) },
    { address: NATIVE_CONTRACT, code: assetContract('native') },
  ],
  accounts: [ALICE, BOB, ISSUER].map((key) => ({ address: key.publicKey(), balance: START_BALANCE })),
  trustlines: [ALICE, BOB].map((key) => ({ account: key.publicKey(), asset: USDC, balance: 1_000n })),
  calls: [],
}

/** Overrides of the defaults, which make a valid transaction. */
interface TransactionOptions {
  readonly source?: Keypair
  readonly sequence?: bigint
  readonly fee?: string
  readonly timeoutSec?: number
  /** Default: the source. */
  readonly signers?: readonly Keypair[]
}

export interface TestChain extends Disposable {
  readonly chain: Chain
  readonly clock: VirtualClock
  /** Advances the clock by one second and closes a ledger. */
  close(): number
  closeMany(count: number): void
  sequenceOf(who: Keypair): bigint
  balanceOf(who: Keypair): bigint
  account(who: Keypair): xdr.AccountEntry
  /** An unsigned transaction. */
  build(operations: xdr.Operation | readonly xdr.Operation[], draft?: TransactionOptions): Transaction
  /** A signed transaction of classic operations. */
  signed(operations: xdr.Operation | readonly xdr.Operation[], draft?: TransactionOptions): Transaction
  call(contract: string, name: string, args: readonly Val[], draft?: TransactionOptions): Transaction
  simulate(transaction: Transaction, params?: Record<string, unknown>): SimulationResult
  /** A simulated, assembled and signed call. */
  prepare(contract: string, name: string, args: readonly Val[], draft?: TransactionOptions): Transaction
  /** Throws unless the status is PENDING. */
  send(transaction: Transaction | FeeBumpTransaction): string
  /** Sends the transaction, closes a ledger and returns the transaction's record. */
  apply(transaction: Transaction | FeeBumpTransaction): TransactionRecord
  recordOf(transaction: Transaction | FeeBumpTransaction): TransactionRecord
}

/** Starts a test chain, in memory unless a `directory` is given. */
export function startTestChain(options: Partial<ChainOptions> & { readonly startSec?: number } = {}): TestChain {
  const clock = createVirtualClock((options.startSec ?? START_SEC) * 1_000)
  const chain = createChain({
    clock, random: createSeededRandom('test chain'), networkPassphrase: PASSPHRASE, genesis: TEST_GENESIS, directory: null, retentionLedgers: 10_000,
    protocol: TEST_PROTOCOL,
    ...options,
  })

  function account(who: Keypair): xdr.AccountEntry {
    const [entry] = chain.entries([accountKey(who.publicKey())])
    const data = xdr.LedgerEntryData.fromXdr(defined(entry, 'an account').dataXdr, 'base64')
    if (data.type !== 'account') throw new Error('not an account')
    return data.account
  }

  const self: TestChain = {
    chain,
    clock,
    close() {
      clock.advance(1_000)
      return chain.closeLedger()
    },
    closeMany(count) {
      for (let closed = 0; closed < count; closed++) self.close()
    },
    account,
    sequenceOf: (who) => account(who).seqNum,
    balanceOf: (who) => account(who).balance,
    build(operations, { source = ALICE, sequence, fee = '100', timeoutSec = 300 } = {}) {
      const before = (sequence ?? self.sequenceOf(source) + 1n) - 1n
      const builder = new TransactionBuilder(new Account(source.publicKey(), before.toString()), { fee, networkPassphrase: PASSPHRASE })
      for (const operation of Array.isArray(operations) ? operations : [operations]) builder.addOperation(operation as xdr.Operation)
      const maxTime = timeoutSec === 0 ? 0 : chain.history.latest().closeTimeSec + timeoutSec
      return builder.setTimebounds(0, maxTime).build()
    },
    signed(operations, draft = {}) {
      const transaction = self.build(operations, draft)
      transaction.sign(...(draft.signers ?? [draft.source ?? ALICE]))
      return transaction
    },
    call: (contract, name, args, draft) => self.build(new Contract(contract).call(name, ...args.map(toScVal)), draft),
    simulate: (transaction, params = {}) => chain.simulate({ transaction: transaction.toXdr(), ...params }),
    prepare(contract, name, args, draft = {}) {
      const transaction = self.call(contract, name, args, draft)
      const simulation = self.simulate(transaction)
      if ('error' in simulation) throw new Error(String(simulation['error']))
      const assembled = rpc.assembleTransaction(transaction, simulation as unknown as rpc.Api.RawSimulateTransactionResponse).build()
      assembled.sign(...(draft.signers ?? [draft.source ?? ALICE]))
      return assembled
    },
    send(transaction) {
      const { status, hash: sent } = chain.send(transaction.toXdr())
      if (status !== 'PENDING') throw new Error(`the transaction was rejected: ${status}`)
      return sent
    },
    apply(transaction) {
      self.send(transaction)
      self.close()
      return self.recordOf(transaction)
    },
    recordOf: (transaction) => defined(chain.history.transaction(toHex(transaction.hash())), 'the record of a transaction'),
    [Symbol.dispose]: () => chain[Symbol.dispose](),
  }
  return self
}

/** A payment of native coins. */
export function payment(to: Keypair, amount = '1'): xdr.Operation {
  return Operation.payment({ destination: to.publicKey(), asset: Asset.native(), amount })
}

/** The decoded result of a record. */
export function resultOf(record: Pick<TransactionRecord, 'resultXdr'>): xdr.TransactionResult {
  return xdr.TransactionResult.fromXdr(record.resultXdr, 'base64')
}

/** The decoded meta of a record, version 4. */
export function metaOf(record: TransactionRecord): xdr.TransactionMetaV4 {
  const meta = xdr.TransactionMeta.fromXdr(record.resultMetaXdr, 'base64')
  if (meta.type !== 'v4') throw new Error(`meta of version ${meta.type}`)
  return meta.v4
}
