// findImports reports every import and nothing that only resembles one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../support/fuzz.ts'
import { findImports } from './imports.ts'
import { tokenize } from './syntax.ts'

/** Code without imports that closely resembles imports. */
const LOOKALIKES = [
  "// import { a } from './no.ts'",
  "/* export * from './no.ts'\n   import './no.ts' */",
  "const a = 'import \\'./no.ts\\''",
  'const b = "export * from \'./no.ts\'"',
  'const c = `import(\'./no.ts\') ${a + `${"import(\'./no.ts\')"}`} // ${b}`',
  "const d = /import\\('\\.\\/no\\.ts'\\)[/']/.test(a)",
  'const e = 1 / 2 / 3 // a quotient',
  'const f = (1 + 2) / 3',
  'const g = [1][0] / 2',
  'if (a) { e++ }',
  "const h = { import: './no.ts', export: './no.ts', from: './no.ts', require: './no.ts' }",
  "h.import('./no.ts')",
  'const i = import.meta.url',
  'export { a, b as c }',
  'export type { D, E }',
  'export type Text = `from ${string}` | \'./no.ts\'',
  "export const from = './no.ts'",
  "function require(name: string): string { return name + './no.ts' }",
  "new URL('./folder/', import.meta.url)",
  "import type = './no.ts'",
]

const IMPORTS: readonly (readonly [source: (name: string) => string, form: string])[] = [
  [(name) => `import { a } from '${name}'`, 'static'],
  [(name) => `import a, { type B } from "${name}"`, 'static'],
  [(name) => `import { a } /* from './no.ts' */ from\n  '${name}'`, 'static'],
  [(name) => `import json from '${name}' with { type: 'json' }`, 'static'],
  [(name) => `import type { A } from '${name}'`, 'type'],
  [(name) => `import type A from '${name}'`, 'type'],
  [(name) => `import type from '${name}'`, 'static'],
  [(name) => `import { type A, type B as C } from '${name}'`, 'type'],
  [(name) => `import { type A, b } from '${name}'`, 'static'],
  [(name) => `import {} from '${name}'`, 'static'],
  [(name) => `import '${name}'`, 'side-effect'],
  [(name) => `export { a } from '${name}'`, 're-export'],
  [(name) => `export * as b from '${name}'`, 're-export'],
  [(name) => `export type { A } from '${name}'`, 'type re-export'],
  [(name) => `export type * from '${name}'`, 'type re-export'],
  [(name) => `const x = await import('${name}', { with: { type: 'json' } })`, 'dynamic'],
  [(name) => `const x = \`before \${(await import(\`${name}\`)).a} after\``, 'dynamic'],
  [(name) => `type X = typeof import('${name}')`, 'type'],
  [(name) => `const x = require('${name}')`, 'require'],
  [(name) => `new Worker(new URL('${name}', import.meta.url))`, 'url'],
]

test('finds all imports with their forms, in order, among code that resembles imports', () => {
  const piece = fc.oneof(
    fc.constantFrom(...LOOKALIKES).map((source) => ({ source, expected: null })),
    fc.tuple(fc.constantFrom(...IMPORTS), fc.stringMatching(/^[a-z]{1,8}$/)).map(([[source, form], name]) => {
      const specifier = `./${name}.ts`
      return { source: source(specifier), expected: { specifier, form } }
    }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom('\n', ';\n', '\n\n// a comment\n'), (pieces, separator) => {
      const found = findImports(pieces.map(({ source }) => source).join(separator))
      const expected = pieces.flatMap(({ expected: one }) => (one === null ? [] : [one]))
      assert.deepEqual(found.map(({ specifier, form }) => ({ specifier, form })), expected)
    }),
  )
})

test('the joined tokens equal the source, and each token has its line', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...LOOKALIKES), { maxLength: 12 }), (pieces) => {
      const source = pieces.join('\n')
      const tokens = tokenize(source)
      assert.equal(tokens.map(({ text }) => text).join('').replaceAll(/\s/g, ''), source.replaceAll(/\s/g, ''))
      const lines = source.split('\n')
      for (const token of tokens) assert.ok(lines[token.line - 1]?.includes(token.text.split('\n')[0] ?? ''), token.text)
    }),
  )
})
