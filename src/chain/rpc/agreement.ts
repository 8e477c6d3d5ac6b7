// This process's beliefs about the network, and the number of nodes that support them: the last comparison of each figure.

import type { Clock } from '../../base/clock.ts'

/** Figures that are requested from several nodes. */
const FIGURES = ['prices', 'outcomes', 'fees', 'accounts'] as const
export type Figure = (typeof FIGURES)[number]

/** One comparison. */
export interface Compared {
  /** Nodes that report the figure that is used. */
  readonly agreeing: number
  /** Nodes whose answer counts; 1: no second node answered in time, or there is none. */
  readonly asked: number
}

export interface Agreement {
  record(figure: Figure, compared: Compared): void
  /** The last comparison of each figure, with its time in Unix milliseconds; null before the first. */
  view(): Readonly<Record<Figure, (Compared & { readonly atMs: number }) | null>>
  /** Comparisons in this process by figure and result. */
  counts(): ReadonlyMap<Figure, Readonly<Record<ComparedResult, number>>>
}

/** `alone`: only one node answered. `disagreed`: at least one node reports something else. */
type ComparedResult = 'agreed' | 'disagreed' | 'alone'

export function createAgreement(clock: Clock): Agreement {
  const last = new Map<Figure, Compared & { readonly atMs: number }>()
  const counts = new Map(FIGURES.map((figure) => [figure, { agreed: 0, disagreed: 0, alone: 0 }]))
  return {
    record(figure, compared) {
      last.set(figure, { ...compared, atMs: clock.nowMs() })
      const own = counts.get(figure)
      if (own !== undefined) own[resultOf(compared)] += 1
    },
    view: () => Object.fromEntries(FIGURES.map((figure) => [figure, last.get(figure) ?? null])) as ReturnType<Agreement['view']>,
    counts: () => counts,
  }
}

function resultOf({ agreeing, asked }: Compared): ComparedResult {
  if (asked < 2) return 'alone'
  return agreeing === asked ? 'agreed' : 'disagreed'
}
