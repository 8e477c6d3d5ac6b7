import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMutations } from './find-mutations.ts'

/** The source text with each of its mutations planted. */
function mutants(source: string): string[] {
  return findMutations(source).map(({ start, end, text }) => source.slice(0, start) + text + source.slice(end))
}

test('plants the opposite and the neighbouring bound of a comparison', () => {
  assert.deepEqual(mutants('const a = b < c'), ['const a = b >= c', 'const a = b <= c'])
  assert.deepEqual(mutants('const a = b === c'), ['const a = b !== c'])
})

test('plants the other arithmetic operation, but joins texts as they are', () => {
  assert.deepEqual(mutants('const a = b * 2n'), ['const a = b / 2n'])
  assert.deepEqual(mutants("const a = 'x' + b"), [])
  assert.deepEqual(mutants('const a = Math.min(b, c)'), ['const a = Math.max(b, c)'])
})

test('plants the opposite condition', () => {
  assert.deepEqual(mutants('if (isOpen(a)) b = true'), ['if (!(isOpen(a))) b = true', 'if (isOpen(a)) b = false'])
  assert.deepEqual(mutants('if (!a) b = 1'), ['if (a) b = 1'])
})

test('removes a call whose result is not used, awaited or not, except log lines', () => {
  assert.deepEqual(mutants('notify(a)'), ['void 0'])
  assert.deepEqual(mutants('await write(a)'), ['void 0'])
  assert.deepEqual(mutants("log.warn('a')"), [])
})

test('changes conditions and order in SQL, also between substitutions, and leaves other texts alone', () => {
  assert.deepEqual(mutants("const a = 'select b from c where d > 1 order by e desc'"), [
    "const a = 'select b from c where d >= 1 order by e desc'", "const a = 'select b from c where d > 1 order by e asc'",
  ])
  assert.deepEqual(mutants('const a = `select b from ${c} where d and e`'), ['const a = `select b from ${c} where d or e`'])
  assert.deepEqual(mutants("const a = 'more than one and less than three'"), [])
})

test('leaves types and imports alone', () => {
  assert.deepEqual(mutants("import { a } from 'b'\ntype C = true | false\n"), [])
})
