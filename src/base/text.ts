// Text from the chain. A contract string is any bytes, but JSON and PostgreSQL store only Unicode text, and PostgreSQL no zero byte. textOfBytes escapes the
// bytes that they cannot store; bytesOfText returns the original bytes (docs/decisions/names-are-bytes.md).

const ESCAPE = /\\x([0-9a-f]{2})/g
const BACKSLASH_BEFORE_ESCAPE = /\\(?=x[0-9a-f]{2})/g

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

const utf8 = new TextEncoder()
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The bytes as text. Valid UTF-8 is unchanged. A byte that is not part of valid UTF-8, a zero byte, a byte order mark at the start, and a backslash that
 * would otherwise begin an escape become `\x` with two lower-case hex digits for each byte. Different bytes give different texts.
 */
export function textOfBytes(bytes: Uint8Array): string {
  // Decoders drop a byte order mark at the start of a text, the embedded database's included.
  let text = BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? BYTE_ORDER_MARK.map(escapeByte).join('') : ''
  let start = text === '' ? 0 : BYTE_ORDER_MARK.length
  for (let end = start; end < bytes.length;) {
    const length = sequenceLength(bytes, end)
    if (length > 0) {
      end += length
      continue
    }
    text += escapeValid(bytes.subarray(start, end)) + escapeByte(bytes[end] ?? 0)
    end += 1
    start = end
  }
  return text + escapeValid(bytes.subarray(start))
}

/** The bytes of a text as textOfBytes returns it. */
export function bytesOfText(text: string): Uint8Array {
  if (!text.includes('\\x')) return utf8.encode(text)
  const parts: Uint8Array[] = []
  let start = 0
  for (const { 0: escape, 1: hex = '', index } of text.matchAll(ESCAPE)) {
    parts.push(utf8.encode(text.slice(start, index)), Uint8Array.of(Number.parseInt(hex, 16)))
    start = index + escape.length
  }
  return Buffer.concat([...parts, utf8.encode(text.slice(start))])
}

function escapeValid(bytes: Uint8Array): string {
  return strictUtf8.decode(bytes).replaceAll(BACKSLASH_BEFORE_ESCAPE, escapeByte(0x5c)).replaceAll('\0', escapeByte(0))
}

function escapeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`
}

/** Well-formed UTF-8 (Unicode Standard, table 3-7): the range of the first byte, that of the second byte, and the length. */
const UTF8_SEQUENCES: readonly (readonly [firstMin: number, firstMax: number, secondMin: number, secondMax: number, length: number])[] = [
  [0x00, 0x7f, 0, 0, 1], [0xc2, 0xdf, 0x80, 0xbf, 2], [0xe0, 0xe0, 0xa0, 0xbf, 3], [0xe1, 0xec, 0x80, 0xbf, 3], [0xed, 0xed, 0x80, 0x9f, 3],
  [0xee, 0xef, 0x80, 0xbf, 3], [0xf0, 0xf0, 0x90, 0xbf, 4], [0xf1, 0xf3, 0x80, 0xbf, 4], [0xf4, 0xf4, 0x80, 0x8f, 4],
]

/** The length of the valid UTF-8 sequence at `start`; 0 when there is none. */
function sequenceLength(bytes: Uint8Array, start: number): number {
  const first = bytes[start] ?? 0
  const [, , secondMin, secondMax, length] = UTF8_SEQUENCES.find(([min, max]) => first >= min && first <= max) ?? [0, 0, 0, 0, 0]
  const isBetween = (index: number, min: number, max: number): boolean => (bytes[start + index] ?? 0) >= min && (bytes[start + index] ?? 0) <= max
  if (length > 1 && !isBetween(1, secondMin, secondMax)) return 0
  for (let index = 2; index < length; index++) if (!isBetween(index, 0x80, 0xbf)) return 0
  return length
}

/** Control, format, private, unassigned and surrogate characters, line separators, and characters without a glyph. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u
const EMOJI = String.raw`(?!\p{C})\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?`
const JOINING_SCRIPTS = ['Arabic', 'Bengali', 'Devanagari', 'Gujarati', 'Kannada', 'Malayalam', 'Sinhala']
const JOINING = `[${JOINING_SCRIPTS.map((script) => String.raw`\p{Script=${script}}`).join('')}]`
/** Invisible characters that a script or an emoji needs: joiners between its letters, and variation selectors of emoji. */
const LEGITIMATE = new RegExp(String.raw`(?:${EMOJI})(?:\u200d${EMOJI})*|[0-9#*]\ufe0f\u20e3|(?<=${JOINING})[\u200c\u200d](?=${JOINING})`, 'gu')
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u
const SPACE_AT_AN_END = /^[\s\p{Z}]|[\s\p{Z}]$/u
const MARK_AT_THE_START = /^\p{M}/u

/**
 * True if a new name is fit for display: it has a visible character, no space at an end, nothing that is invisible or changes the direction or position of
 * other text, and nothing that reads as an escape of textOfBytes.
 */
export function isDisplayable(text: string): boolean {
  if (SPACE_AT_AN_END.test(text) || MARK_AT_THE_START.test(text) || !VISIBLE.test(text)) return false
  return text.search(ESCAPE) === -1 && !INVISIBLE.test(text.replaceAll(LEGITIMATE, ''))
}
