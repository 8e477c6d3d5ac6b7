// A module is changed in one place only: that its memory is shared.

import { strict as assert } from 'node:assert'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import test from 'node:test'
import { importSharedMemory } from './interruptible.ts'

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const name = (text: string): number[] => [text.length, ...Buffer.from(text)]
const section = (id: number, content: readonly number[]): number[] => [id, content.length, ...content]
const imports = (...entries: readonly number[][]): number[] => section(2, [entries.length, ...entries.flat()])
const FUNCTION = [...name('env'), ...name('f'), 0, 5]
const TABLE = [...name('env'), ...name('t'), 1, 0x70, 1, 3, 9]
const GLOBAL = [...name('env'), ...name('g'), 3, 0x7f, 0]
const TAG = [...name('env'), ...name('e'), 4, 0, 1]
const memory = (...limits: number[]): number[] => [...name('env'), ...name('memory'), 2, ...limits]
const REST = section(10, [0])

const changed = (module: readonly number[]): number[] => [...importSharedMemory(Uint8Array.from(module))]

test('imported memory becomes shared, wherever it stands among the imports, and all else stays', () => {
  const types = section(1, [0])
  const before = [...HEADER, ...types, ...imports(FUNCTION, TABLE, GLOBAL, TAG, memory(1, 2, 3), FUNCTION), ...REST]
  assert.deepEqual(changed(before), [...HEADER, ...types, ...imports(FUNCTION, TABLE, GLOBAL, TAG, memory(3, 2, 3), FUNCTION), ...REST])
})

test('memory without a maximum gets the largest there is, as shared memory must have one', () => {
  const before = [...HEADER, ...imports(memory(0, 0x80, 0x10)), ...REST]
  assert.deepEqual(changed(before), [...HEADER, ...imports(memory(3, 0x80, 0x10, 0x80, 0x80, 4)), ...REST])
})

test('a module in which nothing can be shared is refused, not guessed at', () => {
  for (const [module, message] of [
    [[...HEADER, ...REST], /imports nothing/],
    [[...HEADER, ...imports(FUNCTION), ...REST], /imports no memory/],
    [[...HEADER, ...imports(memory(3, 1, 2)), ...REST], /unexpected kind 3/],
    [[...HEADER, ...imports([...name('env'), ...name('x'), 9, 0]), ...REST], /unknown kind 9/],
  ] as const) {
    assert.throws(() => changed(module), message)
  }
})

test('the engine of this version is one that can be changed, and is still a module', async () => {
  const engine = await readFile(fileURLToPath(import.meta.resolve('@electric-sql/pglite/pglite.wasm')))
  const shared = importSharedMemory(engine)
  const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: { validate(bytes: Uint8Array): boolean } }
  assert.ok(wasm.validate(shared))
  assert.notDeepEqual(Buffer.from(shared), engine)
})
