// fast-check as every property test of the project imports it: the same cases in every run, unless the run asks for others.

import fc from 'fast-check'

/** The seed of a run that names none: a red run can be had again, and a green one means the same tomorrow. */
const EVERYDAY_SEED = 20_260_101

/**
 * Reads what a run asks for: `FUZZ_SEED=<integer>` for other cases, `FUZZ_SEED=random` for new ones each time, and `FUZZ_PATH` as a failure printed it
 * (`path: "9:4:…"`) to go straight to that case (not for scripts of commands, whose way depends on what they meet).
 *
 * @throws {Error} when `FUZZ_SEED` is neither an integer nor `random`
 */
export function fuzzSettings(environment: NodeJS.ProcessEnv): { seed?: number, path?: string } {
  const { FUZZ_SEED: seed = String(EVERYDAY_SEED), FUZZ_PATH: path } = environment
  if (seed !== 'random' && !/^-?\d{1,10}$/.test(seed)) throw new Error(`FUZZ_SEED is an integer or the word random, not ${seed}`)
  return { ...(seed === 'random' ? {} : { seed: Number(seed) }), ...(path === undefined ? {} : { path }) }
}

/** How many cases a property tries: `FUZZ_RUNS`, else `everyday`. */
export function fuzzRuns(everyday: number): number {
  return Number(process.env['FUZZ_RUNS'] ?? everyday)
}

fc.configureGlobal(fuzzSettings(process.env))

export { fc }
