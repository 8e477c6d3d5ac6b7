// One request at a time beside the indexing. Its result is kept until the next poll, so that it is written between two pages.

import type { ChainProof } from './identity/chain-proof.ts'

export interface BackgroundRequest<Result> {
  /** The result of the finished request; undefined while there is none, or none that is proven. */
  result(): Result | undefined
  /** Discards the result. */
  clear(): void
  /** True while a request is under way, or its result is not proven yet. */
  isPending(): boolean
  /** Starts a request that must not reject; undefined means that it failed. */
  start(request: Promise<Result | undefined>): void
  /** Resolves when no request is pending. */
  settled(): Promise<void>
}

/** With a proof, a result that may be of another chain is discarded. */
export function createBackgroundRequest<Result>(proof?: Pick<ChainProof, 'mark' | 'proofOf'>): BackgroundRequest<Result> {
  let result: Result | undefined
  let readAt = 0
  let pending: Promise<void> | undefined
  return {
    result() {
      const proven = proof?.proofOf(readAt) ?? 'proven'
      if (proven === 'refuted') result = undefined
      return proven === 'proven' ? result : undefined
    },
    clear() {
      result = undefined
    },
    isPending: () => pending !== undefined || result !== undefined,
    start(request) {
      pending = request.then((found) => {
        result = found
        readAt = proof?.mark() ?? 0
        pending = undefined
      })
    },
    async settled() {
      await pending
    },
  }
}
