// Applies one transaction: consumes its sequence number, then applies all of its operations or none (soroban-rpc, "Closing a ledger").

import { applyClassic } from './apply-classic.ts'
import { applySoroban, failedCharges } from './apply-soroban.ts'
import { changeBetween, entryChanges } from './changes.ts'
import { findAccount, putAccountEntry } from './classic-entries.ts'
import type { CodeRegistry } from './code-registry.ts'
import { type Envelope, isSorobanOperation, type Transaction } from './envelope.ts'
import type { ResourceCharges } from './fees.ts'
import type { HostEvent } from './host-events.ts'
import { accountKey } from './keys.ts'
import { type OperationResult, succeeded, type TransactionResult, TX_CODE } from './results.ts'
import { createLayer, type Layer } from './state.ts'
import { validateTransaction } from './validity.ts'

/** The ledger being closed. */
export interface ApplyContext {
  readonly codes: CodeRegistry
  readonly networkId: Uint8Array
  readonly sequence: number
  readonly closeTimeSec: number
}

interface OperationMeta {
  /** LedgerEntryChange each. */
  readonly changes: readonly Uint8Array[]
  readonly events: readonly HostEvent[]
}

/** The outcome of a transaction, without its fee. */
export interface AppliedTransaction {
  readonly result: TransactionResult
  /** True when the fee bump itself failed. The result is then not wrapped as an inner result. */
  readonly feeBumpFailed: boolean
  /** LedgerEntryChange each. */
  readonly changesBefore: readonly Uint8Array[]
  /** Empty unless the transaction succeeded. */
  readonly operations: readonly OperationMeta[]
  readonly diagnostics: readonly Uint8Array[]
  /** null for classic transactions. */
  readonly soroban: { readonly charges: ResourceCharges; readonly returnValue: Uint8Array | null } | null
}

/** Applies a transaction to `ledger`. Its fee was charged before. */
export function applyTransaction(context: ApplyContext, ledger: Layer, envelope: Envelope): AppliedTransaction {
  const { transaction } = envelope
  const validationFailure = validateTransaction(envelope, {
    view: ledger, sequence: context.sequence, closeTimeSec: context.closeTimeSec, admission: false, applying: true, queuedFees: () => 0n,
  })
  const changesBefore = validationFailure === null || validationFailure.consumesSequence ? consumeSequence(context, ledger, transaction) : []
  if (validationFailure !== null) {
    const { code, operations, feeBumpFailed, diagnostics } = validationFailure
    return { result: { code, operations }, feeBumpFailed, changesBefore, operations: [], diagnostics, soroban: chargesWithoutRun(envelope) }
  }
  const layer = createLayer(ledger)
  const outcome = transaction.operations.some(isSorobanOperation)
    ? runSoroban(context, layer, envelope)
    : runClassic(context, layer, transaction)
  const success = outcome.results.every(succeeded)
  if (success) layer.mergeInto(ledger)
  return {
    result: { code: success ? TX_CODE.success : TX_CODE.failed, operations: outcome.results },
    feeBumpFailed: false,
    changesBefore,
    operations: success ? outcome.operationMetas : [],
    diagnostics: outcome.diagnostics,
    soroban: outcome.soroban,
  }
}

/** A Soroban transaction that fails validation still pays for the resources it declared. */
function chargesWithoutRun(envelope: Envelope): AppliedTransaction['soroban'] {
  const data = envelope.transaction.soroban
  return data === null ? null : { charges: failedCharges(envelope, data), returnValue: null }
}

function consumeSequence(context: ApplyContext, ledger: Layer, { source, seqNum }: Transaction): readonly Uint8Array[] {
  const account = findAccount(ledger, source.account)
  if (account === undefined) return []
  const layer = createLayer(ledger)
  const { sequence, closeTimeSec } = context
  putAccountEntry(layer, { ...account, seqNum, seqLedger: sequence, seqTimeSec: closeTimeSec }, sequence)
  const changes = changeBetween(accountKey(source.account), ledger, layer)
  layer.mergeInto(ledger)
  return changes
}

interface OperationsOutcome {
  readonly results: readonly OperationResult[]
  readonly operationMetas: readonly OperationMeta[]
  readonly diagnostics: readonly Uint8Array[]
  readonly soroban: AppliedTransaction['soroban']
}

function runSoroban(context: ApplyContext, layer: Layer, envelope: Envelope): OperationsOutcome {
  const [operation] = envelope.transaction.operations
  const data = envelope.transaction.soroban
  if (operation === undefined || data === null) return { results: [{ kind: 'notSupported' }], operationMetas: [], diagnostics: [], soroban: null }
  if (findAccount(layer, operation.source) === undefined) {
    return { results: [{ kind: 'noAccount' }], operationMetas: [], diagnostics: [], soroban: chargesWithoutRun(envelope) }
  }
  const { result, changes, events, diagnostics, charges, returnValue } = applySoroban({ ...context, layer }, envelope, operation, data)
  return { results: [result], operationMetas: [{ changes, events }], diagnostics, soroban: { charges, returnValue } }
}

/** Applies every operation, even after a failure, so that each has a result. Each operation sees the changes of those before it. */
function runClassic(context: ApplyContext, layer: Layer, transaction: Transaction): OperationsOutcome {
  const results: OperationResult[] = []
  const operationMetas: OperationMeta[] = []
  const { networkId, sequence, closeTimeSec } = context
  for (const operation of transaction.operations) {
    const operationLayer = createLayer(layer)
    const { result, events } = applyClassic({ layer: operationLayer, networkId, sequence, closeTimeSec, memo: transaction.memo }, operation)
    results.push(result)
    if (!succeeded(result)) continue
    operationMetas.push({ changes: entryChanges(operationLayer, sequence), events })
    operationLayer.mergeInto(layer)
  }
  return { results, operationMetas, diagnostics: [], soroban: null }
}
