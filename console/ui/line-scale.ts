// The geometry of a line chart: pure, so that it can be tested without a page.

import type { ChartPoint } from '../chart-point.ts'

export interface ScaleOptions {
  readonly width: number
  readonly height: number
  /** Decimals of the shown values: labels are not closer than their last digit. */
  readonly decimals: number
  /** The axis of times, Unix seconds. */
  readonly fromSec: number
  readonly toSec: number
  /** True if zero is part of the scale. */
  readonly hasZero: boolean
}

export interface LineScale {
  /** Values of the labels beside the chart, from the top down at equal distances: the first is at the top, the last at the bottom. */
  readonly labels: readonly number[]
  /** Path data of the line, and of the area between it and zero. */
  readonly line: string
  readonly area: string
  x(sec: number): number
  y(value: number): number
}

const LABELS = 4
const DECIMALS = 2
const STEPS = [1, 2, 5, 10]
/** Distance of the labels of a line without change, in units of the last decimal. */
const FLAT_UNITS = 10

/** `points`: at least one, oldest first. */
export function scaleOf(points: readonly ChartPoint[], { width, height, decimals, fromSec, toSec, hasZero }: ScaleOptions): LineScale {
  const values = [...points.map(({ value }) => value), ...(hasZero ? [0] : [])]
  const labels = labelsOf(Math.min(...values), Math.max(...values), decimals)
  const [top, bottom] = [labels[0] ?? 0, labels.at(-1) ?? 0]
  const x = (sec: number): number => rounded((sec - fromSec) * width / Math.max(1, toSec - fromSec))
  const y = (value: number): number => rounded((top - value) * height / (top - bottom))
  const line = points.map(({ time, value }, index) => `${index === 0 ? 'M' : 'L'}${x(time)} ${y(value)}`).join('')
  const [first, last] = [points[0]?.time ?? fromSec, points.at(-1)?.time ?? toSec]
  const baseY = y(Math.min(top, Math.max(bottom, 0)))
  return { labels, line, area: `${line}L${x(last)} ${baseY}L${x(first)} ${baseY}Z`, x, y }
}

/** Round numbers at equal distances that include both values. */
function labelsOf(min: number, max: number, decimals: number): readonly number[] {
  const unit = 10 ** -decimals
  const least = max === min ? FLAT_UNITS * unit : Math.max((max - min) / LABELS, unit)
  const power = 10 ** Math.floor(Math.log10(least))
  const step = (STEPS.find((factor) => factor * power >= least * (1 - Number.EPSILON)) ?? 1) * power
  let [low, high] = [Math.floor(min / step), Math.ceil(max / step)]
  // A line without change is in the middle.
  if (low === high) [low, high] = [low - 1, high + 1]
  return Array.from({ length: high - low + 1 }, (_, index) => Number(((high - index) * step).toFixed(decimals)))
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS))
}

/** Index of the point that is nearest in time; -1 without points. */
export function nearestTo(points: readonly ChartPoint[], sec: number): number {
  let nearest = -1
  for (const [index, { time }] of points.entries()) {
    if (nearest === -1 || Math.abs(time - sec) < Math.abs((points[nearest]?.time ?? 0) - sec)) nearest = index
  }
  return nearest
}

/** Times for labels below a chart, at equal distances; one if they would be the same. */
export function timesOf(fromSec: number, toSec: number, count: number): readonly number[] {
  if (toSec <= fromSec) return [fromSec]
  return Array.from({ length: count }, (_, index) => Math.round(fromSec + (toSec - fromSec) * index / (count - 1)))
}
