// Validates transactions. The checks run in the network's order and the first failure is returned (soroban-rpc, "Validation order at
// submission").

import { isAccountAddress } from './addresses.ts'
import { availableBalance } from './classic-balances.ts'
import { findAccount } from './classic-entries.ts'
import {
  ADMISSION_CLOSE_TIME_DRIFT_SEC, BASE_FEE_STROOPS, DISK_READ_BYTES_MAX, DISK_READ_ENTRIES_MAX, FOOTPRINT_ENTRIES_MAX, INSTRUCTIONS_MAX,
  OPERATIONS_MAX, TX_BYTES_MAX, WRITE_BYTES_MAX, WRITE_ENTRIES_MAX,
} from './constants.ts'
import { coreDiagnostic } from './diagnostics.ts'
import { type AccountEntry, ENTRY_TYPE } from './entries.ts'
import {
  chargedOperations, type Envelope, feeOf, feeSourceOf, inclusionFeeOf, isSorobanOperation, type Operation, resourceFeeOf, type SorobanData,
  type Transaction,
} from './envelope.ts'
import { hostFailure } from './failure.ts'
import { declaredResources, nonRefundableFee } from './fees.ts'
import { entryTypeOf, isTemporaryKey, type LedgerKey } from './keys.ts'
import { checkOperation, thresholdOf } from './operation-checks.ts'
import { type OperationResult, TX_CODE, type TxCode } from './results.ts'
import { createSignatureChecker, type SignatureChecker } from './signatures.ts'
import type { View } from './state.ts'

export interface ValidationContext {
  readonly view: View
  /** The ledger that would include the transaction. */
  readonly sequence: number
  /** The close time that time bounds are checked against. */
  readonly closeTimeSec: number
  /** True at submission, where the network adds two expected closes before it checks maxTime. */
  readonly admission: boolean
  /** True while the transaction is being applied; its fee has been charged already. */
  readonly applying: boolean
  /** Fees of queued transactions that this account pays, stroops. */
  readonly queuedFees: (account: string) => bigint
}

/** The reason why a transaction is invalid. */
export interface ValidationFailure {
  readonly code: TxCode
  /** One per operation for txFAILED, otherwise empty. */
  readonly operations: readonly OperationResult[]
  /** True when the fee bump is invalid, not its inner transaction. */
  readonly feeBumpFailed: boolean
  /** True when applying the transaction still consumes its sequence number. */
  readonly consumesSequence: boolean
  /** DiagnosticEvent each. */
  readonly diagnostics: readonly Uint8Array[]
}

type CheckFailure =
  | TxCode
  | { readonly code: TxCode; readonly operations?: readonly OperationResult[]; readonly diagnostics?: readonly Uint8Array[] }

/** Returns the first failed check; null when the transaction is valid. */
export function validateTransaction(envelope: Envelope, context: ValidationContext): ValidationFailure | null {
  const feeBumpFailure = envelope.feeBump === null ? undefined : checkFeeBump(envelope, envelope.feeBump, context)
  if (feeBumpFailure !== undefined) return validationFailure(feeBumpFailure, { feeBumpFailed: true, consumesSequence: false })
  const { transaction } = envelope
  const earlyFailure = checkBeforeSequence(envelope, transaction, context)
  if (earlyFailure !== undefined) return validationFailure(earlyFailure, { feeBumpFailed: false, consumesSequence: false })
  const checker = createSignatureChecker(transaction.hashBytes, transaction.signatures)
  const lateFailure = checkAfterSequence(envelope, transaction, context, checker)
  return lateFailure === undefined ? null : validationFailure(lateFailure, { feeBumpFailed: false, consumesSequence: true })
}

function validationFailure(failure: CheckFailure, rest: Pick<ValidationFailure, 'feeBumpFailed' | 'consumesSequence'>): ValidationFailure {
  const { code, operations = [], diagnostics = [] } = typeof failure === 'number' ? { code: failure } : failure
  return { code, operations, diagnostics, ...rest }
}

function checkFeeBump(envelope: Envelope, feeBump: NonNullable<Envelope['feeBump']>, context: ValidationContext): CheckFailure | undefined {
  const { transaction } = envelope
  const operations = BigInt(chargedOperations(envelope))
  const inclusionFee = inclusionFeeOf(envelope)
  if (inclusionFee < operations * BigInt(BASE_FEE_STROOPS)) return TX_CODE.insufficientFee
  // The inclusion fee per operation must not be below that of the inner transaction.
  const innerInclusionFee = transaction.fee - resourceFeeOf(envelope)
  const innerOperations = BigInt(Math.max(1, transaction.operations.length))
  if (innerInclusionFee > 0n && inclusionFee * innerOperations < innerInclusionFee * operations) return TX_CODE.insufficientFee
  const payer = findAccount(context.view, feeBump.source.account)
  if (payer === undefined) return TX_CODE.noAccount
  const checker = createSignatureChecker(feeBump.hashBytes, feeBump.signatures)
  if (!checker.meetsThreshold(payer, payer.thresholds[1])) return TX_CODE.badAuth
  if (!context.applying && !canPayFee(payer, envelope, context)) return TX_CODE.insufficientBalance
  return checker.allUsed() ? undefined : TX_CODE.badAuthExtra
}

