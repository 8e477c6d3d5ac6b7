// An exchange that trades in this process, a process under test that is killed and started again, and somebody who gets keys and trades there all the while.
// At the end everything that was acknowledged is held against the tables and the ledger.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Keypair } from '@stellar/stellar-sdk'
import { createSystemClock, nowSec } from '../../src/base/clock.ts'
import type { Clock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { readIndexState } from '../../src/projections/index-state.ts'
import type { Store } from '../../src/store/store.ts'
import { startLocalNetwork } from '../../localnet/start.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { checkArchiveMatchesChain } from '../sim/checkers/archive-matches-chain.ts'
import { readArchive } from '../sim/checkers/archive.ts'
import { checkKeysAreStored } from '../sim/checkers/keys-are-stored.ts'
import { checkListsMatchFold } from '../sim/checkers/lists-match-fold.ts'
import { checkSecretsDoNotLeak } from '../sim/checkers/secrets-do-not-leak.ts'
import { createKeyHolder } from '../sim/key-holders.ts'
import type { KeyHolder } from '../sim/key-holders.ts'
import { readChainEvents, openPositionIds } from '../sim/network-faults.ts'
import { createRequests } from '../sim/requests.ts'
import type { Requests, Server } from '../sim/requests.ts'
import { createSubmitter } from '../sim/submitters.ts'
import type { Submitter } from '../sim/submitters.ts'
import { bearer } from './keys.ts'
import type { ApiCall } from './keys.ts'

const SCRIPT = fileURLToPath(new URL('./crash-process.ts', import.meta.url))
const LEDGER_MS = 300
/** The index that is not at the chain's end after this long has lost its way. */
const CATCH_UP_MS = 60_000
const LOOK_MS = 50

/** A process under test. */
export interface ProcessRun extends Server {
  kill(): Promise<void>
}

export interface CrashFixture extends AsyncDisposable {
  readonly clock: Clock
  readonly holder: KeyHolder
  readonly submitter: Submitter
  /** Fails with what was wrong with an answer. */
  check(): void
  /** Starts the process; resolves when it serves. */
  start(): Promise<ProcessRun>
  /** Starts it, and kills it so much later, whether it serves by then or not. */
  startAndKill(afterMs: number): Promise<void>
  /** Asks for whatever there is to ask for, again and again, until `isOver`. Resolves when nothing is under way. */
  trade(life: ProcessRun, isOver: () => boolean): Promise<void>
  /** From now on an answer must be the right one. */
  expectSuccess(): void
  /** Everybody has stopped: the ledger stands still, the index comes to its end, everything is asked once more, and held against everything else. */
  verify(life: ProcessRun, openStore: () => Promise<Store>): Promise<{ readonly events: number; readonly keys: number; readonly envelopes: number }>
}

/** `database`: `server <url>` or `folder <path>`, as the process under test takes it. */
export async function openCrashFixture(seed: string, database: readonly [kind: 'server' | 'folder', where: string]): Promise<CrashFixture> {
  const clock = createSystemClock()
  const network = await startLocalNetwork({
    clock, seed, random: createSystemRandom(), log: silentLog, ledgerMs: LEDGER_MS, host: '127.0.0.1', port: 0, traders: 3, directory: null,
  })
  const wallet = Keypair.fromSecret(network.accounts.find(({ secret }) => secret !== null)?.secret ?? assert.fail('somebody to play'))
  let isCalm = false
  const requests: Requests = createRequests(clock)
  const parts = { wallet, requests, clock, network, isCalm: () => isCalm, timeSteps: false }
  const holder = createKeyHolder(parts)
  const submitter = createSubmitter(parts)
  const lives: ProcessRun[] = []

  const args = [SCRIPT, network.rpcUrl ?? '', JSON.stringify(network.contracts), ...database]
  const launch = () => spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })

  async function start(): Promise<ProcessRun> {
    const life = await openLife(launch())
    lives.push(life)
    return life
  }

  /** One of everything, then from the beginning. */
  async function trade(life: ProcessRun, isOver: () => boolean): Promise<void> {
    for (let round = 0; !isOver() && !life.isDead(); round++) {
      await holder.obtain(life, life)
      const key = holder.keys.findLast(({ revokeRequestedMs: revokeAskedMs }) => revokeAskedMs === null)
      if (key === undefined) continue
      const choice = { key, asset: round, pick: round, patienceMs: 2_000 }
      const deeds = [holder.use(life, round), holder.replay(life), submitter.trade(life, life, choice), submitter.submit(life, choice)]
      if (round % 3 === 2) deeds.push(holder.revoke(life, round))
      await Promise.all(deeds)
    }
  }

  return {
    clock, holder, submitter, start, trade,
    check: requests.check,
    async startAndKill(afterMs) {
      const child = launch()
      const gone = new Promise((resolve) => void child.once('close', resolve))
      await clock.sleep(afterMs)
      child.kill('SIGKILL')
      await gone
    },
    expectSuccess: () => void (isCalm = true),
    async verify(life, openStore) {
      await network.rpc.call('local_autoClose', { enabled: false })
      for (const place of holder.keys.keys()) await holder.use(life, place)
      const key = holder.keys.find(({ revokeRequestedMs: revokeAskedMs }) => revokeAskedMs === null)
      assert.ok(key)
      for (const pick of submitter.envelopes.keys()) await submitter.submit(life, { key, pick, patienceMs: 1_000 })
      requests.check()
      await untilIndexed(life, network, clock)
      // The embedded database serves one process: this one looks when the other is gone.
      await life.kill()
      await using store = await openStore()
      return await judgeTables({ store, network, clock, holder, submitter, requests })
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(lives.map((life) => life.kill()))
      await network[Symbol.asyncDispose]()
    },
  }
}

