// Tiles of the log (C2SP tlog-tiles, height 8): 256 hashes or records each, under a path that names level, number and width.

import { HASH_BYTES, hashNode } from './tree.ts'
import type { Hash, NodeReader } from './tree.ts'

/** Levels of the tree in one tile. */
export const TILE_HEIGHT = 8
/** Hashes or records in a full tile. */
export const TILE_WIDTH = 256
/** The highest level of tiles that a path may name. */
const LEVEL_MAX = 63
const GROUP = 1_000
const GROUP_DIGITS = 3

/** A tile as its path names it. */
export interface Tile {
  /** `entries`: the records themselves. */
  readonly level: number | 'entries'
  readonly index: number
  readonly width: number
}

/** The path of a tile's number, in groups of three digits: `x001/x234/067`. */
function tileNumber(index: number): string {
  const groups: string[] = []
  for (let rest = index; ; rest = Math.floor(rest / GROUP)) {
    groups.unshift(`${groups.length === 0 ? '' : 'x'}${String(rest % GROUP).padStart(GROUP_DIGITS, '0')}`)
    if (rest < GROUP) return groups.join('/')
  }
}

/** The path of a tile, after `/tile/`. */
export function tilePath({ level, index, width }: Tile): string {
  return `${level}/${tileNumber(index)}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

/** Reads a path as `tilePath` writes it; undefined for any other form. */
export function parseTilePath(path: string): Tile | undefined {
  const match = /^(entries|\d{1,2})\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path)
  const [, level = '', number = '', partial] = match ?? []
  if (match === null) return undefined
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level), index: Number(number.replaceAll(/[x/]/g, '')),
    width: partial === undefined ? TILE_WIDTH : Number(partial),
  }
  return tilePath(tile) === path && tile.width > 0 && (tile.level === 'entries' || tile.level <= LEVEL_MAX) ? tile : undefined
}

/** The number of hashes that a tile of this level and number has in a tree of this size: 0 when it does not exist yet. */
export function tileWidth(level: number | 'entries', index: number, size: number): number {
  const nodes = level === 'entries' ? size : Math.floor(size / TILE_WIDTH ** level)
  return Math.max(0, Math.min(TILE_WIDTH, nodes - index * TILE_WIDTH))
}

/** The bytes of a tile of records: each after its length. */
export function entriesTile(records: readonly Uint8Array[]): Buffer {
  return Buffer.concat(records.flatMap((record) => {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(record.length)
    return [length, record]
  }))
}

/** The bytes of a tile of hashes. */
export function hashTile(hashes: readonly Hash[]): Buffer {
  return Buffer.concat(hashes, hashes.length * HASH_BYTES)
}

/** Reads complete subtrees of a tree from its tiles of hashes. Reads each tile once. */
export function createNodeReader(readTile: (level: number, index: number) => Promise<readonly Hash[]>): NodeReader {
  const tiles = new Map<string, Promise<readonly Hash[]>>()
  return async (level, index) => {
    const tileLevel = Math.floor(level / TILE_HEIGHT)
    const width = 2 ** (level % TILE_HEIGHT)
    const first = index * width
    const tileIndex = Math.floor(first / TILE_WIDTH)
    const key = `${tileLevel}/${tileIndex}`
    const reading = tiles.get(key) ?? readTile(tileLevel, tileIndex)
    tiles.set(key, reading)
    const within = first % TILE_WIDTH
    return subtreeRoot((await reading).slice(within, within + width), width)
  }
}

function subtreeRoot(hashes: readonly Hash[], width: number): Hash {
  if (hashes.length !== width) throw new RangeError('the tile does not have these hashes yet')
  let row = hashes
  while (row.length > 1) {
    row = row.flatMap((left, index) => {
      const right = index % 2 === 0 ? row[index + 1] : undefined
      return right === undefined ? [] : [hashNode(left, right)]
    })
  }
  const [root] = row
  if (root === undefined) throw new RangeError('a subtree has at least one leaf')
  return root
}
