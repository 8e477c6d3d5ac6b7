// Test support: reads headers of every form by hand, since the SDK does not decode those of protocol 30.

import { createPublicKey, verify } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import type { LedgerRecord } from '../history.ts'
import { networkIdOf } from './addresses.ts'

export interface ReadHeader {
  readonly protocol: number
  readonly previousHash: string
  readonly txSetHash: string
  readonly closeSec: number
  /** null in forms without milliseconds. */
  readonly closeMs: number | null
  /** LedgerUpgrade each, in hex. */
  readonly upgrades: readonly string[]
  readonly arm: number
  /** The dropped set, the hash of the ledger before and its protocol; null in forms without a dropped set. */
  readonly proposed: { readonly txSetHash: string; readonly previousHash: string; readonly previousProtocol: number } | null
  readonly nodeId: Uint8Array
  readonly signature: Uint8Array
  readonly resultsHash: string
  readonly stateHash: string
  readonly sequence: number
  /** Stroops. */
  readonly feePool: bigint
}

/** Reads a LedgerHeader in base64. Throws for an unknown form. */
export function readHeader(headerXdr: string): ReadHeader {
  const bytes = Buffer.from(headerXdr, 'base64')
  let at = 0
  const take = (length: number): Buffer => bytes.subarray(at, (at += length))
  const u32 = (): number => take(4).readUInt32BE(0)
  const u64 = (): number => Number(take(8).readBigUInt64BE(0))
  const hash = (): string => take(32).toString('hex')
  const [protocol, previousHash, txSetHash, closeSec] = [u32(), hash(), hash(), u64()]
  const upgrades = Array.from({ length: u32() }, () => take(u32()).toString('hex'))
  const arm = u32()
  if (arm < 1 || arm > 4) throw new Error(`unknown form ${arm}`)
  const closeMs = arm >= 3 ? u64() : null
  const proposed = arm % 2 === 0 ? { txSetHash: hash(), previousHash: hash(), previousProtocol: u32() } : null
  if (u32() !== 0) throw new Error('not an Ed25519 key')
  const nodeId = new Uint8Array(take(32))
  const signature = new Uint8Array(take(u32()))
  const [resultsHash, stateHash, sequence] = [hash(), hash(), u32()]
  take(8)
  const feePool = take(8).readBigInt64BE(0)
  return { protocol, previousHash, txSetHash, closeSec, closeMs, upgrades, arm, proposed, nodeId, signature, resultsHash, stateHash, sequence, feePool }
}

/**
 * XDR that contains a LedgerHeader at `headerAt`, in the form of protocol 29, which the SDK decodes: without the milliseconds. Unchanged if it has none.
 */
export function withoutMilliseconds(bytes: Uint8Array, headerAt: number): Uint8Array {
  const copy = Buffer.from(bytes)
  let at = headerAt + 4 + 32 + 32 + 8
  const upgrades = copy.readUInt32BE(at)
  at += 4
  for (let left = upgrades; left > 0; left--) at += 4 + copy.readUInt32BE(at)
  const arm = copy.readUInt32BE(at)
  if (arm !== 3 && arm !== 4) return bytes
  copy.writeUInt32BE(arm - 2, at)
  return new Uint8Array(Buffer.concat([copy.subarray(0, at + 4), copy.subarray(at + 12)]))
}

/** A close meta contains the entry of the header after its version and an extension, and the entry begins with the hash. */
export const HEADER_AT = { header: 0, entry: 32, closeMeta: 40 } as const

/** The LedgerCloseMeta of a ledger, without the milliseconds of its header. Throws unless it contains the ledger's own header. */
export function closeMetaOf({ metadataXdr, headerXdr }: Pick<LedgerRecord, 'metadataXdr' | 'headerXdr'>): xdr.LedgerCloseMetaV2 {
  const bytes = Buffer.from(metadataXdr, 'base64')
  const header = Buffer.from(headerXdr, 'base64')
  if (!bytes.subarray(HEADER_AT.closeMeta, HEADER_AT.closeMeta + header.length).equals(header)) throw new Error('the close meta has another header')
  const meta = xdr.LedgerCloseMeta.fromXdr(withoutMilliseconds(bytes, HEADER_AT.closeMeta))
  if (meta.type !== 'v2') throw new Error(`close meta of version ${meta.type}`)
  return meta.v2
}

/** True if the validator's signature covers the header on the network of this passphrase. */
export function isSigned(header: ReadHeader, passphrase: string): boolean {
  const u64 = (value: number): Buffer => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64BE(BigInt(value))
    return bytes
  }
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(header.nodeId).toString('base64url') }, format: 'jwk' })
  const signed = Buffer.concat([
    networkIdOf(passphrase), Buffer.from([0, 0, 0, 4]), Buffer.from(header.proposed?.txSetHash ?? header.txSetHash, 'hex'), u64(header.closeSec),
    ...(header.closeMs === null ? [] : [u64(header.closeMs)]),
  ])
  return verify(null, signed, key, header.signature)
}
