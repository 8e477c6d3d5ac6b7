// Test support: a host in memory for contracts alone, without ledger, XDR or fees. It holds storage and classic balances, checks arguments
// and results against the published interface, records who authorised what, and rolls a failed call back wholly.

import { createPublicKey, verify } from 'node:crypto'
import { defined } from '../../src/base/assert.ts'
import type { ClassicBalances, ContractCode, ContractEnv, Durability, SpecType, Val } from './host.ts'
import { ContractFailure, HostFailure } from './host.ts'

/** An event as the host committed it. */
export interface TestEvent {
  readonly contract: string
  readonly topics: readonly Val[]
  readonly data: Val
}

/** One authorisation that a call demanded of an account, and how deep in the call tree. */
export interface TestAuth {
  readonly address: string
  readonly contract: string
  readonly functionName: string
  readonly depth: number
}

/** What a call came to. `error` reads as the network writes it: `Error(Contract, #22)`, `Error(Auth, InvalidAction)`. */
export type InvokeResult = InvokeSuccess | { readonly ok: false; readonly error: string }

export interface InvokeSuccess {
  readonly ok: true
  readonly value: Val
  readonly events: readonly TestEvent[]
  readonly auth: readonly TestAuth[]
}

export interface TestHost {
  /** Moved by the test. */
  ledger: { sequence: number; timestampSec: bigint }
  /** Calls an entry point as a transaction signed by these addresses. */
  invoke(contract: string, functionName: string, args: readonly Val[], signers?: readonly string[]): InvokeResult
  /** Like `invoke`; returns `ok` or the error. */
  tryInvoke(contract: string, functionName: string, args: readonly Val[], signers?: readonly string[]): string
  /** Like `invoke`, for calls that must succeed. */
  invokeOk(contract: string, functionName: string, args: readonly Val[], signers?: readonly string[]): InvokeSuccess
  readEntry(contract: string, durability: Durability, key: Val): Val | undefined
  /** Opens a trustline (or account, for `native`) and adds to its balance. */
  fund(account: string, asset: string, amount: bigint): void
  /** Everything that is stored, as text: two equal texts are two equal states. */
  fingerprint(): string
}

/** A host that runs these contracts. */
export function createTestHost(contracts: Readonly<Record<string, ContractCode>>): TestHost {
  let storage = new Map<string, Val>()
  let balances = new Map<string, bigint>()
  const ledger = { sequence: 100, timestampSec: 1_780_000_000n }

  const classic: ClassicBalances = {
    balance: (account, asset) => balances.get(`${account}/${asset}`),
    add(account, asset, delta) {
      const held = balances.get(`${account}/${asset}`)
      if (held === undefined) return asset === 'native' ? 'account-missing' : 'trustline-missing'
      if (held + delta < 0n) return 'insufficient'
      if (held + delta >= 2n ** 63n) return 'overflow'
      balances.set(`${account}/${asset}`, held + delta)
      return 'ok'
    },
  }

  function invoke(contract: string, functionName: string, args: readonly Val[], signers: readonly string[] = []): InvokeResult {
    const before = [new Map(storage), new Map(balances)] as const
    const events: TestEvent[] = []
    const auth: TestAuth[] = []
    try {
      const run = createRunner(contracts, { storage, classic, ledger, events, auth, signers, authorizedCalls: new Map() })
      return { ok: true, value: run(contract, functionName, args, null, 0), events, auth }
    } catch (error) {
      storage = before[0]
      balances = before[1]
      return { ok: false, error: describeError(error) }
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
      const outcome = invoke(contract, functionName, args, signers)
      if (!outcome.ok) throw new Error(`${functionName}: ${outcome.error}`)
      return outcome
    },
    readEntry: (contract, durability, key) => storage.get(storageId(contract, durability, key)),
    fund: (account, asset, amount) => void balances.set(`${account}/${asset}`, (balances.get(`${account}/${asset}`) ?? 0n) + amount),
    fingerprint: () => serialize([...storage].sort(byKey)) + serialize([...balances].sort(byKey)),
  }
}

