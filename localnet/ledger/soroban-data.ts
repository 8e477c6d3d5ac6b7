// SorobanTransactionData as simulation returns it, with the margins that a node adds (soroban-rpc, "simulateTransaction: success").

import type { FootprintKeys } from './footprint.ts'
import { encode, fromBase64, putArray, putI64, putU32 } from './xdr-writer.ts'

const INSTRUCTIONS_MARGIN_PERCENT = 4
const INSTRUCTIONS_MARGIN_MIN = 50_000
const TX_BYTES_MARGIN_PERCENT = 10
const TX_BYTES_MARGIN_MIN = 500
const REFUNDABLE_MARGIN_PERCENT = 15n

export function withInstructionsMargin(instructions: number, leeway: number): number {
  const margin = Math.max(INSTRUCTIONS_MARGIN_MIN, Math.ceil((instructions * INSTRUCTIONS_MARGIN_PERCENT) / 100))
  return instructions + margin + leeway
}

export function withSizeMargin(txBytes: number): number {
  return txBytes + Math.max(TX_BYTES_MARGIN_MIN, Math.ceil((txBytes * TX_BYTES_MARGIN_PERCENT) / 100))
}

export function withRefundableMargin(feeStroops: bigint): bigint {
  return feeStroops + (feeStroops * REFUNDABLE_MARGIN_PERCENT + 99n) / 100n
}

/** SorobanTransactionData. `archivedIndices` point into readWrite. */
export function encodeSorobanData(data: {
  readonly footprint: FootprintKeys
  readonly instructions: number
  readonly diskReadBytes: number
  readonly writeBytes: number
  readonly resourceFee: bigint
  readonly archived: readonly number[]
}): Uint8Array {
  return encode((writer) => {
    putU32(writer, data.archived.length === 0 ? 0 : 1)
    if (data.archived.length > 0) {
      putU32(writer, data.archived.length)
      for (const index of data.archived) putU32(writer, index)
    }
    putArray(writer, data.footprint.readOnly.map(fromBase64))
    putArray(writer, data.footprint.readWrite.map(fromBase64))
    putU32(writer, data.instructions)
    putU32(writer, data.diskReadBytes)
    putU32(writer, data.writeBytes)
    putI64(writer, data.resourceFee)
  })
}
