// Whether a transaction may be applied: the checks in the network's order, the first failure wins (soroban-rpc, "Validation order at
// submission").

import { isAccountAddress } from './addresses.ts'
import { availableBalance } from './classic-balances.ts'
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
import { accountKey, isTemporaryKey, type Key, typeOfKey } from './keys.ts'
import { staticResult, thresholdOf } from './operation-checks.ts'
import { type OperationResult, TX, type TxCode } from './results.ts'
import { createSignatureChecker, type SignatureChecker } from './signatures.ts'
import type { View } from './state.ts'
import { entryOf } from './stored.ts'

/** Where a transaction is judged. */
export interface Surroundings {
  readonly view: View
  /** The ledger that it would be applied in. */
  readonly sequence: number
  /** The close time that its bounds are held against. */
  readonly closeTimeSec: number
  /** Admission looks ahead: the network adds two expected closes before it compares maxTime. */
  readonly admission: boolean
  /** When it is being applied, its fee has been taken already. */
  readonly applying: boolean
  /** Fees of waiting transactions that this account pays, stroops. */
  readonly queuedFees: (account: string) => bigint
}

/** Why a transaction may not be applied. */
export interface Refusal {
  readonly code: TxCode
  /** For txFAILED: one per operation. */
  readonly operations: readonly OperationResult[]
  /** True when the fee bump itself is at fault, not what is inside. */
  readonly outer: boolean
  /** True when the sequence number is consumed nevertheless, if it is being applied. */
  readonly consumesSequence: boolean
  /** DiagnosticEvent each. */
  readonly diagnostics: readonly Uint8Array[]
}

/** What a failed check says. */
type Finding =
  | TxCode
  | { readonly code: TxCode; readonly operations?: readonly OperationResult[]; readonly diagnostics?: readonly Uint8Array[] }

/** The first thing that is wrong with a transaction; null when nothing is. */
export function judge(envelope: Envelope, where: Surroundings): Refusal | null {
  const outer = envelope.feeBump === null ? undefined : judgeFeeBump(envelope, envelope.feeBump, where)
  if (outer !== undefined) return refusal(outer, { outer: true, consumesSequence: false })
  const { transaction } = envelope
  const before = judgeBeforeSequence(envelope, transaction, where)
  if (before !== undefined) return refusal(before, { outer: false, consumesSequence: false })
  const checker = createSignatureChecker(transaction.hashBytes, transaction.signatures)
  const after = judgeAfterSequence(envelope, transaction, where, checker)
  return after === undefined ? null : refusal(after, { outer: false, consumesSequence: true })
}

function refusal(finding: Finding, rest: Pick<Refusal, 'outer' | 'consumesSequence'>): Refusal {
  const { code, operations = [], diagnostics = [] } = typeof finding === 'number' ? { code: finding } : finding
  return { code, operations, diagnostics, ...rest }
}

function accountAt(view: View, address: string): AccountEntry | undefined {
  const stored = view.get(accountKey(address))
  const entry = stored === undefined ? undefined : entryOf(stored)
  return entry?.kind === 'account' ? entry : undefined
}

function judgeFeeBump(envelope: Envelope, feeBump: NonNullable<Envelope['feeBump']>, where: Surroundings): Finding | undefined {
  const { transaction } = envelope
  const operations = BigInt(chargedOperations(envelope))
  const bid = inclusionFeeOf(envelope)
  if (bid < operations * BigInt(BASE_FEE_STROOPS)) return TX.insufficientFee
  // The outer bid per operation must not be below the inner one.
  const innerBid = transaction.fee - resourceFeeOf(envelope)
  if (innerBid > 0n && bid * BigInt(Math.max(1, transaction.operations.length)) < innerBid * operations) return TX.insufficientFee
  const payer = accountAt(where.view, feeBump.source.account)
  if (payer === undefined) return TX.noAccount
  const checker = createSignatureChecker(feeBump.hashBytes, feeBump.signatures)
  if (!checker.reaches(payer, payer.thresholds[1])) return TX.badAuth
  if (!where.applying && !affords(payer, envelope, where)) return TX.insufficientBalance
  return checker.allUsed() ? undefined : TX.badAuthExtra
}

function affords(payer: AccountEntry, envelope: Envelope, where: Surroundings): boolean {
  return availableBalance(payer) >= feeOf(envelope) + where.queuedFees(feeSourceOf(envelope))
}

