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
  const state = new Uint32Array([digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), digest.readUInt32LE(12) | 1])

  function next(): number {
    const [a, b, c, d] = state as unknown as [number, number, number, number]
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    const c1 = c ^ a
    const d1 = d ^ b
    state[1] = b ^ c1
    state[0] = a ^ d1
    state[2] = c1 ^ shifted
    state[3] = rotateLeft(d1, 11)
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
