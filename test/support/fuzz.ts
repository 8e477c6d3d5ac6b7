// fast-check for all property tests: the same cases in every run, unless the environment asks for others.

import fc from 'fast-check'

/** The default seed, so that every run tests the same cases. */
const DEFAULT_SEED = 20_260_101

/**
 * Reads `FUZZ_SEED=<integer>` for other cases, `FUZZ_SEED=random` for new ones in each run, and `FUZZ_PATH` as a failure printed it (`path: "9:4:…"`) to run
 * that case only. FUZZ_PATH does not work for model tests.
 *
 * @throws {Error} when `FUZZ_SEED` is neither an integer nor `random`
 */
export function fuzzSettings(environment: NodeJS.ProcessEnv): { seed?: number, path?: string } {
  const { FUZZ_SEED: seed = String(DEFAULT_SEED), FUZZ_PATH: path } = environment
  if (seed !== 'random' && !/^-?\d{1,10}$/.test(seed)) throw new Error(`FUZZ_SEED must be an integer or "random", not ${seed}`)
  return { ...(seed === 'random' ? {} : { seed: Number(seed) }), ...(path === undefined ? {} : { path }) }
}

/** The number of cases: `FUZZ_RUNS`, or these defaults for `npm test` and `npm run test:all`. */
export function fuzzRuns(everydayRuns: number, allRuns: number = everydayRuns): number {
  return Number(process.env['FUZZ_RUNS'] ?? (process.env['TEST_ALL'] === '1' ? allRuns : everydayRuns))
}

fc.configureGlobal(fuzzSettings(process.env))

export { fc }