function canPayFee(payer: AccountEntry, envelope: Envelope, context: ValidationContext): boolean {
  return availableBalance(payer) >= feeOf(envelope) + context.queuedFees(feeSourceOf(envelope))
}

function checkBeforeSequence(envelope: Envelope, transaction: Transaction, context: ValidationContext): CheckFailure | undefined {
  return (
    checkStructure(transaction) ??
    checkSoroban(envelope, transaction) ??
    checkBounds(transaction, context) ??
    checkInclusionFee(envelope, context) ??
    checkSequence(transaction, context)
  )
}

/** Check 1. */
function checkStructure({ operations, soroban }: Transaction): CheckFailure | undefined {
  if (operations.length === 0) return TX_CODE.missingOperation
  if (operations.length > OPERATIONS_MAX) return TX_CODE.malformed
  const runsContracts = operations.some(isSorobanOperation)
  if (runsContracts && (soroban === null || operations.length > 1)) return TX_CODE.malformed
  if (!runsContracts && soroban !== null) return TX_CODE.malformed
  return undefined
}

/** Checks 2 and 3: Soroban transactions have no memo and no multiplexed accounts; resources are within limits and paid for. */
function checkSoroban(envelope: Envelope, transaction: Transaction): CheckFailure | undefined {
  const { soroban, memo, source, operations } = transaction
  if (soroban === null) return undefined
  if (memo.type !== 'memoNone' || source.muxed || operations.some((operation) => operation.muxed)) return TX_CODE.sorobanInvalid
  const violation = checkResources(soroban, envelope)
  if (violation === undefined) return undefined
  const [type, code, message, ...numbers] = violation
  const values = numbers.map((value) => ({ type: 'u64', value: BigInt(value) }) as const)
  return { code: TX_CODE.sorobanInvalid, diagnostics: [coreDiagnostic(hostFailure(type, code, message, ...values))] }
}

type ResourceViolation = readonly [type: 'Storage' | 'Budget', code: 'ExceededLimit' | 'InvalidInput', message: string, ...numbers: number[]]

const checkLimit = (message: string, actual: number, limit: number): ResourceViolation | undefined =>
  actual > limit ? ['Budget', 'ExceededLimit', message, actual, limit] : undefined

function checkResources(soroban: SorobanData, envelope: Envelope): ResourceViolation | undefined {
  const { readOnly, readWrite } = soroban.footprint
  const txBytes = envelope.bytes.length
  const resources = declaredResources(soroban, txBytes)
  const limitViolation =
    checkLimit('transaction instructions resources exceed network config limit', soroban.instructions, INSTRUCTIONS_MAX) ??
    checkLimit('transaction disk read bytes resources exceed network config limit', soroban.diskReadBytes, DISK_READ_BYTES_MAX) ??
    checkLimit('transaction write bytes resources exceed network config limit', soroban.writeBytes, WRITE_BYTES_MAX) ??
    checkLimit('transaction disk read entries resources exceed network config limit', resources.diskReadEntries, DISK_READ_ENTRIES_MAX) ??
    checkLimit('transaction write entries resources exceed network config limit', readWrite.length, WRITE_ENTRIES_MAX) ??
    checkLimit('transaction footprint entries exceed network config limit', readOnly.length + readWrite.length, FOOTPRINT_ENTRIES_MAX) ??
    checkLimit('transaction size exceeds network config limit', txBytes, TX_BYTES_MAX)
  if (limitViolation !== undefined) return limitViolation
  const keys = [...readOnly, ...readWrite]
  if (!keys.every(isFootprintKey)) return ['Storage', 'InvalidInput', 'transaction footprint contains invalid ledger key type']
  if (new Set(keys).size !== keys.length) return ['Storage', 'InvalidInput', 'transaction footprint contains duplicate entries']
  if (!hasValidArchivedIndices(soroban)) return ['Storage', 'InvalidInput', 'transaction archived entry indices are invalid']
  return checkResourceFee(soroban, envelope, nonRefundableFee(resources))
}

function checkResourceFee(soroban: SorobanData, envelope: Envelope, needed: bigint): ResourceViolation | undefined {
  const { resourceFee } = soroban
  if (resourceFee < 0n || resourceFee > feeOf(envelope)) {
    return ['Storage', 'InvalidInput', 'transaction `sorobanData.resourceFee` is higher than the full transaction fee']
  }
  if (resourceFee >= needed) return undefined
  const message = 'transaction `sorobanData.resourceFee` is lower than the actual Soroban resource fee'
  return ['Storage', 'InvalidInput', message, Number(resourceFee), Number(needed)]
}

const FOOTPRINT_TYPES: readonly number[] = [ENTRY_TYPE.account, ENTRY_TYPE.trustline, ENTRY_TYPE.contractData, ENTRY_TYPE.contractCode]

