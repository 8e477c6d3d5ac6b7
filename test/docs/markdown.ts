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

/** Fields that a candle has or not, depending on the moment: in the first seconds of a minute there is no price yet. */
const MOMENTARY: ReadonlySet<string> = new Set(['filled', 'revision'])

/** Names and types in a JSON value; an array by its first element. Where the documented value has null, the output may have a value. */
function shapeOf(value: unknown, shown: unknown): unknown {
  if (shown === null) return 'null or a value'
  if (Array.isArray(value)) return [shapeOf(value[0], Array.isArray(shown) ? shown[0] : undefined)]
  if (typeof value !== 'object' || value === null) return typeof value
  const lasting = Object.entries(value).filter(([name]) => !MOMENTARY.has(name))
  return Object.fromEntries(lasting.map(([name, inner]) => [name, shapeOf(inner, (shown as Record<string, unknown> | undefined)?.[name])]))
}

const headerNames = (text: string): readonly string[] =>
  text.split('\n').map((line) => line.split(':')[0]?.toLowerCase() ?? '').filter((name) => name !== '').sort()

/** Compares output with a documented block: JSON by shape, headers by name. */
export function assertOutputMatches(printed: string, shown: CodeBlock, command: string): void {
  if (shown.language === 'http') assert.deepEqual(headerNames(printed), headerNames(shown.text), command)
  else if (shown.language === 'json') {
    const documented: unknown = JSON.parse(shown.text)
    assert.deepEqual(shapeOf(parsed(printed, command), documented), shapeOf(documented, documented), command)
  } else assert.fail(`cannot compare a block of ${shown.language} with output`)
}

function parsed(printed: string, command: string): unknown {
  try {
    return JSON.parse(printed)
  } catch {
    assert.fail(`${command}\ndid not print JSON: ${printed}`)
  }
}
