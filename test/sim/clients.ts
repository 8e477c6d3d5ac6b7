// The clients of a simulation: they obtain, use and revoke keys, trade, and repeat submissions without a result, as the decisions say.

import assert from 'node:assert/strict'
import { Keypair } from '@stellar/stellar-sdk'
import type { VirtualClock } from '../../src/base/clock.ts'
import type { Queryable } from '../../src/store/store.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { checkKeysAreStored } from './checkers/keys-are-stored.ts'
import { checkSecretsDoNotLeak } from './checkers/secrets-do-not-leak.ts'
import type { Choice, Decisions, Option, Roll } from './decisions.ts'
import { createKeyHolder } from './key-holders.ts'
import type { HeldKey, KeyHolder } from './key-holders.ts'
import type { LedgerTruth } from './ledger-truth.ts'
import type { Profile } from './profile.ts'
import { createRequests } from './requests.ts'
import type { Requests, Server } from './requests.ts'
import { createSubmitter } from './submitters.ts'
import type { Submitter } from './submitters.ts'

/** Values of `pollTimeoutMs`. */
const POLL_TIMEOUTS_MS = [1_000, 3_000, 10_000, 30_000]

interface Client {
  readonly holder: KeyHolder
  readonly submitter: Submitter
}

export interface Clients {
  readonly addresses: readonly string[]
  /** Each client may act at a running process. */
  act(processes: readonly Server[]): void
  /** Throws the first wrong response, or fails when a request has taken too long. */
  check(): void
  /** The number of open requests. */
  waiting(): number
  /** Called with every envelope that a process sends to the network. */
  onSend(envelopeXdr: string): void
  /** Without faults: looks up every transaction at every process. */
  lookUpAll(processes: readonly Server[]): void
  /** Without faults: uses every key and repeats every submission at every process. */
  settle(processes: readonly Server[]): void
  /** Compares all responses with the tables and the ledger. */
  verify(db: Queryable, lines: readonly string[]): Promise<void>
  /** Counts of issued and revoked keys and of outcomes. */
  readonly counts: ReadonlyMap<string, number>
}

interface ClientsParts {
  readonly network: LocalNetwork
  readonly truth: LedgerTruth
  readonly clock: VirtualClock
  readonly decisions: Decisions
  readonly profile: Profile
  readonly isCalm: () => boolean
}

export function createClients(parts: ClientsParts): Clients {
  const { network, clock, decisions, profile, isCalm } = parts
  const requests = createRequests(clock)
  const wallets = network.accounts.flatMap(({ secret }) => (secret === null ? [] : [Keypair.fromSecret(secret)])).slice(0, profile.clients ?? 0)
  const clients = wallets.map((wallet) => createClient(wallet, requests, parts))
  const counts = new Map<string, number>()

  function check(): void {
    requests.check()
    for (const { submitter } of clients) submitter.checkWaitingTimes(clock.elapsedMs())
  }

  return {
    addresses: wallets.map((wallet) => wallet.publicKey()),
    counts,
    act(processes) {
      const alive = processes.filter((process) => !process.isDead())
      for (const [index, client] of clients.entries()) {
        const choice = decisions.decide(`person ${index}`, optionsOf(profile))
        if (choice === undefined || alive.length === 0) continue
        const at = alive[Number(choice['at']) % alive.length]
        const other = alive[Number(choice['other']) % alive.length]
        if (at === undefined || other === undefined) continue
        void act(client, choice, at, other)
      }
    },
    check,
    onSend(envelopeXdr) {
      for (const { submitter } of clients) requests.attempt(() => submitter.onSend(envelopeXdr))
    },
    lookUpAll(processes) {
      for (const { holder, submitter } of clients) {
        const key = holder.keys.find(({ revokeRequestedMs }) => revokeRequestedMs === null)
        if (key === undefined) continue
        for (const process of processes) {
          for (const pick of submitter.envelopes.keys()) for (const byClientId of [false, true]) void submitter.look(process, { key, pick, byClientId })
        }
      }
    },
    waiting: () => requests.open().length,
    settle(processes) {
      assert.ok(isCalm())
      for (const { holder, submitter } of clients) {
        for (const process of processes) {
          for (const pick of holder.keys.keys()) void holder.use(process, pick)
          const key = holder.keys.find(({ revokeRequestedMs: revokeAskedMs }) => revokeAskedMs === null)
          if (key === undefined) continue
          for (const pick of submitter.envelopes.keys()) void submitter.submit(process, { key, pick, patienceMs: 1_000 })
        }
      }
    },
    async verify(db, lines) {
      check()
      const holders = clients.map(({ holder }) => holder)
      await checkKeysAreStored(db, holders)
      await checkSecretsDoNotLeak(db, holders, { responses: requests.texts, logLines: lines })
      for (const { submitter } of clients) submitter.checkReported()
      count(counts, clients)
    },
  }
}

