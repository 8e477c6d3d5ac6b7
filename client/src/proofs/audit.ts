// Audits a gateway: its whole log is walked, and a sample of what it says is compared with a node of the auditor's choice.

import { isEqual, toHex } from '../bytes.ts'
import { ProofFailure } from '../errors.ts'
import type { Verify } from '../verify-types.ts'
import { appendRecords, readRecordEvents, readRecords } from './log.ts'
import type { LogEndpoints, PlacedRecord } from './log.ts'
import type { Checkpoint } from './note.ts'
import { createEventsReader } from './node-events.ts'
import type { CallNode } from './node-events.ts'
import { eventBytes, filterHash, hasEvents, readEventBytes } from './record.ts'
import { EMPTY_EDGE, ZERO_HASH } from './tree.ts'
import { describe, readWords } from './words.ts'
import type { Word } from './words.ts'

export interface AuditOptions {
  readonly log: LogEndpoints
  readonly verify: Verify
  readonly callNode: CallNode
  /** The exchange's contracts by the specification's names. */
  readonly contracts: Readonly<Record<string, string>>
  /** Only these ledgers are compared. The log is always walked from its beginning. */
  readonly fromLedger: number
  readonly toLedger: number
  /** The share of the records that is compared, 0 to 1. */
  readonly sample: number
  readonly random: () => number
  readonly signal: AbortSignal
}

/** What was checked, and holds. */
export interface AuditReport {
  readonly checkpoint: Checkpoint
  readonly records: number
  readonly corrections: number
  /** Compared with the node. */
  readonly comparedRecords: number
  readonly comparedEvents: number
  readonly comparedLedgers: number
  /** What was not checked, in sentences. */
  readonly notChecked: readonly string[]
}

/** Fewer records than this are all compared. */
const SAMPLED_MIN = 20

/** Resolves with what was checked when all of it holds. Throws ProofFailure with the first ledger and event that differ. */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const { log, verify, callNode, signal } = options
  const checkpoint = await verify.checkpoint({ signal })
  const records: PlacedRecord[] = []
  for await (const placed of readRecords(log, 0, checkpoint.size, { signal })) records.push(placed)
  await appendRecords(EMPTY_EDGE, records, checkpoint)
  const words = readWords(records)
  const notChecked: string[] = []
  const { passphrase } = await callNode<{ passphrase: string }>('getNetwork', null)
  const filter = await filterHash(options.contracts, passphrase)
  const { oldestLedger, latestLedger } = await callNode<{ oldestLedger: number; latestLedger: number }>('getHealth', null)
  const runs = sampleRuns(words, { ...options, filter, oldestLedger, latestLedger }, notChecked)
  const compare = createComparison(options, words, checkpoint)
  const counts = { comparedRecords: 0, comparedEvents: 0, comparedLedgers: 0 }
  for (const run of runs) {
    if (!await compare(run, notChecked)) continue
    counts.comparedRecords += run.length
    counts.comparedEvents += run.reduce((sum, word) => sum + word.events, 0)
    counts.comparedLedgers += (run.at(-1)?.to ?? 0) - (run[0]?.from ?? 0) + 1
  }
  if (counts.comparedRecords === 0) throw new ProofFailure('missing', `Nothing could be compared with the node. ${notChecked.join(' ')}`)
  const corrections = records.filter(({ record }) => record.kind === 'correction').length
  return { checkpoint, records: records.length, corrections, ...counts, notChecked }
}

/** Words that are compared together, because a ledger is in several of them. */
type Run = readonly Word[]

interface Sampling extends Pick<AuditOptions, 'fromLedger' | 'toLedger' | 'sample' | 'random'> {
  readonly filter: Uint8Array
  readonly oldestLedger: number
  readonly latestLedger: number
}

/** Chooses what is compared, in the order of ledgers, and says what is not. */
function sampleRuns(words: readonly Word[], sampling: Sampling, notChecked: string[]): Run[] {
  const { fromLedger, toLedger, sample, random, filter, oldestLedger, latestLedger } = sampling
  const all: Word[][] = []
  for (const word of words) {
    const run = all.at(-1)
    if (run?.at(-1)?.record.endsInside === true && run.at(-1)?.to === word.from && run.at(-1)?.part === word.part) run.push(word)
    else all.push([word])
  }
  const reasons = new Map<string, number>()
  const leaveOut = (run: Run, reason: string): void => void reasons.set(reason, (reasons.get(reason) ?? 0) + run.length)
  const eligible = all.filter((run) => {
    const [from, to] = [run[0]?.from ?? 0, run.at(-1)?.to ?? 0]
    const reason = to < fromLedger || from > toLedger ? 'are outside --from and --to'
      : run.some(({ record }) => record.kind === 'gap') ? 'are gaps: the gateway says that no node had these ledgers'
        : from < oldestLedger || to > latestLedger ? `are not on the node, which has ledgers ${oldestLedger} to ${latestLedger}`
          : run.some(({ record }) => !isEqual(record.filterHash, filter)) ? 'are of other contracts than the gateway serves now' : null
    if (reason !== null) leaveOut(run, reason)
    return reason === null
  })
  const share = Math.max(sample, SAMPLED_MIN / Math.max(1, eligible.length))
  const chosen = eligible.filter((run) => {
    const isChosen = random() < share
    if (!isChosen) leaveOut(run, 'are not in the sample')
    return isChosen
  })
  for (const [reason, count] of reasons) notChecked.push(`${count} records ${reason}.`)
  return chosen
}

