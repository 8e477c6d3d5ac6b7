// An exchange that trades in this process, a process under test that is killed and restarted, and a client that obtains keys and trades there. At the end every
// acknowledged change is compared with the tables and the ledger.

import assert from 'node:assert/strict'
import { Keypair } from '@stellar/stellar-sdk'
import { createSystemClock, nowSec } from '../../src/base/clock.ts'
import type { Clock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { LocalGeneration } from '../../localnet/setup.ts'
import { readIndexState } from '../../src/projections/state/index-state.ts'
import { openStore } from '../../src/store/open.ts'
import type { Queryable } from '../../src/store/store.ts'
import { checkArchiveMatchesChain } from '../sim/checkers/archive-matches-chain.ts'
import { readArchive } from '../sim/checkers/archive.ts'
import { checkKeysAreStored } from '../sim/checkers/keys-are-stored.ts'
import { checkListsMatchFold } from '../sim/checkers/lists-match-fold.ts'
import { checkSecretsDoNotLeak } from '../sim/checkers/secrets-do-not-leak.ts'
import { checkPageLog } from '../sim/checkers/page-log.ts'
import { createKeyHolder } from '../sim/key-holders.ts'
import type { KeyHolder } from '../sim/key-holders.ts'
import { createLedgerTruth } from '../sim/ledger-truth.ts'
import { readOpenPositions, readChainEvents } from '../sim/network-faults.ts'
import { createRequests } from '../sim/requests.ts'
import type { Server } from '../sim/requests.ts'
import { createSubmitter } from '../sim/submitters.ts'
import type { Submitter } from '../sim/submitters.ts'
import { bearer } from '../support/keys.ts'
import type { ApiCall } from '../support/keys.ts'
import { startNetworkOn } from '../support/network.ts'
import { startScript } from '../support/program.ts'
import type { Program } from '../support/program.ts'

const SCRIPT = new URL('./crash-process.ts', import.meta.url)
const LEDGER_MS = 300
const CATCH_UP_MS = 60_000
const POLL_MS = 50
const STORE_ATTEMPTS = 5

/** Location of the data of the process under test. */
export type CrashDatabase = readonly [kind: 'server' | 'folder', location: string]

/** A running process under test. */
interface ProcessRun extends Server {
  kill(): Promise<void>
}

export interface CrashFixture extends AsyncDisposable {
  readonly clock: Clock
  readonly holder: KeyHolder
  readonly submitter: Submitter
  /** Throws the first wrong response. */
  check(): void
  /** Starts the process and waits until it serves. */
  start(): Promise<ProcessRun>
  /** Starts the process and kills it after this time, whether or not it serves by then. */
  startAndKill(afterMs: number): Promise<void>
  /** Calls every endpoint in turn until `isOver`. Resolves when no request is open. */
  trade(run: ProcessRun, isOver: () => boolean): Promise<void>
  /** Accepts no more errors that a fault explains. */
  expectSuccess(): void
  /** Repeats every request, waits for the index, ends the process and verifies tables and ledger. Returns what was verified. */
  verify(run: ProcessRun): Promise<VerifiedCounts>
}

interface VerifiedCounts {
  readonly events: number
  readonly keys: number
  readonly envelopes: number
}

export async function openCrashFixture(seed: string, database: CrashDatabase, generation: LocalGeneration = '1'): Promise<CrashFixture> {
  const clock = createSystemClock()
  const network = await startNetworkOn(clock, { seed, port: 0, traders: 3, ledgerMs: LEDGER_MS, generation })
  const wallet = Keypair.fromSecret(network.accounts.find(({ secret }) => secret !== null)?.secret ?? assert.fail('the network has no account with a secret'))
  let expectsSuccess = false
  const requests = createRequests(clock)
  const parts = { wallet, requests, clock, network, truth: createLedgerTruth(network), isCalm: () => expectsSuccess, timeSteps: false }
  const holder = createKeyHolder(parts)
  const submitter = createSubmitter(parts)
  const runs: ProcessRun[] = []
  const startProcess = (): Program => startScript(SCRIPT, [network.rpcUrl ?? '', JSON.stringify(network.contracts), ...database, generation])

  async function start(): Promise<ProcessRun> {
    const program = startProcess()
    const run = createProcessRun(program, await program.waitForLine(/^http:/))
    runs.push(run)
    return run
  }

  async function trade(run: ProcessRun, isOver: () => boolean): Promise<void> {
    for (let round = 0; !isOver() && !run.isDead(); round++) {
      await holder.obtain(run, run)
      const key = holder.keys.findLast(({ revokeRequestedMs }) => revokeRequestedMs === null)
      if (key === undefined) continue
      const choice = { key, asset: round, pick: round, patienceMs: 2_000 }
      const calls = [holder.use(run, round), holder.replay(run), submitter.trade(run, run, choice), submitter.submit(run, choice)]
      if (round % 3 === 2) calls.push(holder.revoke(run, round))
      await Promise.all(calls)
    }
  }

  async function repeatRequests(run: ProcessRun): Promise<void> {
    for (const pick of holder.keys.keys()) await holder.use(run, pick)
    const key = holder.keys.find(({ revokeRequestedMs }) => revokeRequestedMs === null)
    assert.ok(key)
    for (const [pick, envelope] of submitter.envelopes.entries()) {
      // On a busy machine the database can take too long; then the response says that the submission is not stored.
      let attempts = 0
      do await submitter.submit(run, { key, pick, patienceMs: 1_000 })
      while (++attempts < STORE_ATTEMPTS && !envelope.isStored && !envelope.isIdTaken)
    }
    requests.check()
  }

  async function waitForIndex(run: ProcessRun): Promise<void> {
    const head = network.chain.history.latest().sequence
    for (const startedMs = clock.elapsedMs(); ;) {
      const { body: { lastLedger } } = await run.call('/index', {})
      if (lastLedger === head) return
      assert.ok(clock.elapsedMs() - startedMs < CATCH_UP_MS, `the index is at ledger ${String(lastLedger)}, the chain at ${head}`)
      await clock.sleep(POLL_MS)
    }
  }

  async function verifyTables(): Promise<VerifiedCounts> {
    await using store = await openCrashDatabase(database)
    const state = await readIndexState(store.read)
    const archive = await readArchive(store.read)
    const lastLedger = state?.lastLedger ?? null
    assert.equal(lastLedger, network.chain.history.latest().sequence)
    await checkPageLog(store.read)
    checkArchiveMatchesChain(archive, [readChainEvents(network)], { chain: 1, lastLedger })
    await checkListsMatchFold(store.read, archive, nowSec(clock), await readOpenPositions(network))
    await checkKeysAreStored(store.read, [holder])
    await checkSecretsDoNotLeak(store.read, [holder], { responses: requests.texts, logLines: [] })
    submitter.checkReported()
    await checkSubmissions(store.read)
    return { events: archive.length, keys: holder.keys.length, envelopes: submitter.envelopes.length }
  }

  /** No stored state contradicts the ledger. */
  async function checkSubmissions(db: Queryable): Promise<void> {
    const rows = await db.query<{ hash: string; status: string; ledger: number | null }>('select hash, status, ledger from tx.submissions')
    assert.ok(rows.length > 0, 'no submission was stored')
    for (const { hash, status, ledger } of rows) {
      const applied = network.chain.history.transaction(hash)
      if (status === 'SUCCESS' || status === 'FAILED') assert.deepEqual({ status, ledger }, { status: applied?.status, ledger: applied?.ledger }, hash)
      else if (status === 'EXPIRED') assert.equal(applied, undefined, `${hash} was reported as expired and is on the ledger`)
    }
    // Every envelope was submitted again before, so what is on the ledger must be stored as such. While the database was down, one could be sent without being
    // stored, and another transaction take its client id.
    const stored = new Map(rows.map(({ hash, status }) => [hash, status]))
    for (const { hash, isStored, isIdTaken } of submitter.envelopes) {
      const applied = network.chain.history.transaction(hash)
      if (applied !== undefined && (isStored || !isIdTaken)) assert.equal(stored.get(hash), applied.status, `${hash} is on the ledger`)
    }
  }

  return {
    clock, holder, submitter, start, trade,
    check: requests.check,
    async startAndKill(afterMs) {
      const program = startProcess()
      await clock.sleep(afterMs)
      await program.stop('SIGKILL')
    },
    expectSuccess: () => void (expectsSuccess = true),
    async verify(run) {
      await network.rpc.call('local_autoClose', { enabled: false })
      await repeatRequests(run)
      await waitForIndex(run)
      // Only one process can open the embedded database.
      await run.kill()
      return await verifyTables()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(runs.map((run) => run.kill()))
      await network[Symbol.asyncDispose]()
    },
  }
}

/** Opens the database as the process under test does. */
function openCrashDatabase([kind, location]: CrashDatabase): ReturnType<typeof openStore> {
  const [databaseUrl, dataDir] = kind === 'server' ? [location, null] : [null, location]
  return openStore({ databaseUrl, dataDir, clock: createSystemClock({ keepAlive: false }), log: silentLog })
}

function createProcessRun(program: Program, baseUrl: string): ProcessRun {
  let isDead = false
  void program.exited.then(() => (isDead = true))
  return {
    isDead: () => isDead,
    call: (path, options) => callOverHttp(`${baseUrl}${path}`, options),
    async kill() {
      isDead = true
      await program.stop('SIGKILL')
    },
  }
}

async function callOverHttp(url: string, { method = 'GET', body, key }: ApiCall): ReturnType<Server['call']> {
  const response = await fetch(url, {
    method,
    headers: { ...(key === undefined ? {} : { authorization: bearer(key) }), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
  return { status: response.status, headers: Object.fromEntries(response.headers), body: json, text }
}
