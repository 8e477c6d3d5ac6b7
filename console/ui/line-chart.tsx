// A line chart with a label for screen readers, which cannot read a canvas. The page shows the same values in a table besides.

import { useEffect, useRef } from 'preact/hooks'
import { createLineChart } from '../chart.ts'
import type { LineChart as Chart } from '../chart.ts'
import type { ChartPoint } from '../chart-point.ts'

export function LineChart({ title, unit, decimals, points }: {
  readonly title: string
  readonly unit: string
  readonly decimals: number
  /** Oldest first. */
  readonly points: readonly ChartPoint[]
}) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<Chart | null>(null)
  useEffect(() => {
    if (box.current === null) return undefined
    chart.current = createLineChart(box.current, decimals)
    return () => chart.current?.remove()
  }, [decimals])
  useEffect(() => chart.current?.setPoints(points), [points, decimals])
  const last = points.at(-1)
  const label = last === undefined ? 'no data yet' : `${points.length} points, now ${last.value.toFixed(decimals)} ${unit}`
  return <div class='chart line' ref={box} role='img' data-points={points.length} aria-label={`Line chart of ${title}: ${label}.`} />
}
