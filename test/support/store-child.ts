// Starts test/support/store-process.ts and listens to what it says.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface StoreChild {
  readonly process: ChildProcess
  /** The next line it says, or undefined when it has ended. */
  nextLine(): Promise<string | undefined>
  /** What it wrote to its error output so far. */
  errors(): string
  /** Ends it as a crash would, and resolves when it is gone. */
  kill(): Promise<void>
}

/** Starts a process that opens `dataDir` and does `task`; a folder that has no cluster yet gets a new one, without a prepared one. */
export function startStoreChild(dataDir: string, task: 'open' | 'write', migrationsDirectory: string): StoreChild {
  const script = fileURLToPath(new URL('./store-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script, dataDir, task, migrationsDirectory], { stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = new Promise<void>((resolve) => void child.once('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => void (errors += chunk.toString()))
  return {
    process: child,
    async nextLine() {
      const { value, done } = await lines.next()
      return done === true ? undefined : value
    },
    errors: () => errors,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** An empty folder that is removed when it is disposed. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'gateway-store-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** A folder with one migration for each text. */
export async function migrationsFolder(...texts: readonly string[]): Promise<AsyncDisposable & { path: string }> {
  const folder = await temporaryFolder()
  for (const [index, text] of texts.entries()) {
    await writeFile(join(folder.path, `${String(index + 1).padStart(4, '0')}_step.sql`), text)
  }
  return folder
}
