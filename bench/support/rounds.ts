// Measures the gateway and the baseline alternately, so that other load on the machine affects both.

export interface RoundsOptions {
  readonly rounds: number
  /** No round starts after this time, so that a slow machine measures fewer rounds instead of taking longer. */
  readonly budgetMs?: number
  /** Called after each round. */
  readonly onRound: (done: number) => void
}

const BUDGET_MS = 20_000

/** Warms both up with one round that does not count, then measures them alternately. The side that starts a round alternates too. */
export async function interleave<Value>(
  ours: () => Promise<Value>,
  baseline: () => Promise<Value>,
  options: RoundsOptions,
): Promise<readonly { readonly ours: Value; readonly baseline: Value }[]> {
  const started = performance.now()
  await ours()
  await baseline()
  const rounds: { ours: Value; baseline: Value }[] = []
  for (let round = 0; round < options.rounds; round++) {
    if (round % 2 === 0) {
      const first = await ours()
      rounds.push({ ours: first, baseline: await baseline() })
    } else {
      const first = await baseline()
      rounds.push({ ours: await ours(), baseline: first })
    }
    options.onRound(round + 1)
    if (performance.now() - started > (options.budgetMs ?? BUDGET_MS)) break
  }
  return rounds
}
