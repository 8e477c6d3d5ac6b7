// The keeper's due jobs, most urgent first. No job starves, neither behind more urgent jobs nor behind refused ones.

import { backoff } from '../../src/base/retry.ts'
import { REFUSAL_PAUSE_SEC } from './actor.ts'
import { JOB_KINDS } from './keeper-jobs.ts'
import type { Job } from './keeper-jobs.ts'

/** The jobs that are due. */
export interface JobList {
  /** Replaces the list with the jobs that are due now. */
  update(jobs: readonly Job[], nowSec: number): void
  /** Removes and returns the next job, if there is one. */
  takeNext(nowSec: number): Job | undefined
  /** Postpones a refused job, twice as long each time. */
  postpone(job: Job, nowSec: number): void
  forget(): void
}

/** Limits per kind of job. Further jobs are found again in a later snapshot of the market. */
const MAX_KNOWN_PER_KIND = 500
const MAX_QUEUED_PER_KIND = 32
/** Every second job is one that has waited at least this long, if there is one. */
const MAX_WAIT_SEC = 30

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

  /** The index of the job that has waited longest, if it has waited too long; otherwise 0. */
  function longestWaiting(nowSec: number): number {
    const oldest = Math.min(...queue.map(waitingSince))
    return nowSec - oldest >= MAX_WAIT_SEC ? queue.findIndex((job) => waitingSince(job) === oldest) : 0
  }

  return {
    update(jobs, nowSec) {
      const known = JOB_KINDS.map((kind) => jobs.filter((job) => job.kind === kind).slice(0, MAX_KNOWN_PER_KIND))
      const fresh: JobState = { waitingSinceSec: nowSec, refusals: 0, postponedUntilSec: nowSec }
      states = new Map(known.flat().map((job) => [job.name, states.get(job.name) ?? fresh]))
      const isAwake = (job: Job): boolean => nowSec >= (states.get(job.name)?.postponedUntilSec ?? nowSec)
      // Within a kind, longest waiting first. Refused jobs come after the others.
      queue = known.flatMap((ofAKind) => ofAKind.filter(isAwake).toSorted((a, b) => waitingSince(a) - waitingSince(b)).slice(0, MAX_QUEUED_PER_KIND))
    },
    takeNext(nowSec) {
      const index = tookMostUrgent ? longestWaiting(nowSec) : 0
      tookMostUrgent = index === 0
      return queue.splice(index, 1)[0]
    },
    postpone(job, nowSec) {
      const refusals = states.get(job.name)?.refusals ?? 0
      const postponedUntilSec = nowSec + backoff(REFUSAL_PAUSE_SEC, refusals + 1)
      // Its waiting time starts again.
      if (states.has(job.name)) states.set(job.name, { waitingSinceSec: postponedUntilSec, refusals: refusals + 1, postponedUntilSec })
    },
    forget() {
      states = new Map()
      queue = []
      tookMostUrgent = false
    },
  }
}
