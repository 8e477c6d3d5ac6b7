// The keeper's list of jobs: what is most urgent comes first, yet nothing waits for ever, neither behind more urgent jobs nor behind such as are refused.

import { JOB_KINDS } from './keeper-jobs.ts'
import type { Job } from './keeper-jobs.ts'

/** What is due and not yet done. */
export interface JobList {
  /** Everything that is due now, as the latest look at the market found it; what is not among it is forgotten. */
  offer(jobs: readonly Job[], nowSec: number): void
  /** Takes the next job; undefined when there is nothing to do now. */
  next(nowSec: number): Job | undefined
  /** The job could not be done: it rests, twice as long each time. */
  refused(job: Job, nowSec: number): void
  forget(): void
}

/** Of one kind, this many jobs are known at one time, and this many are lined up; the others are found again in a later look. */
const MAX_KNOWN_OF_A_KIND = 500
const MAX_LINED_UP_OF_A_KIND = 32
/** A job that has waited this long goes first at every second turn. */
const PATIENCE_SEC = 30
/** How long a refused job rests. */
const REST_LEAST_SEC = 5
const REST_MOST_SEC = 300

interface Waiting {
  readonly sinceSec: number
  readonly refusals: number
  readonly restsUntilSec: number
}

/** Builds an empty list. */
export function createJobList(): JobList {
  let waiting = new Map<string, Waiting>()
  let linedUp: Job[] = []
  let urgentHadItsTurn = false

  const since = (job: Job): number => waiting.get(job.name)?.sinceSec ?? Number.POSITIVE_INFINITY

  /** Where the job stands that has waited longest, when it has waited too long. */
  function longestWaiting(nowSec: number): number {
    const oldest = linedUp.reduce((least, job) => Math.min(least, since(job)), Number.POSITIVE_INFINITY)
    return nowSec - oldest >= PATIENCE_SEC ? linedUp.findIndex((job) => since(job) === oldest) : 0
  }

  return {
    offer(jobs, nowSec) {
      const known = JOB_KINDS.map((kind) => jobs.filter((job) => job.kind === kind).slice(0, MAX_KNOWN_OF_A_KIND))
      const fresh: Waiting = { sinceSec: nowSec, refusals: 0, restsUntilSec: nowSec }
      waiting = new Map(known.flat().map((job) => [job.name, waiting.get(job.name) ?? fresh]))
      const isAwake = (job: Job): boolean => nowSec >= (waiting.get(job.name)?.restsUntilSec ?? nowSec)
      // Of one kind, who has waited longest goes first; what has been refused stands behind what has not.
      linedUp = known.flatMap((ofAKind) => ofAKind.filter(isAwake).toSorted((a, b) => since(a) - since(b)).slice(0, MAX_LINED_UP_OF_A_KIND))
    },
    next(nowSec) {
      const index = urgentHadItsTurn ? longestWaiting(nowSec) : 0
      urgentHadItsTurn = index === 0
      return linedUp.splice(index, 1)[0]
    },
    refused(job, nowSec) {
      const refusals = waiting.get(job.name)?.refusals ?? 0
      const restsUntilSec = nowSec + Math.min(REST_MOST_SEC, REST_LEAST_SEC * 2 ** refusals)
      // What has been refused has had its turn: its patience begins anew.
      if (waiting.has(job.name)) waiting.set(job.name, { sinceSec: restsUntilSec, refusals: refusals + 1, restsUntilSec })
    },
    forget() {
      waiting = new Map()
      linedUp = []
      urgentHadItsTurn = false
    },
  }
}
