// Code blocks of the project's markdown pages.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { PROJECT_ROOT } from '../support/program.ts'

export interface CodeBlock {
  /** The language of the fence: `sh`, `ts`, `json`, … */
  readonly language: string
  readonly text: string
  /** The heading above it. */
  readonly heading: string
}

export function readPage(path: string): string {
  return readFileSync(PROJECT_ROOT + path, 'utf8')
}

/** The code blocks of a page, in order. */
export function blocksOf(page: string): readonly CodeBlock[] {
  const found: CodeBlock[] = []
  let heading = ''
  for (const [, title, language, text] of page.matchAll(/^#+ (.*)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title
    else found.push({ language: language ?? '', text: (text ?? '').trim(), heading })
  }
  return found
}

/** Names and types in a JSON value; an array by its first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [shapeOf(value[0])]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

const headerNames = (text: string): readonly string[] =>
  text.split('\n').map((line) => line.split(':')[0]?.toLowerCase() ?? '').filter((name) => name !== '').sort()

/** Compares output with a documented block: JSON by shape, headers by name. */
export function assertOutputMatches(printed: string, shown: CodeBlock, command: string): void {
  if (shown.language === 'http') assert.deepEqual(headerNames(printed), headerNames(shown.text), command)
  else if (shown.language === 'json') assert.deepEqual(shapeOf(parsed(printed, command)), shapeOf(JSON.parse(shown.text)), command)
  else assert.fail(`cannot compare a block of ${shown.language} with output`)
}

function parsed(printed: string, command: string): unknown {
  try {
    return JSON.parse(printed)
  } catch {
    assert.fail(`${command}\ndid not print JSON: ${printed}`)
  }
}
