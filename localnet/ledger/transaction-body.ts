// The large parts of an archived transaction in one compressed blob. Diagnostics are repetitive and shrink to a fifth.

import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { encode, putOpaque } from './xdr-writer.ts'

/** All XDR. */
export interface TransactionBody {
  readonly envelope: Uint8Array
  readonly result: Uint8Array
  readonly meta: Uint8Array
  readonly feeChanges: Uint8Array
  readonly postChanges: Uint8Array
}

/** Fastest: speed matters more here than size. */
const COMPRESSION_LEVEL = 1

export function packBody({ envelope, result, meta, feeChanges, postChanges }: TransactionBody): Uint8Array {
  const parts = encode((writer) => {
    for (const part of [envelope, result, meta, feeChanges, postChanges]) putOpaque(writer, part)
  })
  return deflateRawSync(parts, { level: COMPRESSION_LEVEL })
}

export function unpackBody(packed: Uint8Array): TransactionBody {
  const bytes = inflateRawSync(packed)
  let position = 0
  function next(): Uint8Array {
    const length = bytes.readUInt32BE(position)
    const part = bytes.subarray(position + 4, position + 4 + length)
    position += 4 + Math.ceil(length / 4) * 4
    return new Uint8Array(part)
  }
  return { envelope: next(), result: next(), meta: next(), feeChanges: next(), postChanges: next() }
}
