import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
}

/** An empty folder, removed when disposed. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'gateway-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** A folder with one migration per text. */
export async function migrationsFolder(...texts: readonly string[]): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  for (const [index, text] of texts.entries()) await writeFile(join(folder.path, `${String(index + 1).padStart(4, '0')}_step.sql`), `-- baseline\n${text}`)
  return folder
}
