// The keeper's list of jobs: what is most urgent comes first, yet nothing waits for ever, neither behind more urgent jobs nor behind such as are refused.

import { JOB_KINDS } from './keeper-jobs.ts'
import type { Job } from './keeper-jobs.ts'

/** What is due and not yet done. */
export interface JobList {
  /** Everything that is due now, as the latest look at the market found it; what is not among it is forgotten. */
  update(jobs: readonly Job[], nowSec: number): void
  /** Takes the next job; undefined when there is nothing to do now. */
  takeNext(nowSec: number): Job | undefined
  /** The job could not be done: it rests, twice as long each time. */
  postpone(job: Job, nowSec: number): void
  forget(): void
}

/** Of one kind, this many jobs are known at one time, and this many are lined up; the others are found again in a later look. */
const MAX_KNOWN_PER_KIND = 500
const MAX_QUEUED_PER_KIND = 32
/** A job that has waited this long goes first at every second turn. */
const MAX_WAIT_SEC = 30
/** How long a refused job rests. */
const MIN_BACKOFF_SEC = 5
const MAX_BACKOFF_SEC = 300

interface JobState {
  readonly waitingSinceSec: number
  readonly refusals: number
  readonly postponedUntilSec: number
}

/** Builds an empty list. */
export function createJobList(): JobList {
  let states = new Map<string, JobState>()
  let queue: Job[] = []
  let tookMostUrgent = false

  const waitingSince = (job: Job): number => states.get(job.name)?.waitingSinceSec ?? Number.POSITIVE_INFINITY

  /** Where the job stands that has waited longest, when it has waited too long. */
  function longestWaiting(nowSec: number): number {
    const oldest = queue.reduce((least, job) => Math.min(least, waitingSince(job)), Number.POSITIVE_INFINITY)
    return nowSec - oldest >= MAX_WAIT_SEC ? queue.findIndex((job) => waitingSince(job) === oldest) : 0
  }

  return {
    update(jobs, nowSec) {
      const known = JOB_KINDS.map((kind) => jobs.filter((job) => job.kind === kind).slice(0, MAX_KNOWN_PER_KIND))
      const fresh: JobState = { waitingSinceSec: nowSec, refusals: 0, postponedUntilSec: nowSec }
      states = new Map(known.flat().map((job) => [job.name, states.get(job.name) ?? fresh]))
      const isAwake = (job: Job): boolean => nowSec >= (states.get(job.name)?.postponedUntilSec ?? nowSec)
      // Of one kind, who has waited longest goes first; what has been refused stands behind what has not.
      queue = known.flatMap((ofAKind) => ofAKind.filter(isAwake).toSorted((a, b) => waitingSince(a) - waitingSince(b)).slice(0, MAX_QUEUED_PER_KIND))
    },
    takeNext(nowSec) {
      const index = tookMostUrgent ? longestWaiting(nowSec) : 0
      tookMostUrgent = index === 0
      return queue.splice(index, 1)[0]
    },
    postpone(job, nowSec) {
      const refusals = states.get(job.name)?.refusals ?? 0
      const restsUntilSec = nowSec + Math.min(MAX_BACKOFF_SEC, MIN_BACKOFF_SEC * 2 ** refusals)
      // What has been refused has had its turn: its patience begins anew.
      if (states.has(job.name)) states.set(job.name, { waitingSinceSec: restsUntilSec, refusals: refusals + 1, postponedUntilSec: restsUntilSec })
    },
    forget() {
      states = new Map()
      queue = []
      tookMostUrgent = false
    },
  }
}
