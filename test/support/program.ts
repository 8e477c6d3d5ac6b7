// A program in a process of its own, by what it says.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Program extends AsyncDisposable {
  /**
   * Resolves with the first line it says or logs, from now on or before, that fits; rejects when it ends without one, and after two minutes. Each line is
   * found once.
   */
  readonly waitForLine: (pattern: RegExp) => Promise<string>
  /** Sends a signal that does not end it. */
  signal(signal: NodeJS.Signals): void
  /** Sends the signal and resolves with the exit code, or the signal that ended it. */
  stop(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
  /** Resolves with the exit code, or the signal that ended it, once it has ended. */
  readonly exited: Promise<number | NodeJS.Signals | null>
  /** What it wrote to its error output so far. */
  readonly errors: () => string
  /** What it wrote to its output so far. */
  readonly output: () => string
}

/** Who waits longer than this waits in vain, and would keep the program, and the run, from ending. */
const PATIENCE_MS = 120_000

export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Starts `command` with nothing of this process's environment but what is named. With `isGroup` it gets a group of its own, and signals go to all that it
 * starts, as a terminal sends them.
 */
export function startProgram(
  command: readonly string[], environment: Readonly<Record<string, string | undefined>>, { cwd = PROJECT_ROOT, isGroup = false } = {},
): Program {
  const [file = '', ...args] = command
  const env = { PATH: process.env['PATH'], ...environment }
  const child = spawn(file, args, { cwd, env, detached: isGroup, stdio: ['ignore', 'pipe', 'pipe'] })
  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (isGroup && child.pid !== undefined) process.kill(-child.pid, signal)
      else child.kill(signal)
    } catch (error) {
      // Nobody of the group is left.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => void child.once('close', (code, signal) => resolve(code ?? signal)))
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let ended = false
  const written = { stdout: '', stderr: '' }
  const tell = (): void => waiting.forEach((look) => look())
  for (const name of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[name] }).on('line', (line) => {
      lines.push(line)
      written[name] += `${line}\n`
      tell()
    })
  }
  void exited.then(() => {
    ended = true
    tell()
  })
  return {
    waitForLine: (pattern) => new Promise((resolve, reject) => {
      const look = (): void => {
        const at = lines.findIndex((line) => pattern.test(line))
        if (at < 0 && !ended) return
        waiting.delete(look)
        clearTimeout(timer)
        if (at < 0) reject(new Error(`the program ended without saying ${String(pattern)}:\n${lines.join('\n')}\n${written.stderr}`))
        else resolve(lines.splice(at, 1)[0] ?? '')
      }
      const timer = setTimeout(() => {
        waiting.delete(look)
        reject(new Error(`waited in vain for ${String(pattern)}:\n${lines.join('\n')}\n${written.stderr}`))
      }, PATIENCE_MS)
      waiting.add(look)
      look()
    }),
    signal: kill,
    stop(signal) {
      kill(signal)
      return exited
    },
    exited: exited,
    errors: () => written.stderr,
    output: () => written.stdout,
    async [Symbol.asyncDispose]() {
      kill('SIGKILL')
      await exited
    },
  }
}
