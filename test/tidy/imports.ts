// Finds every way in which a file reaches for another one: whatever is written in code, and nothing that is written in comments or strings.

import { codeTokens, startsWithTexts, tokenize } from './tokens.ts'
import type { Token } from './tokens.ts'

export type ImportForm = 'static' | 'type' | 'side-effect' | 're-export' | 'type re-export' | 'dynamic' | 'require' | 'url' | 'reference'

/** One reference to another module. */
export interface ImportReference {
  /** Null when it is computed, so that nobody can know it without running the code. */
  readonly specifier: string | null
  readonly form: ImportForm
  readonly line: number
}

/** True when nothing of the imported module remains at run time. */
export function isTypeOnly(reference: ImportReference): boolean {
  return reference.form === 'type' || reference.form === 'type re-export' || reference.form === 'reference'
}

/** All references of a source text, in order. */
export function findImports(source: string): ImportReference[] {
  const tokens = codeTokens(source)
  const found: ImportReference[] = tokens.flatMap((token, index) => referenceAt(tokens, index, token) ?? [])
  for (const token of tokenize(source)) {
    if (token.kind !== 'comment') continue
    const path = /^\/\/\/\s*<reference\s+(?:path|types)\s*=\s*["']([^"']+)["']/.exec(token.text)?.[1]
    if (path !== undefined) found.push({ specifier: path, form: 'reference', line: token.line })
  }
  return found.sort((a, b) => a.line - b.line)
}

function referenceAt(tokens: readonly Token[], index: number, token: Token): ImportReference | undefined {
  if (token.kind !== 'word') return undefined
  if (token.text === 'import') return importAt(tokens, index)
  if (token.text === 'export') return reExportAt(tokens, index)
  if (token.text === 'require' || token.text === 'createRequire' || token.text === 'getBuiltinModule') return requireAt(tokens, index)
  if (token.text === 'URL' || token.text === 'resolve') return urlAt(tokens, index)
  return undefined
}

/** `import …` in all its forms; a property named import, or `import.meta`, is none of them. */
function importAt(tokens: readonly Token[], index: number): ImportReference | undefined {
  const line = lineOf(tokens, index)
  const next = tokens[index + 1]
  const before = tokens[index - 1]?.text
  if (next === undefined || next.text === '.' || next.text === ':' || before === '.' || before === '?.') return undefined
  if (next.text === '(') return { specifier: soleArgument(tokens, index + 2), form: dynamicForm(tokens, index), line }
  if (next.kind === 'string') return { specifier: next.value, form: 'side-effect', line }
  const from = fromClause(tokens, index + 1)
  if (from === undefined) return undefined
  return { specifier: from.value, form: clauseIsTypeOnly(tokens, index + 1) ? 'type' : 'static', line }
}

/** `import('x')` in the place of a type is followed by nothing that runs, but which it is cannot be told apart safely: it counts as run. */
function dynamicForm(tokens: readonly Token[], index: number): ImportForm {
  return tokens[index - 1]?.text === 'typeof' ? 'type' : 'dynamic'
}

function reExportAt(tokens: readonly Token[], index: number): ImportReference | undefined {
  const typeOnly = tokens[index + 1]?.text === 'type'
  const first = tokens[index + (typeOnly ? 2 : 1)]
  if (first?.text !== '{' && first?.text !== '*') return undefined
  const from = fromClause(tokens, index + 1)
  if (from === undefined) return undefined
  return { specifier: from.value, form: clauseIsTypeOnly(tokens, index + 1) ? 'type re-export' : 're-export', line: lineOf(tokens, index) }
}

function requireAt(tokens: readonly Token[], index: number): ImportReference | undefined {
  const before = tokens[index - 1]?.text
  if (tokens[index + 1]?.text !== '(' || before === 'function') return undefined
  return { specifier: soleArgument(tokens, index + 2), form: 'require', line: lineOf(tokens, index) }
}

/** `new URL('./x.ts', import.meta.url)` and `import.meta.resolve('./x.ts')`: how a worker's file is named. */
function urlAt(tokens: readonly Token[], index: number): ImportReference | undefined {
  const argument = tokens[index + 2]
  if (tokens[index + 1]?.text !== '(' || argument?.value === undefined || argument.value === null) return undefined
  const isUrl = tokens[index]?.text === 'URL' && startsWithTexts(tokens, index + 3, [',', 'import', '.', 'meta', '.', 'url'])
  const isResolve = tokens[index]?.text === 'resolve' && startsWithTexts(tokens, index - 4, ['import', '.', 'meta', '.'])
  if (!isUrl && !isResolve) return undefined
  if (!/\.(?:[cm]?[jt]s|json)$/.test(argument.value) && !isResolve) return undefined
  return { specifier: argument.value, form: 'url', line: lineOf(tokens, index) }
}

/** The string behind `from`, when the clause that begins here has one: names, braces, commas and `*` only. */
function fromClause(tokens: readonly Token[], start: number): Token | undefined {
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at] as Token
    const next = tokens[at + 1]
    if (token.text === 'from' && next?.kind === 'string') return next
    if (token.text === '}' && next?.text !== 'from') return undefined
    // `import x = require('y')` is found by its require; inside the braces, names may be strings.
    if (token.kind !== 'word' && token.kind !== 'string' && !['{', '}', ',', '*'].includes(token.text)) return undefined
  }
  return undefined
}

/** `import type …`, or braces in which every name is marked `type`. */
function clauseIsTypeOnly(tokens: readonly Token[], start: number): boolean {
  const [first, second] = [tokens[start], tokens[start + 1]]
  if (first?.text === 'type' && second?.text !== 'from' && second?.text !== ',') return true
  if (first?.text !== '{') return false
  let expectsName = true
  for (let at = start + 1; at < tokens.length && tokens[at]?.text !== '}'; at++) {
    if (expectsName && tokens[at]?.text !== 'type') return false
    expectsName = tokens[at]?.text === ','
  }
  return tokens[start + 1]?.text !== '}'
}

/** The argument, when it is one literal and nothing else stands beside it (import options may follow). */
function soleArgument(tokens: readonly Token[], at: number): string | null {
  const argument = tokens[at]
  const after = tokens[at + 1]?.text
  if (argument === undefined || (after !== ')' && after !== ',')) return null
  return argument.value
}

function lineOf(tokens: readonly Token[], index: number): number {
  return tokens[index]?.line ?? 0
}
