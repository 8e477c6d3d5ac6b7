// Subject and peer by turns: whatever else the machine does meanwhile meets both.

export interface RoundsOptions {
  readonly rounds: number
  /** No further round begins after this long, so that a slow or busy machine measures less, not longer. */
  readonly budgetMs?: number
  /** Called as rounds end. */
  readonly onRound: (done: number) => void
}

const BUDGET_MS = 20_000

/** Warms both up with one round that does not count, then measures them alternately; which goes first alternates too. */
export async function interleave<Value>(
  ours: () => Promise<Value>,
  peer: () => Promise<Value>,
  options: RoundsOptions,
): Promise<readonly { readonly ours: Value; readonly peer: Value }[]> {
  const started = performance.now()
  await ours()
  await peer()
  const rounds: { ours: Value; peer: Value }[] = []
  for (let round = 0; round < options.rounds; round++) {
    if (round % 2 === 0) {
      const first = await ours()
      rounds.push({ ours: first, peer: await peer() })
    } else {
      const first = await peer()
      rounds.push({ ours: await ours(), peer: first })
    }
    options.onRound(round + 1)
    if (performance.now() - started > (options.budgetMs ?? BUDGET_MS)) break
  }
  return rounds
}
