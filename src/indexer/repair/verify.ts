// Compares the archive with the network's events, repairs it, and has the projections rebuilt and compared. Runs between the polls of the indexer, in the
// background, and continues after a restart. Requests are made one at a time, and a difference counts only when every node confirms it.

import { defined } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Random } from '../../base/random.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { renameCurrentEpoch } from '../../projections/repair/correction-log.ts'
import { countArchived } from '../../projections/log/event-counts.ts'
import { markGapsRead } from '../../projections/repair/gaps.ts'
import { correctReadGaps, correctRepairedLedgers } from '../../projections/proofs/log-corrections.ts'
import type { Repair } from '../../projections/repair/repairs.ts'
import {
  applyRepairs, countAfterLedger, countRepairs, discardRepairs, readLedgersOfArchive, readRepairedLedgers, recordRepairs,
} from '../../projections/repair/repairs.ts'
import type { Task, VerifiedRange, VerifyProgress } from '../../projections/repair/tasks.ts'
import { isActive, readTask, requestTask, updateTask } from '../../projections/repair/tasks.ts'
import type { Queryable, Writable, Writer } from '../../store/store.ts'
import { createBackgroundRequest } from '../background-request.ts'
import type { PageComparison } from './compare-archive.ts'
import { compareArchive, confirmedRepairs } from './compare-archive.ts'
import { randomEpochName } from '../identity/epochs.ts'
import type { CheckedPage } from '../pages/events-page.ts'
import { requestRebuild } from './rebuild.ts'
import { endOfLedger, ledgerAfter, ledgerOf } from '../../projections/log/toid.ts'
import { createSuspects } from '../identity/suspects.ts'
import type { Suspects } from '../identity/suspects.ts'
import type { Contradiction } from '../pages/transaction-effects.ts'
import { beginSubmissions, isComplete, pollSubmissions } from './verify-submissions.ts'
import { createNetworkReader, readChain } from './verify-reader.ts'
import type { CurrentChain, NetworkResponse } from './verify-reader.ts'

/** Archived events per comparison. A part of the network's history for which the archive holds more is compared in several parts. */
const ARCHIVE_PAGE = 20_000
/** Differences that are applied together. Each time, everything after the first missing event gets new seqs. */
const REPAIRS_PER_TRANSACTION = 10_000

/** Requests a verification, and returns the number of its run. One that is active continues, unless it verifies a part only. */
export async function requestVerify(db: Writer, nowMs: number): Promise<number> {
  return await db.transaction(async (tx) => {
    const task = await readTask(tx, 'verify')
    if (task !== null && isActive(task) && task.progress.isPartial !== true) return task.id
    await discardRepairs(tx)
    return await requestTask(tx, 'verify', NOTHING_VERIFIED, nowMs)
  })
}

const NOTHING_VERIFIED: VerifyProgress = {
  range: null, cursor: null, phase: 'network', compared: 0, added: 0, replaced: 0, removed: 0, differences: null,
  unverifiable: null, problem: null, submissions: null,
}

export interface Verifier {
  /** Writes the result of the last request and makes the next one, without waiting for it. */
  poll(db: Writer, signal: AbortSignal): Promise<void>
  /** Does one part of a verification and waits for it; false when nothing is to be verified. */
  step(db: Writer, signal?: AbortSignal): Promise<boolean>
  /** Has the ledger of a transaction verified whose record has other events than the archive, unless that was done lately. */
  suspect(contradiction: Contradiction): void
  /** Resolves when no request is pending. */
  settled(): Promise<void>
}

export interface VerifierOptions {
  readonly rpc: Rpc
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Checks again that the network still is the indexed chain. */
  readonly confirmChain: (db: Writer, signal: AbortSignal | undefined) => Promise<boolean>
  /** True when changes of submissions are in this log. */
  readonly hasSubmissions: boolean
}

