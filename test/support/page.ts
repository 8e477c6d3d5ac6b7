// The pages of the project as tests read them: what stands in their fenced blocks.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { PROJECT } from './program.ts'

/** A fenced block of a page. */
export interface Block {
  /** What stands behind its fence: `sh`, `ts`, `json`, … */
  readonly language: string
  readonly text: string
  /** The heading that it stands under. */
  readonly heading: string
}

export function readPage(path: string): string {
  return readFileSync(PROJECT + path, 'utf8')
}

/** The blocks of a page, in its order. */
export function blocksOf(page: string): readonly Block[] {
  const found: Block[] = []
  let heading = ''
  for (const [, title, language, text] of page.matchAll(/^#+ (.*)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title
    else found.push({ language: language ?? '', text: (text ?? '').trim(), heading })
  }
  return found
}

/** Names and kinds of everything in a JSON value; an array by its first element. */
export function shape(value: unknown): unknown {
  if (Array.isArray(value)) return [shape(value[0])]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]))
}

const headerNames = (text: string): readonly string[] =>
  text.split('\n').map((line) => line.split(':')[0]?.toLowerCase() ?? '').filter((name) => name !== '').sort()

/** Holds what was printed against the block that a page shows of it: JSON in its shape, headers by their names. */
export function assertShown(printed: string, shown: Block, command: string): void {
  if (shown.language === 'http') assert.deepEqual(headerNames(printed), headerNames(shown.text), command)
  else if (shown.language === 'json') assert.deepEqual(shape(parsed(printed, command)), shape(JSON.parse(shown.text)), command)
  else assert.fail(`a block of ${shown.language} cannot be held against what is printed`)
}

function parsed(printed: string, command: string): unknown {
  try {
    return JSON.parse(printed)
  } catch {
    assert.fail(`${command}\nprinted something else than JSON: ${printed}`)
  }
}
