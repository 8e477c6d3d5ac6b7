// Runs the client's command line as a process.

import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from '../support/program.ts'
import { createArrivals } from '../support/until.ts'

const PROGRAM = fileURLToPath(new URL('../../client/src/cli/main.ts', import.meta.url))

export interface CommandResult {
  readonly code: number | NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCommand {
  readonly child: ChildProcessWithoutNullStreams
  /** Resolves when the process has exited. */
  readonly ended: Promise<CommandResult>
  /** Resolves when the output matches; rejects if the process exits before. */
  printed(pattern: RegExp): Promise<void>
}

export interface CommandOptions {
  /** The command's environment. Of this process's environment it inherits only PATH. */
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Starts the command. */
export function startCommand(words: readonly string[], { environment = {}, input = '' }: CommandOptions = {}): RunningCommand {
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment }
  const child = spawn(process.execPath, [PROGRAM, ...words], { env, stdio: 'pipe' })
  let [stdout, stderr] = ['', '']
  const arrivals = createArrivals(() => stdout + stderr)
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    arrivals.changed()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    arrivals.changed()
  })
  // A command that does not read its input may exit before it is written.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = new Promise<CommandResult>((resolve) => {
    child.once('close', (code, signal) => {
      arrivals.end()
      resolve({ code: code ?? signal, stdout, stderr })
    })
  })
  return {
    child, ended,
    printed: async (pattern) => void (await arrivals.wait(() => (pattern.test(stdout + stderr) ? true : undefined), `output that matches ${String(pattern)}`)),
  }
}

/** Runs the command to its end. */
export function runCommand(words: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return startCommand(words, options).ended
}
