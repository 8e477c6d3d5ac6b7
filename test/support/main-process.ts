// The whole program as its user starts it: `main.ts` in a process of its own, with ports that are free and a folder of the test's.

import { COMPILE_CACHE } from './compile-cache.ts'
import { startProgram } from './program.ts'
import type { Program } from './program.ts'

export interface MainProcess extends Program {
  /** Where the gateway listens; known when it is told. */
  url(): Promise<string>
  /** GET, as JSON. */
  get<Body>(path: string): Promise<Body>
}

/** Starts the program with nothing of this process's environment but what is named. */
export function startMain(environment: Readonly<Record<string, string>>): MainProcess {
  const program = startProgram([process.execPath, 'main.ts'], { NODE_COMPILE_CACHE: COMPILE_CACHE, PORT: '0', LOCAL_RPC_PORT: '0', ...environment })
  let address: Promise<string> | undefined
  const url = (): Promise<string> => (address ??= program.waitForLine(/^ *Gateway /).then((line) => /http:\S+/.exec(line)?.[0] ?? ''))
  return {
    ...program,
    url,
    get: async <Body>(path: string) => {
      const answer = await fetch(`${await url()}${path}`)
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
      return (await answer.json()) as Body
    },
  }
}
