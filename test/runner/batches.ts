// Test files in few processes. Starting one process per file costs more than most files take: each loads the SDK, the server and the database engine again.
// A batch is a module with one suite per test file, so hooks, names and results stay with their file.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The runner limits each test; a suite takes as long as its tests. */
const SUITE_TIMEOUT_MS = 2_147_483_647

/** Folder to which the modules of batches are written, below the project's root. */
const FOLDER = join('node_modules', '.cache', 'test-batches')

const BATCH_END = '-batch.mjs'

/** True if this is the module of a batch. */
export function isBatch(path: string): boolean {
  return path.includes(FOLDER) && path.endsWith(BATCH_END)
}

export interface WeightedFile {
  /** Relative to the project's root. */
  readonly file: string
  /** Relative cost, to fill batches evenly. */
  readonly weight: number
}

/** Distributes files over at most `count` batches of about equal weight, the heaviest first. Deterministic. */
export function planBatches(files: readonly WeightedFile[], count: number): string[][] {
  const batches = Array.from({ length: Math.min(count, files.length) }, () => ({ weight: 0, files: [] as string[] }))
  for (const { file, weight } of [...files].sort((a, b) => b.weight - a.weight || (a.file < b.file ? -1 : 1))) {
    const lightest = batches.reduce((least, batch) => (batch.weight < least.weight ? batch : least))
    lightest.files.push(file)
    lightest.weight += weight
  }
  return batches.sort((a, b) => b.weight - a.weight).map((batch) => batch.files)
}

/** A test that runs in each file although only others are selected, so that node awaits the file's `before` hooks before it calls `after`. */
const OPENING_TEST = 'opens and closes what its tests share'
/** Selects it, besides the pattern that the user passes. */
export const OPENING_TEST_PATTERN = `^${OPENING_TEST}$`

/** The module that runs the files of one batch. It removes the databases that its files have shared. */
function batchSource(root: string, files: readonly string[], hasNamePattern: boolean): string {
  const suites = files.map((file) => {
    const url = JSON.stringify(pathToFileURL(join(root, file)).href)
    // A pattern that matches a suite's name would select all of its tests.
    const name = JSON.stringify(hasNamePattern ? '·' : file)
    const opening = hasNamePattern ? `; test('${OPENING_TEST}', () => {})` : ''
    return `suite(${name}, { timeout: ${SUITE_TIMEOUT_MS} }, () => load(async () => { await import(${url})${opening} }))\n`
  })
  const importOf = (name: string, file: string): string => `import { ${name} } from ${JSON.stringify(pathToFileURL(join(root, file)).href)}`
  return `import { after, suite, test } from 'node:test'
${importOf('reuseDatabases', 'test/support/database.ts')}
${importOf('stopTracking', 'test/runner/without-tracking.ts')}
after(reuseDatabases())
let loading = ${files.length}
async function load(file) {
  try {
    await file()
  } finally {
    loading -= 1
    if (loading === 0) stopTracking()
  }
}
${suites.join('')}`
}

interface BatchesOptions {
  readonly root: string
  /** True if only tests run whose names match a pattern. */
  readonly hasNamePattern: boolean
  readonly touchesDatabase: (file: string) => boolean
}

/**
 * Writes one module per batch; `Symbol.dispose` removes them. A batch of one file that needs no database imports just that file, unless tests are selected by
 * name. Node's runner starts files in the order of their names, whatever the order of its arguments, so the names are numbered.
 */
export function writeBatches(
  batches: readonly (readonly string[])[],
  { root, hasNamePattern, touchesDatabase }: BatchesOptions,
): { readonly entries: readonly string[] } & Disposable {
  const folder = join(root, FOLDER, String(process.pid))
  mkdirSync(folder, { recursive: true })
  const entries = batches.map((files, index) => {
    const [only] = files
    const number = String(index + 1).padStart(3, '0')
    const isOnly = files.length === 1 && only !== undefined && !hasNamePattern && !touchesDatabase(only)
    const path = join(folder, isOnly ? `${number}-${only.replaceAll('/', '-')}.mjs` : `${number}${BATCH_END}`)
    writeFileSync(path, isOnly ? `import ${JSON.stringify(pathToFileURL(join(root, only)).href)}\n` : batchSource(root, files, hasNamePattern))
    return path
  })
  return { entries, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
