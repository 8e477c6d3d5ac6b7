// Charts in the page's own colours. A canvas says nothing to who does not see it: each chart has a name, and a table of the same figures beside it.

import { CandlestickSeries, createChart, LineSeries } from 'lightweight-charts'
import type { DeepPartial, ChartOptions, IChartApi, ISeriesApi, Time, UTCTimestamp } from 'lightweight-charts'
import type { Candle } from '../client/src/index.ts'
import { el } from './dom.ts'
import { onThemeChange } from './theme.ts'

export interface CandleChart {
  readonly element: HTMLElement
  /** All of them, oldest first. */
  put(candles: readonly Candle[], decimals: number): void
  /** The one that forms, or the next. */
  update(candle: Candle): void
  name(text: string): void
}

export interface LineChart {
  readonly element: HTMLElement
  put(points: readonly { readonly time: number; readonly value: number }[]): void
  name(text: string): void
}

/** Its own logo brings a style along, which the page's policy refuses: the link to its makers stands at the foot of the page. */
const BASE: DeepPartial<ChartOptions> = { autoSize: true, layout: { attributionLogo: false } }
/** Bars that are shown at first. */
const VISIBLE = 90

const asTime = (seconds: number): Time => seconds as UTCTimestamp

export function createCandleChart(): CandleChart {
  const element = el('div', { class: 'chart', role: 'img' })
  const chart = createChart(element, BASE)
  const series: ISeriesApi<'Candlestick'> = chart.addSeries(CandlestickSeries, {})
  let newest = 0
  follow(chart, (colors) => {
    const { up, down } = colors
    series.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down, borderVisible: false })
  })
  return {
    element,
    put(candles, decimals) {
      series.applyOptions({ priceFormat: { type: 'price', precision: decimals, minMove: 10 ** -decimals } })
      series.setData(candles.map((candle) => ({ ...candle, time: asTime(candle.time) })))
      newest = candles.at(-1)?.time ?? 0
      element.dataset['candles'] = String(candles.length)
      chart.timeScale().setVisibleLogicalRange({ from: candles.length - VISIBLE, to: candles.length + 2 })
    },
    update(candle) {
      if (candle.time < newest) return
      if (candle.time > newest) element.dataset['candles'] = String(Number(element.dataset['candles'] ?? 0) + 1)
      newest = candle.time
      series.update({ open: candle.open, high: candle.high, low: candle.low, close: candle.close, time: asTime(candle.time) })
    },
    name: (text) => element.setAttribute('aria-label', text),
  }
}


export function createLineChart(decimals: number): LineChart {
  const element = el('div', { class: 'chart line', role: 'img' })
  const chart = createChart(element, BASE)
  const series: ISeriesApi<'Line'> = chart.addSeries(LineSeries, {
    lineWidth: 2, priceLineVisible: false, priceFormat: { type: 'price', precision: decimals, minMove: 10 ** -decimals },
  })
  follow(chart, (colors) => series.applyOptions({ color: colors.accent }))
  return {
    element,
    put(points) {
      series.setData(points.map(({ time, value }) => ({ time: asTime(time), value })))
      element.dataset['points'] = String(points.length)
      chart.timeScale().fitContent()
    },
    name: (text) => element.setAttribute('aria-label', text),
  }
}

interface Colors {
  readonly text: string
  readonly line: string
  readonly up: string
  readonly down: string
  readonly accent: string
}

/** The style sheet's colours, as the browser has worked them out: a canvas knows no variables. */
function readColors(): Colors {
  const probe = el('i', { class: 'unseen' })
  document.body.append(probe)
  const color = (name: string): string => {
    probe.className = `unseen probe-${name}`
    return getComputedStyle(probe).color
  }
  const colors = { text: color('text'), line: color('line'), up: color('up'), down: color('down'), accent: color('accent') }
  probe.remove()
  return colors
}

function follow(chart: IChartApi, paint: (colors: Colors) => void): void {
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
    paint(colors)
  }
  apply()
  onThemeChange(apply)
}
