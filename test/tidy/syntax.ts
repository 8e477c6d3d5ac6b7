// TypeScript sources as the installed compiler reads them: syntax trees for what has structure, tokens for what has none. TypeScript 7 has no programming
// interface yet, so the tidy rules use TypeScript 5, which is installed as `typescript5`.

import ts from 'typescript5'

type TokenKind = 'word' | 'string' | 'template' | 'number' | 'regex' | 'punctuation' | 'comment'

export interface Token {
  readonly kind: TokenKind
  /** The source text of the token. */
  readonly text: string
  /** The content of a string, or of a template without substitutions; null for every other token. */
  readonly value: string | null
  /** From 1. */
  readonly line: number
}

/** The same texts are read by several rules: parsing them once halves the time of the tidy tests. */
const parsed = new Map<string, ts.SourceFile>()
const scanned = new Map<string, Token[]>()

/** The syntax tree of a source text, with parent links. A text that is valid only with JSX is read as such: a rule knows no more of a file than its text. */
export function parse(source: string): ts.SourceFile {
  const known = parsed.get(source)
  if (known !== undefined) return known
  const plain = parseAs('source.ts', source)
  const file = errorCount(plain) > 0 && errorCount(parseAs('source.tsx', source)) === 0 ? parseAs('source.tsx', source) : plain
  parsed.set(source, file)
  return file
}

function parseAs(name: string, source: string): ts.SourceFile {
  return ts.createSourceFile(name, source, ts.ScriptTarget.ES2024, true)
}

/** Syntax errors; the compiler's declarations leave this member out. */
function errorCount(file: ts.SourceFile): number {
  return (file as unknown as { readonly parseDiagnostics: readonly unknown[] }).parseDiagnostics.length
}

/** The line of a position in a syntax tree, from 1. */
export function lineAt(file: ts.SourceFile, position: number): number {
  return file.getLineAndCharacterOfPosition(position).line + 1
}

/** Calls `visit` for a node and everything below it, in source order. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}

/** All tokens of a source text in order, comments included. */
export function tokenize(source: string): readonly Token[] {
  const known = scanned.get(source)
  if (known !== undefined) return known
  const tokens = scan(source)
  scanned.set(source, tokens)
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

function scan(source: string): Token[] {
  const file = parse(source)
  const { regexes, substitutionEnds, jsxTexts } = ambiguousPositions(file)
  const scanner = ts.createScanner(ts.ScriptTarget.ES2024, false, ts.LanguageVariant.Standard, source)
  const tokens: Token[] = []
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    const jsxText = jsxTexts.get(scanner.getTokenFullStart())
    if (jsxText !== undefined) {
      const text = jsxText.text.trim()
      const start = jsxText.pos + jsxText.text.indexOf(text)
      if (text !== '') tokens.push({ kind: 'string', text, value: text, line: lineAt(file, start) })
      scanner.resetTokenState(jsxText.end)
      continue
    }
    // A scanner alone cannot distinguish a division from a regular expression, or the end of a block from the end of a substitution. The tree can.
    if (regexes.has(scanner.getTokenStart())) kind = scanner.reScanSlashToken()
    if (substitutionEnds.has(scanner.getTokenStart())) kind = scanner.reScanTemplateToken(false)
    const tokenKind = kindOf(kind)
    if (tokenKind === undefined) continue
    const hasValue = tokenKind === 'string' || kind === ts.SyntaxKind.NoSubstitutionTemplateLiteral
    tokens.push({
      kind: tokenKind,
      text: scanner.getTokenText(),
      value: hasValue ? scanner.getTokenValue() : null,
      line: lineAt(file, scanner.getTokenStart()),
    })
  }
  return tokens
}

interface AmbiguousPositions {
  readonly regexes: ReadonlySet<number>
  readonly substitutionEnds: ReadonlySet<number>
  /** The text between the tags of elements, by its start. */
  readonly jsxTexts: ReadonlyMap<number, ts.JsxText>
}

function ambiguousPositions(file: ts.SourceFile): AmbiguousPositions {
  const regexes = new Set<number>()
  const substitutionEnds = new Set<number>()
  const jsxTexts = new Map<number, ts.JsxText>()
  walk(file, (node) => {
    if (ts.isJsxText(node)) jsxTexts.set(node.pos, node)
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) regexes.add(node.getStart(file))
    if (node.kind === ts.SyntaxKind.TemplateMiddle || node.kind === ts.SyntaxKind.TemplateTail) substitutionEnds.add(node.getStart(file))
  })
  return { regexes, substitutionEnds, jsxTexts }
}

function kindOf(kind: ts.SyntaxKind): TokenKind | undefined {
  if (kind === ts.SyntaxKind.WhitespaceTrivia || kind === ts.SyntaxKind.NewLineTrivia) return undefined
  if (kind === ts.SyntaxKind.SingleLineCommentTrivia || kind === ts.SyntaxKind.MultiLineCommentTrivia || kind === ts.SyntaxKind.ShebangTrivia) return 'comment'
  if (kind === ts.SyntaxKind.StringLiteral) return 'string'
  if (kind >= ts.SyntaxKind.FirstTemplateToken && kind <= ts.SyntaxKind.LastTemplateToken) return 'template'
  if (kind === ts.SyntaxKind.NumericLiteral || kind === ts.SyntaxKind.BigIntLiteral) return 'number'
  if (kind === ts.SyntaxKind.RegularExpressionLiteral) return 'regex'
  if (kind === ts.SyntaxKind.Identifier || kind === ts.SyntaxKind.PrivateIdentifier) return 'word'
  return kind >= ts.SyntaxKind.FirstKeyword && kind <= ts.SyntaxKind.LastKeyword ? 'word' : 'punctuation'
}