type Compare = (run: Run, notChecked: string[]) => Promise<boolean>

/** Returns a function that compares a run with the node; false when the node has another chain. Throws ProofFailure at the first difference. */
function createComparison({ log, callNode, contracts, signal }: AuditOptions, words: readonly Word[], { note }: Checkpoint): Compare {
  const readNode = createEventsReader(callNode, contracts)
  const lastPart = words.at(-1)?.part

  /** Throws ProofFailure with the first event in which the node and a record differ. */
  async function nameDifference(word: Word, expected: readonly Uint8Array[]): Promise<never> {
    const served = await readRecordEvents(log, word, { signal }).catch(() => null)
    const at = served === null ? 0 : Math.max(0, firstDifference(expected, served.map(({ bytes }) => bytes)))
    const [ours, theirs] = [expected[at], served?.[at]?.bytes].map((bytes) => (bytes === undefined ? null : readEventBytes(bytes)))
    const id = [ours?.id, theirs?.id].filter((each) => each !== undefined).sort()[0]
    const ledger = id === undefined ? word.from : ledgerOf(id)
    const what = served === null ? 'the gateway does not serve what it has signed'
      : describeDifference(id, expected.map((bytes) => readEventBytes(bytes).id), served.map(({ bytes }) => readEventBytes(bytes).id))
    throw new ProofFailure('different', `Ledger ${ledger}, event ${id ?? 'unknown'}: ${what}. Record ${word.leafIndex} (${describe(word.record)}).`, [note])
  }

  return async (run, notChecked) => {
    const [first, last] = [run[0], run.at(-1)]
    if (first === undefined || last === undefined) return false
    const { toLedgerHash } = last.record
    if (!isEqual(toLedgerHash, ZERO_HASH)) {
      const request = { startLedger: last.record.toLedger, pagination: { limit: 1 } }
      const { ledgers } = await callNode<{ ledgers: { sequence: number; hash: string }[] }>('getLedgers', request)
      const hash = ledgers.find(({ sequence }) => sequence === last.record.toLedger)?.hash
      if (hash !== toHex(toLedgerHash)) {
        const what = `Ledger ${last.record.toLedger}: the node reports the hash ${hash}, record ${last.leafIndex} has ${toHex(toLedgerHash)}.`
        if (last.part === lastPart) throw new ProofFailure('different', what, [note])
        notChecked.push(`${run.length} records from ledger ${first.from} are of a chain that the node does not have.`)
        return false
      }
    }
    const earlier = await readEarlier(first.part, first.from, last.to)
    const left = (await readNode(first.from, last.to)).map(eventBytes).filter((bytes) => !earlier.has(toHex(bytes)))
    for (const word of run) {
      // Of a ledger in several records, each takes its number; the last one has to take all that is left.
      const expected = word === last && !word.record.endsInside ? left.splice(0) : left.splice(0, word.events)
      if (!await hasEvents(word.record, expected)) await nameDifference(word, expected)
    }
    return true
  }

  /** The events of these ledgers that an earlier part of the log has: an epoch that reads the chain from its start does not repeat them. */
  async function readEarlier(part: number, from: number, to: number): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    for (const word of words.filter((each) => each.part < part && each.to >= from && each.from <= to && each.events > 0)) {
      for (const { bytes } of await readRecordEvents(log, word, { signal }) ?? []) found.add(toHex(bytes))
    }
    return found
  }
}

/** The lie about an event, by the ids that the node and the gateway have. */
function describeDifference(id: string | undefined, expected: readonly (string | undefined)[], served: readonly (string | undefined)[]): string {
  const [ours, theirs] = [expected, served].map((ids) => ids.filter((each) => each === id).length)
  if (ours === 0) return 'the node does not have it'
  if (theirs === 0) return 'the gateway left it out'
  if ((theirs ?? 0) > (ours ?? 0)) return 'the gateway repeats it'
  return expected.indexOf(id) === served.indexOf(id) ? 'the gateway changed it' : 'the gateway has it at another place'
}

function firstDifference(expected: readonly Uint8Array[], served: readonly Uint8Array[]): number {
  return Array.from({ length: Math.max(expected.length, served.length) }, (_, at) => at).findIndex((at) => {
    const [one, other] = [expected[at], served[at]]
    return one === undefined || other === undefined || !isEqual(one, other)
  })
}

/** The ledger of an event id. */
function ledgerOf(id: string): number {
  return Number(BigInt(id.slice(0, 19)) >> 32n)
}
