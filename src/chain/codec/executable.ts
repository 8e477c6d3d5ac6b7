// The code that a contract runs, as its instance entry and the system event of an upgrade state it.

import { Address, StrKey, xdr } from '@stellar/stellar-sdk'

import { textOfBytes } from '../../base/text.ts'
import { NewerThanKnown } from './newer-than-known.ts'
import { BASE64_MAX_LENGTH } from './scval.ts'
import { NEWER_STEPS_MAX } from './xdr-reader.ts'

/** The code that runs when a contract is called. */
export type Executable =
  /** The hash is lower-case hex. */
  | { readonly kind: 'wasm'; readonly wasmHash: string }
  /** The built-in contract of a classic asset. */
  | { readonly kind: 'asset' }
  /** The code that an entry of another contract names (CAP-85). */
  | ({ readonly kind: 'reference' } & CodeReference)
  | { readonly kind: 'newer'; readonly error: NewerThanKnown }

/** Names the entry with the hash of a contract's code. Only its owner can change the entry, and then no event reports the change. */
export interface CodeReference {
  /** The contract that has the entry. */
  readonly owner: string
  /** Any bytes, as textOfBytes returns them. */
  readonly tag: string
}

const TAG_SHOWN_LENGTH = 64

/** A reference in words, for messages. A tag may have kilobytes. */
export function describeReference({ owner, tag }: CodeReference): string {
  return `executable tag "${tag.length > TAG_SHOWN_LENGTH ? `${tag.slice(0, TAG_SHOWN_LENGTH)}…` : tag}" of ${owner}`
}

const CONTRACT_DATA = 6
const CONTRACT_ADDRESS = 1
const CONTRACT_INSTANCE = 19
/** In the LedgerEntryData of an instance: after the type and extension of the entry, the contract, the key and its durability. */
const VALUE_OFFSET = 52
const HASH_LENGTH = 32
const EXECUTABLE_TYPE_MAX = 2

/**
 * Reads the executable of a contract instance (base64 LedgerEntryData); undefined for any other entry. By offset, because the storage that follows may hold
 * values that the SDK does not know.
 */
export function readExecutable(dataXdr: string): Executable | undefined {
  const bytes = Buffer.from(dataXdr, 'base64')
  try {
    if (bytes.readUInt32BE(0) !== CONTRACT_DATA || bytes.readUInt32BE(VALUE_OFFSET) !== CONTRACT_INSTANCE) return undefined
    return executableAt(bytes, VALUE_OFFSET + 4)
  } catch (error) {
    // A read past the end.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function executableAt(bytes: Buffer, offset: number): Executable {
  const type = bytes.readUInt32BE(offset)
  const [content, end] = [offset + 4, offset + 4 + HASH_LENGTH]
  switch (type) {
    case 0:
      return { kind: 'wasm', wasmHash: hashAt(bytes, content).toString('hex') }
    case 1:
      return { kind: 'asset' }
    case 2: {
      const ownerType = bytes.readUInt32BE(content)
      if (ownerType !== CONTRACT_ADDRESS) return newer(`owner of an executable with address type ${ownerType}`)
      const length = bytes.readUInt32BE(end + 4)
      if (length > bytes.length - end - 8) throw new RangeError('the tag is truncated')
      const tag = bytes.subarray(end + 8, end + 8 + length)
      return { kind: 'reference', owner: StrKey.encodeContract(hashAt(bytes, content + 4)), tag: textOfBytes(tag) }
    }
    default:
      if (type > EXECUTABLE_TYPE_MAX + NEWER_STEPS_MAX) throw new RangeError('no executable')
      return newer(`executable type ${type}`)
  }
}

function hashAt(bytes: Buffer, offset: number): Buffer {
  if (bytes.length < offset + HASH_LENGTH) throw new RangeError('the hash is truncated')
  return bytes.subarray(offset, offset + HASH_LENGTH)
}

function newer(what: string): Executable {
  return { kind: 'newer', error: new NewerThanKnown(what) }
}

/**
 * Reads an executable as the host describes it in topics (base64 ScVal): a vector of its kind with the hash, or with owner and tag. Undefined for anything
 * that no host sends. A tag has no limit of its own, so only the limit of a ledger entry applies.
 */
export function readExecutableVal(valueXdr: string): Executable | undefined {
  if (valueXdr.length > BASE64_MAX_LENGTH) return undefined
  const value = scVal(valueXdr)
  if (value === undefined) return undecodable(Buffer.from(valueXdr, 'base64'))
  const [kind, content] = value.type === 'scvVec' ? (value.vec ?? []) : []
  if (kind?.type !== 'scvSymbol') return undefined
  const name = textOfBytes(kind.sym.bytes)
  if (name === 'StellarAsset') return { kind: 'asset' }
  if (name === 'Wasm') return content?.type === 'scvBytes' ? { kind: 'wasm', wasmHash: Buffer.from(content.bytes.value).toString('hex') } : undefined
  return name === 'ExternalRef' ? referenceOf(content) : newer(`executable ${JSON.stringify(name)}`)
}

const VEC = 16
/** The largest type of a value that the SDK decodes: an executable tag. */
const VALUE_TYPE_MAX = 22

/** A value or a member of a type that the SDK does not know; undefined for what is too short to be a value. */
function undecodable(bytes: Buffer): Executable | undefined {
  const type = bytes.length < 4 ? 0 : bytes.readUInt32BE(0)
  if (type > VALUE_TYPE_MAX && type <= VALUE_TYPE_MAX + NEWER_STEPS_MAX) return newer(`executable, a value of type ${type}`)
  return type === VEC ? newer('member of an executable') : undefined
}

function referenceOf(value: xdr.ScVal | undefined): Executable | undefined {
  const fields = value?.type === 'scvMap' ? (value.map ?? []) : []
  const field = (name: string): xdr.ScVal | undefined => fields.find(({ key }) => key.type === 'scvSymbol' && textOfBytes(key.sym.bytes) === name)?.val
  const [owner, tag] = [field('owner'), field('tag')]
  if (owner?.type !== 'scvAddress' || tag?.type !== 'scvString') return undefined
  if (owner.address.type !== 'scAddressTypeContract') return newer('kind of owner of an executable')
  return { kind: 'reference', owner: Address.fromScVal(owner).toString(), tag: textOfBytes(tag.str.bytes) }
}

function scVal(valueXdr: string): xdr.ScVal | undefined {
  try {
    return xdr.ScVal.fromXdr(valueXdr, 'base64')
  } catch {
    return undefined
  }
}