export function createVerifier(options: VerifierOptions): Verifier {
  const { rpc, clock, random, log, confirmChain } = options
  const background = createBackgroundRequest<NetworkResponse>()
  const reader = createNetworkReader(rpc)
  /** The position of a page that differs from the archive and must be confirmed. */
  let suspectAt: string | undefined

  const suspects = createSuspects(clock)

  /** The next request; undefined when the task needs none. */
  async function nextRequest(db: Queryable): Promise<((signal?: AbortSignal) => Promise<NetworkResponse>) | undefined> {
    const task = await readTask(db, 'verify')
    if (task === null || !isActive(task) || task.progress.phase !== 'network') return undefined
    const chain = await readChain(db)
    if (chain === undefined) return undefined
    const { range, cursor } = task.progress
    const from = cursor ?? endOfLedger((range?.fromLedger ?? 1) - 1)
    return (signal) => range === null ? reader.readRange(chain, signal) : reader.readPage(chain, from, { confirm: suspectAt === from, signal })
  }

  async function apply(db: Writer, response: NetworkResponse, signal: AbortSignal | undefined): Promise<void> {
    const task = await readTask(db, 'verify')
    const chain = await readChain(db)
    if (task === null || !isActive(task) || chain === undefined) return
    const { progress } = task
    switch (response.kind) {
      case 'failed':
        return await save(db, { ...progress, problem: response.problem })
      case 'range': {
        if (!(await confirmChain(db, signal))) return await save(db, { ...progress, problem: 'the node does not serve the indexed chain' })
        const { fromLedger, throughLedger } = response
        log.info({ fromLedger, throughLedger }, 'verifying the index against the network')
        const range = { chain: chain.chain, fromLedger, throughLedger }
        const next = { ...progress, range, problem: null }
        if (fromLedger <= throughLedger) return await save(db, next)
        return await db.transaction(async (tx) => await save(tx, await endNetworkPhase(tx, chain, { range, progress: next }, options)))
      }
      case 'dropped':
        return await save(db, { ...progress, cursor: response.cursor, problem: null })
      case 'pages':
        return await applyPages(db, { progress, chain }, response, signal)
    }
  }

  async function applyPages(
    db: Writer,
    { progress, chain }: { readonly progress: VerifyProgress; readonly chain: CurrentChain },
    { from, pages }: Extract<NetworkResponse, { kind: 'pages' }>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const range = defined(progress.range, 'the range to verify')
    if (range.chain !== chain.chain) return await fail(db, progress, 'the network was reset during the verification; start it again')
    const compared = await compare(db, chain, range, { from, pages })
    if (compared === undefined) return await fail(db, progress, `the archive holds more than ${ARCHIVE_PAGE} events of ledger ${ledgerAfter(from)}`)
    const { comparison, cursor } = compared
    if (comparison.repairs.length > 0 && pages.length === 1) {
      suspectAt = from
      return
    }
    suspectAt = undefined
    const next = withComparison({ ...progress, cursor, problem: null }, comparison)
    const isLast = cursor >= endOfLedger(range.throughLedger)
    const mustApply = isLast || (await countRepairs(db)) + comparison.repairs.length >= REPAIRS_PER_TRANSACTION
    // Nothing is changed on the word of a node that has switched to another chain since.
    const hasRepairs = next.added + next.replaced + next.removed > 0
    if (mustApply && hasRepairs && !(await confirmChain(db, signal))) return
    await db.transaction(async (tx) => {
      await recordRepairs(tx, comparison.repairs)
      if (mustApply && (await countRepairs(tx)) > 0) await repair(tx, range)
      // What was repaired has requested a rebuild.
      if (isLast && next.isPartial === true) return await updateTask(tx, 'verify', { state: 'done', progress: next }, clock.nowMs())
      await save(tx, isLast ? await endNetworkPhase(tx, chain, { range, progress: next }, options) : next)
    })
  }

  async function repair(tx: Writable, { chain, fromLedger, throughLedger }: VerifiedRange): Promise<void> {
    const context = { ledger: throughLedger, nowMs: clock.nowMs() }
    const repairedLedgers = await readRepairedLedgers(tx)
    const repairedSeq = await applyRepairs(tx, { ...context, hasSubmissions: options.hasSubmissions })
    await renameCurrentEpoch(tx, { name: randomEpochName(random), fromSeq: repairedSeq, nowMs: context.nowMs })
    await correctRepairedLedgers(tx, chain, repairedLedgers)
    await requestRebuild(tx, { reason: 'verify', renameEpoch: true, compare: true }, context.nowMs)
    log.warn({ fromLedger, throughLedger }, 'the archive differed from the network and was repaired')
  }

  async function save(db: Writable, progress: VerifyProgress): Promise<void> {
    await updateTask(db, 'verify', { state: 'running', progress }, clock.nowMs())
  }

  async function fail(db: Writer, progress: VerifyProgress, problem: string): Promise<void> {
    await updateTask(db, 'verify', { state: 'failed', progress: { ...progress, problem } }, clock.nowMs())
  }

  return {
    async poll(db, signal) {
      const response = background.result()
      background.clear()
      if (response !== undefined) await apply(db, response, signal)
      if (background.isPending() || (await pollSecondPhase(db, options)) !== 'other phase') return
      await verifySuspect(db, suspects, options)
      const request = await nextRequest(db)
      if (request !== undefined) background.start(request(signal).catch(() => undefined))
    },
    async step(db, signal) {
      const phase = await pollSecondPhase(db, options)
      if (phase !== 'other phase') return phase === 'finished'
      await verifySuspect(db, suspects, options)
      const request = await nextRequest(db)
      if (request === undefined) return false
      await apply(db, await request(signal), signal)
      return true
    },
    suspect: suspects.add,
    settled: () => background.settled(),
  }
}

