// A node with scripted responses. They pass through the real RPC client.

import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import type { Transport } from '../../src/chain/rpc/transport.ts'

/** The outcome of one call. */
export type NodeResponse =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly http: number; readonly body?: string }
  /** The connection fails with this error code. */
  | { readonly broken: string }
  /** No response. */
  | 'silence'

/** A function is called with the parameters of the call. */
export type ScriptedResponse = NodeResponse | Promise<NodeResponse> | ((params: Readonly<Record<string, unknown>>) => NodeResponse | Promise<NodeResponse>)

export interface ScriptedNode {
  readonly rpc: Rpc
  readonly clock: VirtualClock
  /** Sets the responses of a method in order; the last one repeats. */
  script(method: string, ...responses: readonly ScriptedResponse[]): void
  /** The number of calls of a method. */
  calls(method: string): number
}

/** Sends what `respond` returns as a node would. */
export function createScriptedTransport(
  respond: (url: string, method: string, params: Readonly<Record<string, unknown>>) => NodeResponse | Promise<NodeResponse>,
): Transport {
  return async (url, body) => {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params?: Record<string, unknown> }
    const response = await respond(url, method, params ?? {})
    if (response === 'silence') return new Promise<never>(() => {})
    if ('broken' in response) throw new TypeError('fetch failed', { cause: Object.assign(new Error(response.broken), { code: response.broken }) })
    if ('http' in response) return { status: response.http, body: response.body ?? '' }
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, ...response }) }
  }
}

export const NODE_START_MS = 1_783_339_200_000

/** Methods without a script return "method not found". */
export function createScriptedNode(): ScriptedNode {
  const clock = createVirtualClock(NODE_START_MS)
  const scripts = new Map<string, ScriptedResponse[]>()
  const counts = new Map<string, number>()

  async function respond(method: string, params: Readonly<Record<string, unknown>>): Promise<NodeResponse> {
    const script = scripts.get(method) ?? []
    const next = script.length > 1 ? script.shift() : script[0]
    if (next === undefined) return { error: { code: -32601, message: 'method not found' } }
    return typeof next === 'function' ? next(params) : next
  }

  const rpc = createRpc({
    urls: ['http://node/'], clock, random: createSeededRandom('scripted node'), log: silentLog,
    transport: createScriptedTransport((_url, method, params) => {
      counts.set(method, (counts.get(method) ?? 0) + 1)
      return respond(method, params)
    }),
  })

  return {
    rpc, clock,
    script: (method, ...responses) => void scripts.set(method, [...responses]),
    calls: (method) => counts.get(method) ?? 0,
  }
}

/** Runs everything that does not wait for the clock. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Advances the clock second by second and runs what is due. */
export async function pass(clock: VirtualClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await quiet()
    clock.advance(1_000)
  }
  await quiet()
}
