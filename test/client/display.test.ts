// Names from the chain as the console and the command line show them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from '../../client/src/cli/run.ts'
import { bytesOfName, displayText, escapeHidden } from '../../client/src/display.ts'
import { textOfBytes } from '../../src/base/text.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'

const PRANK = 'a\u001b[2J\u202eb\u009b31m\u200bc\u2028d\n\u007f'

test('shows hidden characters and keeps those that a script or an emoji needs', () => {
  assert.equal(displayText(PRANK), 'a\\u{1b}[2J\\u{202e}b\\u{9b}31m\\u{200b}c\\u{2028}d\\u{a}\\u{7f}')
  assert.equal(displayText('a\u{e0041}\ud800\ufeff'), 'a\\u{e0041}\\u{d800}\\u{feff}')
  for (const name of ['North star', 'Ünïcødé 名前', 'می‌خواهم', '👩‍🚀 ❤️ 1️⃣', '100 %', 'a\\x00b']) assert.equal(displayText(name), name)
})

test('property: JSON stays the same value without its hidden characters', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => {
    const escaped = escapeHidden(JSON.stringify({ text }, null, 2))
    assert.deepEqual(JSON.parse(escaped), { text })
    assert.doesNotMatch(escaped.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u)
  }), { numRuns: fuzzRuns(500) })
})

test('property: returns the bytes of every name', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
    assert.deepEqual([...bytesOfName(textOfBytes(bytes))], [...bytes])
  }), { numRuns: fuzzRuns(500) })
})

test('the command line prints no hidden character of a response, as text or as JSON', async () => {
  const respond = (): Promise<Response> => Promise.resolve(Response.json({ vaults: [{ id: 0, name: PRANK }] }))
  const realFetch = globalThis.fetch
  globalThis.fetch = respond
  try {
    for (const flags of [[], ['--json']]) {
      let printed = ''
      const write = (text: string): void => void (printed += text)
      const code = await run(['call', 'listVaults', ...flags], {
        environment: {}, version: '0', clock: { nowMs: () => 0, later: () => () => {} }, signal: new AbortController().signal, isErrorTerminal: false,
        writeOut: write, writeError: write, readInput: () => Promise.resolve(''),
      })
      assert.equal(code, 0, printed)
      assert.doesNotMatch(printed.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u)
      assert.equal((JSON.parse(printed) as { vaults: [{ name: string }] }).vaults[0].name, PRANK)
    }
  } finally {
    globalThis.fetch = realFetch
  }
})
