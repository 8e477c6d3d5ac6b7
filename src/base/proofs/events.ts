// The bytes of an event as the log commits to them, and the filter that decides which events a page has.

import { contractIdOf } from '../strkey.ts'
import { edgeRoot, hashNode, sha256 } from './tree.ts'
import type { Hash } from './tree.ts'
import { ZERO_HASH } from './record.ts'

/** An event as nodes return it. */
export interface LoggedEvent {
  /** The event's id on its chain. */
  readonly id: string
  /** Hexadecimal. */
  readonly txHash: string
  readonly contractId: string
  readonly topicsXdr: readonly string[]
  readonly valueXdr: string
}

const HASH_LENGTH = 32
const LENGTH_BYTES = 4
/** The prefix of a leaf, RFC 6962. */
const LEAF_PREFIX_BYTES = 1

/** The ids of the few contracts of an index, because decoding one costs as much as hashing an event. */
const idsOfContracts = new Map<string, Uint8Array>()
const KNOWN_CONTRACTS_MAX = 100

function idOf(address: string): Uint8Array {
  const known = idsOfContracts.get(address)
  if (known !== undefined) return known
  const id = contractIdOf(address)
  if (id === undefined) throw new TypeError(`not a contract address: ${address}`)
  if (idsOfContracts.size >= KNOWN_CONTRACTS_MAX) idsOfContracts.clear()
  idsOfContracts.set(address, id)
  return id
}

/** The bytes of an event: id, transaction, contract, topics and value, each variable part after its length. */
export function eventBytes(event: LoggedEvent): Buffer {
  return Buffer.from(prefixedBytes(event).subarray(LEAF_PREFIX_BYTES))
}

/** The hash of an event as a leaf of its page's tree. */
export function eventLeaf(event: LoggedEvent): Hash {
  return sha256(prefixedBytes(event))
}

/** Where the bytes of one event are put together: a buffer for each would cost as much as its hash. */
let scratch = Buffer.alloc(4_096)

/** Valid until the next call. */
function prefixedBytes({ id, txHash, contractId: address, topicsXdr, valueXdr }: LoggedEvent): Buffer {
  // Base64 is longer than what it says.
  let lengthMax = LEAF_PREFIX_BYTES + 1 + id.length + 2 * HASH_LENGTH + 1 + LENGTH_BYTES + valueXdr.length
  for (const topic of topicsXdr) lengthMax += LENGTH_BYTES + topic.length
  if (lengthMax > scratch.length) scratch = Buffer.alloc(2 * lengthMax)
  const bytes = scratch
  let offset = bytes.writeUInt8(id.length, LEAF_PREFIX_BYTES)
  offset += bytes.write(id, offset, 'latin1')
  bytes.write(txHash, offset, HASH_LENGTH, 'hex')
  bytes.set(idOf(address), offset + HASH_LENGTH)
  offset = bytes.writeUInt8(topicsXdr.length, offset + 2 * HASH_LENGTH)
  for (const topic of topicsXdr) offset = writeXdr(bytes, topic, offset)
  return bytes.subarray(0, writeXdr(bytes, valueXdr, offset))
}

/** Writes what a text decodes to. */
function writeXdr(bytes: Buffer, xdr: string, at: number): number {
  const length = bytes.write(xdr, at + LENGTH_BYTES, 'base64')
  bytes.writeUInt32BE(length, at)
  return at + LENGTH_BYTES + length
}

/** The root over a number of events, that is computed event by event. */
export interface EventsRoot {
  add(leaf: Hash): void
  readonly events: number
  /** Zeros when there were no events. */
  root(): Hash
}

export function createEventsRoot(): EventsRoot {
  // The hashes of an edge, changed in place: a page has thousands of leaves.
  const hashes: Hash[] = []
  let size = 0
  return {
    add(leaf) {
      let hashed = leaf
      for (let index = size; index % 2 === 1; index = (index - 1) / 2) hashed = hashNode(hashes.pop() ?? ZERO_HASH, hashed)
      hashes.push(hashed)
      size += 1
    },
    get events() {
      return size
    },
    root: () => (size === 0 ? ZERO_HASH : edgeRoot({ size, hashes })),
  }
}

/** The events that an index reads: those of its contracts, and the transfers of its token that concern them. */
export interface EventFilter {
  readonly contracts: Readonly<Record<string, string>>
  readonly passphrase: string
  /** The token whose transfers are read. */
  readonly token: string
}

/** The hash of a filter: SHA-256 of its JSON with sorted keys and no spaces. */
export function filterHash({ contracts, passphrase, token }: EventFilter): Hash {
  const sorted = Object.fromEntries(Object.entries(contracts).sort(([a], [b]) => (a < b ? -1 : 1)))
  return sha256(Buffer.from(JSON.stringify({ contracts: sorted, passphrase, token })))
}
