// Runs one contract call on a view of the ledger and measures what it used. Shared by simulation and apply.

import type { xdr } from '@stellar/stellar-sdk'
import { ContractFailure, HostFailure, type Val } from '../contracts/shared/host.ts'
import { addressOf, encodeVal, fromScVal } from '../scval.ts'
import type { AuthContext, Authorizer } from './auth.ts'
import type { CodeRegistry } from './code-registry.ts'
import { TTL_PERSISTENT_MIN_LEDGERS } from './constants.ts'
import { ENTRY_TYPE } from './entries.ts'
import { hostFailure } from './failure.ts'
import { isDiskEntry, type RentChange, rentFee } from './fees.ts'
import type { Footprint, FootprintKeys } from './footprint.ts'
import { createHost } from './host.ts'
import { encodeEvent, type EventVal, type Failure, type HostEvent } from './host-events.ts'
import { createHostStorage, type HostStorage } from './host-storage.ts'
import { entryTypeOf, isTemporaryKey } from './keys.ts'
import { createMeter, type Meter } from './meter.ts'
import type { View } from './state.ts'
import { entryBytes } from './ledger-entry.ts'

export interface RunOptions {
  readonly parent: View
  readonly codes: CodeRegistry
  readonly networkId: Uint8Array
  readonly sequence: number
  readonly timestampSec: number
  /** The source account of the operation. */
  readonly source: string
  readonly footprint: Footprint
  readonly restoreArchived: boolean
    readonly instructionsMax: number
  readonly authorizer: (context: AuthContext) => Authorizer
}

/** The outcome of a call. */
export interface ContractRun {
  readonly outcome: { readonly ok: true; readonly value: Val } | { readonly ok: false; readonly failure: Failure }
  /** In order. Contract events are emitted only when the call succeeded and they are not marked as failed. */
  readonly events: readonly HostEvent[]
  readonly storage: HostStorage
  readonly meter: Meter
}

export function runInvocation(options: RunOptions, call: xdr.InvokeContractArgs): ContractRun {
  const contract = addressOf(call.contractAddress) ?? ''
  return runCall(options, contract, call.functionName.toString(), call.args.map(eventVal))
}

export function runCall(options: RunOptions, contract: string, functionName: string, args: readonly EventVal[]): ContractRun {
  const { sequence, networkId, source } = options
  const meter = createMeter(options.instructionsMax)
  const { parent, footprint, restoreArchived } = options
  const storage = createHostStorage({ parent, footprint, meter, sequence, restoreArchived })
  const authorizer = options.authorizer({ storage, meter, networkId, sequence, source })
  const ledger = { sequence, timestampSec: BigInt(options.timestampSec), networkId }
  const host = createHost({ codes: options.codes, storage, authorizer, meter, ledger })
  try {
    if (!contract.startsWith('C')) throw hostFailure('Value', 'InvalidInput', 'not a contract address')
    const value = host.call(contract, functionName, args)
    if (meter.exhausted !== null) throw meter.exhausted
    return { outcome: { ok: true, value }, events: host.events, storage, meter }
  } catch (error) {
    if (!(error instanceof ContractFailure) && !(error instanceof HostFailure)) throw error
    return { outcome: { ok: false, failure: error }, events: host.events, storage, meter }
  }
}

/** Decodes an argument. Types that the contracts do not use are kept as XDR. */
function eventVal(scVal: xdr.ScVal): EventVal {
  return fromScVal(scVal) ?? { type: 'foreign', xdr: scVal.toXdr(), text: foreignText(scVal) }
}

function foreignText(scVal: xdr.ScVal): string {
  const { value } = scVal
  return typeof value === 'bigint' || typeof value === 'number' ? value.toString() : scVal.type.replace('scv', '')
}

/** The contract and system events that a successful call emits. */
export function emittedEvents(run: ContractRun): readonly HostEvent[] {
  return run.events.filter((event) => event.type !== 'diagnostic' && !event.failed)
}

/** Bytes of contract events and return value, which the events fee is charged for. */
export function eventBytes(run: ContractRun): number {
  const value = run.outcome.ok ? encodeVal(run.outcome.value).length : 0
  return emittedEvents(run).reduce((total, event) => total + encodeEvent(event).length, value)
}

/** Bytes that the call wrote. */
export function writtenBytes(storage: HostStorage): number {
  let total = 0
  for (const [, ledgerEntry] of storage.base.changes()) if (ledgerEntry !== null) total += entryBytes(ledgerEntry)
  return total
}

/** Bytes of the largest contract entry that the call wrote. */
export function largestEntryBytes(storage: HostStorage): number {
  let largest = 0
  for (const [key, ledgerEntry] of storage.base.changes()) {
    if (ledgerEntry !== null && entryTypeOf(key) === ENTRY_TYPE.contractData) largest = Math.max(largest, entryBytes(ledgerEntry))
  }
  return largest
}

/** Bytes of the footprint's entries that are read from disk. */
export function diskReadBytes(view: View, keys: FootprintKeys): number {
  let total = 0
  for (const key of [...keys.readOnly, ...keys.readWrite]) {
    const ledgerEntry = isDiskEntry(key) ? view.get(key) : undefined
    if (ledgerEntry !== undefined) total += entryBytes(ledgerEntry)
  }
  return total
}

/** Rent for the entries that were written, extended or restored, stroops. */
export function rentOf(storage: HostStorage, sequence: number): bigint {
  return rentFee(rentChanges(storage, sequence))
}

function* rentChanges(storage: HostStorage, sequence: number): Generator<RentChange> {
  const restored = new Set(storage.restored)
  for (const [key, after] of storage.base.changes()) {
    const before = storage.base.parent.get(key)
    if (after === null && before !== undefined && restored.has(key)) {
      // Restored and then removed: the restoration still costs rent.
      yield { persistent: true, oldBytes: 0, newBytes: entryBytes(before), oldLedgers: 0, newLedgers: TTL_PERSISTENT_MIN_LEDGERS }
    }
    if (after === null || after.liveUntil === null) continue
    const oldLedgers = Math.max(0, (before?.liveUntil ?? 0) - sequence + 1)
    yield {
      persistent: !isTemporaryKey(key),
      oldBytes: before === undefined || oldLedgers === 0 ? 0 : entryBytes(before),
      newBytes: entryBytes(after),
      oldLedgers,
      newLedgers: after.liveUntil - sequence + 1,
    }
  }
}
