// A small reader of TypeScript's tokens: enough to tell code from comments and strings. The compiler offers no interface for this.

export type TokenKind = 'word' | 'string' | 'template' | 'number' | 'regex' | 'punctuation' | 'comment'

export interface Token {
  readonly kind: TokenKind
  /** As written. */
  readonly text: string
  /** The content of a string, or of a template without substitutions; null for everything else, templates with substitutions included. */
  readonly value: string | null
  /** From 1. */
  readonly line: number
  /** The line on which the token ends. */
  readonly endLine: number
}

/** Raised for text that this reader cannot follow: better loud than blind. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource'
}

/** Words after which a slash begins a regular expression, not a division. */
const BEFORE_REGEX: ReadonlySet<string> = new Set([
  'return', 'typeof', 'case', 'in', 'of', 'delete', 'void', 'throw', 'new', 'instanceof', 'yield', 'await', 'do', 'else',
])
const LONG_PUNCTUATION = ['=>', '...', '?.', '??', '&&', '||', '**', '==', '!=', '<=', '>=', '++', '--', '+=', '-=', '*=', '/=']

/** All tokens of a source text in order, comments among them. Throws UnreadableSource. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  // Open braces: true where a template's substitution began, so that its closing brace takes the template up again.
  const braces: boolean[] = []
  let line = 1
  let at = 0

  function push(kind: TokenKind, text: string, value: string | null): void {
    const newlines = countNewlines(text)
    tokens.push({ kind, text, value, line, endLine: line + newlines })
    line += newlines
    at += text.length
  }

  function pushTemplate(): void {
    const piece = readTemplate(source, at)
    push('template', piece.text, piece.whole ? piece.text.slice(1, -1) : null)
    if (piece.opensSubstitution) braces.push(true)
  }

  while (at < source.length) {
    const char = source[at] as string
    if (char === '\n') line += 1
    if (/\s/.test(char)) {
      at += 1
    } else if (char === '#' && at === 0 && source[1] === '!') {
      push('comment', match(source, at, /#![^\n]*/y), null)
    } else if (source.startsWith('//', at)) {
      push('comment', match(source, at, /\/\/[^\n]*/y), null)
    } else if (source.startsWith('/*', at)) {
      push('comment', match(source, at, /\/\*[^]*?\*\//y), null)
    } else if (char === '"' || char === "'") {
      const text = match(source, at, char === '"' ? /"(?:[^"\\\n]|\\[^])*"/y : /'(?:[^'\\\n]|\\[^])*'/y)
      push('string', text, unescape(text.slice(1, -1)))
    } else if (char === '`' || (char === '}' && braces.at(-1) === true)) {
      if (char === '}') braces.pop()
      pushTemplate()
    } else if (char === '/' && regexMayStart(tokens)) {
      push('regex', match(source, at, /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y), null)
    } else if (/[\p{ID_Start}$_#@\\]/u.test(char)) {
      push('word', match(source, at, /[#@]?[\p{ID_Continue}$_\\]*/uy), null)
    } else if (/[0-9]/.test(char)) {
      push('number', match(source, at, /[0-9][\w.]*/y), null)
    } else {
      const long = LONG_PUNCTUATION.find((text) => source.startsWith(text, at))
      if (char === '{') braces.push(false)
      if (char === '}') braces.pop()
      push('punctuation', long ?? char, null)
    }
  }
  return tokens
}

/** The tokens without comments. */
export function codeTokens(source: string): Token[] {
  return tokenize(source).filter((token) => token.kind !== 'comment')
}

/** True when the texts of the tokens from `index` on are exactly these. */
export function startsWithTexts(tokens: readonly Token[], index: number, texts: readonly string[]): boolean {
  return texts.every((text, offset) => tokens[index + offset]?.text === text)
}

interface TemplatePiece {
  readonly text: string
  /** The template has no substitution: this piece is all of it. */
  readonly whole: boolean
  readonly opensSubstitution: boolean
}

function readTemplate(source: string, from: number): TemplatePiece {
  const text = match(source, from, /[`}](?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y)
  const opensSubstitution = text.endsWith('${')
  return { text, whole: text.startsWith('`') && !opensSubstitution, opensSubstitution }
}

function regexMayStart(tokens: readonly Token[]): boolean {
  const last = tokens.findLast((token) => token.kind !== 'comment')
  if (last === undefined) return true
  if (last.kind === 'word') return BEFORE_REGEX.has(last.text)
  if (last.kind === 'template') return last.text.endsWith('${')
  return last.kind === 'punctuation' && last.text !== ')' && last.text !== ']' && last.text !== '++' && last.text !== '--'
}

function match(source: string, at: number, pattern: RegExp): string {
  pattern.lastIndex = at
  const text = pattern.exec(source)?.[0]
  if (text === undefined || text === '') {
    const line = countNewlines(source.slice(0, at)) + 1
    throw new UnreadableSource(`cannot read the token that begins on line ${line}: ${source.slice(at, at + 40)}`)
  }
  return text
}

function unescape(text: string): string {
  return text.replace(/\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^]))/g, (_whole, long, short, byte, other) => {
    const hex: string | undefined = long ?? short ?? byte
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    return other === '\n' ? '' : String(other)
  })
}

function countNewlines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
