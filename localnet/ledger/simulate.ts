// simulateTransaction: runs a transaction without applying it and reports its effects and resources (soroban-rpc, "simulateTransaction").

import type { xdr } from '@stellar/stellar-sdk'
import type { Random } from '../../src/base/random.ts'
import type { SimulationResult } from '../chain.ts'
import { HostFailure } from '../contracts/shared/host.ts'
import { encodeVal } from '../scval.ts'
import { createEnforcingAuthorizer, createRecordingAuthorizer, type RecordingAuthorizer } from './auth.ts'
import type { CodeRegistry } from './code-registry.ts'
import {
  DATA_ENTRY_BYTES_MAX, DISK_READ_BYTES_MAX, DISK_READ_ENTRIES_MAX, EVENTS_BYTES_MAX, FOOTPRINT_ENTRIES_MAX, INSTRUCTIONS_MAX, WRITE_BYTES_MAX,
  WRITE_ENTRIES_MAX,
} from './constants.ts'
import { decodeEnvelope, type Envelope, isSorobanOperation, type Operation } from './envelope.ts'
import { eventsFee, isDiskEntry, nonRefundableFee } from './fees.ts'
import { createRecordingFootprint, type FootprintKeys } from './footprint.ts'
import { diagnosticOf, encodeEvent, errorText, type HostEvent } from './host-events.ts'
import type { LedgerKey } from './keys.ts'
import { type ContractRun, diskReadBytes, eventBytes, largestEntryBytes, rentOf, runInvocation, writtenBytes } from './soroban-run.ts'
import { encodeSorobanData, withInstructionsMargin, withRefundableMargin, withSizeMargin } from './soroban-data.ts'
import type { View } from './state.ts'
import { createLedgerEntry, dataOf, encodeLedgerEntry, entryBytes, entryOf } from './ledger-entry.ts'
import { simulateTtlOperation } from './ttl-operations.ts'
import { toBase64 } from './xdr-writer.ts'

/** The ledger that a simulation runs on: the latest one, with its own sequence and close time. */
export interface SimulationContext {
  readonly view: View
  readonly codes: CodeRegistry
  readonly networkId: Uint8Array
  readonly sequence: number
  readonly closeTimeSec: number
  readonly random: Random
}

const AUTH_MODES = ['enforce', 'record', 'record_allow_nonroot'] as const
type AuthMode = (typeof AUTH_MODES)[number]

/** The `result` of the RPC response. A bad transaction gives a result with `error`. */
export function simulate(context: SimulationContext, params: Readonly<Record<string, unknown>>): SimulationResult {
  const errorResult = (error: string): SimulationResult => ({ error, latestLedger: 0 })
  const transaction = params['transaction']
  let envelope: Envelope
  try {
    envelope = decodeEnvelope(typeof transaction === 'string' ? transaction : '', context.networkId)
  } catch {
    return errorResult('Could not unmarshal transaction')
  }
  const { operations, memo } = envelope.transaction
  const [operation] = operations
  if (operation === undefined || operations.length > 1) return errorResult('Transaction contains more than one operation')
  if (memo.type !== 'memoNone') return errorResult('Transaction contains a memo. Soroban transactions do not support memos.')
  if (!isSorobanOperation(operation)) {
    return errorResult(`Transaction contains unsupported operation type: ${operationTypeName(operation)}`)
  }
  const mode = params['authMode'] ?? ''
  if (mode !== '' && !AUTH_MODES.some((supported) => supported === mode)) return errorResult(`unsupported authMode: ${JSON.stringify(mode)}`)
  const { body } = operation
  if (body.type !== 'invokeHostFunction') return simulateTtlOperation(context, envelope, instructionLeeway(params))
  return simulateInvocation(context, envelope, operation, body.invokeHostFunctionOp, params)
}