const byKey = (a: readonly [string, unknown], b: readonly [string, unknown]): number => (a[0] < b[0] ? -1 : 1)

interface Invocation {
  readonly storage: Map<string, Val>
  readonly classic: ClassicBalances
  readonly ledger: { sequence: number; timestampSec: bigint }
  readonly events: TestEvent[]
  readonly auth: TestAuth[]
  readonly signers: readonly string[]
  /** By contract: the deeper calls that it agreed to, as text. */
  readonly authorizedCalls: Map<string, string[]>
}

type RunContract = (contract: string, functionName: string, args: readonly Val[], caller: string | null, depth: number) => Val

function createRunner(contracts: Readonly<Record<string, ContractCode>>, state: Invocation): RunContract {
  const run: RunContract = (contract, functionName, args, caller, depth) => {
    const code = contracts[contract]
    const entry = code?.entryPoints[functionName]
    if (code === undefined || entry === undefined) throw new HostFailure('WasmVm', 'MissingValue', `${contract} has no ${functionName}`)
    const count = entry.inputs.length
    if (args.length !== count) throw new HostFailure('WasmVm', 'UnexpectedSize', `${functionName} takes ${count}`)
    for (const [index, [name, type]] of entry.inputs.entries()) {
      if (!matchesType(code, type, args[index])) throw new HostFailure('Value', 'UnexpectedType', `${functionName}: ${name}`)
    }
    let promised: string[] = []
    const env: ContractEnv = {
      self: contract,
      ledger: { ...state.ledger, networkId: new Uint8Array(32) },
      get: (durability, key) => state.storage.get(storageId(contract, durability, key)),
      set: (durability, key, value) => void state.storage.set(storageId(contract, durability, key), value),
      remove: (durability, key) => void state.storage.delete(storageId(contract, durability, key)),
      requireAuth(address) {
        if (address === caller) return
        const grants = state.authorizedCalls.get(address) ?? []
        const grant = grants.indexOf(serialize([contract, functionName, args]))
        if (grant !== -1) return void grants.splice(grant, 1)
        if (!state.signers.includes(address)) throw new HostFailure('Auth', 'InvalidAction', `${address} did not agree to ${functionName}`)
        state.auth.push({ address, contract, functionName, depth })
      },
      authorizeNextCall: (callee, name, calleeArgs) => void promised.push(serialize([callee, name, calleeArgs])),
      call(callee, name, calleeArgs) {
        state.authorizedCalls.set(contract, promised)
        promised = []
        const answer = run(callee, name, calleeArgs, contract, depth + 1)
        state.authorizedCalls.delete(contract)
        return answer
      },
      verifySignature(publicKey, message, signature) {
        const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }, format: 'jwk' })
        if (!verify(null, message, key, signature)) throw new HostFailure('Crypto', 'InvalidInput', 'failed ED25519 verification')
      },
      emit: (topics, data) => void state.events.push({ contract, topics, data }),
      classic: state.classic,
    }
    const value = entry.run(env, args)
    // A result that does not fit the published interface would break every client that reads the interface.
    if (!matchesType(code, entry.output, value)) {
      throw new Error(`${code.name}.${functionName} answers what its interface does not say: ${serialize(value)}`)
    }
    return value
  }
  return run
}

/** Whether a value is of a type of the contract's interface. */
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

/** A value as text, for comparing and for messages. */
export function serialize(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`
    if (part instanceof Uint8Array) return Buffer.from(part).toString('hex')
    return part
  })
}

/** A value without its types, for readable expectations: integers of 64 bits and more as bigint, maps as objects. */
export function toNative(val: Val | undefined): unknown {
  if (val === undefined || val.type === 'void') return null
  if (val.type === 'vec') return val.value.map(toNative)
  if (val.type === 'map') return Object.fromEntries(val.value.map(([key, item]) => [String(toNative(key)), toNative(item)]))
  return val.value
}

/** An event as one row: contract, topics, data without types. */
export function toNativeEvent(event: TestEvent): readonly [contract: string, topics: readonly unknown[], data: unknown] {
  return [event.contract, event.topics.map(toNative), toNative(event.data)]
}
