// Applies the operation of a Soroban transaction: restores entries, runs the call, checks limits and fees (soroban-rpc, "Closing a ledger").

import type { xdr } from '@stellar/stellar-sdk'
import { address, bytes, type HostFailure } from '../contracts/shared/host.ts'
import { encodeVal } from '../scval.ts'
import { sha256 } from './addresses.ts'
import { createEnforcingAuthorizer } from './auth.ts'
import { entryChanges } from './changes.ts'
import type { CodeRegistry } from './code-registry.ts'
import { diskReadExcess, instructionsExcess, refundableFeeShortage, runExcess, writeExcess } from './declared-limits.ts'
import { coreDiagnostic, type Metrics, runDiagnostics } from './diagnostics.ts'
import type { Envelope, Operation, SorobanData } from './envelope.ts'
import { hostFailure } from './failure.ts'
import { declaredResources, eventsFee, nonRefundableFee, type ResourceCharges } from './fees.ts'
import { createEnforcingFootprint } from './footprint.ts'
import { encodeEvent, type HostEvent } from './host-events.ts'
import { hasExpired } from './host-storage.ts'
import { isTemporaryKey, type LedgerKey } from './keys.ts'
import { OP_CODES, operationResult, type OperationResult } from './results.ts'
import { type ContractRun, diskReadBytes, emittedEvents, eventBytes, rentOf, runInvocation, writtenBytes } from './soroban-run.ts'
import { createLayer, findEntry, type Layer, type View } from './state.ts'
import { extendTtl, restoreEntries, type TtlRun } from './ttl-operations.ts'
import { encode, fromHex, putArray, putBytes } from './xdr-writer.ts'

export interface SorobanApplyContext {
  readonly layer: Layer
  readonly codes: CodeRegistry
  readonly networkId: Uint8Array
  readonly sequence: number
  readonly closeTimeSec: number
}

/** The outcome. On success, the changes have been merged into the context's layer. */
export interface SorobanOutcome {
  readonly result: OperationResult
  readonly events: readonly HostEvent[]
  /** LedgerEntryChange each. */
  readonly changes: readonly Uint8Array[]
  /** DiagnosticEvent each. */
  readonly diagnostics: readonly Uint8Array[]
  /** ScVal; null for failures and for operations that return nothing. */
  readonly returnValue: Uint8Array | null
  readonly charges: ResourceCharges
}

/** The charges of a failed operation. */
export function failedCharges(envelope: Envelope, data: SorobanData): ResourceCharges {
  return { nonRefundable: nonRefundableFee(declaredResources(data, envelope.bytes.length)), refundable: 0n, rent: 0n }
}

/** Applies a contract call, an extension of TTLs or a restoration. */
export function applySoroban(context: SorobanApplyContext, envelope: Envelope, operation: Operation, data: SorobanData): SorobanOutcome {
  const { body } = operation
  if (body.type === 'invokeHostFunction') return applyInvocation(context, envelope, operation, body.invokeHostFunctionOp, data)
  const { layer, sequence } = context
  if (body.type === 'extendFootprintTtl') {
    const run = extendTtl(layer, data, body.extendFootprintTtlOp.extendTo, sequence)
    return applyTtlRun(context, envelope, data, 'extendFootprintTtl', run)
  }
  return applyTtlRun(context, envelope, data, 'restoreFootprint', restoreEntries(layer, data.footprint.readWrite, sequence))
}

function failedOutcome(envelope: Envelope, data: SorobanData, result: OperationResult, diagnostics: readonly Uint8Array[]): SorobanOutcome {
  return { result, events: [], changes: [], diagnostics, returnValue: null, charges: failedCharges(envelope, data) }
}

function applyTtlRun(
  context: SorobanApplyContext,
  envelope: Envelope,
  data: SorobanData,
  name: 'extendFootprintTtl' | 'restoreFootprint',
  run: TtlRun,
): SorobanOutcome {
  const codes = OP_CODES[name]
  const fail = (code: number, failure: HostFailure): SorobanOutcome =>
    failedOutcome(envelope, data, operationResult(name, code), [coreDiagnostic(failure)])
  const excess = diskReadExcess(run.readBytes, data) ?? writeExcess(run.writeBytes, data)
  if (excess !== undefined) return fail(codes.resourceLimitExceeded, excess)
  const charges = { ...failedCharges(envelope, data), refundable: run.rent, rent: run.rent }
  const shortage = refundableFeeShortage(charges, data)
  if (shortage !== undefined) return fail(codes.insufficientRefundableFee, shortage)
  const changes = entryChanges(run.layer, context.sequence, run.restored)
  run.layer.mergeInto(context.layer)
  return { result: operationResult(name, OP_CODES.success), events: [], changes, diagnostics: [], returnValue: null, charges }
}

