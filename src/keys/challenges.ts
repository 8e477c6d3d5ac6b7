// Pending challenges: one per address, taken once (specification, "Key-issuance challenge").

/** A challenge that waits for its answer. */
export interface PendingChallenge {
  /** 32 random bytes, in hex. */
  readonly challengeHex: string
  /** From this moment on it is void; milliseconds. */
  readonly expiresAtMs: number
}

/** Where challenges wait. In this process's memory, or with whatever several instances share. */
export interface ChallengeStore {
  /** Keeps the challenge until it is taken, at least until it expires; replaces the one that was pending for the address. */
  put(address: string, challengeHex: string, expiresAtMs: number): Promise<void>
  /** Removes the address's challenge and returns it, so that of two takers one gets nothing. It may have expired. */
  take(address: string): Promise<PendingChallenge | undefined>
}

/** Raised when what instances share does not tell whether a challenge was kept or taken; retryable with a new challenge. */
export class ChallengesUnavailable extends Error {
  override readonly name = 'ChallengesUnavailable'
}

/** More pending challenges than this are not kept: a flood of requests costs memory that is known beforehand, some ten megabytes. */
export const MAX_PENDING_CHALLENGES = 50_000

/**
 * Challenges in memory; a restart voids them. When `maxPending` wait already, the oldest makes room, so that a flood shortens the life of a challenge and
 * never stops its issue.
 */
export function createMemoryChallenges(maxPending: number = MAX_PENDING_CHALLENGES): ChallengeStore {
  const pending = new Map<string, PendingChallenge>()
  return {
    async put(address, challengeHex, expiresAtMs) {
      // Deleted first, so that the order of the map is the order of age.
      pending.delete(address)
      const oldest = pending.keys().next()
      if (pending.size >= maxPending && oldest.done !== true) pending.delete(oldest.value)
      pending.set(address, { challengeHex, expiresAtMs })
    },
    async take(address) {
      const taken = pending.get(address)
      pending.delete(address)
      return taken
    },
  }
}