/** Verifies a suspect ledger while no verification is under way, which would cover it. */
async function verifySuspect(db: Writer, suspects: Suspects, { clock, log }: Pick<VerifierOptions, 'clock' | 'log'>): Promise<void> {
  if (suspects.isEmpty() || isActive(await readTask(db, 'verify'))) return
  const next = suspects.take()
  if (next === undefined) return
  const { chain, ledger, txHash } = next
  log.warn({ ledger, txHash }, 'the record of a transaction has other events than the archive; verifying its ledger')
  await db.transaction(async (tx) => {
    await discardRepairs(tx)
    const range = { chain, fromLedger: ledger, throughLedger: ledger }
    await requestTask(tx, 'verify', { ...NOTHING_VERIFIED, range, isPartial: true }, clock.nowMs())
  })
}

/** Compares the part of the pages whose archived rows can be read at once; undefined when one ledger has too many. */
async function compare(
  db: Queryable, chain: CurrentChain, range: VerifiedRange, { from, pages }: { readonly from: string; readonly pages: readonly CheckedPage[] },
): Promise<{ readonly comparison: PageComparison; readonly cursor: string } | undefined> {
  const end = endOfLedger(range.throughLedger)
  const reached = [end, ...pages.map((page) => page.cursor)].reduce((a, b) => (a < b ? a : b))
  const rows = await readLedgersOfArchive(db, { chain: chain.chain, fromLedger: ledgerAfter(from), toLedger: ledgerOf(reached), limit: ARCHIVE_PAGE })
  const lastLedger = rows.at(-1)?.ledger ?? 0
  const isFull = rows.length === ARCHIVE_PAGE
  if (isFull && lastLedger === ledgerAfter(from)) return undefined
  const cursor = isFull ? endOfLedger(lastLedger - 1) : reached
  const within = <Item extends object>(items: readonly Item[], idOf: (item: Item) => string): readonly Item[] =>
    items.filter((item) => idOf(item) > from && idOf(item) <= cursor)
  const archived = within(rows, (row) => row.chainId)
  const [first, ...others] = pages.map((page) => compareArchive(chain, within(page.events, (event) => event.id), archived))
  const comparison = defined(first, 'a page')
  const repairs = others.reduce<readonly Repair[]>((agreed, other) => confirmedRepairs(agreed, other.repairs), comparison.repairs)
  return { comparison: { ...comparison, repairs }, cursor }
}

