import { strict as assert } from 'node:assert'
import test, { after } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { openTestStore } from '../../test/support/database.ts'
import { encodeBinaryArray } from './binary-arrays.ts'
import type { Element } from './binary-arrays.ts'
import { arrayOf, StatementFailed } from './store.ts'
import type { ArrayParam } from './store.ts'
import { encodeParam, encodeParams } from './values.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

/** The index of the element that the test's statement excludes. */
const EXCLUDED = 1

/** The database reads both forms of an array as the same elements. */
async function assertSame(type: string, elements: readonly Element[]): Promise<void> {
  const binary = encodeBinaryArray(type, elements)
  assert.ok(binary !== undefined, 'it has a binary form')
  const [row] = await store.read.query<{ same: boolean; length: number }>(
    `select $1::${type}[] is not distinct from $2::${type}[] as same, cardinality($1::${type}[]) as length`, [binary, encodeParam(elements)],
  )
  assert.deepEqual(row, { same: true, length: elements.length })
}

const TYPES: Readonly<Record<string, fc.Arbitrary<Element>>> = {
  bigint: fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n })),
  integer: fc.integer(),
  boolean: fc.boolean(),
  text: fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '{}', 'NULL', '', 'ÿ', 'a'.repeat(128), 'a'.repeat(70_000)))
    .map((text) => text.replaceAll('\0', '')),
  numeric: fc.oneof(fc.bigInt(), fc.bigInt().map(String), fc.maxSafeInteger(), fc.constantFrom('0', '-0', '0001', '10000', '-120000', (1n << 127n).toString()),
    fc.constantFrom(-0, 9_999, 10_000, -99_999_999, 100_000_000n, 999_999_999_999n, 10n ** 12n, Number.MAX_SAFE_INTEGER, 2n ** 53n)),
}

for (const [type, elements] of Object.entries(TYPES)) {
  test(`the database reads the binary form of ${type}[] like its text`, async () => {
    await fc.assert(fc.asyncProperty(fc.array(fc.option(elements), { minLength: 1, maxLength: 40 }), (array) => assertSame(type, array)))
  })
}

test('half of a surrogate pair is replaced, also where the next element begins with the other half', async () => {
  await assertSame('text', ['a\ud83d', '\ude00b', '😀'])
})

test('elements that the type may refuse, and other types, have no binary form', () => {
  const refused: Readonly<Record<string, readonly Element[]>> = {
    bigint: [1.5, 2 ** 53, 1n << 63n, '1', Number.NaN],
    integer: [2 ** 31, 1n, 0.5],
    boolean: ['true'],
    text: [1],
    numeric: ['1.5', 'NaN', '', 1e21, '9'.repeat(1001)],
    smallint: [1],
  }
  for (const [type, elements] of Object.entries(refused)) {
    for (const element of elements) assert.equal(encodeBinaryArray(type, [element, null]), undefined, `${type}: ${String(element)}`)
  }
  assert.equal(encodeBinaryArray('text', []), undefined)
})

test('long arrays of a named type are sent in their binary form, and arrive unchanged', async () => {
  const ids = Array.from({ length: 1000 }, (_, index) => index * 2 ** 33)
  const names = ids.map((id) => (id % 3 === 0 ? null : `name "${id}"`))
  const sql = `select count(*)::int as rows, sum(id) as sum, count(name)::int as named, max(name collate "C") as last
    from unnest($1::bigint[], $2::text[]) t (id, name) where id <> all($3)`
  const params = [arrayOf('bigint', ids), arrayOf('text', names), [ids[EXCLUDED] ?? null]]
  const [array, texts, plain] = encodeParams(params)
  assert.ok(array instanceof Uint8Array && texts instanceof Uint8Array)
  assert.equal(plain, `{${ids[EXCLUDED]}}`)
  const sum = ids.reduce((total, id, index) => (index === EXCLUDED ? total : total + BigInt(id)), 0n)
  const named = names.filter((name, index): name is string => name !== null && index !== EXCLUDED)
  assert.deepEqual(await store.read.query(sql, params), [
    { rows: 999, sum: String(sum), named: named.length, last: named.toSorted((a, b) => (a < b ? -1 : 1)).at(-1) },
  ])
})

test('the database refuses what it refuses in text', async () => {
  const numbers = Array.from({ length: 100 }, () => 1)
  const fails = (type: ArrayParam['type'], elements: Element[]) =>
    assert.rejects(store.read.query(`select $1::${type}[]`, [arrayOf(type, elements)]), StatementFailed)
  await fails('bigint', [...numbers, 1.5])
  await fails('integer', [...numbers, 2 ** 31])
  await fails('text', [...numbers.map(String), 'a\0b'])
})