const isFootprintKey = (key: LedgerKey): boolean => FOOTPRINT_TYPES.includes(entryTypeOf(key))

/** The indices must be ascending and point to persistent read-write entries. */
function hasValidArchivedIndices({ archivedIndices, footprint }: SorobanData): boolean {
  return archivedIndices.every((index, position) => {
    const key = footprint.readWrite[index]
    const previous = position === 0 ? -1 : (archivedIndices[position - 1] ?? -1)
    return key !== undefined && index > previous && !isTemporaryKey(key)
  })
}

/** Check 4. */
function checkBounds({ preconditions }: Transaction, context: ValidationContext): CheckFailure | undefined {
  const { minTimeSec, maxTimeSec, minLedger, maxLedger } = preconditions
  const latestSec = context.closeTimeSec + (context.admission ? ADMISSION_CLOSE_TIME_DRIFT_SEC : 0)
  if (minTimeSec > BigInt(context.closeTimeSec) || minLedger > context.sequence) return TX_CODE.tooEarly
  if ((maxTimeSec !== 0n && maxTimeSec < BigInt(latestSec)) || (maxLedger !== 0 && maxLedger <= context.sequence)) return TX_CODE.tooLate
  return undefined
}

/** Check 5. The inclusion fee of a fee bump was checked before. */
function checkInclusionFee(envelope: Envelope, context: ValidationContext): CheckFailure | undefined {
  if (context.applying || envelope.feeBump !== null) return undefined
  const needed = BigInt(chargedOperations(envelope)) * BigInt(BASE_FEE_STROOPS)
  return inclusionFeeOf(envelope) < needed ? TX_CODE.insufficientFee : undefined
}

/** Checks 6, 8 and 9. */
function checkSequence(transaction: Transaction, context: ValidationContext): CheckFailure | undefined {
  const { seqNum, preconditions, source } = transaction
  const account = findAccount(context.view, source.account)
  if (account === undefined) return TX_CODE.noAccount
  const { minSeqNum } = preconditions
  const seqNumValid = minSeqNum === null ? seqNum === account.seqNum + 1n : account.seqNum >= minSeqNum && account.seqNum < seqNum
  if (!seqNumValid || seqNum === BigInt(context.sequence) << 32n) return TX_CODE.badSeq
  const ageSec = BigInt(context.closeTimeSec - account.seqTimeSec)
  const gap = context.sequence - account.seqLedger
  if (ageSec < preconditions.minSeqAgeSec || gap < preconditions.minSeqLedgerGap) return TX_CODE.badMinSeqAgeOrGap
  return undefined
}

/** Checks 10 to 13. */
function checkAfterSequence(
  envelope: Envelope,
  transaction: Transaction,
  context: ValidationContext,
  checker: SignatureChecker,
): CheckFailure | undefined {
  const account = findAccount(context.view, transaction.source.account)
  if (account === undefined) return TX_CODE.noAccount
  if (!checker.meetsThreshold(account, account.thresholds[1])) return TX_CODE.badAuth
  if (!transaction.preconditions.extraSigners.every((key) => isAccountAddress(key) && checker.signedBy(key))) return TX_CODE.badAuth
  if (!context.applying && envelope.feeBump === null && !canPayFee(account, envelope, context)) return TX_CODE.insufficientBalance
  const operations = transaction.operations.map((operation) => validateOperation(operation, transaction, context, checker))
  if (operations.some((result) => result !== undefined)) {
    return { code: TX_CODE.failed, operations: operations.map((result, index) => result ?? successResult(transaction.operations[index])) }
  }
  return checker.allUsed() ? undefined : TX_CODE.badAuthExtra
}

function validateOperation(
  operation: Operation,
  transaction: Transaction,
  context: ValidationContext,
  checker: SignatureChecker,
): OperationResult | undefined {
  const account = findAccount(context.view, operation.source)
  if (account === undefined) {
    // The account may be created by an earlier operation of this transaction, so only its master key can have signed.
    return checker.signedBy(operation.source) ? checkOperation(operation, transaction.soroban) : { kind: 'noAccount' }
  }
  if (!checker.meetsThreshold(account, thresholdOf(operation, account))) return { kind: 'badAuth' }
  return checkOperation(operation, transaction.soroban)
}

/** The result of a valid operation in a transaction where another operation failed. */
function successResult(operation: Operation | undefined): OperationResult {
  const name = operation?.body.type
  switch (name) {
    case 'createAccount':
    case 'payment':
    case 'setOptions':
    case 'changeTrust':
    case 'manageData':
    case 'bumpSequence':
    case 'invokeHostFunction':
    case 'extendFootprintTtl':
    case 'restoreFootprint':
      return { kind: 'inner', operation: name, code: 0 }
    default:
      return { kind: 'notSupported' }
  }
}

/** The resource fee and the minimum inclusion fee, stroops: the feeCharged of a transaction that is rejected at submission. */
export function minimumFeeOf(envelope: Envelope): bigint {
  return resourceFeeOf(envelope) + BigInt(chargedOperations(envelope)) * BigInt(BASE_FEE_STROOPS)
}
