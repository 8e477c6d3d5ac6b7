// A node that says what a test tells it to, on the wire: every answer takes the way through the real client.

import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc.ts'
import type { Rpc } from '../../src/chain/rpc.ts'

/** What becomes of one call. A function is asked when the call comes; a promise is waited for, while the clock goes on. */
export type Saying =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly http: number; readonly body?: string }
  /** The connection fails in this way. */
  | { readonly broken: string }
  | 'silence'

export type Says = Saying | Promise<Saying> | ((params: Readonly<Record<string, unknown>>) => Saying | Promise<Saying>)

export interface SayingNode {
  readonly rpc: Rpc
  readonly clock: VirtualClock
  /** What each method says: one after another, the last one for good. */
  script(method: string, ...says: readonly Says[]): void
  /** How often a method was called. */
  calls(method: string): number
}

export const NODE_START_MS = 1_783_339_200_000

/** A node at one address; methods without a script do not exist. */
export function createSayingNode(): SayingNode {
  const clock = createVirtualClock(NODE_START_MS)
  const scripts = new Map<string, Says[]>()
  const counts = new Map<string, number>()

  async function say(method: string, params: Readonly<Record<string, unknown>>): Promise<Saying> {
    const script = scripts.get(method) ?? []
    const says = script.length > 1 ? script.shift() : script[0]
    if (says === undefined) return { error: { code: -32601, message: 'method not found' } }
    return typeof says === 'function' ? says(params) : says
  }

  const rpc = createRpc({
    urls: ['http://node/'], clock, random: createSeededRandom('saying node'), log: silentLog,
    async transport(_url, body) {
      const { id, method, params } = JSON.parse(body) as { id: number; method: string; params?: Record<string, unknown> }
      counts.set(method, (counts.get(method) ?? 0) + 1)
      const saying = await say(method, params ?? {})
      if (saying === 'silence') return new Promise<never>(() => {})
      if ('broken' in saying) throw new TypeError('fetch failed', { cause: Object.assign(new Error(saying.broken), { code: saying.broken }) })
      if ('http' in saying) return { status: saying.http, body: saying.body ?? '' }
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, ...saying }) }
    },
  })

  return {
    rpc, clock,
    script: (method, ...says) => void scripts.set(method, [...says]),
    calls: (method) => counts.get(method) ?? 0,
  }
}

/** Lets everything happen that needs no time. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Moves the clock second by second, and lets what falls due happen each time. */
export async function pass(clock: VirtualClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await quiet()
    clock.advance(1_000)
  }
  await quiet()
}
