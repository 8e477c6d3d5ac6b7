// Addresses in strkey form and in XDR.

import { createHash } from 'node:crypto'
import { StrKey } from '@stellar/stellar-sdk'
import { createCache } from '../../src/base/cache.ts'
import { encode, putBytes, putU32, type XdrWriter } from './xdr-writer.ts'

/** Decoding an address computes a checksum, and the same few hundred addresses recur, so conversions are cached. */
const CACHE_MAX = 20_000

const bytesByAddress = createCache<string, Uint8Array>(CACHE_MAX)
const addressByBytes = createCache<string, string>(CACHE_MAX)

/** True for account addresses (`G…`). Checks the first character only. */
export const isAccountAddress = (address: string): boolean => address.startsWith('G')

/** The 32 bytes of a `G…` or `C…` address. Throws for anything else. */
export function addressBytes(address: string): Uint8Array {
  const cached = bytesByAddress.get(address)
  if (cached !== undefined) return cached
  const bytes = isAccountAddress(address) ? StrKey.decodeEd25519PublicKey(address) : StrKey.decodeContract(address)
  const copy = new Uint8Array(bytes)
  bytesByAddress.set(address, copy)
  return copy
}

function encodeAddress(kind: 'G' | 'C', bytes: Uint8Array): string {
  const key = `${kind}${Buffer.from(bytes).toString('latin1')}`
  const cached = addressByBytes.get(key)
  if (cached !== undefined) return cached
  const address = kind === 'G' ? StrKey.encodeEd25519PublicKey(bytes) : StrKey.encodeContract(bytes)
  addressByBytes.set(key, address)
  return address
}

/** The account address of an Ed25519 public key. */
export const accountAddress = (publicKey: Uint8Array): string => encodeAddress('G', publicKey)

/** The contract address of a contract id. */
export const contractAddress = (contractId: Uint8Array): string => encodeAddress('C', contractId)

/** AccountID. */
export function putAccountId(writer: XdrWriter, account: string): void {
  putU32(writer, 0)
  putBytes(writer, addressBytes(account))
}

/** SCAddress of an account or a contract. */
export function putScAddress(writer: XdrWriter, address: string): void {
  if (isAccountAddress(address)) {
    putU32(writer, 0)
    putAccountId(writer, address)
  } else {
    putU32(writer, 1)
    putBytes(writer, addressBytes(address))
  }
}

const CODE_LENGTH_SHORT = 4
const CODE_LENGTH_LONG = 12

/** Asset, and TrustLineAsset, which has the same encoding for these types. `asset` is `native` or `CODE:ISSUER`. */
export function putAsset(writer: XdrWriter, asset: string): void {
  if (asset === 'native') return putU32(writer, 0)
  const [code = '', issuer = ''] = asset.split(':')
  const long = code.length > CODE_LENGTH_SHORT
  putU32(writer, long ? 2 : 1)
  const padded = Buffer.alloc(long ? CODE_LENGTH_LONG : CODE_LENGTH_SHORT)
  padded.write(code, 'ascii')
  putBytes(writer, padded)
  putAccountId(writer, issuer)
}

/** The issuer of `CODE:ISSUER`; null for the native asset. */
export function issuerOf(asset: string): string | null {
  return asset === 'native' ? null : (asset.split(':')[1] ?? null)
}

export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}

/** The network id, which every signature covers. */
export function networkIdOf(passphrase: string): Uint8Array {
  return sha256(Buffer.from(passphrase, 'utf8'))
}

const ENVELOPE_TYPE_CONTRACT_ID = 8
const PREIMAGE_FROM_ASSET = 1

const assetContracts = createCache<string, string>(CACHE_MAX)

/** The address of an asset's contract on a network (soroban-rpc, "Hashes": contract id). */
export function assetContractAddress(networkId: Uint8Array, asset: string): string {
  const key = `${Buffer.from(networkId).toString('latin1')}${asset}`
  const cached = assetContracts.get(key)
  if (cached !== undefined) return cached
  const preimage = encode((writer) => {
    putU32(writer, ENVELOPE_TYPE_CONTRACT_ID)
    putBytes(writer, networkId)
    putU32(writer, PREIMAGE_FROM_ASSET)
    putAsset(writer, asset)
  })
  const address = contractAddress(sha256(preimage))
  assetContracts.set(key, address)
  return address
}