function applyInvocation(
  context: SorobanApplyContext,
  envelope: Envelope,
  operation: Operation,
  invocation: xdr.InvokeHostFunctionOp,
  data: SorobanData,
): SorobanOutcome {
  const resultCodes = OP_CODES.invokeHostFunction
  const fail = (code: number, diagnostics: readonly Uint8Array[]): SorobanOutcome =>
    failedOutcome(envelope, data, operationResult('invokeHostFunction', code), diagnostics)
  const { hostFunction, auth } = invocation
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract') return fail(resultCodes.malformed, [])
  const { sequence, networkId, codes, closeTimeSec } = context

  const callLayer = createLayer(context.layer)
  const restore = restoreEntries(callLayer, data.archivedIndices.map((index) => data.footprint.readWrite[index] ?? ''), sequence)
  restore.layer.mergeInto(callLayer)
  const [archived] = archivedKeys(callLayer, data, sequence)
  if (archived !== undefined) return fail(resultCodes.entryArchived, [coreDiagnostic(archivedFailure(callLayer, archived))])
  const readLimitFailure = diskReadExcess(diskReadBytes(callLayer, data.footprint) + restore.readBytes, data)
  if (readLimitFailure !== undefined) return fail(resultCodes.resourceLimitExceeded, [coreDiagnostic(readLimitFailure)])

  const footprint = createEnforcingFootprint(data.footprint)
  const callContext = { parent: callLayer, codes, networkId, sequence, timestampSec: closeTimeSec, source: operation.source, footprint }
  const run = runInvocation(
    {
      ...callContext,
      restoreArchived: false,
      instructionsMax: data.instructions,
      authorizer: (authContext) => createEnforcingAuthorizer(authContext, auth),
    },
    hostFunction.invokeContract,
  )
  const metrics = metricsOf(callLayer, run, data)
  const excess = run.outcome.ok ? runExcess(run, data) : instructionsExcess(run, data)
  if (excess !== undefined) return fail(resultCodes.resourceLimitExceeded, runDiagnostics(run, metrics, excess))
  if (!run.outcome.ok) return fail(resultCodes.trapped, runDiagnostics(run, metrics, undefined))
  const rent = rentOf(run.storage, sequence) + restore.rent
  const charges = { ...failedCharges(envelope, data), refundable: eventsFee(eventBytes(run)) + rent, rent }
  const shortage = refundableFeeShortage(charges, data)
  const diagnostics = runDiagnostics(run, metrics, shortage)
  if (shortage !== undefined) return fail(resultCodes.insufficientRefundableFee, diagnostics)

  run.storage.base.mergeInto(callLayer)
  const changes = entryChanges(callLayer, sequence, restore.restored)
  callLayer.mergeInto(context.layer)
  const events = emittedEvents(run)
  const returnValue = encodeVal(run.outcome.value)
  const result = { ...operationResult('invokeHostFunction', OP_CODES.success), hash: successHash(returnValue, events) }
  return { result, events, changes, diagnostics, returnValue, charges }
}

/** Archived entries of the footprint that are not marked for restoring. */
function archivedKeys(view: View, { footprint }: SorobanData, sequence: number): readonly LedgerKey[] {
  return [...footprint.readOnly, ...footprint.readWrite].filter((key) => {
    const ledgerEntry = view.get(key)
    return ledgerEntry !== undefined && !isTemporaryKey(key) && hasExpired(ledgerEntry, sequence)
  })
}

/** The failure of a call whose footprint contains an archived entry. */
function archivedFailure(view: View, key: LedgerKey): HostFailure {
  const entry = findEntry(view, key)
  if (entry?.kind === 'code') {
    return hostFailure('Value', 'InvalidInput', 'trying to access an archived contract code entry', bytes(fromHex(entry.hash)))
  }
  const message = 'trying to access an archived contract data entry'
  if (entry?.kind !== 'contractData') return hostFailure('Value', 'InvalidInput', message)
  return hostFailure('Value', 'InvalidInput', message, address(entry.contract), entry.key)
}

function metricsOf(view: View, run: ContractRun, { footprint }: SorobanData): Metrics {
  return {
    readEntries: footprint.readOnly.length + footprint.readWrite.length,
    writeEntries: run.outcome.ok ? run.storage.base.changes().size : 0,
    ledgerReadBytes: diskReadBytes(view, footprint),
    ledgerWriteBytes: run.outcome.ok ? writtenBytes(run.storage) : 0,
    eventBytes: run.outcome.ok ? eventBytes(run) : 0,
  }
}

/** The hash in a successful result, over the return value and the contract events. */
function successHash(returnValue: Uint8Array, events: readonly HostEvent[]): Uint8Array {
  return sha256(
    encode((writer) => {
      putBytes(writer, returnValue)
      putArray(writer, events.map(encodeEvent))
    }),
  )
}
