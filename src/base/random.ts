// The only source of randomness. A seed makes every draw repeatable.

import { createHash, randomBytes } from 'node:crypto'

export interface Random {
  /** A float in [0, 1). */
  float(): number
  /** An integer in [0, below). */
  integer(below: number): number
  /** `length` bytes. */
  bytes(length: number): Uint8Array
  /** An independent source with a name: draws from one source do not shift the draws of another. */
  fork(name: string): Random
}

/** The operating system's randomness, suitable for secrets. */
export function createSystemRandom(): Random {
  const random: Random = {
    float: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
    integer: (below) => Math.floor(random.float() * below),
    bytes: (length) => new Uint8Array(randomBytes(length)),
    fork: () => random,
  }
  return random
}

/** Repeatable randomness (xoshiro128** seeded by sha256). Never use it for secrets. */
export function createSeededRandom(seed: string): Random {
  const digest = createHash('sha256').update(seed).digest()
  // Variables, because drawing from an array takes five times as long.
  let a = digest.readInt32LE(0)
  let b = digest.readInt32LE(4)
  let c = digest.readInt32LE(8)
  let d = digest.readInt32LE(12) | 1

  function next(): number {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotateLeft(d, 11)
    return result
  }

  const random: Random = {
    float: () => (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53,
    integer: (below) => Math.floor(random.float() * below),
    bytes(length) {
      const bytes = new Uint8Array(length)
      for (let index = 0; index < length; index++) bytes[index] = next() & 0xff
      return bytes
    },
    fork: (name) => createSeededRandom(`${seed}/${name}`),
  }
  return random
}

function rotateLeft(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}