function operationTypeName(operation: Operation): string {
  const name = operation.body.type
  return `OperationType${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

function instructionLeeway(params: Readonly<Record<string, unknown>>): number {
  const config = params['resourceConfig']
  if (typeof config !== 'object' || config === null || !('instructionLeeway' in config)) return 0
  return typeof config.instructionLeeway === 'number' ? Math.max(0, Math.floor(config.instructionLeeway)) : 0
}

function simulateInvocation(
  context: SimulationContext,
  envelope: Envelope,
  operation: Operation,
  invocation: xdr.InvokeHostFunctionOp,
  params: Readonly<Record<string, unknown>>,
): SimulationResult {
  const { hostFunction, auth } = invocation
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract') {
    const failure = new HostFailure('Context', 'InvalidAction', 'contracts cannot be created on this network')
    return { error: errorText(failure, []), latestLedger: context.sequence }
  }
  const mode: AuthMode = AUTH_MODES.find((supported) => supported === params['authMode']) ?? (auth.length === 0 ? 'record' : 'enforce')
  const footprint = createRecordingFootprint()
  let recorder: RecordingAuthorizer | null = null
  const { view, codes, networkId, sequence, closeTimeSec, random } = context
  const callContext = { parent: view, codes, networkId, sequence, timestampSec: closeTimeSec, source: operation.source, footprint }
  const run = runInvocation(
    {
      ...callContext,
      restoreArchived: true,
      instructionsMax: INSTRUCTIONS_MAX,
      authorizer(authContext) {
        if (mode === 'enforce') return createEnforcingAuthorizer(authContext, auth)
        const options = { random, allowNonRoot: mode === 'record_allow_nonroot', upgraded: params['useUpgradedAuth'] === true }
        recorder = createRecordingAuthorizer(authContext, options)
        return recorder
      },
    },
    hostFunction.invokeContract,
  )
  if (!run.outcome.ok) return failedSimulation(context, run.outcome.failure, run.events)
  const authXdr = mode === 'enforce' ? auth.map((entry) => entry.toXdr()) : recordedEntries(recorder)
  const declared = declareResources(context, envelope, run, footprint.keys(), authXdr, instructionLeeway(params))
  const excess = exceededLimit(declared, largestEntryBytes(run.storage))
  if (excess !== undefined) return failedSimulation(context, new HostFailure('Budget', 'ExceededLimit', excess), run.events)
  return {
    transactionData: toBase64(encodeSorobanData(declared)),
    minResourceFee: declared.resourceFee.toString(),
    ...encodedEvents(run.events, true),
    results: [{ auth: authXdr.map(toBase64), xdr: toBase64(encodeVal(run.outcome.value)) }],
    ...stateChanges(run),
    latestLedger: sequence,
  }
}

// The recorder is set inside a closure, which the compiler does not follow.
function recordedEntries(recorder: RecordingAuthorizer | null): readonly Uint8Array[] {
  return recorder?.entries() ?? []
}

function encodedEvents(events: readonly HostEvent[], successful: boolean): { readonly events?: readonly string[] } {
  if (events.length === 0) return {}
  return { events: events.map((event) => toBase64(diagnosticOf(encodeEvent(event), successful && !event.failed))) }
}

function failedSimulation(context: SimulationContext, failure: Parameters<typeof errorText>[0], events: readonly HostEvent[]): SimulationResult {
  return { error: errorText(failure, events), ...encodedEvents(events, false), latestLedger: context.sequence }
}

/** The resources and fee that the transaction must declare. */
interface DeclaredResources {
  readonly footprint: FootprintKeys
  readonly instructions: number
  readonly diskReadEntries: number
  readonly diskReadBytes: number
  readonly writeBytes: number
  readonly eventBytes: number
  readonly resourceFee: bigint
  readonly archived: readonly number[]
}

function declareResources(
  context: SimulationContext,
  envelope: Envelope,
  run: ContractRun,
  footprint: FootprintKeys,
  authXdr: readonly Uint8Array[],
  leeway: number,
): DeclaredResources {
  const { readOnly, readWrite } = footprint
  const archived = run.storage.restored.map((key) => readWrite.indexOf(key)).sort((a, b) => a - b)
  const diskEntries = [...readOnly, ...readWrite].filter(isDiskEntry).length + archived.length
  const growthBytes = (keys: readonly LedgerKey[]): number => keys.reduce((total, key) => total + accountGrowthBytes(context.view, key), 0)
  const declared = {
    footprint,
    instructions: withInstructionsMargin(run.meter.instructions, leeway),
    diskReadEntries: diskEntries,
    diskReadBytes: diskReadBytes(context.view, footprint) + restoredBytes(context.view, run) + growthBytes([...readOnly, ...readWrite]),
    writeBytes: writtenBytes(run.storage) + growthBytes(readWrite),
    eventBytes: eventBytes(run),
    archived,
  }
  const dataBytes = encodeSorobanData({ ...declared, resourceFee: 0n }).length
  const authBytes = authXdr.reduce((total, entry) => total + entry.length, 0)
  const txBytes = withSizeMargin(envelope.bytes.length + dataBytes + authBytes)
  const nonRefundable = nonRefundableFee({ ...declared, writeEntries: readWrite.length, txBytes })
  const refundable = eventsFee(declared.eventBytes) + rentOf(run.storage, context.sequence)
  return { ...declared, resourceFee: nonRefundable + withRefundableMargin(refundable) }
}

/** An account entry grows when its first sequence number is consumed, which happens before the call runs but not in a simulation. */
function accountGrowthBytes(view: View, key: LedgerKey): number {
  const ledgerEntry = view.get(key)
  const entry = ledgerEntry === undefined ? undefined : entryOf(ledgerEntry)
  if (ledgerEntry === undefined || entry?.kind !== 'account' || entry.seqLedger > 0) return 0
  return dataOf(createLedgerEntry({ ...entry, seqLedger: 1 }, 1, null)).length - dataOf(ledgerEntry).length
}

function restoredBytes(view: View, run: ContractRun): number {
  return run.storage.restored.reduce((total, key) => {
    const ledgerEntry = view.get(key)
    return total + (ledgerEntry === undefined ? 0 : entryBytes(ledgerEntry))
  }, 0)
}

/** Simulation applies the network's limits, so that a transaction that exceeds them fails here first. */
function exceededLimit(declared: DeclaredResources, largestBytes: number): string | undefined {
  const { readOnly, readWrite } = declared.footprint
  if (declared.instructions > INSTRUCTIONS_MAX) return 'instructions exceed the network limit'
  if (readOnly.length + readWrite.length > FOOTPRINT_ENTRIES_MAX) return 'footprint entries exceed the network limit'
  if (readWrite.length > WRITE_ENTRIES_MAX) return 'write entries exceed the network limit'
  if (largestBytes > DATA_ENTRY_BYTES_MAX) return 'ContractData size exceeds network config maximum size'
  if (declared.writeBytes > WRITE_BYTES_MAX) return 'write bytes exceed the network limit'
  if (declared.diskReadEntries > DISK_READ_ENTRIES_MAX) return 'disk read entries exceed the network limit'
  if (declared.diskReadBytes > DISK_READ_BYTES_MAX) return 'disk read bytes exceed the network limit'
  if (declared.eventBytes > EVENTS_BYTES_MAX) return 'events and return value exceed the network limit'
  return undefined
}

/** One {type, key, before, after} per changed entry; before and after are LedgerEntry XDR. */
function stateChanges(run: ContractRun): { readonly stateChanges?: readonly unknown[] } {
  const changes: unknown[] = []
  for (const [key, after] of run.storage.base.changes()) {
    const before = run.storage.base.parent.get(key)
    if (before === undefined && after === null) continue
    const beforeXdr = before === undefined ? null : toBase64(encodeLedgerEntry(before))
    const afterXdr = after === null ? null : toBase64(encodeLedgerEntry(after))
    if (beforeXdr === afterXdr) continue
    const type = before === undefined ? 'created' : after === null ? 'deleted' : 'updated'
    changes.push({ type, key, before: beforeXdr, after: afterXdr })
  }
  return changes.length === 0 ? {} : { stateChanges: changes }
}
