// How a measurement is told: ratios of interleaved rounds inside one run, and the aim that their median is held against.

import { quantile } from './load.ts'

/** What is wanted of a ratio; null where nobody has named an aim and the figure is told for comparison. */
export type Target = { readonly atLeast: number } | { readonly atMost: number } | null

export interface Figure {
  readonly name: string
  /** One of the subject, one of the peer, right after each other; the ratio is the first by the second. */
  readonly rounds: readonly { readonly ours: number; readonly peer: number }[]
  /** What is counted, such as `requests/s`. */
  readonly unit: string
  readonly target: Target
}

/** The ratio of a figure: the median over its rounds, and the middle half of them. */
export interface Ratio {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** A single disturbed round moves neither the median nor, much, the middle half. */
export function ratioOf(figure: Figure): Ratio {
  const ratios = figure.rounds.map(({ ours, peer }) => ours / peer).sort((a, b) => a - b)
  return { median: quantile(ratios, 0.5), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) }
}

/** Whether a figure keeps its aim; one without an aim always does. */
export function meetsTarget(figure: Figure): boolean {
  const { target: aim } = figure
  if (aim === null) return true
  const { median } = ratioOf(figure)
  return 'atLeast' in aim ? median >= aim.atLeast : median <= aim.atMost
}

/** A table for people: figure, aim, ratio with the middle half of its rounds, and the medians that it was made of. */
export function formatTable(figures: readonly Figure[]): string {
  const rows = [['figure', 'aim', 'ratio', 'middle half', 'rounds', 'ours / peer', ''], ...figures.map(cells)]
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n')
}

function cells(figure: Figure): string[] {
  const { median, low, high } = ratioOf(figure)
  const { target: aim, rounds, unit } = figure
  const aimText = aim === null ? '-' : 'atLeast' in aim ? `>= ${aim.atLeast}` : `<= ${aim.atMost}`
  const ours = middle(rounds.map((round) => round.ours))
  const peer = middle(rounds.map((round) => round.peer))
  const verdict = aim === null ? '' : meetsTarget(figure) ? 'kept' : 'MISSED'
  const ratios = [median.toFixed(2), `${low.toFixed(2)}-${high.toFixed(2)}`, String(rounds.length)]
  return [figure.name, aimText, ...ratios, `${brief(ours)} / ${brief(peer)} ${unit}`, verdict]
}

function middle(values: readonly number[]): number {
  return quantile([...values].sort((a, b) => a - b), 0.5)
}

function brief(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}
