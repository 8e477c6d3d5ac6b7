// The project as a reader of the docs starts it: in a copy, with a shell for the documented commands. Only the ports differ from the docs, because several
// tests may run at once.

import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { TEST_GENERATION } from '../support/generation.ts'
import { TEST_PROTOCOL } from '../support/protocol.ts'
import { startProgram } from '../support/program.ts'
import type { Program } from '../support/program.ts'
import { copyProject } from '../support/project-copy.ts'
import { freePort } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export interface DocumentedRun extends AsyncDisposable {
  /** The copy of the project. */
  readonly project: string
  readonly url: string
  /** Replaces documented ports with those of this run. */
  translate(text: string): string
  /** Runs a command that starts the exchange, such as `npm start`, and waits until the index is in sync. */
  start(command: string): Promise<void>
  /** Sends Ctrl-C and returns the exit code. */
  stop(): Promise<number | NodeJS.Signals | null>
  /** Runs a script in the project's folder and returns its output. */
  shell(script: string, environment?: Readonly<Record<string, string>>): Promise<string>
  errors(): string
}

/** The ports in the docs. */
const PORTS = ['8080', '8000', '9464'] as const
const TIMEOUT_MS = 300_000
/** Puts the node that runs the tests first. */
const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`

export async function createDocumentedRun(): Promise<DocumentedRun> {
  await using building = new AsyncDisposableStack()
  const folder = building.use(await temporaryFolder())
  const project = copyProject(folder.path)
  const ports = new Map<string, string>()
  for (const port of PORTS) ports.set(port, String(await freePort()))
  const translate = (text: string): string => text.replaceAll(/(?<=:|METRICS_PORT=)(?:8080|8000|9464)\b/g, (port) => ports.get(port) ?? port)
  const environment = {
    PATH, HOME: folder.path, PORT: ports.get('8080'), LOCAL_RPC_PORT: ports.get('8000'), LOG_LEVEL: 'error', LOCAL_GENERATION: TEST_GENERATION,
    LOCAL_PROTOCOL: String(TEST_PROTOCOL),
  }
  let main: Program | undefined
  building.defer(async () => main?.[Symbol.asyncDispose]())
  const owned = building.move()
  return {
    project, translate,
    url: `http://127.0.0.1:${ports.get('8080')}`,
    async start(command) {
      // exec replaces the shell, so that the exit code is npm's.
      const script = translate(command).replace(/npm start$/, 'exec npm start')
      main = startProgram(['sh', '-c', script], environment, { cwd: project, isGroup: true })
      await main.waitForLine(/^Indexer in sync/)
    },
    stop: async () => (await main?.stop('SIGINT')) ?? null,
    async shell(script, more = {}) {
      const env = { ...environment, ...more } as Record<string, string>
      return (await promisify(execFile)('sh', ['-ec', translate(script)], { cwd: project, env, timeout: TIMEOUT_MS })).stdout
    },
    errors: () => main?.errors() ?? '',
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
