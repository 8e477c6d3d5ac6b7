// The results of a ledger's transactions (XDR), read to find one: each result is skipped exactly, because bytes that only look like one could be anywhere.

import { MalformedXdr, unsupported } from '../xdr.ts'
import type { Reader } from '../xdr.ts'

/** The successful call of a contract in a result set. */
export interface FoundResult {
  /** Hash of the transaction. */
  readonly txHash: Uint8Array
  /** Hash of the call's return value and events; null when the transaction is not a successful call. */
  readonly successHash: Uint8Array | null
}

type Skip = (reader: Reader) => void

const ACCOUNT = 36
const HASH = 32
const INT64 = 8
/** The lengths of assets by type: native, four letters, twelve letters. */
const ASSETS = [0, 4 + ACCOUNT, 12 + ACCOUNT] as const

const none: Skip = () => {}
const bytes = (length: number): Skip => (reader) => reader.skip(length)
const inOrder = (...parts: readonly Skip[]): Skip => (reader) => parts.forEach((part) => part(reader))
const listOf = (item: Skip): Skip => (reader) => void reader.list(() => item(reader))
const oneOf = (what: string, cases: readonly Skip[]): Skip => (reader) => {
  const kind = reader.u32()
  const skip = cases[kind]
  if (skip === undefined) throw unsupported(what, kind, cases.length - 1)
  skip(reader)
}

const asset = oneOf('asset type', ASSETS.map(bytes))
const traded = inOrder(asset, bytes(INT64), asset, bytes(INT64))
const claimAtom = oneOf('offer type', [inOrder(bytes(HASH + INT64), traded), inOrder(bytes(ACCOUNT + INT64), traded), inOrder(bytes(HASH), traded)])
const offer = inOrder(bytes(ACCOUNT + INT64), asset, asset, bytes(INT64 + 8 + 4), noExtension)
const manageOffer = inOrder(listOf(claimAtom), oneOf('offer effect', [offer, offer, none]))
const pathPayment = inOrder(listOf(claimAtom), bytes(ACCOUNT), asset, bytes(INT64))
const INVOKE = 24
/** What a successful operation returns, by its type. A call of a contract, 24, is read apart. */
const SUCCESSES: readonly Skip[] = Object.assign(Array.from({ length: 27 }, () => none), {
  2: pathPayment, 3: manageOffer, 4: manageOffer, 8: bytes(INT64), 9: listOf(bytes(ACCOUNT + INT64)), 12: manageOffer, 13: pathPayment,
  14: oneOf('balance type', [bytes(HASH)]),
})
/** Path payments that fail name the asset without an issuer. */
const PATH_PAYMENTS: readonly number[] = [2, 13]
const NO_ISSUER = -9

function noExtension(reader: Reader): void {
  if (reader.u32() !== 0) throw new MalformedXdr('a result has an extension that this client does not read')
}

/** Reads one operation's result. Returns the success hash of a contract call. */
function readOperation(reader: Reader): Uint8Array | null {
  if ((reader.u32() | 0) !== 0) return null
  const type = reader.u32()
  const skip = SUCCESSES[type]
  if (skip === undefined) throw unsupported('operation', type, SUCCESSES.length - 1)
  const code = reader.u32() | 0
  if (code === 0 && type === INVOKE) return reader.bytes(HASH)
  if (code === 0) skip(reader)
  if (code === NO_ISSUER && PATH_PAYMENTS.includes(type)) asset(reader)
  return null
}

const [FEE_BUMP_SUCCESS, SUCCESS, FAILED, FEE_BUMP_FAILED] = [1, 0, -1, -13]

/** Reads a transaction's result. `isInner`: it is in the result of a fee bump. */
function readResult(reader: Reader, isInner = false): Uint8Array | null {
  reader.skip(INT64)
  const code = reader.u32() | 0
  let hash: Uint8Array | null = null
  if (!isInner && (code === FEE_BUMP_SUCCESS || code === FEE_BUMP_FAILED)) {
    reader.skip(HASH)
    hash = readResult(reader, true)
  } else if (code === SUCCESS || code === FAILED) {
    const hashes = reader.list(() => readOperation(reader))
    hash = code === SUCCESS && hashes.length === 1 ? hashes[0] ?? null : null
  }
  noExtension(reader)
  return code === FEE_BUMP_FAILED ? null : hash
}

/** Reads a whole result set, and returns the result at a place. Throws MalformedXdr unless it is one and has that place. */
export function readResultAt(reader: Reader, index: number): FoundResult {
  const pairs = reader.list(() => ({ txHash: reader.bytes(HASH), successHash: readResult(reader) }))
  const found = pairs[index]
  if (reader.remaining() > 0 || found === undefined) throw new MalformedXdr('the result set has no such result')
  return found
}
