// How the candles are drawn, and the indicators of their closes: over the candles, or in panes of their own below them.

import { AreaSeries, BarSeries, HistogramSeries, LineSeries } from 'lightweight-charts'
import type { IChartApi, ISeriesApi, SeriesType, Time } from 'lightweight-charts'
import type { Candle } from '../../client/src/index.ts'
import type { Colors } from '../chart.ts'
import { macd, relativeStrength, simpleAverage } from './indicators.ts'

export type ChartType = 'candles' | 'bars' | 'line' | 'area'
export type IndicatorName = 'average' | 'rsi' | 'macd' | 'volume'

export interface Look {
  readonly type: ChartType
  readonly indicators: readonly IndicatorName[]
}

type Tone = 'accent' | 'warn' | 'text'

/** One line or histogram of an indicator. */
export interface Plot {
  readonly name: string
  readonly tone: Tone
  readonly isHistogram?: true
  readonly values: readonly (number | null)[]
  /** Prices have as many decimals as the market; RSI is a number from 0 to 100. */
  readonly isPrice: boolean
}

const MACD_LENGTHS = { fast: 12, slow: 26, signal: 9 }
const RSI_LENGTH = 14
const AVERAGES: readonly (readonly [length: number, tone: Tone])[] = [[20, 'accent'], [50, 'warn']]
const LEVELS = [30, 70]

/** The plots of an indicator of these closes. The volume has none: it belongs to the candles. */
export function plotsOf(name: IndicatorName, closes: readonly number[]): readonly Plot[] {
  if (name === 'average') {
    return AVERAGES.map(([length, tone]) => ({ name: `MA ${length}`, tone, values: simpleAverage(closes, length), isPrice: true }))
  }
  if (name === 'rsi') return [{ name: `RSI ${RSI_LENGTH}`, tone: 'accent', values: relativeStrength(closes, RSI_LENGTH), isPrice: false }]
  if (name === 'volume') return []
  const { line, signal, histogram } = macd(closes, MACD_LENGTHS)
  return [
    { name: 'Histogram', tone: 'text', isHistogram: true, values: histogram, isPrice: true },
    { name: 'MACD', tone: 'accent', values: line, isPrice: true }, { name: 'Signal', tone: 'warn', values: signal, isPrice: true },
  ]
}

export interface ChartLook {
  setLook(look: Look): void
  setColors(colors: Colors): void
  /** Draws all candles, oldest first. */
  setCandles(candles: readonly Candle[], options: { readonly decimals: number; readonly asTime: (sec: number) => Time }): void
  /** Replaces the newest candle or appends the next one. */
  update(candle: Candle): void
}

export interface LookParts {
  readonly chart: IChartApi
  /** Carries scale, marks and price lines, so that it stays, invisible, below other types. */
  readonly candlesticks: ISeriesApi<'Candlestick'>
  readonly volumes: ISeriesApi<'Histogram'>
}

const TRANSPARENT = 'rgba(0, 0, 0, 0)'

export function createChartLook({ chart, candlesticks, volumes }: LookParts): ChartLook {
  let look: Look = { type: 'candles', indicators: ['volume'] }
  let colors: Colors | null = null
  let candles: Candle[] = []
  let terms: { readonly decimals: number; readonly asTime: (sec: number) => Time } = { decimals: 2, asTime: (sec) => sec as Time }
  let main: ISeriesApi<SeriesType> | null = null
  /** By indicator, in the order of its plots. */
  const drawn = new Map<IndicatorName, readonly ISeriesApi<SeriesType>[]>()

  const allPlots = (): readonly (readonly [IndicatorName, readonly Plot[]])[] => {
    const closes = candles.map(({ close }) => close)
    return look.indicators.map((name) => [name, plotsOf(name, closes)])
  }

  function colorAll(): void {
    if (colors === null) return
    const { up, down, accent } = colors
    const isHidden = look.type !== 'candles'
    const [rise, fall] = isHidden ? [TRANSPARENT, TRANSPARENT] : [up, down]
    candlesticks.applyOptions({
      upColor: rise, downColor: fall, wickUpColor: rise, wickDownColor: fall, borderVisible: false, lastValueVisible: !isHidden, priceLineVisible: !isHidden,
    })
    if (look.type === 'bars') main?.applyOptions({ upColor: up, downColor: down })
    else if (look.type === 'line') main?.applyOptions({ color: accent, lineWidth: 2 })
    else if (look.type === 'area') main?.applyOptions({ lineColor: accent, topColor: withAlpha(accent, 0.35), bottomColor: withAlpha(accent, 0), lineWidth: 2 })
    for (const [name, plots] of allPlots()) {
      for (const [index, { tone }] of plots.entries()) drawn.get(name)?.[index]?.applyOptions({ color: colors[tone] })
    }
  }

  function removeAll(): void {
    for (const series of [...drawn.values()].flat()) chart.removeSeries(series)
    drawn.clear()
    if (main !== null) chart.removeSeries(main)
    main = null
  }

  /** A pane disappears with its last series, so that all are added again in their order. */
  function addAll(): void {
    const format = { type: 'price', precision: terms.decimals, minMove: 10 ** -terms.decimals } as const
    if (look.type !== 'candles') main = chart.addSeries(({ bars: BarSeries, line: LineSeries, area: AreaSeries } as const)[look.type], { priceFormat: format })
    main?.setData(candles.map(mainPoint))
    let pane = 0
    for (const [name, plots] of allPlots()) {
      const at = name === 'average' || name === 'volume' ? 0 : ++pane
      drawn.set(name, plots.map(({ isHistogram, isPrice, values }) => {
        const options = { priceLineVisible: false, lastValueVisible: false, ...(isPrice ? { priceFormat: format } : {}) }
        const series = isHistogram === true
          ? chart.addSeries(HistogramSeries, options, at) : chart.addSeries(LineSeries, { ...options, lineWidth: 1, crosshairMarkerVisible: false }, at)
        series.setData(values.flatMap((value, index) => (value === null ? [] : [{ time: timeOf(index), value }])))
        return series
      }))
      if (name === 'rsi') {
        for (const price of LEVELS) drawn.get(name)?.[0]?.createPriceLine({ price, lineWidth: 1, lineStyle: 2, axisLabelVisible: true })
      }
      if (at > 0) chart.panes()[at]?.setStretchFactor(PANE_SHARE)
    }
    volumes.applyOptions({ visible: look.indicators.includes('volume') })
    colorAll()
  }

  const timeOf = (index: number): Time => terms.asTime(candles[index]?.time ?? 0)
  const mainPoint = ({ time, open, high, low, close }: Candle) =>
    (look.type === 'bars' ? { time: terms.asTime(time), open, high, low, close } : { time: terms.asTime(time), value: close })

  return {
    setLook(next) {
      removeAll()
      look = next
      addAll()
    },
    setColors(next) {
      colors = next
      colorAll()
    },
    setCandles(next, options) {
      candles = [...next]
      terms = options
      removeAll()
      addAll()
    },
    update(candle) {
      if (candle.time === candles.at(-1)?.time) candles.pop()
      candles.push(candle)
      main?.update(mainPoint(candle))
      for (const [name, plots] of allPlots()) {
        for (const [index, { values }] of plots.entries()) {
          const value = values.at(-1) ?? null
          if (value !== null) drawn.get(name)?.[index]?.update({ time: terms.asTime(candle.time), value })
        }
      }
    },
  }
}

/** Height of a pane, as a part of that of the candles. */
const PANE_SHARE = 0.3

/** A computed color, `rgb(…)`, with an opacity. */
export function withAlpha(color: string, alpha: number): string {
  return color.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`)
}
