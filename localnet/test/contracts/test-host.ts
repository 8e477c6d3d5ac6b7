// Test support: an in-memory host for contracts, without ledger, XDR or fees. It stores entries and classic balances, checks arguments and
// results against the published interface, records authorizations, and rolls back failed calls.

import { createPublicKey, verify } from 'node:crypto'
import { defined } from '../../../src/base/assert.ts'
import type { ClassicBalances, ContractCode, ContractEnv, Durability, SpecType, Val } from '../../contracts/shared/host.ts'
import { address, bool, ContractFailure, HostFailure, i128, symbol, text, u32, u64, vec } from '../../contracts/shared/host.ts'

/** An event of a successful call. */
export interface TestEvent {
  readonly contract: string
  readonly topics: readonly Val[]
  readonly data: Val
}

/** An authorization that a call required of an account, with its depth in the call tree. */
interface TestAuth {
  readonly address: string
  readonly contract: string
  readonly functionName: string
  readonly depth: number
}

/** The result of a call. `error` is formatted as on the network: `Error(Contract, #22)`, `Error(Auth, InvalidAction)`. */
export type InvokeResult = InvokeSuccess | InvokeFailure

interface InvokeFailure {
  readonly ok: false
  readonly error: string
  /** The depth in the call tree at which the error was raised. */
  readonly depth: number
}

export interface InvokeSuccess {
  readonly ok: true
  readonly value: Val
  readonly events: readonly TestEvent[]
  readonly auth: readonly TestAuth[]
  /** The entries that the call changed. */
  readonly writes: readonly TestWrite[]
}

/** An entry before and after a call; undefined: absent. */
export interface TestWrite {
  readonly contract: string
  readonly durability: Durability
  readonly key: Val
  readonly before: Val | undefined
  readonly after: Val | undefined
}

export interface TestHost {
  /** Tests advance it. */
  ledger: { sequence: number; timestampSec: bigint }
  /** Calls an entry point in a transaction signed by these addresses. */
  invoke(contract: string, functionName: string, args: readonly Val[], signers?: readonly string[]): InvokeResult
  /** Like `invoke`; returns `ok` or the error. */
  tryInvoke(contract: string, functionName: string, args: readonly Val[], signers?: readonly string[]): string
  /** Like `invoke`; throws if the call fails. */
  invokeOk(contract: string, functionName: string, args: readonly Val[], signers?: readonly string[]): InvokeSuccess
  readEntry(contract: string, durability: Durability, key: Val): Val | undefined
  /** Adds to a balance; creates the trustline, or the account for `native`. */
  fund(account: string, asset: string, amount: bigint): void
  /** The whole state as text, for comparing two states. */
  fingerprint(): string
}

/** A host with these contracts, by address. A contract can be upgraded to the `uploaded` codes, by the hex hash of their modules. */
export function createTestHost(
  deployed: Readonly<Record<string, ContractCode>>,
  uploaded: ReadonlyMap<string, ContractCode> = new Map(),
): TestHost {
  let contracts = deployed
  const storage = new Map<string, Val>()
  const balances = new Map<string, bigint>()
  const undo: (() => void)[] = []
  const ledger = { sequence: 100, timestampSec: 1_780_000_000n }

  const classic: ClassicBalances = {
    balance: (account, asset) => balances.get(`${account}/${asset}`),
    add(account, asset, delta) {
      const balance = balances.get(`${account}/${asset}`)
      if (balance === undefined) return asset === 'native' ? 'account-missing' : 'trustline-missing'
      if (balance + delta < 0n) return 'insufficient'
      if (balance + delta >= 2n ** 63n) return 'overflow'
      undo.push(() => void balances.set(`${account}/${asset}`, balance))
      balances.set(`${account}/${asset}`, balance + delta)
      return 'ok'
    },
  }

  function invoke(contract: string, functionName: string, args: readonly Val[], signers: readonly string[] = []): InvokeResult {
    undo.length = 0
    const events: TestEvent[] = []
    const auth: TestAuth[] = []
    const written = new Map<string, Omit<TestWrite, 'after'>>()
    const raised: Raised = { error: undefined, depth: 0 }
    function upgrade(upgraded: string, wasmHash: Uint8Array): void {
      const code = uploaded.get(Buffer.from(wasmHash).toString('hex'))
      if (code === undefined) throw new HostFailure('Storage', 'MissingValue', 'Wasm does not exist')
      const before = contracts
      undo.push(() => void (contracts = before))
      contracts = { ...contracts, [upgraded]: code }
    }
    try {
      const codeOf = (at: string): ContractCode | undefined => contracts[at]
      const run = createRunner({ codeOf, upgrade, storage, undo, classic, ledger, events, auth, signers, authorizedCalls: new Map(), written, raised })
      const value = run(contract, functionName, args, ROOT)
      const writes = [...written].map(([id, entry]) => ({ ...entry, after: storage.get(id) })).filter(({ before, after }) => before !== after)
      return { ok: true, value, events, auth, writes }
    } catch (error) {
      undoSince(undo, 0)
      return { ok: false, error: describeError(error), depth: raised.depth }
    }
  }

  return {
    ledger,
    invoke,
    tryInvoke(contract, functionName, args, signers) {
      const result = invoke(contract, functionName, args, signers)
      return result.ok ? 'ok' : result.error
    },
    invokeOk(contract, functionName, args, signers) {
      const result = invoke(contract, functionName, args, signers)
      if (!result.ok) throw new Error(`${functionName}: ${result.error}`)
      return result
    },
    readEntry: (contract, durability, key) => storage.get(storageId(contract, durability, key)),
    fund: (account, asset, amount) => void balances.set(`${account}/${asset}`, (balances.get(`${account}/${asset}`) ?? 0n) + amount),
    fingerprint: () => serialize([...storage].sort(byKey)) + serialize([...balances].sort(byKey)),
  }
}

