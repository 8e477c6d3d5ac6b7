// Pending challenges: one per address, single-use (specification, "Key-issuance challenge").

export interface PendingChallenge {
  /** 32 random bytes in hex. */
  readonly challengeHex: string
  /** Unix milliseconds. Invalid from this time on. */
  readonly expiresAtMs: number
}

/** In memory, or in a store that several instances share. */
export interface ChallengeStore {
  /** Stores the challenge at least until it expires or is taken. Replaces the pending challenge of the address. */
  put(address: string, challengeHex: string, expiresAtMs: number): Promise<void>
  /** Atomically removes and returns the challenge, so that it can be used once. It may have expired. */
  take(address: string): Promise<PendingChallenge | undefined>
}

/** Raised when the shared store does not confirm an operation. Retryable with a new challenge. */
export class ChallengesUnavailable extends Error {
  override readonly name = 'ChallengesUnavailable'
}

/** Bounds the memory to about ten megabytes during a flood of requests. */
export const MAX_PENDING_CHALLENGES = 50_000

/** Challenges in memory, lost at a restart. When full, the oldest is evicted: a flood shortens the lifetime of challenges but does not block new ones. */
export function createMemoryChallenges(maxPending: number = MAX_PENDING_CHALLENGES): ChallengeStore {
  const pending = new Map<string, PendingChallenge>()
  return {
    async put(address, challengeHex, expiresAtMs) {
      // Reinserting keeps the map in order of age.
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
