// Words that read like a translation do not come back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plant, readTree, report } from './tree.ts'
import { checkWords } from './word-rules.ts'

const CAUGHT: readonly (readonly [path: string, source: string])[] = [
  ['src/base/x.ts', '// Whoever waits.\n'],
  ['src/base/x.ts', "throw new Error('the client was told twice')\n"],
  ['src/base/x.ts', 'const text = `Mend the ${thing}`\n'],
  ['src/base/x.ts', 'const toldIds = new Set()\n'],
  ['src/base/x.ts', 'function createLanes() {}\n'],
  ['src/store/x.sql', '-- computed anew\n'],
  ['docs/a.md', '# A\n\nThe indexer goes on.\n'],
  ['README.md', '# R\n\nThe request was made in vain.\n'],
  ['console/x.tsx', "const a = <p>Don't: <b>meanwhile the price moved</b> {b}.</p>\n"],
  ['console/index.html', '<p>Meanwhile the price moved.</p>\n'],
]
const PASSED: readonly (readonly [path: string, source: string])[] = [
  ['src/base/x.ts', "// Reports what the node returned.\nconst standing = 'ok'\nconst totalled = 1\n"],
  ['docs/a.md', '# A\n\nThe indexer continues. An order that stands out is going on the list.\n'],
  ['localnet/ledger/queue.ts', 'const lane = 1\n'],
]

test('planted words are reported', () => {
  for (const [path, source] of CAUGHT) {
    const found = checkWords(plant({ [path]: source }))
    assert.equal(found.length, 1, `${path}: ${source}\n${report(found)}`)
  }
})

test('correct uses pass', () => {
  for (const [path, source] of PASSED) assert.equal(report(checkWords(plant({ [path]: source }))), '', `${path}: ${source}`)
})

test('the project is free of them', () => {
  const violations = checkWords(readTree())
  assert.equal(violations.length, 0, `\n${report(violations)}`)
})