const byKey = (a: readonly [string, unknown], b: readonly [string, unknown]): number => (a[0] < b[0] ? -1 : 1)

/** Undoes the changes after the first `kept` ones, newest first. */
function undoSince(undo: (() => void)[], kept: number): void {
  while (undo.length > kept) undo.pop()?.()
}

interface Invocation {
  readonly codeOf: (contract: string) => ContractCode | undefined
  readonly upgrade: (contract: string, wasmHash: Uint8Array) => void
  readonly storage: Map<string, Val>
  /** Functions that undo the changes so far, oldest first. A contract may catch the failure of a call: then the call's changes are undone. */
  readonly undo: (() => void)[]
  readonly classic: ClassicBalances
  readonly ledger: { sequence: number; timestampSec: bigint }
  readonly events: TestEvent[]
  readonly auth: TestAuth[]
  readonly signers: readonly string[]
  /** By contract: the serialized deeper calls that it authorized. */
  readonly authorizedCalls: Map<string, string[]>
  /** Entries before their first change, by their id. */
  readonly written: Map<string, Omit<TestWrite, 'after'>>
  readonly raised: Raised
}

/** The last error that was raised, and the depth in the call tree at which it was. */
interface Raised {
  error: unknown
  depth: number
}

type RunContract = (contract: string, functionName: string, args: readonly Val[], frame: Frame) => Val

/** A call in the tree of calls. */
interface Frame {
  readonly caller: string | null
  readonly depth: number
  /** Signers that authorized a call around this one. Calls add to their own set. */
  readonly authorized: ReadonlySet<string>
}

const ROOT: Frame = { caller: null, depth: 0, authorized: new Set() }

function createRunner(state: Invocation): RunContract {
  const run: RunContract = (contract, functionName, args, { caller, depth, authorized: outer }) => {
    const authorized = new Set(outer)
    const code = state.codeOf(contract)
    const entry = code?.entryPoints[functionName]
    if (code === undefined || entry === undefined) throw new HostFailure('WasmVm', 'MissingValue', `${contract} has no ${functionName}`)
    const count = entry.inputs.length
    if (args.length !== count) throw new HostFailure('WasmVm', 'UnexpectedSize', `${functionName} takes ${count}`)
    for (const [index, [name, type]] of entry.inputs.entries()) {
      if (!matchesType(code, type, args[index])) throw new HostFailure('Value', 'UnexpectedType', `${functionName}: ${name}`)
    }
    let pendingAuthorizations: string[] = []
    const env: ContractEnv = {
      self: contract,
      ledger: { ...state.ledger, networkId: new Uint8Array(32) },
      get: (durability, key) => state.storage.get(storageId(contract, durability, key)),
      set: (durability, key, value) => write(state, { contract, durability, key }, value),
      remove: (durability, key) => write(state, { contract, durability, key }, undefined),
      requireAuth(signer) {
        if (signer === caller) return
        const authorizedCalls = state.authorizedCalls.get(signer) ?? []
        const index = authorizedCalls.indexOf(serialize([contract, functionName, args]))
        if (index !== -1) return void authorizedCalls.splice(index, 1)
        // An account can sign any call of the tree, another address only what begins with a call that it authorizes.
        const isReachable = signer.startsWith('G') || depth === 0 || authorized.has(signer)
        if (!isReachable || !state.signers.includes(signer)) {
          throw new HostFailure('Auth', 'InvalidAction', `${signer} did not authorize ${functionName}`)
        }
        authorized.add(signer)
        state.auth.push({ address: signer, contract, functionName, depth })
      },
      authorizeNextCall: (callee, name, calleeArgs) => void pendingAuthorizations.push(serialize([callee, name, calleeArgs])),
      call(callee, name, calleeArgs) {
        state.authorizedCalls.set(contract, pendingAuthorizations)
        pendingAuthorizations = []
        const [changeCount, eventCount, authCount] = [state.undo.length, state.events.length, state.auth.length]
        try {
          return run(callee, name, calleeArgs, { caller: contract, depth: depth + 1, authorized })
        } catch (error) {
          undoSince(state.undo, changeCount)
          state.events.length = eventCount
          state.auth.length = authCount
          throw error
        } finally {
          state.authorizedCalls.delete(contract)
        }
      },
      verifySignature(publicKey, message, signature) {
        const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }, format: 'jwk' })
        if (!verify(null, message, key, signature)) throw new HostFailure('Crypto', 'InvalidInput', 'failed ED25519 verification')
      },
      updateCurrentContractWasm: (wasmHash) => state.upgrade(contract, wasmHash),
      emit: (topics, data) => void state.events.push({ contract, topics, data }),
      classic: state.classic,
    }
    const value = runEntryPoint(state.raised, depth, () => entry.run(env, args))
    // Clients decode results by the published interface.
    if (!matchesType(code, entry.output, value)) {
      throw new Error(`${code.name}.${functionName} returned a value that does not match its interface: ${serialize(value)}`)
    }
    return value
  }
  return run
}

