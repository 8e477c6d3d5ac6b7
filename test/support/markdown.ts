// The pages of the project as tests read them: what stands in their fenced blocks.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { PROJECT_ROOT } from './program.ts'

/** A fenced block of a page. */
export interface CodeBlock {
  /** What stands behind its fence: `sh`, `ts`, `json`, … */
  readonly language: string
  readonly text: string
  /** The heading that it stands under. */
  readonly heading: string
}

export function readPage(path: string): string {
  return readFileSync(PROJECT_ROOT + path, 'utf8')
}

/** The blocks of a page, in its order. */
export function blocksOf(page: string): readonly CodeBlock[] {
  const found: CodeBlock[] = []
  let heading = ''
  for (const [, title, language, text] of page.matchAll(/^#+ (.*)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title
    else found.push({ language: language ?? '', text: (text ?? '').trim(), heading })
  }
  return found
}

/** Names and kinds of everything in a JSON value; an array by its first element. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [shapeOf(value[0])]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

const headerNames = (text: string): readonly string[] =>
  text.split('\n').map((line) => line.split(':')[0]?.toLowerCase() ?? '').filter((name) => name !== '').sort()

/** Holds what was printed against the block that a page shows of it: JSON in its shape, headers by their names. */
export function assertOutputMatches(printed: string, shown: CodeBlock, command: string): void {
  if (shown.language === 'http') assert.deepEqual(headerNames(printed), headerNames(shown.text), command)
  else if (shown.language === 'json') assert.deepEqual(shapeOf(parsed(printed, command)), shapeOf(JSON.parse(shown.text)), command)
  else assert.fail(`a block of ${shown.language} cannot be held against what is printed`)
}

function parsed(printed: string, command: string): unknown {
  try {
    return JSON.parse(printed)
  } catch {
    assert.fail(`${command}\nprinted something else than JSON: ${printed}`)
  }
}
