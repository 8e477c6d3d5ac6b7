// The client's command line as a process, as somebody calls it.

import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from './compile-cache.ts'

const PROGRAM = fileURLToPath(new URL('../../client/src/cli/main.ts', import.meta.url))

export interface CommandResult {
  readonly code: number | NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCommand {
  readonly child: ChildProcessWithoutNullStreams
  /** Resolves when it has ended. */
  readonly ended: Promise<CommandResult>
  /** Resolves when its output fits; rejects when it ends before. */
  printed(pattern: RegExp): Promise<void>
}

export interface CommandOptions {
  /** Nothing of this process's environment but PATH goes along. */
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  readonly nodeFlags?: readonly string[]
}

/** Starts the command with these words. */
export function startCommand(words: readonly string[], { environment = {}, input = '', nodeFlags = [] }: CommandOptions = {}): RunningCommand {
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment }
  const child = spawn(process.execPath, [...nodeFlags, PROGRAM, ...words], { env, stdio: 'pipe' })
  let [out, errors] = ['', '']
  let isOver = false
  const waiting = new Set<() => void>()
  const tell = (): void => waiting.forEach((look) => look())
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    tell()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
    tell()
  })
  // A command that reads nothing may be gone before its input is written.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = new Promise<CommandResult>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true
      tell()
      resolve({ code: code ?? signal, stdout: out, stderr: errors })
    })
  })
  return {
    child, ended,
    printed: (pattern) => new Promise((resolve, reject) => {
      const look = (): void => {
        if (!pattern.test(out + errors) && !isOver) return
        waiting.delete(look)
        if (pattern.test(out + errors)) resolve()
        else reject(new Error(`the command ended without saying ${String(pattern)}: ${out}${errors}`))
      }
      waiting.add(look)
      look()
    }),
  }
}

/** Calls the command, and resolves when it has ended. */
export function runCommand(words: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return startCommand(words, options).ended
}
