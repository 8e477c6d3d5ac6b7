// One process of a simulation: a real indexer, the endpoints of keys and trading, and a tail of the log. It can be killed at every checkpoint.

import assert from 'node:assert/strict'
import { defined } from '../../src/base/assert.ts'
import type { Clock, VirtualClock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import type { Transport } from '../../src/chain/rpc/transport.ts'
import { LOCAL_NETWORK } from '../../src/indexer/identity/confirmation.ts'
import type { Declared } from '../../src/deployment/declaration.ts'
import { followLocalNetwork } from '../../src/deployment/follow-local.ts'
import { createIndexer } from '../../src/indexer/indexer.ts'
import { SUBMISSION_WAITERS_MAX, SUBMISSIONS_MAX } from '../../src/limits.ts'
import type { Store } from '../../src/store/store.ts'
import type { PersonalChannel } from '../../src/stream/channels.ts'
import { createTail } from '../../src/stream/tail.ts'
import type { Tail } from '../../src/stream/tail.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { call } from '../support/keys.ts'
import type { Trading, TradingServer } from './trading-server.ts'
import { untilIdle } from '../support/until.ts'
import type { Decisions } from './decisions.ts'
import { createKillable } from './killable.ts'
import type { Killable } from './killable.ts'
import type { Profile } from './profile.ts'
import type { Server } from './requests.ts'
import { createFaultyStore } from './store-faults.ts'
import { currentDeploymentOf, deploymentOf } from '../support/deployments.ts'

const IDLE_TURNS = 4

interface ProcessParts {
  readonly clock: VirtualClock
  readonly network: LocalNetwork
  readonly store: Store
  readonly decisions: Decisions
  readonly profile: Profile
  readonly pollIntervalMs: number
  readonly log: Log
  /** The server of an index; successive processes use the same one. */
  readonly serverOf: (index: number) => Promise<TradingServer>
  /** Accounts whose channels are watched. */
  readonly accounts: readonly string[]
  /** Called with every envelope that the process sends to the network. */
  readonly onSend: (envelopeXdr: string) => void
  /** Decides at every checkpoint whether the process is killed there. */
  readonly isLast: () => boolean
}

/** A published frame. */
export interface PublishedFrame {
  readonly channel: string
  readonly seq: number
  readonly prev: number
  /** The number of frames that follow with the same seq. */
  readonly more?: number
  readonly data: object
}

export interface SimProcess extends Server {
  /** Its index among the processes; its replacement has the same. */
  readonly index: number
  readonly killable: Killable
  readonly tail: Tail
  /** All published frames, in order. */
  readonly frames: readonly PublishedFrame[]
  /** Steps its wall clock. */
  stepTime(byMs: number): void
  /** Fails when a queue exceeds its limit. */
  checkBounds(): void
  /** The number of open submissions. */
  submissionsUnderWay(): number
  /** Stops it; resolves when all of its work has ended. */
  end(): Promise<void>
}

/** Starts a process; `run` counts the processes of this simulation and seeds its randomness. */
export async function startProcess(index: number, run: number, parts: ProcessParts): Promise<SimProcess> {
  const { network, profile, decisions, log } = parts
  const killable = createKillable(parts.isLast)
  let steppedMs = 0
  const clock: Clock = { ...parts.clock, nowMs: () => parts.clock.nowMs() + steppedMs }
  const random = createSeededRandom(`indexer/${index}/${run}`)
  const transport: Transport = (_url, body, signal) =>
    killable.run(async () => {
      for (const envelope of sentEnvelopes(body)) parts.onSend(envelope)
      const { status, body: response } = await network.rpc.handle(body, signal)
      return { status, body: response ?? '' }
    }, false)
  const rpcParts = { urls: ['http://simulated'], clock, log, transport }
  const faultyStore = (name: string): Store => createFaultyStore({ name: `${name} ${index}`, real: parts.store, killable, decisions, profile, clock })
  const { networkPassphrase } = network
  const declared = (): Declared => ({ contracts: network.contracts, generation: network.generation, assets: network.assets })
  const { contracts: initialContracts, ...initial } = declared()
  const deployment = currentDeploymentOf(initialContracts, { passphrase: networkPassphrase, ...initial })
  const stop = new AbortController()
  const indexer = createIndexer({
    store: faultyStore('store'), rpc: createRpc({ ...rpcParts, random }), deployment, clock, random, log,
    pollIntervalMs: parts.pollIntervalMs,
    startLedger: null,
    trust: LOCAL_NETWORK,
  })
  const stopDriver = new AbortController()
  const running = [indexer.run(stop.signal)]
  if ((profile.redeploy ?? 0) > 0) running.push(follow(stop.signal))
  const frames: PublishedFrame[] = []
  const tail = createTail({
    store: faultyStore('stream'), deployment, clock, log,
    // The announcement of an upgrade belongs to no channel.
    publish: (published) => frames.push(...published.map((frame) => readFrame(frame.bytes())).filter((frame) => 'channel' in frame)),
    onEpoch: () => {},
  })
  const server = parts.accounts.length === 0 ? null : await parts.serverOf(index)
  const trading = server === null ? null : startTrading(server)
  if (trading !== null) {
    running.push(tail.run(stop.signal))
    running.push(trading.submissions.run(stopDriver.signal))
    for (const account of parts.accounts) for (const kind of ['account', 'orders'] as const) void watch({ kind, account })
  }

  async function follow(signal: AbortSignal): Promise<void> {
    const killed = new AbortController()
    killable.onKilled(() => killed.abort())
    await followLocalNetwork({
      read: async () => declared(), initial: declared(), clock,
      onChange: ({ contracts, ...next }) => deployment.replace(deploymentOf(contracts, { passphrase: networkPassphrase, ...next })),
    }, AbortSignal.any([signal, killed.signal]))
  }

  /** Watches a channel of an account as a subscription does. A failed read ends the subscription. */
  async function watch(channel: PersonalChannel): Promise<void> {
    try {
      if (!tail.ready()) await tail.catchUp()
      await tail.watch(channel)
    } catch {
      // This channel has no subscriber.
    }
  }

  function startTrading({ serve }: TradingServer): Trading {
    const own = createSeededRandom(`gateway/${index}/${run}`)
    const readDatabaseTime = async (): Promise<number> => parts.clock.nowMs()
    return serve({
      store: faultyStore('api'), rpc: createRpc({ ...rpcParts, random: own }), clock, random: own, log, deployment, networkPassphrase, readDatabaseTime,
    })
  }

  return {
    index, killable, tail, frames,
    isDead: killable.isDead,
    call: (url, options) => call(defined(server, 'a server for clients').app, url, options),
    stepTime: (byMs) => void (steppedMs += byMs),
    checkBounds() {
      const { inFlight, waiters } = trading?.relay.flights.stats() ?? { inFlight: 0, waiters: 0 }
      assert.ok(inFlight <= SUBMISSIONS_MAX && waiters <= SUBMISSION_WAITERS_MAX, `${inFlight} submissions, ${waiters} waiting`)
    },
    submissionsUnderWay: () => trading?.relay.flights.stats().inFlight ?? 0,
    async end() {
      stop.abort()
      await trading?.close()
      stopDriver.abort()
      await Promise.all(running)
    },
  }
}

/** Resolves when only timers can make something happen: no process has a running database call and the event loop is quiet. */
export function untilProcessesIdle(processes: readonly SimProcess[]): Promise<void> {
  return untilIdle(() => processes.some(({ killable }) => killable.busy() > 0), IDLE_TURNS)
}

/** The envelopes of a JSON-RPC request. */
function sentEnvelopes(body: string): readonly string[] {
  if (!body.includes('"sendTransaction"')) return []
  const calls = [JSON.parse(body) as RpcCall | readonly RpcCall[]].flat()
  return calls.flatMap(({ method, params }) => (method === 'sendTransaction' && params?.transaction !== undefined ? [params.transaction] : []))
}

interface RpcCall {
  readonly method: string
  readonly params?: { readonly transaction?: string }
}

/** The JSON after the WebSocket header. */
function readFrame(bytes: Buffer): PublishedFrame {
  const header = bytes[1] === 127 ? 10 : bytes[1] === 126 ? 4 : 2
  return JSON.parse(bytes.subarray(header).toString()) as PublishedFrame
}
