// The submissions of this process that callers wait for, by owner and hash.

export interface LiveSubmission {
  readonly owner: string
  readonly hash: string
  callers: number
  /** True when nothing of it can be on its way if the network refuses this copy. */
  isFirst: boolean
}

export interface LiveSubmissions {
  /** Joins the callers of a submission. */
  join(owner: string, hash: string): LiveSubmission
  /** True for the last caller. */
  leave(owner: string, hash: string): boolean
  list(): readonly LiveSubmission[]
}

export function createLiveSubmissions(): LiveSubmissions {
  const live = new Map<string, LiveSubmission>()
  const keyOf = (owner: string, hash: string): string => `${owner} ${hash}`
  return {
    join(owner, hash) {
      const key = keyOf(owner, hash)
      const submission = live.get(key) ?? { owner, hash, callers: 0, isFirst: false }
      submission.callers += 1
      live.set(key, submission)
      return submission
    },
    leave(owner, hash) {
      const key = keyOf(owner, hash)
      const submission = live.get(key)
      if (submission === undefined) return true
      submission.callers -= 1
      if (submission.callers > 0) return false
      live.delete(key)
      return true
    },
    list: () => [...live.values()],
  }
}
