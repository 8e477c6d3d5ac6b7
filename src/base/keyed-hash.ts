// HalfSipHash-2-4 with 64 bits of output: a hash whose values nobody can predict without its key. In JavaScript it is several times as fast as calling into
// OpenSSL for a short text.

import { Buffer } from 'node:buffer'
import type { Random } from './random.ts'

/** Writes the two 32-bit halves of the hash of `text` into `target`. */
export type KeyedHash = (text: string, target: Uint32Array) => void

const KEY_BYTES = 8

/** A hash with a new random key. */
export function createKeyedHash(random: Pick<Random, 'bytes'>): KeyedHash {
  const key = Buffer.from(random.bytes(KEY_BYTES))
  return keyedHash(key.readUInt32LE(0), key.readUInt32LE(4))
}

/** Hashes the UTF-16 code units of a text, two per block of four bytes, and its length. */
function keyedHash(key0: number, key1: number): KeyedHash {
  let a = 0
  let b = 0
  let c = 0
  let d = 0

  function round(): void {
    a = (a + b) | 0
    b = ((b << 5) | (b >>> 27)) ^ a
    a = (a << 16) | (a >>> 16)
    c = (c + d) | 0
    d = ((d << 8) | (d >>> 24)) ^ c
    a = (a + d) | 0
    d = ((d << 7) | (d >>> 25)) ^ a
    c = (c + b) | 0
    b = ((b << 13) | (b >>> 19)) ^ c
    c = (c << 16) | (c >>> 16)
  }

  function absorb(block: number): void {
    d ^= block
    round()
    round()
    a ^= block
  }

  return (text, target) => {
    a = key0
    b = key1 ^ 0xee
    c = 0x6c796765 ^ key0
    d = 0x74656462 ^ key1
    const { length } = text
    // A missing last code unit reads as NaN, which the shift turns into 0; the length distinguishes such texts.
    for (let index = 0; index < length; index += 2) absorb(text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16))
    absorb(length)
    c ^= 0xee
    for (let count = 0; count < 4; count++) round()
    target[0] = b ^ d
    b ^= 0xdd
    for (let count = 0; count < 4; count++) round()
    target[1] = b ^ d
  }
}
