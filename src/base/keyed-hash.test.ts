import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyedHash } from './keyed-hash.ts'

/** The key of the algorithm's published vectors. */
const hash = createKeyedHash({ bytes: (count) => Uint8Array.from({ length: count }, (_byte, index) => index) })

function hashOf(text: string): string {
  const target = new Uint32Array(2)
  hash(text, target)
  return Buffer.from(target.buffer).toString('hex')
}

test('equals HalfSipHash-2-4 on an empty message, the only one that it encodes in the same way', () => {
  assert.equal(hashOf(''), '218d1f59b9b83cc8')
})

test('texts that differ in any code unit, in their order or in trailing zeros have different values', () => {
  const texts = ['', '\0', '\0\0', '\0\0\0', 'a', 'b', 'ab', 'ba', 'abc', 'abd', 'acb', 'abcd', 'ab\0', 'abc\0', '\u{1}', '\u0100', 'a\u0100', '\u0100a']
  assert.equal(new Set(texts.map(hashOf)).size, texts.length)
})
