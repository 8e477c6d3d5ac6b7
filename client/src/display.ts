// Text for people. Anyone can choose the names of vaults and referral codes, and the gateway serves what the chain holds, control characters included.

/** Control, format, private, unassigned and surrogate characters, line separators, and characters without a glyph. */
const HIDDEN = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`
const EMOJI = String.raw`(?!\p{C})\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?`
const JOINING_SCRIPTS = ['Arabic', 'Bengali', 'Devanagari', 'Gujarati', 'Kannada', 'Malayalam', 'Sinhala']
const JOINING = `[${JOINING_SCRIPTS.map((script) => String.raw`\p{Script=${script}}`).join('')}]`
/** Hidden characters that a script or an emoji needs. */
const LEGITIMATE = String.raw`${EMOJI}(?:\u200d${EMOJI})*|[0-9#*]\ufe0f\u20e3|(?<=${JOINING})[\u200c\u200d](?=${JOINING})`

const HIDDEN_CHARACTER = new RegExp(`(${LEGITIMATE})|${HIDDEN}`, 'gu')
const UNSAFE_IN_OUTPUT = new RegExp(String.raw`(?!\n)${HIDDEN}`, 'gu')

/** Text from the chain with its hidden characters visible: `\u{202e}`. Use it wherever a name is displayed, beside `<bdi>` in a web page. */
export function displayText(text: string): string {
  return text.replaceAll(HIDDEN_CHARACTER, (found, legitimate: string | undefined) => legitimate ?? `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`)
}

/** Lines of text or JSON with every hidden character except line breaks as `\u202e`, which JSON reads as the same character. */
export function escapeHidden(text: string): string {
  return text.replaceAll(UNSAFE_IN_OUTPUT, (found) => found.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''))
}

/** The bytes of a name on the chain: the gateway serves those that are no text as `\xff`. */
export function bytesOfName(name: string): Uint8Array {
  const encoder = new TextEncoder()
  const bytes: number[] = []
  let start = 0
  for (const { 0: escape, 1: hex = '', index } of name.matchAll(/\\x([0-9a-f]{2})/g)) {
    bytes.push(...encoder.encode(name.slice(start, index)), Number.parseInt(hex, 16))
    start = index + escape.length
  }
  return Uint8Array.of(...bytes, ...encoder.encode(name.slice(start)))
}
