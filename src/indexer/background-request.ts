// One request at a time beside the indexing. Its result is kept until the next poll, so that it is written between two pages.

export interface BackgroundRequest<Result> {
  /** The result of the finished request; undefined while there is none. */
  result(): Result | undefined
  /** Discards the result. */
  clear(): void
  isPending(): boolean
  /** Starts a request that must not reject; undefined means that it failed. */
  start(request: Promise<Result | undefined>): void
  /** Resolves when no request is pending. */
  settled(): Promise<void>
}

export function createBackgroundRequest<Result>(): BackgroundRequest<Result> {
  let result: Result | undefined
  let pending: Promise<void> | undefined
  return {
    result: () => result,
    clear() {
      result = undefined
    },
    isPending: () => pending !== undefined,
    start(request) {
      pending = request.then((found) => {
        result = found
        pending = undefined
      })
    },
    async settled() {
      await pending
    },
  }
}