function judgeBeforeSequence(envelope: Envelope, transaction: Transaction, where: Surroundings): Finding | undefined {
  return (
    judgeStructure(transaction) ??
    judgeSoroban(envelope, transaction) ??
    judgeBounds(transaction, where) ??
    judgeInclusionFee(envelope, where) ??
    judgeSequence(transaction, where)
  )
}

/** Checks 1 of the order. */
function judgeStructure({ operations, soroban }: Transaction): Finding | undefined {
  if (operations.length === 0) return TX.missingOperation
  if (operations.length > OPERATIONS_MAX) return TX.malformed
  const runsContracts = operations.some(isSorobanOperation)
  if (runsContracts && (soroban === null || operations.length > 1)) return TX.malformed
  if (!runsContracts && soroban !== null) return TX.malformed
  return undefined
}

/** Checks 2 and 3: memos and multiplexed accounts do not go with contracts; resources within limits and paid for. */
function judgeSoroban(envelope: Envelope, transaction: Transaction): Finding | undefined {
  const { soroban, memo, source, operations } = transaction
  if (soroban === null) return undefined
  if (memo.type !== 'memoNone' || source.muxed || operations.some((operation) => operation.muxed)) return TX.sorobanInvalid
  const problem = resourceProblem(soroban, envelope)
  if (problem === undefined) return undefined
  const [type, code, sentence, ...numbers] = problem
  const values = numbers.map((value) => ({ type: 'u64', value: BigInt(value) }) as const)
  return { code: TX.sorobanInvalid, diagnostics: [coreDiagnostic(hostFailure(type, code, sentence, ...values))] }
}

type Problem = readonly [type: 'Storage' | 'Budget', code: 'ExceededLimit' | 'InvalidInput', sentence: string, ...numbers: number[]]

const exceeds = (sentence: string, actual: number, limit: number): Problem | undefined =>
  actual > limit ? ['Budget', 'ExceededLimit', sentence, actual, limit] : undefined

function resourceProblem(soroban: SorobanData, envelope: Envelope): Problem | undefined {
  const { readOnly, readWrite } = soroban.footprint
  const txBytes = envelope.bytes.length
  const resources = declaredResources(soroban, txBytes)
  const limit =
    exceeds('transaction instructions resources exceed network config limit', soroban.instructions, INSTRUCTIONS_MAX) ??
    exceeds('transaction disk read bytes resources exceed network config limit', soroban.diskReadBytes, DISK_READ_BYTES_MAX) ??
    exceeds('transaction write bytes resources exceed network config limit', soroban.writeBytes, WRITE_BYTES_MAX) ??
    exceeds('transaction disk read entries resources exceed network config limit', resources.diskReadEntries, DISK_READ_ENTRIES_MAX) ??
    exceeds('transaction write entries resources exceed network config limit', readWrite.length, WRITE_ENTRIES_MAX) ??
    exceeds('transaction footprint entries exceed network config limit', readOnly.length + readWrite.length, FOOTPRINT_ENTRIES_MAX) ??
    exceeds('transaction size exceeds network config limit', txBytes, TX_BYTES_MAX)
  if (limit !== undefined) return limit
  const keys = [...readOnly, ...readWrite]
  if (!keys.every(isFootprintKey)) return ['Storage', 'InvalidInput', 'transaction footprint contains invalid ledger key type']
  if (new Set(keys).size !== keys.length) return ['Storage', 'InvalidInput', 'transaction footprint contains duplicate entries']
  if (!archivedFit(soroban)) return ['Storage', 'InvalidInput', 'transaction archived entry indices are invalid']
  return feeProblem(soroban, envelope, nonRefundableFee(resources))
}

function feeProblem(soroban: SorobanData, envelope: Envelope, needed: bigint): Problem | undefined {
  const { resourceFee } = soroban
  if (resourceFee < 0n || resourceFee > feeOf(envelope)) {
    return ['Storage', 'InvalidInput', 'transaction `sorobanData.resourceFee` is higher than the full transaction fee']
  }
  if (resourceFee >= needed) return undefined
  const sentence = 'transaction `sorobanData.resourceFee` is lower than the actual Soroban resource fee'
  return ['Storage', 'InvalidInput', sentence, Number(resourceFee), Number(needed)]
}

const FOOTPRINT_TYPES: readonly number[] = [ENTRY_TYPE.account, ENTRY_TYPE.trustline, ENTRY_TYPE.contractData, ENTRY_TYPE.contractCode]

