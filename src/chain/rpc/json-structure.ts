// Checks the structure of JSON text before it is parsed. A few megabytes of `[[[[` or `[],[],` take seconds and gigabytes to parse, but one cheap pass
// over the text to find: strings, which are nearly all of an honest response, are skipped by native code.

/** No response of a node has more levels than about six. */
const JSON_DEPTH_MAX = 16

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c

/**
 * The reason not to parse the text: too deep, or more than `maxValues` separators and brackets. Null when there is none. Finds no other errors; JSON.parse
 * reports those.
 */
export function findExcess(text: string, maxValues: number): string | null {
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      if (at === -1) return null
    } else if (isOpening(code)) {
      values++
      if (++depth > JSON_DEPTH_MAX) return `nested more than ${JSON_DEPTH_MAX} levels deep`
    } else if (isClosing(code)) {
      depth--
    } else if (code === COMMA || code === COLON) {
      values++
    }
    if (values > maxValues) return `more than ${maxValues} values`
  }
  return null
}

/** `[` and `{`. */
function isOpening(code: number): boolean {
  return code === 0x5b || code === 0x7b
}

/** `]` and `}`. */
function isClosing(code: number): boolean {
  return code === 0x5d || code === 0x7d
}

/** The position of the closing quote; -1 when there is none. Linear: no backslash is counted twice. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, quote: number): boolean {
  let first = quote
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (quote - first) % 2 === 1
}