async function openLife(child: ReturnType<typeof spawn>): Promise<ProcessRun> {
  let isDead = false
  let how = ''
  const gone = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      isDead = true
      how = `${code ?? signal}`
      resolve()
    })
  })
  assert.ok(child.stdout)
  const { value } = (await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()) as { value: string | undefined }
  if (value === undefined) {
    await gone
    assert.fail(`the process ended (${how}) before it served`)
  }
  return {
    isDead: () => isDead,
    async call(url, options) {
      return httpCall(`${value}${url}`, options)
    },
    async kill() {
      isDead = true
      child.kill('SIGKILL')
      await gone
    },
  }
}

async function httpCall(url: string, { method = 'GET', body, key }: ApiCall): ReturnType<Server['call']> {
  const answer = await fetch(url, {
    method,
    headers: { ...(key === undefined ? {} : { authorization: bearer(key) }), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>, text }
}

async function untilIndexed(life: ProcessRun, network: LocalNetwork, clock: Clock): Promise<void> {
  const head = network.chain.history.latest().sequence
  for (const fromMs = clock.elapsedMs(); ;) {
    const { body } = await life.call('/place', {})
    if (body['lastLedger'] === head) return
    assert.ok(clock.elapsedMs() - fromMs < CATCH_UP_MS, `the index stands at ${String(body['lastLedger'])}, the chain at ${head}`)
    await clock.sleep(LOOK_MS)
  }
}

async function judgeTables(parts: {
  readonly store: Store
  readonly network: LocalNetwork
  readonly clock: Clock
  readonly holder: KeyHolder
  readonly submitter: Submitter
  readonly requests: Requests
}): Promise<{ readonly events: number; readonly keys: number; readonly envelopes: number }> {
  const { store, network, clock, holder, submitter, requests } = parts
  const state = await readIndexState(store.read)
  const archive = await readArchive(store.read)
  const lastLedger = state?.lastLedger ?? null
  assert.equal(lastLedger, network.chain.history.latest().sequence)
  checkArchiveMatchesChain(archive, [readChainEvents(network)], { chain: 1, lastLedger })
  await checkListsMatchFold(store.read, archive, nowSec(clock), await openPositionIds(network))
  await checkKeysAreStored(store.read, [holder])
  await checkSecretsDoNotLeak(store.read, [holder], { answers: requests.texts, lines: [] })
  submitter.checkReported()
  return { events: archive.length, keys: holder.keys.length, envelopes: submitter.envelopes.length }
}