const isFootprintKey = (key: Key): boolean => FOOTPRINT_TYPES.includes(typeOfKey(key))

/** Indices of persistent read-write entries, ascending. */
function archivedFit({ archived, footprint }: SorobanData): boolean {
  return archived.every((index, position) => {
    const key = footprint.readWrite[index]
    const previous = position === 0 ? -1 : (archived[position - 1] ?? -1)
    return key !== undefined && index > previous && !isTemporaryKey(key)
  })
}

/** Check 4. */
function judgeBounds({ conditions }: Transaction, where: Surroundings): Finding | undefined {
  const { minTimeSec, maxTimeSec, minLedger, maxLedger } = conditions
  const latestSec = where.closeTimeSec + (where.admission ? ADMISSION_CLOSE_TIME_DRIFT_SEC : 0)
  if (minTimeSec > BigInt(where.closeTimeSec) || minLedger > where.sequence) return TX.tooEarly
  if ((maxTimeSec !== 0n && maxTimeSec < BigInt(latestSec)) || (maxLedger !== 0 && maxLedger <= where.sequence)) return TX.tooLate
  return undefined
}

/** Check 5; the fee bump's own bid was looked at before. */
function judgeInclusionFee(envelope: Envelope, where: Surroundings): Finding | undefined {
  if (where.applying || envelope.feeBump !== null) return undefined
  const needed = BigInt(chargedOperations(envelope)) * BigInt(BASE_FEE_STROOPS)
  return inclusionFeeOf(envelope) < needed ? TX.insufficientFee : undefined
}

/** Checks 6, 8 and 9. */
function judgeSequence(transaction: Transaction, where: Surroundings): Finding | undefined {
  const { seqNum, conditions, source } = transaction
  const account = accountAt(where.view, source.account)
  if (account === undefined) return TX.noAccount
  const { minSeqNum } = conditions
  const follows = minSeqNum === null ? seqNum === account.seqNum + 1n : account.seqNum >= minSeqNum && account.seqNum < seqNum
  if (!follows || seqNum === BigInt(where.sequence) << 32n) return TX.badSeq
  const ageSec = BigInt(where.closeTimeSec - account.seqTimeSec)
  const gap = where.sequence - account.seqLedger
  if (ageSec < conditions.minSeqAgeSec || gap < conditions.minSeqLedgerGap) return TX.badMinSeqAgeOrGap
  return undefined
}

/** Checks 10 to 13. */
function judgeAfterSequence(
  envelope: Envelope,
  transaction: Transaction,
  where: Surroundings,
  checker: SignatureChecker,
): Finding | undefined {
  const account = accountAt(where.view, transaction.source.account)
  if (account === undefined) return TX.noAccount
  if (!checker.reaches(account, account.thresholds[1])) return TX.badAuth
  if (!transaction.conditions.extraSigners.every((key) => isAccountAddress(key) && checker.signedBy(key))) return TX.badAuth
  if (!where.applying && envelope.feeBump === null && !affords(account, envelope, where)) return TX.insufficientBalance
  const operations = transaction.operations.map((operation) => judgeOperation(operation, transaction, where, checker))
  if (operations.some((result) => result !== undefined)) {
    return { code: TX.failed, operations: operations.map((result, index) => result ?? plainSuccess(transaction.operations[index])) }
  }
  return checker.allUsed() ? undefined : TX.badAuthExtra
}

function judgeOperation(
  operation: Operation,
  transaction: Transaction,
  where: Surroundings,
  checker: SignatureChecker,
): OperationResult | undefined {
  const account = accountAt(where.view, operation.source)
  if (account === undefined) {
    // An account that an earlier operation of this transaction creates can only have its own key's signature.
    return checker.signedBy(operation.source) ? staticResult(operation, transaction.soroban) : { kind: 'noAccount' }
  }
  if (!checker.reaches(account, thresholdOf(operation, account))) return { kind: 'badAuth' }
  return staticResult(operation, transaction.soroban)
}

/** What stands beside a failed operation's result for one that was not at fault. */
function plainSuccess(operation: Operation | undefined): OperationResult {
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

/** What a refusal at submission says was charged: the resource fee and the least inclusion fee. */
export function refusedFee(envelope: Envelope): bigint {
  return resourceFeeOf(envelope) + BigInt(chargedOperations(envelope)) * BigInt(BASE_FEE_STROOPS)
}
