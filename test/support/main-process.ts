// The program as users start it: main.ts in a process of its own, on free ports.

import { TEST_GENERATION } from './generation.ts'
import { TEST_PROTOCOL } from './protocol.ts'
import { COMPILE_CACHE, SHORT_RUN_FLAGS, startProgram } from './program.ts'
import type { Program } from './program.ts'

export interface MainProcess extends Program {
  /** Address at which the gateway listens. */
  readonly url: () => Promise<string>
  /** Address at which the local network's RPC listens. */
  readonly rpcUrl: () => Promise<string>
  /** GET, as JSON. */
  get<Body>(path: string): Promise<Body>
  /** Calls an RPC or control method of the local network. */
  control<Result = unknown>(method: string, params?: object): Promise<Result>
}

/** Starts the program with this environment and nothing else, on contracts of TEST_GENERATION and with TEST_PROTOCOL unless the environment chooses. */
export function startMain(environment: Readonly<Record<string, string>>): MainProcess {
  const chain = { LOCAL_GENERATION: TEST_GENERATION, LOCAL_PROTOCOL: String(TEST_PROTOCOL) }
  const defaults = { NODE_COMPILE_CACHE: COMPILE_CACHE, PORT: '0', LOCAL_RPC_PORT: '0', ...chain }
  const program = startProgram([process.execPath, ...SHORT_RUN_FLAGS, 'main.ts'], { ...defaults, ...environment })
  const addressIn = (pattern: RegExp): (() => Promise<string>) => {
    let address: Promise<string> | undefined
    return () => (address ??= program.waitForLine(pattern).then((line) => /http:\S+/.exec(line)?.[0] ?? ''))
  }
  const url = addressIn(/^ *Gateway /)
  const rpcUrl = addressIn(/^ *Network +local/)
  return {
    ...program, url, rpcUrl,
    async get<Body>(path: string) {
      const response = await fetch(`${await url()}${path}`)
      if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
      return (await response.json()) as Body
    },
    async control<Result>(method: string, params: object = {}) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(await rpcUrl(), { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const { result, error } = (await response.json()) as { readonly result: Result; readonly error?: unknown }
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
      return result
    },
  }
}

/** Freezes these prices. Otherwise a profit may become a loss between the simulation and the ledger, and the trade fails. */
export async function holdPrices(main: MainProcess, ...assets: readonly string[]): Promise<void> {
  for (const asset of assets) {
    const { price } = await main.get<{ readonly price: string }>(`/v1/markets/${asset}/price`)
    await main.control('local_setPrice', { asset, price })
  }
}