function createClient(wallet: Keypair, requests: Requests, { clock, network, truth, isCalm, profile }: ClientsParts): Client {
  return {
    holder: createKeyHolder({ wallet, requests, clock, isCalm, timeSteps: (profile.timeStep ?? 0) > 0 }),
    submitter: createSubmitter({ wallet, network, truth, requests, clock, isCalm }),
  }
}

/** Decisions choose one of two processes. */
const PROCESS_MAX = 1

function optionsOf({ activity = 0 }: Profile): readonly Option[] {
  const action = (name: string, share: number, more: (roll: Roll) => Readonly<Record<string, number>> = () => ({})): Option => ({
    chance: activity * share,
    choice: (roll) => ({ name, at: roll.integer(0, PROCESS_MAX), other: roll.integer(0, PROCESS_MAX), pick: roll.integer(0, 20), ...more(roll) }),
  })
  const patience = (roll: Roll): Readonly<Record<string, number>> => ({ patienceMs: POLL_TIMEOUTS_MS[roll.integer(0, 3)] ?? 1_000 })
  return [
    action('obtain', 0.15), action('obtain here', 0.15), action('replay', 0.1), action('use', 0.15), action('revoke', 0.08),
    action('trade', 0.2, patience), action('submit again', 0.1, patience), action('look up', 0.04), action('look up by client id', 0.03),
  ]
}

async function act({ holder, submitter }: Client, choice: Choice, at: Server, other: Server): Promise<void> {
  const pick = Number(choice['pick'])
  const patienceMs = Number(choice['patienceMs'])
  const key: HeldKey | undefined = holder.keys.findLast(({ revokeRequestedMs: revokeAskedMs }) => revokeAskedMs === null)
  switch (choice.name) {
    case 'obtain':
      return holder.obtain(at, other)
    case 'obtain here':
      return holder.obtain(at, at)
    case 'replay':
      return holder.replay(at)
    case 'use':
      return holder.use(at, pick)
    case 'revoke':
      return holder.revoke(at, pick)
    case 'trade':
      return key === undefined ? undefined : submitter.trade(at, other, { key, asset: pick, patienceMs })
    case 'look up':
    case 'look up by client id':
      return key === undefined ? undefined : submitter.look(at, { key, pick, byClientId: choice.name !== 'look up' })
    default:
      return key === undefined ? undefined : submitter.submit(at, { key, pick, patienceMs })
  }
}

function count(counts: Map<string, number>, clients: readonly Client[]): void {
  const add = (name: string, times: number): void => void counts.set(name, (counts.get(name) ?? 0) + times)
  for (const { holder, submitter } of clients) {
    add('key issued', holder.keys.length)
    add('key revoked', holder.keys.filter(({ revokedMs }) => revokedMs !== null).length)
    add('claim without an answer', holder.unconfirmedClaims())
    const submissions = submitter.envelopes.flatMap((envelope) => envelope.submissions)
    for (const { outcome } of submissions) add(`submission: ${outcome?.kind ?? 'unanswered'}`, 1)
  }
}
