import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { fc, fuzzRuns } from '../../test/support/fuzz.ts'
import { bytesOfText, isDisplayable, textOfBytes } from './text.ts'

const TEXTS: readonly (readonly [what: string, bytes: readonly number[] | string, text: string])[] = [
  ['plain text', 'North star', 'North star'],
  ['text in other scripts', 'Ünïcødé 名前 🌟', 'Ünïcødé 名前 🌟'],
  ['nothing', '', ''],
  ['control and bidirectional characters', 'a\u001b[2J\u202eb', 'a\u001b[2J\u202eb'],
  ['a byte order mark at the start', [0xef, 0xbb, 0xbf, 0x61], '\\xef\\xbb\\xbfa'],
  ['a byte order mark elsewhere', [0x61, 0xef, 0xbb, 0xbf], 'a\ufeff'],
  ['a zero byte', [0x61, 0, 0x62], 'a\\x00b'],
  ['a lone high surrogate', [0x61, 0xed, 0xa0, 0x80], 'a\\xed\\xa0\\x80'],
  ['a byte that is no UTF-8', [0xff, 0x61, 0xfe], '\\xffa\\xfe'],
  ['a truncated sequence', [0x61, 0xe5, 0x90], 'a\\xe5\\x90'],
  ['an overlong sequence', [0xc0, 0x80], '\\xc0\\x80'],
  ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80], '\\xf4\\x90\\x80\\x80'],
  ['a valid sequence after an invalid byte', [0xe5, 0xc3, 0xa4], '\\xe5ä'],
  ['text that looks like an escape', 'a\\x00b', 'a\\x5cx00b'],
  ['other backslashes', 'C:\\x\\xZZ\\x4A\\', 'C:\\x\\xZZ\\x4A\\'],
  ['a backslash before an invalid byte', [0x5c, 0xff], '\\\\xff'],
  ['half an escape before an invalid byte', [0x5c, 0x78, 0x34, 0xff], '\\x4\\xff'],
]

for (const [what, bytes, text] of TEXTS) {
  test(`escapes only what cannot be stored, and reverses it: ${what}`, () => {
    const raw = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : Uint8Array.from(bytes)
    assert.equal(textOfBytes(raw), text)
    assert.deepEqual([...bytesOfText(text)], [...raw])
  })
}

test('property: any bytes survive, as well-formed text without a zero character', () => {
  const byte = fc.oneof(fc.nat(255), fc.constantFrom(0, 0x5c, 0x78, 0x30, 0x61, 0xed, 0xa0, 0x80, 0xf4, 0xc3, 0xef, 0xbb, 0xbf))
  fc.assert(fc.property(fc.array(byte, { maxLength: 40 }), (bytes) => {
    const text = textOfBytes(Uint8Array.from(bytes))
    assert.ok(text.isWellFormed() && !text.includes('\0'))
    assert.deepEqual([...bytesOfText(text)], bytes)
  }), { numRuns: fuzzRuns(2_000) })
})

test('accepts names in any script, with emoji and the joiners that a script needs', () => {
  const names = [
    'a', 'North star', 'Ünïcødé', '名前', '日本　語', 'حساب', 'می‌خواهم', 'क्ष', '🌟', '❤️', '👩‍🚀 fund', '1️⃣', '🇩🇪', 'C:\\x', '100 % (beta)', 'e\u0301te',
  ]
  for (const name of names) assert.ok(isDisplayable(name), JSON.stringify(name))
})

test('refuses names that hide, reorder or imitate text', () => {
  const names = {
    empty: '', 'a space': ' ', 'a leading space': ' a', 'a trailing no-break space': 'a\u00a0', 'a line break': 'a\nb', 'a zero character': 'a\0b',
    'an escape sequence': 'a\u001b[2Jb', 'a C1 control': 'a\u009b2Jb', 'a bidirectional override': 'a\u202eb', 'an isolate': 'a\u2066b', 'a mark': 'a\u200fb',
    'only zero-width characters': '\u200b\u200d', 'a zero-width space': 'a\u200bb', 'a joiner between Latin letters': 'a\u200db', 'a soft hyphen': 'a\u00adb',
    'a lone surrogate': 'a\ud800b', 'an unassigned character': 'a\u0378b', 'an unassigned emoji': 'a\u{1fbff}b', 'a private character': 'a\ue000b',
    'a noncharacter': 'a\uffffb', 'a tag': 'a\u{e0041}b', 'a line separator': 'a\u2028b', 'a blank glyph': '\u2800', 'a Hangul filler': 'a\u3164b',
    'a combining mark at the start': '\u0301a', 'a byte order mark': '\ufeffa', 'an escape': 'a\\x00b', 'a variation selector': 'a\ufe0fb',
  }
  for (const [what, name] of Object.entries(names)) assert.ok(!isDisplayable(name), what)
})
