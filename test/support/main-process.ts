// The whole program as its user starts it: `main.ts` in a process of its own, with ports that are free and a folder of the test's.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface MainProcess extends AsyncDisposable {
  /** Resolves with the first line it says or logs, from now on or before, that fits; rejects when it ends without one. Each line is found once. */
  readonly said: (pattern: RegExp) => Promise<string>
  /** Where the gateway listens; known when it is told. */
  url(): Promise<string>
  /** GET, as JSON. */
  get<Body>(path: string): Promise<Body>
  /** Sends a signal that does not end it. */
  signal(signal: NodeJS.Signals): void
  /** Sends the signal and resolves with the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
  /** What it wrote to its error output so far. */
  readonly errors: () => string
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Half of what a start costs is reading the same code again. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))

/** Starts the program with nothing of this process's environment but what is named. */
export function startMain(environment: Readonly<Record<string, string>>): MainProcess {
  const child = spawn(process.execPath, ['main.ts'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILED, PORT: '0', LOCAL_RPC_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => void child.once('close', (code, signal) => resolve(code ?? signal)))
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let ended = false
  let errors = ''
  const tell = (): void => waiting.forEach((look) => look())
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line)
      if (input === child.stderr) errors += `${line}\n`
      tell()
    })
  }
  void exited.then(() => {
    ended = true
    tell()
  })

  function said(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const at = lines.findIndex((line) => pattern.test(line))
        if (at < 0 && !ended) return
        waiting.delete(look)
        if (at < 0) reject(new Error(`the program ended without saying ${String(pattern)}:\n${lines.join('\n')}\n${errors}`))
        else resolve(lines.splice(at, 1)[0] ?? '')
      }
      waiting.add(look)
      look()
    })
  }

  let address: Promise<string> | undefined
  const url = (): Promise<string> => (address ??= said(/^ *Gateway /).then((line) => /http:\S+/.exec(line)?.[0] ?? ''))
  return {
    said,
    url,
    errors: () => errors,
    get: async <Body>(path: string) => {
      const answer = await fetch(`${await url()}${path}`)
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
      return (await answer.json()) as Body
    },
    signal: (signal) => void child.kill(signal),
    end(signal) {
      child.kill(signal)
      return exited
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
