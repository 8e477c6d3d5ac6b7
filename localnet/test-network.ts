// Test support: a local network without sockets, on a virtual clock.

import { createHash } from 'node:crypto'
import { createVirtualClock } from '../src/base/clock.ts'
import type { VirtualClock } from '../src/base/clock.ts'
import { silentLog } from '../src/base/log.ts'
import { createSeededRandom } from '../src/base/random.ts'
import { TEST_PROTOCOL } from '../test/support/protocol.ts'
import { createClient } from './actors/client.ts'
import type { Client } from './actors/client.ts'
import { createIdentity } from './actors/identity.ts'
import type { Val } from './contracts/shared/host.ts'
import type { EventRecord } from './history.ts'
import { valFromBase64 } from './scval.ts'
import { startLocalNetwork } from './start.ts'
import type { LocalNetwork, LocalNetworkOptions } from './start.ts'

/** 2026-11-21 12:00 UTC. */
export const START_MS = 1_795_262_400_000

/** Ledgers until prices and liquidity exist. Trades are possible from the next one. */
export const WARM_UP_LEDGERS = 2

export interface TestNetwork extends LocalNetwork {
  readonly clock: VirtualClock
  /** Steps this many ledgers, one second apart. */
  closeLedgers(count: number): Promise<void>
  /** Calls a JSON-RPC method in this process. */
  call<T = Record<string, unknown>>(method: string, params?: Readonly<Record<string, unknown>>): Promise<T>
  /** A client for one of the user accounts. */
  userClient(name: string): Client
  /** The decoded events of the exchange's contracts so far. */
  exchangeEvents(topic?: string): readonly DecodedEvent[]
}

export interface DecodedEvent extends EventRecord {
  readonly topic: string
  readonly fields: readonly unknown[]
}

/** Starts a network, by default in memory and with four traders. */
export async function startTestNetwork(options: Partial<LocalNetworkOptions> = {}): Promise<TestNetwork> {
  const clock = createVirtualClock(START_MS)
  const seed = options.seed ?? 'a test'
  const network = await startLocalNetwork({
    clock, log: silentLog, seed, random: createSeededRandom(seed), ledgerMs: 1_000, host: '127.0.0.1', port: null, traders: 4, directory: null,
    protocol: TEST_PROTOCOL, ...options,
  })
  const { chain, rpc } = network
  const call = <T>(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<T> => rpc.call(method, params) as Promise<T>

  return {
    ...network,
    get contracts() {
      return network.contracts
    },
    clock,
    call,
    async closeLedgers(count) {
      for (let step = 0; step < count; step++) {
        clock.advance(1_000)
        await network.step()
      }
    },
    userClient: (name) =>
      createClient({
        identity: createIdentity(network.networkPassphrase, name),
        networkPassphrase: network.networkPassphrase,
        transport: (method, params) => call(method, params),
        exchange: network.exchange,
      }),
    exchangeEvents(topic) {
      const { market, vault, vaultFactory, referral } = network.contracts
      const range = { afterId: null, fromLedger: 1, untilLedger: chain.history.latest().sequence + 1, contractIds: [market, vault, vaultFactory, referral] }
      return [...chain.history.events(range)].map(decode).filter((event) => topic === undefined || event.topic === topic)
    },
    [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
  }
}

function decode(event: EventRecord): DecodedEvent {
  return { ...event, topic: String(plain(valFromBase64(event.topics[0] ?? ''))), fields: plainList(valFromBase64(event.value)) }
}

function plainList(val: Val): readonly unknown[] {
  return val.type === 'vec' ? val.value.map(plain) : []
}

/** A value without its type. */
export function plain(val: Val): unknown {
  if (val.type === 'vec') return val.value.map(plain)
  if (val.type === 'map') return Object.fromEntries(val.value.map(([key, value]) => [String(plain(key)), plain(value)]))
  return val.type === 'void' ? null : val.value
}

/** A hash of all events of the chain. */
export function eventLogHash(network: LocalNetwork): string {
  const { history } = network.chain
  const hash = createHash('sha256')
  const range = { afterId: null, fromLedger: 1, untilLedger: history.latest().sequence + 1, contractIds: null }
  for (const event of history.events(range)) hash.update(JSON.stringify(event))
  return hash.digest('hex')
}
