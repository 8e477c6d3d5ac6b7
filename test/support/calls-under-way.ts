// How many calls are under way: whoever moves a clock by hand waits for those that take real time.

export interface CallsUnderWay {
  /** How many there are. */
  busy(): number
  /** Counts the work as one until it has ended. */
  hold<T>(work: () => Promise<T>): Promise<T>
}

export function createCallsUnderWay(): CallsUnderWay {
  let underWay = 0
  return {
    busy: () => underWay,
    async hold(work) {
      underWay += 1
      try {
        return await work()
      } finally {
        underWay -= 1
      }
    },
  }
}
