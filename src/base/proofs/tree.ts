// The append-only Merkle tree of RFC 6962: roots, proofs, and appending with nothing but the right edge.

import { hash } from 'node:crypto'

/** 32 bytes. */
export type Hash = Uint8Array

const LEAF_PREFIX = 0
const NODE_PREFIX = 1
export const HASH_BYTES = 32
/** What a node is hashed from. */
const NODE_BYTES = Buffer.alloc(1 + 2 * HASH_BYTES, NODE_PREFIX)

/** SHA-256. */
export function sha256(bytes: Uint8Array): Hash {
  return hash('sha256', bytes, 'buffer')
}

/** The hash of a leaf, `SHA-256(0x00 || bytes)`. */
export function hashLeaf(bytes: Uint8Array): Hash {
  const prefixed = Buffer.allocUnsafe(bytes.length + 1)
  prefixed[0] = LEAF_PREFIX
  prefixed.set(bytes, 1)
  return sha256(prefixed)
}

/** The hash of a node, `SHA-256(0x01 || left || right)`. */
export function hashNode(left: Hash, right: Hash): Hash {
  NODE_BYTES.set(left, 1)
  NODE_BYTES.set(right, 1 + HASH_BYTES)
  return sha256(NODE_BYTES)
}

/** The root of a tree of these leaves. An empty one has the hash of nothing. */
export function rootOf(leaves: readonly Hash[]): Hash {
  return edgeRoot(leaves.reduce<Edge>((edge, leaf) => appendLeaf(edge, leaf), EMPTY_EDGE))
}

/** A complete subtree: the 2^level leaves from index * 2^level on. */
export interface TreeNode {
  readonly level: number
  readonly index: number
  readonly hash: Hash
}

/** The right edge of a tree: the roots of its largest complete subtrees, from left to right. It is all that appending needs. */
export interface Edge {
  readonly size: number
  readonly hashes: readonly Hash[]
}

export const EMPTY_EDGE: Edge = { size: 0, hashes: [] }

/** Appends a leaf. Calls `onComplete` for each subtree that the leaf completes. */
export function appendLeaf({ size, hashes }: Edge, leaf: Hash, onComplete?: (node: TreeNode) => void): Edge {
  const next = [...hashes]
  let hashed = leaf
  for (let level = 0, index = size; ; level++, index = (index - 1) / 2) {
    onComplete?.({ level, index, hash: hashed })
    const left = index % 2 === 0 ? undefined : next.pop()
    if (left === undefined) break
    hashed = hashNode(left, hashed)
  }
  next.push(hashed)
  return { size: size + 1, hashes: next }
}

/** The root of the tree that this edge ends. */
export function edgeRoot({ hashes }: Edge): Hash {
  const last = hashes.at(-1)
  if (last === undefined) return sha256(new Uint8Array(0))
  return hashes.slice(0, -1).reduceRight((right, left) => hashNode(left, right), last)
}

/** Reads the hash of a complete subtree. */
export type NodeReader = (level: number, index: number) => Promise<Hash>

/** The root of the tree of the first `size` leaves. */
export async function treeRoot(size: number, read: NodeReader): Promise<Hash> {
  return size === 0 ? edgeRoot(EMPTY_EDGE) : await rangeHash(0, size, read)
}

/** The audit path of leaf `index` in the tree of the first `size` leaves (RFC 6962, 2.1.1). */
export async function inclusionProof(index: number, size: number, read: NodeReader): Promise<Hash[]> {
  const path: Hash[] = []
  for (let from = 0, to = size; to - from > 1;) {
    const middle = from + splitOf(to - from)
    const isLeft = index < middle
    path.push(isLeft ? await rangeHash(middle, to, read) : await rangeHash(from, middle, read))
    if (isLeft) to = middle
    else from = middle
  }
  return path.reverse()
}

/** The proof that the tree of the first `first` leaves begins the tree of the first `second` ones (RFC 6962, 2.1.2). Empty for equal and empty trees. */
export async function consistencyProof(first: number, second: number, read: NodeReader): Promise<Hash[]> {
  if (first === 0 || first === second) return []
  const path: Hash[] = []
  let from = 0
  let to = second
  // `first` is in (from, to].
  while (first !== to) {
    const middle = from + splitOf(to - from)
    if (first <= middle) {
      path.push(await rangeHash(middle, to, read))
      to = middle
    } else {
      path.push(await rangeHash(from, middle, read))
      from = middle
    }
  }
  // The first tree's own root is known to the verifier, when it is a whole subtree.
  if (from !== 0) path.push(await rangeHash(from, to, read))
  return path.reverse()
}

/** The hash of the subtree of RFC 6962 over the leaves from `from` up to `to`, exclusive. */
async function rangeHash(from: number, to: number, read: NodeReader): Promise<Hash> {
  const size = to - from
  const level = Math.log2(size)
  if (Number.isInteger(level)) return await read(level, from / size)
  const middle = from + splitOf(size)
  const left = await rangeHash(from, middle, read)
  return hashNode(left, await rangeHash(middle, to, read))
}

/** The largest power of two below a size of at least two. */
function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}
