// The project as a reader starts it, in a copy of its own, and a shell beside it. What is copied from a page is run as it stands there; only its ports are
// other ones, because several tests may run at once.

import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { startProgram } from './program.ts'
import type { Program } from './program.ts'
import { copyProject } from './project-copy.ts'
import { freePort } from './tcp-proxy.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface DocumentedRun extends AsyncDisposable {
  /** The copy of the project. */
  readonly project: string
  readonly url: string
  /** A page's text with the ports of this run. */
  translate(text: string): string
  /** Runs a command that starts the exchange, like `npm start`; resolves when its index follows the chain. */
  start(command: string): Promise<void>
  /** Ctrl-C, and the exit code. */
  stop(): Promise<number | NodeJS.Signals | null>
  /** Runs a script in the project's folder and answers what it printed. */
  shell(script: string, environment?: Readonly<Record<string, string>>): Promise<string>
  errors(): string
}

/** The ports that pages name. */
const PORTS = ['8080', '8000', '9464'] as const
const TIMEOUT_MS = 300_000
/** The reader's node may be any; here it is the one that runs the tests. */
const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`

export async function createDocumentedRun(): Promise<DocumentedRun> {
  await using things = new AsyncDisposableStack()
  const folder = things.use(await temporaryFolder())
  const project = copyProject(folder.path)
  const ports = new Map<string, string>()
  for (const port of PORTS) ports.set(port, String(await freePort()))
  const translate = (text: string): string => text.replaceAll(/(?<=:|METRICS_PORT=)(?:8080|8000|9464)\b/g, (port) => ports.get(port) ?? port)
  const environment = { PATH, HOME: folder.path, PORT: ports.get('8080'), LOCAL_RPC_PORT: ports.get('8000'), LOG_LEVEL: 'error' }
  let main: Program | undefined
  things.defer(async () => main?.[Symbol.asyncDispose]())
  const owned = things.move()
  return {
    project, translate,
    url: `http://127.0.0.1:${ports.get('8080')}`,
    async start(command) {
      // In the place of the shell, so that its exit code is what is heard.
      const script = translate(command).replace(/npm start$/, 'exec npm start')
      main = startProgram(['sh', '-c', script], environment, { cwd: project, isGroup: true })
      await main.waitForLine(/^Indexer in sync/)
    },
    stop: async () => (await main?.stop('SIGINT')) ?? null,
    async shell(script, more = {}) {
      const given = { ...environment, ...more } as Record<string, string>
      return (await promisify(execFile)('sh', ['-ec', translate(script)], { cwd: project, env: given, timeout: TIMEOUT_MS })).stdout
    },
    errors: () => main?.errors() ?? '',
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
