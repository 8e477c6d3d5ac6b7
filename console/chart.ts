// Line charts, and the page's colors for every chart. Screen readers cannot read a canvas: each chart has a label, and a table with the same values beside it.

import { createChart, LineSeries } from 'lightweight-charts'
import type { DeepPartial, ChartOptions, IChartApi, ISeriesApi, Time, UTCTimestamp } from 'lightweight-charts'
import type { ChartPoint } from './chart-point.ts'
import { onThemeChange } from './theme.ts'

export interface LineChart {
  /** Oldest first. */
  setPoints(points: readonly ChartPoint[]): void
  remove(): void
}

/** The library's logo adds an inline style, which the content security policy blocks. The footer links to its authors instead. */
const BASE: DeepPartial<ChartOptions> = { autoSize: true, layout: { attributionLogo: false } }
const asTime = (seconds: number): Time => seconds as UTCTimestamp

export function createLineChart(element: HTMLElement, decimals: number): LineChart {
  const chart = createChart(element, BASE)
  const series: ISeriesApi<'Line'> = chart.addSeries(LineSeries, {
    lineWidth: 2, priceLineVisible: false, priceFormat: { type: 'price', precision: decimals, minMove: 10 ** -decimals },
  })
  const stopTheme = applyTheme(chart, (colors) => series.applyOptions({ color: colors.accent }))
  return {
    setPoints(points) {
      series.setData(points.map(({ time, value }) => ({ time: asTime(time), value })))
      chart.timeScale().fitContent()
    },
    remove() {
      stopTheme()
      chart.remove()
    },
  }
}

interface Colors {
  readonly text: string
  readonly line: string
  readonly up: string
  readonly down: string
  readonly accent: string
}

/** The style sheet's colors as computed values: a canvas cannot use CSS variables. */
function readColors(): Colors {
  const probe = document.createElement('i')
  document.body.append(probe)
  const color = (name: string): string => {
    probe.className = `visually-hidden probe-${name}`
    return getComputedStyle(probe).color
  }
  const colors = { text: color('text'), line: color('line'), up: color('up'), down: color('down'), accent: color('accent') }
  probe.remove()
  return colors
}

/** Colors the chart now and after each change of the theme. Returns a function that stops it. */
export function applyTheme(chart: IChartApi, colorSeries: (colors: Colors) => void): () => void {
  const apply = (): void => {
    const colors = readColors()
    const options: DeepPartial<ChartOptions> = {
      layout: { background: { color: 'transparent' }, textColor: colors.text, fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 11 },
      grid: { vertLines: { visible: false }, horzLines: { color: colors.line } },
      rightPriceScale: { borderColor: colors.line },
      timeScale: { borderColor: colors.line, timeVisible: true, secondsVisible: false },
      localization: { locale: 'en-GB' },
    }
    chart.applyOptions(options)
    colorSeries(colors)
  }
  apply()
  return onThemeChange(apply)
}
