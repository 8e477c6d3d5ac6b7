// Starts programs in processes of their own and waits for what they print.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createArrivals } from './until.ts'

type ExitStatus = number | NodeJS.Signals | null

export interface Program extends AsyncDisposable {
  /** The first unread line of either output that matches. Returns each line once; rejects when the program exits first or after two minutes. */
  readonly waitForLine: (pattern: RegExp) => Promise<string>
  signal(signal: NodeJS.Signals): void
  /** Sends the signal and waits for the exit. */
  stop(signal: NodeJS.Signals): Promise<ExitStatus>
  /** Resolves with the exit code, or with the signal that ended the program. */
  readonly exited: Promise<ExitStatus>
  /** The error output so far. */
  readonly errors: () => string
  /** The standard output so far. */
  readonly output: () => string
}

interface ProgramOptions {
  readonly cwd?: string
  /** Starts a process group and signals all of it, as a terminal does. */
  readonly isGroup?: boolean
}

const LINE_TIMEOUT_MS = 120_000

export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Node's compile cache, shared by all child processes: it halves their start-up time. */
export const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url))

/**
 * Node's options for processes that live for minutes at most. By default, V8 optimises so much of the embedded database's WebAssembly that such a process
 * spends more time on it than it saves.
 */
export const SHORT_RUN_FLAGS: readonly string[] = ['--wasm-tiering-budget=100000000']

/** Starts `command`. Of this process's environment it gets PATH only. */
export function startProgram(
  command: readonly string[], environment: Readonly<Record<string, string | undefined>> = {}, { cwd = PROJECT_ROOT, isGroup = false }: ProgramOptions = {},
): Program {
  const [file = '', ...args] = command
  const child = spawn(file, args, { cwd, env: { PATH: process.env['PATH'], ...environment }, detached: isGroup, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise<ExitStatus>((resolve) => void child.once('close', (code, killSignal) => resolve(code ?? killSignal)))
  const printed = { stdout: '', stderr: '' }
  const unread: string[] = []
  const arrivals = createArrivals(() => `${file}:\n${printed.stdout}\n${printed.stderr}`)
  for (const name of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[name] }).on('line', (line) => {
      unread.push(line)
      printed[name] += `${line}\n`
      arrivals.changed()
    })
  }
  void exited.then(arrivals.end)

  function signal(name: NodeJS.Signals): void {
    try {
      if (isGroup && child.pid !== undefined) process.kill(-child.pid, name)
      else child.kill(name)
    } catch (error) {
      // The whole group has exited.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }

  function stop(name: NodeJS.Signals): Promise<ExitStatus> {
    signal(name)
    return exited
  }

  function waitForLine(pattern: RegExp): Promise<string> {
    return arrivals.wait(() => {
      const index = unread.findIndex((line) => pattern.test(line))
      return index < 0 ? undefined : unread.splice(index, 1)[0]
    }, `a line that matches ${String(pattern)}`, LINE_TIMEOUT_MS)
  }

  return {
    waitForLine, signal, stop, exited,
    errors: () => printed.stderr,
    output: () => printed.stdout,
    [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')),
  }
}

/** Starts a script of the tests. */
export function startScript(script: URL, args: readonly string[], environment: Readonly<Record<string, string | undefined>> = {}): Program {
  return startProgram([process.execPath, fileURLToPath(script), ...args], environment)
}

/** Starts a server and waits for the line that says it is ready. */
export async function startServer(command: readonly string[], ready: RegExp, environment: Readonly<Record<string, string>> = {}): Promise<Program> {
  const server = startProgram(command, environment)
  try {
    await server.waitForLine(ready)
    return server
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}
