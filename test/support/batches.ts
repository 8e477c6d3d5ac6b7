// Test files in few processes. Starting one process per file costs more than most files take: each loads the SDK, the server and the database engine again.
// A batch is a module with one suite per test file, so hooks, names and results stay with their file.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The runner limits each test; a suite takes as long as its tests. */
const SUITE_TIMEOUT_MS = 2_147_483_647

const DATABASE = 'test/support/database.ts'

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

/** The module that runs the files of one batch. It removes the databases that its files have shared. */
function batchSource(root: string, files: readonly string[]): string {
  const suites = files.map((file) => {
    const url = JSON.stringify(pathToFileURL(join(root, file)).href)
    return `suite(${JSON.stringify(file)}, { timeout: ${SUITE_TIMEOUT_MS} }, async () => { await import(${url}) })\n`
  })
  const database = JSON.stringify(pathToFileURL(join(root, DATABASE)).href)
  return `import { after, suite } from 'node:test'\nimport { reuseDatabases } from ${database}\nafter(reuseDatabases())\n${suites.join('')}`
}

/** Writes one module per batch into `folder`, which `Symbol.dispose` removes. A batch of one file is that file. */
export function writeBatches(root: string, folder: string, batches: readonly (readonly string[])[]): { readonly entries: readonly string[] } & Disposable {
  mkdirSync(folder, { recursive: true })
  const entries = batches.map((files, index) => {
    const [only] = files
    if (files.length === 1 && only !== undefined) return only
    const path = join(folder, `batch-${String(index + 1).padStart(2, '0')}.mjs`)
    writeFileSync(path, batchSource(root, files))
    return path
  })
  return { entries, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
