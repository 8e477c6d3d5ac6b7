// A line chart that says the value at each point: at the pointer, or with the arrow keys, which a screen reader announces.

import { useState } from 'preact/hooks'
import type { ChartPoint } from '../chart-point.ts'
import { dateTime, decimal, shortTime } from '../format.ts'
import { nearestTo, scaleOf, timesOf } from './line-scale.ts'
import type { LineScale } from './line-scale.ts'

export interface LineChartOptions<Point extends ChartPoint> {
  /** Name of what the line shows, for example "LP token price". */
  readonly title: string
  readonly unit: string
  readonly decimals: number
  /** Oldest first. */
  readonly points: readonly Point[]
  /** A point's value as text, without the unit; by default with `decimals`. */
  readonly textOf?: (point: Point) => string
  /** The axis of times, Unix seconds; by default from the first point to the last. */
  readonly range?: { readonly fromSec: number; readonly toSec: number }
  /** True if the line is drawn against zero. */
  readonly hasZero?: boolean
  /** Shown without points. */
  readonly empty: string
  /** Without points because they were not read yet. */
  readonly isLoading?: boolean
}

const SIZE = { width: 600, height: 200 }
const TIME_LABELS = 3

export function LineChart<Point extends ChartPoint>(options: LineChartOptions<Point>) {
  const { title, unit, decimals, points, textOf = ({ value }) => decimal(value, decimals), hasZero = false, empty, isLoading = false } = options
  /** The time that the reader points at; null for the newest. */
  const [chosenSec, setChosenSec] = useState<number | null>(null)
  const last = points.at(-1)
  if (last === undefined) return <p class='empty' data-points={0}>{isLoading ? 'Not loaded yet.' : empty}</p>
  const { fromSec, toSec } = options.range ?? { fromSec: points[0]?.time ?? 0, toSec: last.time }
  const scale = scaleOf(points, { ...SIZE, decimals, fromSec, toSec, hasZero })
  const index = chosenSec === null ? points.length - 1 : nearestTo(points, chosenSec)
  const shown = points[index] ?? last
  const valueText = (point: Point): string => `${textOf(point)} ${unit}`

  function pointAt(event: PointerEvent): void {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect()
    setChosenSec(fromSec + (toSec - fromSec) * (event.clientX - left) / Math.max(1, width))
  }

  return (
    <div class='line-chart' data-points={points.length}>
      <p class='readout'><span class='note'>{dateTime(shown.time)}</span> {valueText(shown)}</p>
      <div class='values' aria-hidden>{scale.labels.map((value) => <span key={value}>{decimal(value, decimals)}</span>)}</div>
      <div class='plot' onPointerMove={pointAt} onPointerDown={pointAt} onPointerLeave={() => setChosenSec(null)}>
        <Plot
          label={`${title}: ${points.length} points, last ${valueText(last)}`} scale={scale} hasZero={hasZero}
          cursor={chosenSec === null ? null : shown} single={points.length === 1 ? last : null}
        />
        <input
          type='range' aria-label={`Points of ${title}`} min={0} max={points.length - 1} step={1} value={index}
          aria-valuetext={`${dateTime(shown.time)}: ${valueText(shown)}`} onFocus={() => setChosenSec(shown.time)} onBlur={() => setChosenSec(null)}
          onInput={(event) => setChosenSec(points[Number(event.currentTarget.value)]?.time ?? null)}
        />
      </div>
      <div class='times' aria-hidden>
        {timesOf(fromSec, toSec, TIME_LABELS).map((sec) => <span key={sec}>{shortTime(sec, toSec - fromSec)}</span>)}
      </div>
    </div>
  )
}

function Plot({ label, scale: { labels, line, area, x, y }, hasZero, cursor, single }: {
  readonly label: string
  readonly scale: LineScale
  readonly hasZero: boolean
  readonly cursor: ChartPoint | null
  /** The only point; null if there are several. */
  readonly single: ChartPoint | null
}) {
  const { width, height } = SIZE
  // One point makes no line.
  const dot = cursor ?? single
  return (
    <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio='none' role='img' aria-label={label}>
      {labels.map((value) => <line key={value} class='grid' x1={0} x2={width} y1={y(value)} y2={y(value)} />)}
      {hasZero && <path class='area' d={area} />}
      {hasZero && <line class='zero' x1={0} x2={width} y1={y(0)} y2={y(0)} />}
      <path class='line' d={line} />
      {cursor !== null && <line class='cursor' x1={x(cursor.time)} x2={x(cursor.time)} y1={0} y2={height} />}
      {dot !== null && <path class='dot' d={`M${x(dot.time)} ${y(dot.value)}h0`} />}
    </svg>
  )
}
