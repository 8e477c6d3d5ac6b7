// fast-check for all property tests: the same cases in every run, unless the environment asks for others.

import fc from 'fast-check'
import { createSystemClock } from '../../src/base/clock.ts'
import type { Clock } from '../../src/base/clock.ts'

/** The default seed, so that every run tests the same cases. */
const DEFAULT_SEED = 20_260_101

/**
 * Reads `FUZZ_SEED=<integer>` for other cases, `FUZZ_SEED=random` for new ones in each run, and `FUZZ_PATH` as a failure printed it (`path: "9:4:…"`) to run
 * that case only. FUZZ_PATH does not work for model tests.
 *
 * @throws {Error} when `FUZZ_SEED` is neither an integer nor `random`
 */
function fuzzSettings(environment: NodeJS.ProcessEnv): { seed?: number, path?: string } {
  const { FUZZ_SEED: seed = String(DEFAULT_SEED), FUZZ_PATH: path } = environment
  if (seed !== 'random' && !/^-?\d{1,10}$/.test(seed)) throw new Error(`FUZZ_SEED must be an integer or "random", not ${seed}`)
  return { ...(seed === 'random' ? {} : { seed: Number(seed) }), ...(path === undefined ? {} : { path }) }
}

/** The number of cases: `FUZZ_RUNS`, or these defaults for `npm test` and `npm run test:all`. */
export function fuzzRuns(everydayRuns: number, allRuns: number = everydayRuns): number {
  return Number(process.env['FUZZ_RUNS'] ?? (process.env['TEST_ALL'] === '1' ? allRuns : everydayRuns))
}

/** A failure is made smaller for this long. Without a limit, a property with slow cases would end as a timeout that does not say what failed. */
const SHRINK_LIMIT_MS = 20_000

/** Reports the smallest failure that was found within the limit, counted from the first failure. */
export function limitShrinking<Value>(clock: Pick<Clock, 'elapsedMs'>, limitMs: number): fc.Plugin<Value> {
  return () => {
    let failedAtMs: number | undefined
    type Result = Awaited<ReturnType<fc.IRawProperty<Value>['run']>>
    const noteFailure = (result: Result): Result => {
      if (result !== null && 'error' in result) failedAtMs ??= clock.elapsedMs()
      return result
    }
    return {
      decorateRun: (run) => (value) => {
        if (failedAtMs !== undefined && clock.elapsedMs() - failedAtMs >= limitMs) return new fc.PreconditionFailure(true)
        const result = run(value)
        return result instanceof Promise ? result.then(noteFailure) : noteFailure(result)
      },
    }
  }
}

fc.configureGlobal(fuzzSettings(process.env))
fc.installGlobalPlugin(limitShrinking(createSystemClock(), SHRINK_LIMIT_MS))

export { fc }