/** Runs an entry point, and records where an error was raised first. */
function runEntryPoint(raised: Raised, depth: number, run: () => Val): Val {
  try {
    return run()
  } catch (error) {
    if (raised.error !== error) Object.assign(raised, { error, depth })
    throw error
  }
}

function write(state: Invocation, entry: Pick<TestWrite, 'contract' | 'durability' | 'key'>, value: Val | undefined): void {
  const id = storageId(entry.contract, entry.durability, entry.key)
  const before = state.storage.get(id)
  if (!state.written.has(id)) state.written.set(id, { ...entry, before })
  state.undo.push(() => void (before === undefined ? state.storage.delete(id) : state.storage.set(id, before)))
  if (value === undefined) state.storage.delete(id)
  else state.storage.set(id, value)
}

/** True if a value has a type of the contract's interface. */
function matchesType(code: ContractCode, type: SpecType, val: Val | undefined): boolean {
  if (val === undefined) return false
  if (typeof type === 'string') return type === 'val' || val.type === type
  if ('option' in type) return val.type === 'void' || matchesType(code, type.option, val)
  if ('vec' in type) return val.type === 'vec' && val.value.every((item) => matchesType(code, type.vec, item))
  if ('bytesN' in type) return val.type === 'bytes' && val.value.length === type.bytesN
  if ('tuple' in type) {
    const { tuple } = type
    return val.type === 'vec' && val.value.length === tuple.length && tuple.every((item, index) => matchesType(code, item, val.value[index]))
  }
  const fields = defined(code.structs?.[type.struct], `struct ${type.struct} of ${code.name}`)
  return (
    val.type === 'map' &&
    val.value.length === fields.length &&
    [...fields].sort(byKey).every(([name, fieldType], index) => {
      const entry = val.value[index]
      return entry?.[0].type === 'symbol' && entry[0].value === name && matchesType(code, fieldType, entry[1])
    })
  )
}

function describeError(error: unknown): string {
  if (error instanceof ContractFailure) return error.message
  if (error instanceof HostFailure) return `Error(${error.errorType}, ${error.errorCode})`
  throw error
}

function storageId(contract: string, durability: Durability, key: Val): string {
  return `${contract} ${durability} ${serialize(key)}`
}

/** A value as text, for comparisons and messages. */
export function serialize(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`
    if (part instanceof Uint8Array) return Buffer.from(part).toString('hex')
    return part
  })
}

/** A valid argument of a type, for calls that fail before they use it. */
export function sampleArg(type: SpecType): Val {
  if (typeof type === 'object') return 'bytesN' in type ? { type: 'bytes', value: new Uint8Array(type.bytesN) } : vec()
  const samples: Partial<Record<string, Val>> = {
    address: address('GALICE'), symbol: symbol('BTC'), string: text('x'), u32: u32(1), u64: u64(1n), i128: i128(1n), bool: bool(true),
  }
  return defined(samples[type], `a sample ${type}`)
}

/** A value in native types: u64 and i128 as bigint, maps as objects, void as null. */
export function toNative(val: Val | undefined): unknown {
  if (val === undefined || val.type === 'void') return null
  if (val.type === 'vec') return val.value.map(toNative)
  if (val.type === 'map') return Object.fromEntries(val.value.map(([key, item]) => [String(toNative(key)), toNative(item)]))
  return val.value
}

/** An event in native types: contract, topics, data. */
export function toNativeEvent(event: TestEvent): readonly [contract: string, topics: readonly unknown[], data: unknown] {
  return [event.contract, event.topics.map(toNative), toNative(event.data)]
}
