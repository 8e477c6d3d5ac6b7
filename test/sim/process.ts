// One process of a simulation: a real indexer, the endpoints of keys and trading, and a tail of the log, behind doors that it dies with.

import assert from 'node:assert/strict'
import { defined } from '../../src/base/assert.ts'
import type { Clock, VirtualClock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc.ts'
import type { Transport } from '../../src/chain/transport.ts'
import { createIndexer } from '../../src/indexer/indexer.ts'
import { SUBMISSION_WAITERS_MAX, SUBMISSIONS_MAX } from '../../src/limits.ts'
import type { Store } from '../../src/store/store.ts'
import { createTail } from '../../src/stream/tail.ts'
import type { Tail } from '../../src/stream/tail.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { call } from '../support/keys.ts'
import type { Trading, TradingServer } from '../support/trading-server.ts'
import type { Decisions } from './decisions.ts'
import { createKillable } from './killable.ts'
import type { Killable } from './killable.ts'
import type { Profile } from './profile.ts'
import type { Server } from './requests.ts'
import { createFaultyStore } from './store-faults.ts'

export interface ProcessParts {
  readonly clock: VirtualClock
  readonly network: LocalNetwork
  readonly store: Store
  readonly decisions: Decisions
  readonly profile: Profile
  readonly pollIntervalMs: number
  readonly log: Log
  /** The server of a place, which one life after the other serves. */
  readonly serverOf: (index: number) => Promise<TradingServer>
  /** Accounts whose channels are followed. */
  readonly accounts: readonly string[]
  /** Asked at every step of the process whether it is its last one. */
  readonly isLast: () => boolean
}

/** A frame as it went out. */
export interface PublishedFrame {
  readonly channel: string
  readonly seq: number
  readonly prev: number
  readonly data: object
}

export interface SimProcess extends Server {
  /** Its place among the processes; whoever takes its place later has the same. */
  readonly index: number
  readonly killable: Killable
  readonly tail: Tail
  /** Everything that it published, in order. */
  readonly frames: readonly PublishedFrame[]
  /** Steps its time of day. */
  stepTime(byMs: number): void
  /** Fails when it holds more than it may. */
  checkBounds(): void
  /** How many submissions it waits for. */
  submissionsUnderWay(): number
  /** Ends it gently; resolves when nothing of it is left. */
  end(): Promise<void>
}

/** Starts a process, as an operator would; `life` tells it from those that had its place before. */
export async function startProcess(index: number, life: number, parts: ProcessParts): Promise<SimProcess> {
  const { network, profile, decisions, log } = parts
  const mortal = createKillable(parts.isLast)
  let steppedMs = 0
  const clock: Clock = { ...parts.clock, nowMs: () => parts.clock.nowMs() + steppedMs }
  const random = createSeededRandom(`indexer/${index}/${life}`)
  const transport: Transport = (_url, body, signal) =>
    mortal.run(async () => {
      const { status, body: answer } = await network.rpc.handle(body, signal)
      return { status, body: answer ?? '' }
    }, false)
  const rpcParts = { urls: ['http://simulated'], clock, log, transport }
  const door = (name: string): Store => createFaultyStore({ name: `${name} ${index}`, real: parts.store, mortal, decisions, profile, clock })
  const { contracts, networkPassphrase } = network
  const stop = new AbortController()
  const indexer = createIndexer({
    store: door('store'), rpc: createRpc({ ...rpcParts, random }), contracts, networkPassphrase, clock, random, log,
    pollIntervalMs: parts.pollIntervalMs,
    startLedger: null,
  })
  const running = [indexer.run(stop.signal)]
  const frames: PublishedFrame[] = []
  const tail = createTail({
    store: door('stream'), clock, log,
    publish: (published) => published.forEach((frame) => frames.push(readFrame(frame.bytes()))),
    onEpoch: () => {},
  })
  const server = parts.accounts.length === 0 ? null : await parts.serverOf(index)
  const trading = server === null ? null : startTrading(server)
  if (trading !== null) {
    running.push(tail.run(stop.signal))
    for (const account of parts.accounts) void follow(account)
  }

  /** As a client's subscription does it; one that cannot be read ends there. */
  async function follow(account: string): Promise<void> {
    try {
      if (!tail.ready()) await tail.catchUp()
      await tail.watchAccount(account)
    } catch {
      // Nobody gets this channel.
    }
  }

  function startTrading({ serve }: TradingServer): Trading {
    const own = createSeededRandom(`gateway/${index}/${life}`)
    return serve({ store: door('api'), rpc: createRpc({ ...rpcParts, random: own }), clock, random: own, log, contracts, networkPassphrase })
  }

  return {
    index, killable: mortal, tail, frames,
    isDead: mortal.isDead,
    call: (url, options) => call(defined(server, 'a server where people are').app, url, options),
    stepTime: (byMs) => void (steppedMs += byMs),
    checkBounds() {
      const { inFlight, waiters } = trading?.relay.submissions.stats() ?? { inFlight: 0, waiters: 0 }
      assert.ok(inFlight <= SUBMISSIONS_MAX && waiters <= SUBMISSION_WAITERS_MAX, `${inFlight} submissions, ${waiters} waiting`)
    },
    submissionsUnderWay: () => trading?.relay.submissions.stats().inFlight ?? 0,
    async end() {
      stop.abort()
      await trading?.close()
      await Promise.all(running)
    },
  }
}

/** A frame's text behind the header of the protocol. */
function readFrame(bytes: Buffer): PublishedFrame {
  const header = bytes[1] === 127 ? 10 : bytes[1] === 126 ? 4 : 2
  return JSON.parse(bytes.subarray(header).toString()) as PublishedFrame
}
