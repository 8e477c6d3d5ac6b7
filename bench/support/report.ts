// Reports a measurement: ratios of interleaved rounds in one run, and the target for their median.

import { quantile } from './load.ts'

/** Prints the progress of a measurement. */
export type ReportProgress = (text: string) => void

/** The bound for a ratio, or null for a figure that is reported without a target. */
export type Target = { readonly min: number } | { readonly max: number } | null

export interface Figure {
  readonly name: string
  /** One measurement of the gateway and one of the baseline, right after each other. Their ratio is `ours / baseline`. */
  readonly rounds: readonly { readonly ours: number; readonly baseline: number }[]
  /** Such as `requests/s`. */
  readonly unit: string
  readonly target: Target
}

/** The ratio of a figure: the median of its rounds and their quartiles. */
export interface Ratio {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Uses the median and quartiles, because a single disturbed round hardly changes them. */
export function ratioOf(figure: Figure): Ratio {
  const ratios = figure.rounds.map(({ ours, baseline }) => ours / baseline).sort((a, b) => a - b)
  return { median: quantile(ratios, 0.5), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) }
}

/** True if a figure meets its target. A figure without a target always does. */
export function meetsTarget(figure: Figure): boolean {
  const { target } = figure
  if (target === null) return true
  const { median } = ratioOf(figure)
  return 'min' in target ? median >= target.min : median <= target.max
}

/** Formats a table: figure, target, median ratio with its quartiles, and the median values of both sides. */
export function formatTable(figures: readonly Figure[]): string {
  const rows = [['figure', 'target', 'ratio', 'quartiles', 'rounds', 'ours / baseline', ''], ...figures.map(cells)]
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n')
}

function cells(figure: Figure): string[] {
  const { median, low, high } = ratioOf(figure)
  const { target, rounds, unit } = figure
  const targetText = target === null ? '-' : 'min' in target ? `>= ${target.min}` : `<= ${target.max}`
  const ours = medianOf(rounds.map((round) => round.ours))
  const baseline = medianOf(rounds.map((round) => round.baseline))
  const status = target === null ? '' : meetsTarget(figure) ? 'met' : 'MISSED'
  const ratios = [median.toFixed(2), `${low.toFixed(2)}-${high.toFixed(2)}`, String(rounds.length)]
  return [figure.name, targetText, ...ratios, `${formatValue(ours)} / ${formatValue(baseline)} ${unit}`, status]
}

function medianOf(values: readonly number[]): number {
  return quantile([...values].sort((a, b) => a - b), 0.5)
}

function formatValue(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}
