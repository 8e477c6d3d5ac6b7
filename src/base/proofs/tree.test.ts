import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyConsistency, verifyInclusion } from '../../../test/support/log-verifier.ts'
import { createNodeReader, TILE_WIDTH } from './tiles.ts'
import { appendLeaf, consistencyProof, edgeRoot, EMPTY_EDGE, hashLeaf, inclusionProof, rootOf, treeRoot } from './tree.ts'
import type { Edge, Hash, NodeReader, TreeNode } from './tree.ts'

/** The inputs and answers of the reference implementation of RFC 6962. */
const INPUTS = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125', 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7', '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef', 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const LEAVES = INPUTS.map((input) => hashLeaf(Buffer.from(input, 'hex')))

function hex(hashes: readonly Hash[]): string[] {
  return hashes.map((each) => Buffer.from(each).toString('hex'))
}

/** Reads from the leaves of a tree. */
function readerOf(leaves: readonly Hash[]): NodeReader {
  return async (level, index) => rootOf(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level))
}

function numbered(count: number): Hash[] {
  return Array.from({ length: count }, (_, index) => hashLeaf(Buffer.from(`leaf ${index}`)))
}

test('has the roots of RFC 6962 for the known inputs', async () => {
  for (const [size, root] of ROOTS.entries()) {
    const leaves = LEAVES.slice(0, size)
    assert.deepEqual(hex([rootOf(leaves), await treeRoot(size, readerOf(leaves))]), [root, root], `${size} leaves`)
  }
})

test('has the audit paths of RFC 6962 for the known inputs', async () => {
  assert.deepEqual(hex(await inclusionProof(0, 8, readerOf(LEAVES))), [
    '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7', '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  ])
  assert.deepEqual(hex(await inclusionProof(5, 8, readerOf(LEAVES))), [
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b', 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  ])
})

test('has the consistency proofs of RFC 6962 for the known inputs', async () => {
  assert.deepEqual(hex(await consistencyProof(6, 8, readerOf(LEAVES))), [
    '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a', 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  ])
  assert.deepEqual(await consistencyProof(0, 8, readerOf(LEAVES)), [])
  assert.deepEqual(await consistencyProof(8, 8, readerOf(LEAVES)), [])
})

test('every proof of every tree up to 20 leaves verifies, and no proof with an altered bit does', async () => {
  const leaves = numbered(20)
  for (let size = 1; size <= leaves.length; size++) {
    const root = rootOf(leaves.slice(0, size))
    for (let other = 0; other < size; other++) {
      const leaf = leaves[other] ?? assert.fail()
      const inclusion = { index: other, size, path: await inclusionProof(other, size, readerOf(leaves)) }
      assert.ok(verifyInclusion(inclusion, leaf, root), `inclusion of ${other} in ${size}`)
      for (const path of altered(inclusion.path)) assert.ok(!verifyInclusion({ ...inclusion, path }, leaf, root))
      const first = other + 1
      const firstRoot = rootOf(leaves.slice(0, first))
      const consistency = { first, second: size, path: await consistencyProof(first, size, readerOf(leaves)) }
      assert.ok(verifyConsistency(consistency, firstRoot, root), `consistency of ${first} and ${size}`)
      for (const path of altered(consistency.path)) assert.ok(!verifyConsistency({ ...consistency, path }, firstRoot, root))
    }
  }
})

function altered(path: readonly Hash[]): readonly (readonly Hash[])[] {
  const changed = path.map((_, at) => path.map((each, index) => (index === at ? each.map((byte, position) => (position === 0 ? byte ^ 1 : byte)) : each)))
  return path.length === 0 ? [] : [...changed, path.slice(1), [...path, hashLeaf(Buffer.from('more'))]]
}

test('appending with the right edge alone completes the nodes of the tree, and tiles give its proofs back', async () => {
  const leaves = numbered(700)
  const tiles = new Map<number, Hash[]>()
  const keep = ({ level, hash }: TreeNode): void => {
    if (level % 8 === 0) tiles.set(level / 8, [...tiles.get(level / 8) ?? [], hash])
  }
  let edge: Edge = EMPTY_EDGE
  for (const [index, leaf] of leaves.entries()) {
    edge = appendLeaf(edge, leaf, keep)
    if (index % 97 === 0) assert.deepEqual(edgeRoot(edge), rootOf(leaves.slice(0, index + 1)))
  }
  assert.equal(tiles.get(1)?.length, 2)
  const reader = createNodeReader(async (level, index) => (tiles.get(level) ?? []).slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH))
  assert.deepEqual(await treeRoot(700, reader), edgeRoot(edge))
  const path = await inclusionProof(300, 700, reader)
  assert.ok(verifyInclusion({ index: 300, size: 700, path }, leaves[300] ?? assert.fail(), edgeRoot(edge)))
  await assert.rejects(reader(0, 700), RangeError)
})
