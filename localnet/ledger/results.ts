// TransactionResult and OperationResult.

import { encode, fromHex, putArray, putBytes, putI32, putI64, putU32, type XdrWriter } from './xdr-writer.ts'

/** TransactionResultCode. */
export const TX_CODE = {
  feeBumpInnerSuccess: 1, success: 0, failed: -1, tooEarly: -2, tooLate: -3, missingOperation: -4, badSeq: -5, badAuth: -6,
  insufficientBalance: -7, noAccount: -8, insufficientFee: -9, badAuthExtra: -10, internalError: -11, notSupported: -12,
  feeBumpInnerFailed: -13, badSponsorship: -14, badMinSeqAgeOrGap: -15, malformed: -16, sorobanInvalid: -17, frozenKeyAccessed: -18,
} as const

export type TxCode = (typeof TX_CODE)[keyof typeof TX_CODE]

/** OperationResultCode. */
const OPERATION_INNER = 0

/** OperationType of the operations that this ledger applies. */
const OPERATION = {
  createAccount: 0, payment: 1, setOptions: 5, changeTrust: 6, manageData: 10, bumpSequence: 11, invokeHostFunction: 24,
  extendFootprintTtl: 25, restoreFootprint: 26,
} as const

export type OperationName = keyof typeof OPERATION

/** OperationResult: the code of an applied operation, or why it was not applied. */
export type OperationResult =
  /** `hash` is set for a successful invocation. */
  | { readonly kind: 'inner'; readonly operation: OperationName; readonly code: number; readonly hash?: Uint8Array }
  | { readonly kind: 'badAuth' | 'noAccount' | 'notSupported' | 'tooManySubentries' }

/** The result codes of operations that this ledger can return. */
export const OP_CODES = {
  success: 0,
  createAccount: { malformed: -1, underfunded: -2, lowReserve: -3, alreadyExists: -4 },
  payment: { malformed: -1, underfunded: -2, srcNoTrust: -3, noDestination: -5, noTrust: -6, lineFull: -8 },
  setOptions: { lowReserve: -1, tooManySigners: -2, badFlags: -3, thresholdOutOfRange: -7, badSigner: -8, invalidHomeDomain: -9 },
  changeTrust: { malformed: -1, noIssuer: -2, invalidLimit: -3, lowReserve: -4, selfNotAllowed: -5 },
  manageData: { nameNotFound: -2, lowReserve: -3, invalidName: -4 },
  bumpSequence: { badSeq: -1 },
  invokeHostFunction: { malformed: -1, trapped: -2, resourceLimitExceeded: -3, entryArchived: -4, insufficientRefundableFee: -5 },
  extendFootprintTtl: { malformed: -1, resourceLimitExceeded: -2, insufficientRefundableFee: -3 },
  restoreFootprint: { malformed: -1, resourceLimitExceeded: -2, insufficientRefundableFee: -3 },
} as const

export const operationResult = (operation: OperationName, code: number): OperationResult => ({ kind: 'inner', operation, code })

export const succeeded = (result: OperationResult): boolean => result.kind === 'inner' && result.code === OP_CODES.success

const OPERATION_FAILURE = { badAuth: -1, noAccount: -2, notSupported: -3, tooManySubentries: -4 } as const

function encodeOperationResult(result: OperationResult): Uint8Array {
  return encode((writer) => {
    if (result.kind !== 'inner') return putI32(writer, OPERATION_FAILURE[result.kind])
    putI32(writer, OPERATION_INNER)
    putU32(writer, OPERATION[result.operation])
    putI32(writer, result.code)
    if (result.code === OP_CODES.success && result.operation === 'invokeHostFunction') putBytes(writer, result.hash ?? new Uint8Array(32))
  })
}

export interface TransactionResult {
  readonly code: TxCode
  /** One per operation, for success and txFAILED. */
  readonly operations: readonly OperationResult[]
}

/** TransactionResult. With an `innerHash` (hex), the result is wrapped as the inner result of a fee bump. `feeCharged` in stroops. */
export function encodeTransactionResult(result: TransactionResult, feeCharged: bigint, innerHash: string | null): Uint8Array {
  return encode((writer) => {
    putI64(writer, feeCharged)
    if (innerHash === null) {
      putResult(writer, result)
    } else {
      putI32(writer, result.code === TX_CODE.success ? TX_CODE.feeBumpInnerSuccess : TX_CODE.feeBumpInnerFailed)
      putBytes(writer, fromHex(innerHash))
      // The inner transaction is not charged; the fee bump pays.
      putI64(writer, 0n)
      putResult(writer, result)
      putU32(writer, 0)
    }
    putU32(writer, 0)
  })
}

function putResult(writer: XdrWriter, result: TransactionResult): void {
  putI32(writer, result.code)
  if (result.code === TX_CODE.success || result.code === TX_CODE.failed) putArray(writer, result.operations.map(encodeOperationResult))
}