/** Has the projections compared with a rebuilt copy, and the submissions with the archive and the nodes. */
async function endNetworkPhase(
  tx: Writable, chain: CurrentChain, { range, progress }: { readonly range: VerifiedRange; readonly progress: VerifyProgress },
  { clock, hasSubmissions }: Pick<VerifierOptions, 'clock' | 'hasSubmissions'>,
): Promise<VerifyProgress> {
  await markGapsRead(tx, range)
  await correctReadGaps(tx, range)
  const unverifiable = await countUnverifiable(tx, chain, { range, progress })
  await requestRebuild(tx, { reason: 'verify', compare: true }, clock.nowMs())
  return { ...progress, phase: 'projections', unverifiable, submissions: await beginSubmissions(tx, hasSubmissions) }
}

/** The number of archived events that the network no longer has. */
async function countUnverifiable(
  db: Queryable, chain: CurrentChain, { range, progress }: { readonly range: VerifiedRange; readonly progress: VerifyProgress },
): Promise<number> {
  const later = await countAfterLedger(db, chain.epochs.map(({ number }) => number), range.throughLedger)
  return Math.max(0, (await countArchived(db)) - progress.compared - later)
}

/** Compares the next submissions. Returns the progress once none is left, undefined before. */
async function comparedSubmissions(db: Writer, { progress }: Task<'verify'>, nowMs: number): Promise<VerifyProgress | undefined> {
  const { range, submissions: before } = progress
  if (range === null || before === null) return progress
  const submissions = await pollSubmissions(db, range, before, nowMs)
  if (isComplete(submissions)) return { ...progress, submissions }
  await updateTask(db, 'verify', { state: 'running', progress: { ...progress, submissions } }, nowMs)
  return undefined
}

/** Ends the task when the rebuild that compares the projections is complete; false when there is nothing to do now. */
async function finish(db: Writer, task: Task<'verify'>, { clock, log }: Pick<VerifierOptions, 'clock' | 'log'>): Promise<boolean> {
  const verified = await comparedSubmissions(db, task, clock.nowMs())
  if (verified === undefined) return false
  const rebuild = await readTask(db, 'rebuild')
  if (rebuild === null || isActive(rebuild)) return false
  const { range } = task.progress
  const chain = await readChain(db)
  // The rebuild has corrected the counts of archived events.
  const known = range === null || range.chain !== chain?.chain ? {} : { unverifiable: await countUnverifiable(db, chain, { range, progress: task.progress }) }
  const progress = { ...verified, ...known, differences: rebuild.progress.differences }
  await updateTask(db, 'verify', { state: 'done', progress }, clock.nowMs())
  const { compared, added, replaced, removed, unverifiable, submissions } = progress
  log.info({ compared, added, replaced, removed, unverifiable, submissions }, 'the index was verified')
  return true
}

/** Ends the second phase if possible. */
async function pollSecondPhase(db: Writer, options: Pick<VerifierOptions, 'clock' | 'log'>): Promise<'other phase' | 'waiting' | 'finished'> {
  const task = await readTask(db, 'verify')
  if (task === null || !isActive(task) || task.progress.phase !== 'projections') return 'other phase'
  return (await finish(db, task, options)) ? 'finished' : 'waiting'
}

function withComparison(progress: VerifyProgress, { repairs, expected }: PageComparison): VerifyProgress {
  const countOf = (action: Repair['action']): number => repairs.filter((each) => each.action === action).length
  return {
    ...progress,
    compared: progress.compared + expected,
    added: progress.added + countOf('add'),
    replaced: progress.replaced + countOf('replace'),
    removed: progress.removed + countOf('remove'),
  }
}
