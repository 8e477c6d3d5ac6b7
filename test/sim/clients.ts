// The people of a simulation: they get keys, use and revoke them, trade, and submit again what they were told nothing about, each as the decisions say.

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
import type { Profile } from './profile.ts'
import { createRequests } from './requests.ts'
import type { Requests, Server } from './requests.ts'
import { createSubmitter } from './submitters.ts'
import type { Submitter } from './submitters.ts'

/** How long somebody waits for what becomes of a transaction. */
const PATIENCES_MS = [1_000, 3_000, 10_000, 30_000]

interface Client {
  readonly holder: KeyHolder
  readonly submitter: Submitter
}

export interface Clients {
  readonly addresses: readonly string[]
  /** Each of them does something, or nothing, at the processes that live. */
  act(processes: readonly Server[]): void
  /** Fails when something was found since the last look, or somebody has waited for too long. */
  check(): void
  /** What nobody has answered yet. */
  waiting(): number
  /** When nothing is wrong any more: everybody uses every key, and submits everything again, at every process. */
  settle(processes: readonly Server[]): void
  /** Holds everything that was told against the tables and the ledger. */
  verify(db: Queryable, lines: readonly string[]): Promise<void>
  /** What they did and were told, and how often. */
  readonly counts: ReadonlyMap<string, number>
}

export interface ClientsParts {
  readonly network: LocalNetwork
  readonly clock: VirtualClock
  readonly decisions: Decisions
  readonly profile: Profile
  readonly isCalm: () => boolean
}

export function createClients(parts: ClientsParts): Clients {
  const { network, clock, decisions, profile, isCalm } = parts
  const requests = createRequests(clock)
  const wallets = network.accounts.flatMap(({ secret }) => (secret === null ? [] : [Keypair.fromSecret(secret)])).slice(0, profile.clients ?? 0)
  const people = wallets.map((wallet) => createClient(wallet, requests, parts))
  const met = new Map<string, number>()

  function check(): void {
    requests.check()
    for (const { submitter } of people) submitter.checkWaitingTimes(clock.elapsedMs())
  }

  return {
    addresses: wallets.map((wallet) => wallet.publicKey()),
    counts: met,
    act(processes) {
      const alive = processes.filter((process) => !process.isDead())
      for (const [index, person] of people.entries()) {
        const choice = decisions.decide(`person ${index}`, optionsOf(profile))
        if (choice === undefined || alive.length === 0) continue
        const at = alive[Number(choice['at']) % alive.length]
        const other = alive[Number(choice['other']) % alive.length]
        if (at === undefined || other === undefined) continue
        void act(person, choice, at, other)
      }
    },
    check,
    waiting: () => requests.open().length,
    settle(processes) {
      assert.ok(isCalm())
      for (const { holder, submitter } of people) {
        for (const process of processes) {
          for (const place of holder.keys.keys()) void holder.use(process, place)
          const key = holder.keys.find(({ revokeRequestedMs: revokeAskedMs }) => revokeAskedMs === null)
          if (key === undefined) continue
          for (const pick of submitter.envelopes.keys()) void submitter.submit(process, { key, pick, patienceMs: 1_000 })
        }
      }
    },
    async verify(db, lines) {
      check()
      const holders = people.map(({ holder }) => holder)
      await checkKeysAreStored(db, holders)
      await checkSecretsDoNotLeak(db, holders, { responses: requests.texts, logLines: lines })
      for (const { submitter } of people) submitter.checkReported()
      count(met, people)
    },
  }
}

function createClient(wallet: Keypair, requests: Requests, { clock, network, isCalm, profile }: ClientsParts): Client {
  return {
    holder: createKeyHolder({ wallet, requests, clock, isCalm, timeSteps: (profile.timeStep ?? 0) > 0 }),
    submitter: createSubmitter({ wallet, network, requests, clock, isCalm }),
  }
}

const PLACES = { at: 1, other: 1 } as const

function optionsOf({ activity = 0 }: Profile): readonly Option[] {
  const deed = (name: string, share: number, more: (roll: Roll) => Readonly<Record<string, number>> = () => ({})): Option => ({
    chance: activity * share,
    choice: (roll) => ({ name, at: roll.integer(0, PLACES.at), other: roll.integer(0, PLACES.other), pick: roll.integer(0, 20), ...more(roll) }),
  })
  const patience = (roll: Roll): Readonly<Record<string, number>> => ({ patienceMs: PATIENCES_MS[roll.integer(0, 3)] ?? 1_000 })
  return [
    deed('obtain', 0.15), deed('obtain here', 0.15), deed('replay', 0.1), deed('use', 0.15), deed('revoke', 0.08),
    deed('trade', 0.2, patience), deed('submit again', 0.17, patience),
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
    default:
      return key === undefined ? undefined : submitter.submit(at, { key, pick, patienceMs })
  }
}

function count(met: Map<string, number>, people: readonly Client[]): void {
  const add = (name: string, times: number): void => void met.set(name, (met.get(name) ?? 0) + times)
  for (const { holder, submitter } of people) {
    add('key issued', holder.keys.length)
    add('key revoked', holder.keys.filter(({ revokedMs }) => revokedMs !== null).length)
    add('claim without an answer', holder.unconfirmedClaims())
    const submissions = submitter.envelopes.flatMap((envelope) => envelope.submissions)
    for (const { outcome: told } of submissions) add(`submission: ${told?.kind ?? 'unanswered'}`, 1)
  }
}
