// The Merkle tree of RFC 6962 as a client checks it: hashes, the right edge of a growing tree, and proofs.

import { concat, isEqual } from '../bytes.ts'
import { sha256 } from '../platform.ts'

export type Hash = Uint8Array

const HASH_BYTES = 32
/** The root of no leaves, as records state it. */
export const ZERO_HASH: Hash = new Uint8Array(HASH_BYTES)
const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

export const hashLeaf = (bytes: Uint8Array): Promise<Hash> => sha256(concat(LEAF, bytes))
const hashNode = (left: Hash, right: Hash): Promise<Hash> => sha256(concat(NODE, left, right))

/** The right edge of a tree: the roots of its largest complete subtrees, from left to right. It is all that appending needs. */
export interface Edge {
  readonly size: number
  readonly hashes: readonly Hash[]
}

export const EMPTY_EDGE: Edge = { size: 0, hashes: [] }

export async function appendLeaf({ size, hashes }: Edge, leaf: Hash): Promise<Edge> {
  const next = [...hashes]
  let hashed = leaf
  for (let index = size; index % 2 === 1; index = (index - 1) / 2) {
    const left = next.pop()
    if (left !== undefined) hashed = await hashNode(left, hashed)
  }
  return { size: size + 1, hashes: [...next, hashed] }
}

/** The root of the tree that this edge ends. */
export async function edgeRoot({ hashes }: Edge): Promise<Hash> {
  const last = hashes.at(-1)
  if (last === undefined) return sha256(new Uint8Array())
  let root = last
  for (const left of [...hashes].reverse().slice(1)) root = await hashNode(left, root)
  return root
}

/** The root over these leaves; zeros when there are none, as in records. */
export async function eventsRoot(leaves: readonly Uint8Array[]): Promise<Hash> {
  let edge = EMPTY_EDGE
  for (const leaf of leaves) edge = await appendLeaf(edge, await hashLeaf(leaf))
  return edge.size === 0 ? ZERO_HASH : edgeRoot(edge)
}

interface Path {
  readonly index: number
  readonly size: number
  readonly hashes: readonly Hash[]
}

/** True if the path leads from a leaf's hash to the root (RFC 9162, 2.1.3.2). */
export async function isIncluded({ index, size, hashes }: Path, leaf: Hash, root: Hash): Promise<boolean> {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false
  let node = index
  let last = size - 1
  let hashed = leaf
  for (const sibling of hashes) {
    if (last === 0) return false
    const isRight = node % 2 === 1 || node === last
    hashed = isRight ? await hashNode(sibling, hashed) : await hashNode(hashed, sibling)
    for (; isRight && node % 2 === 0 && node !== 0; node /= 2) last = Math.floor(last / 2)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && isEqual(hashed, root)
}

interface Tree {
  readonly size: number
  readonly root: Hash
}

/** True if the hashes show that the first tree begins the second one (RFC 9162, 2.1.4.2). */
export async function isConsistent(first: Tree, second: Tree, hashes: readonly Hash[]): Promise<boolean> {
  if (first.size > second.size || first.size < 0) return false
  if (first.size === 0) return hashes.length === 0
  if (first.size === second.size) return hashes.length === 0 && isEqual(first.root, second.root)
  const [seed, ...others] = Number.isInteger(Math.log2(first.size)) ? [first.root, ...hashes] : hashes
  if (seed === undefined) return false
  let node = first.size - 1
  let last = second.size - 1
  for (; node % 2 === 1; node = (node - 1) / 2) last = Math.floor(last / 2)
  let [old, grown] = [seed, seed]
  for (const hashed of others) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      old = await hashNode(hashed, old)
      grown = await hashNode(hashed, grown)
      for (; node % 2 === 0 && node !== 0; node /= 2) last = Math.floor(last / 2)
    } else {
      grown = await hashNode(grown, hashed)
    }
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && isEqual(old, first.root) && isEqual(grown, second.root)
}
