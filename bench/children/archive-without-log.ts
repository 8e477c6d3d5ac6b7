// The same child as archive.ts, whose indexer writes no log of pages: what the log costs is the difference. The functions that compute and write it are
// replaced when their modules are loaded, so that the program needs no switch for it.

import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** The first line of each replaced function, and what is put in front of its body. */
const REPLACED: Readonly<Record<string, readonly (readonly [head: string, body: string])[]>> = {
  '/src/base/proofs/events.ts': [
    ['export function eventLeaf(event: LoggedEvent): Hash {', 'return ZERO_HASH'],
    ['export function createEventsRoot(): EventsRoot {', 'return { add() {}, events: 0, root: () => ZERO_HASH }'],
  ],
  '/src/projections/proofs/page-log.ts': [
    ['export async function readPageLogHead(db: Queryable): Promise<PageLogHead | null> {', 'return EMPTY_LOG'],
    [
      'export async function appendRecords(tx: Writable, head: PageLogHead, records: readonly NewRecord[]): Promise<PageLogHead> {',
      'return head',
    ],
  ],
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const path = Object.keys(REPLACED).find((end) => url.endsWith(end))
    if (path === undefined) return loaded
    let source = readFileSync(new URL(url), 'utf8')
    for (const [head, body] of REPLACED[path] ?? []) {
      if (!source.includes(`\n${head}\n`)) throw new Error(`${path} has no line "${head}"`)
      source = source.replace(`\n${head}\n`, `\n${head}\n${body}\n`)
    }
    return { ...loaded, source }
  },
})

await import('./archive.ts')
