// Finds the bodies of functions and counts their own lines: what an inner function takes is the inner function's, not its factory's.

import { codeTokens } from './tokens.ts'
import type { Token } from './tokens.ts'

export interface FunctionBody {
  /** Where its body opens. */
  readonly line: number
  readonly endLine: number
  /** Its lines without those of the functions inside it. */
  readonly ownLines: number
}

/** Words that a parenthesis and a brace may follow without making a function. */
const CONTROL: ReadonlySet<string> = new Set(['if', 'for', 'while', 'switch', 'catch', 'with', 'await'])
/** Words and signs in a type after which a type still has to come. */
const TYPE_OPENERS: ReadonlySet<string> = new Set(['keyof', 'typeof', 'readonly', 'unique', 'infer', 'asserts', 'abstract', 'new', '|', '&', '-'])
const TYPE_JOINERS: ReadonlySet<string> = new Set(['|', '&', '=>', '.', 'is', 'extends', '?', ':'])
const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** All functions with a body in braces, in the order in which they open. */
export function findFunctions(source: string): FunctionBody[] {
  const tokens = codeTokens(source)
  const partners = matchBrackets(tokens)
  const opens = new Set<number>()
  tokens.forEach((token, index) => {
    if (token.text === '=>' && tokens[index + 1]?.text === '{') opens.add(index + 1)
    if (token.text === ')' && closesParameters(tokens, partners, index)) {
      const open = bodyAfter(tokens, partners, index + 1)
      if (open !== undefined) opens.add(open)
    }
  })
  const spans = [...opens].sort((a, b) => a - b).map((open) => {
    const close = partners.get(open) ?? open
    return { open, close, line: tokens[open]?.line ?? 0, endLine: tokens[close]?.line ?? 0 }
  })
  return spans.map(({ open, close, line, endLine }) => {
    const inner = spans.filter((other) => other.open > open && other.close < close)
    const direct = inner.filter((one) => !inner.some((other) => other.open < one.open && other.close > one.close))
    const innerLines = direct.reduce((sum, one) => sum + (one.endLine - one.line), 0)
    return { line, endLine, ownLines: endLine - line + 1 - innerLines }
  })
}

/** Index of each opening bracket to its closing one, and back. */
function matchBrackets(tokens: readonly Token[]): Map<number, number> {
  const partners = new Map<number, number>()
  const open: number[] = []
  tokens.forEach((token, index) => {
    if (token.kind !== 'punctuation') return
    if (CLOSERS[token.text] !== undefined) open.push(index)
    else if (token.text === ')' || token.text === ']' || token.text === '}') {
      const partner = open.pop()
      if (partner === undefined) return
      partners.set(partner, index)
      partners.set(index, partner)
    }
  })
  return partners
}

function closesParameters(tokens: readonly Token[], partners: ReadonlyMap<number, number>, close: number): boolean {
  const open = partners.get(close)
  const before = open === undefined ? undefined : tokens[open - 1]
  if (before === undefined) return false
  if (before.kind === 'word') return !CONTROL.has(before.text)
  return before.kind === 'string' || before.text === ']' || before.text === '>' || before.text === '*'
}

/** The brace that opens the body behind a parameter list, across a return type; undefined when no body follows. */
function bodyAfter(tokens: readonly Token[], partners: ReadonlyMap<number, number>, from: number): number | undefined {
  if (tokens[from]?.text === '{') return from
  if (tokens[from]?.text !== ':') return undefined
  let typeExpected = true
  for (let at = from + 1; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (typeExpected) {
      if (TYPE_OPENERS.has(token.text)) continue
      if (CLOSERS[token.text] !== undefined) at = partners.get(at) ?? tokens.length
      else if (token.kind === 'punctuation') return undefined
      typeExpected = false
    } else if (token.text === '{') return at
    else if (token.text === '<') at = endOfAngles(tokens, at)
    else if (token.text === '[') at = partners.get(at) ?? tokens.length
    else if (TYPE_JOINERS.has(token.text)) typeExpected = true
    else return undefined
  }
  return undefined
}

function endOfAngles(tokens: readonly Token[], from: number): number {
  let depth = 0
  for (let at = from; at < tokens.length; at++) {
    if (tokens[at]?.text === '<') depth += 1
    if (tokens[at]?.text === '>') depth -= 1
    if (depth === 0) return at
  }
  return tokens.length
}
