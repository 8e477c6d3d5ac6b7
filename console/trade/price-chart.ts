// The candlestick chart with volume and marks, in the page's colors. A screen reader cannot read a canvas: the view beside it has a label and a table.

import { CandlestickSeries, createChart, createSeriesMarkers, HistogramSeries } from 'lightweight-charts'
import type { IPriceLine, ISeriesApi, MouseEventParams, SeriesMarker, Time, UTCTimestamp } from 'lightweight-charts'
import type { Candle } from '../../client/src/index.ts'
import { applyTheme } from '../chart.ts'

/** A horizontal line at a price: an entry, a liquidation price, or an order. */
export interface PriceMark {
  readonly key: string
  /** A number for display only. */
  readonly price: number
  readonly title: string
  readonly tone: 'up' | 'down' | 'accent'
}

/** An own fill. */
export interface FillMark {
  /** Unix seconds. */
  readonly time: number
  readonly isBuy: boolean
  readonly text: string
}

export interface PriceChart {
  /** Replaces all candles, oldest first. `offsetSec` moves the axis from UTC to the chosen time zone. */
  setCandles(candles: readonly Candle[], options: { readonly decimals: number; readonly offsetSec: number }): void
  /** Replaces the newest candle or appends the next one. */
  update(candle: Candle): void
  setMarks(marks: readonly PriceMark[]): void
  setFills(fills: readonly FillMark[]): void
  /** Calls `listener` with the index of the candle below the pointer; null when it left the chart. */
  onHover(listener: (time: number | null) => void): void
  remove(): void
}

const VISIBLE_CANDLES = 90
const VOLUME_SHARE = 0.8
const ONE = 1e7

export function createPriceChart(element: HTMLElement): PriceChart {
  // The library's logo adds an inline style, which the content security policy blocks. The footer links to its authors instead.
  const chart = createChart(element, { autoSize: true, layout: { attributionLogo: false } })
  const candlesticks: ISeriesApi<'Candlestick'> = chart.addSeries(CandlestickSeries, {})
  const volumes: ISeriesApi<'Histogram'> = chart.addSeries(HistogramSeries, {
    priceScaleId: '', priceFormat: { type: 'volume' }, lastValueVisible: false, priceLineVisible: false,
  })
  volumes.priceScale().applyOptions({ scaleMargins: { top: VOLUME_SHARE, bottom: 0 } })
  const markers = createSeriesMarkers<Time>(candlesticks, [])
  const lines = new Map<string, IPriceLine>()
  let colors: Readonly<Record<'text' | 'line' | 'up' | 'down' | 'accent', string>> = { text: '', line: '', up: '', down: '', accent: '' }
  let marks: readonly PriceMark[] = []
  let fills: readonly FillMark[] = []
  let newest = 0
  let offset = 0

  const asTime = (seconds: number): Time => (seconds + offset) as UTCTimestamp

  function drawMarks(): void {
    for (const line of lines.values()) candlesticks.removePriceLine(line)
    lines.clear()
    for (const { key, price, title, tone } of marks) {
      lines.set(key, candlesticks.createPriceLine({ price, title, color: colors[tone], lineWidth: 1, lineStyle: 2, axisLabelVisible: true }))
    }
  }

  function drawFills(): void {
    markers.setMarkers(fills.map(({ time, isBuy, text }): SeriesMarker<Time> => ({
      time: asTime(time), position: isBuy ? 'belowBar' : 'aboveBar', shape: isBuy ? 'arrowUp' : 'arrowDown', color: isBuy ? colors.up : colors.down, text,
    })))
  }

  function volumeOf(candle: Candle): { readonly time: Time; readonly value: number; readonly color: string } {
    return { time: asTime(candle.time), value: Number(candle.volume) / ONE, color: candle.close >= candle.open ? colors.up : colors.down }
  }

  const stopTheme = applyTheme(chart, (now) => {
    colors = now
    candlesticks.applyOptions({ upColor: now.up, downColor: now.down, wickUpColor: now.up, wickDownColor: now.down, borderVisible: false })
    drawMarks()
    drawFills()
  })
  return {
    setCandles(candles, { decimals, offsetSec }) {
      offset = offsetSec
      candlesticks.applyOptions({ priceFormat: { type: 'price', precision: decimals, minMove: 10 ** -decimals } })
      candlesticks.setData(candles.map(({ time, open, high, low, close }) => ({ time: asTime(time), open, high, low, close })))
      volumes.setData(candles.map(volumeOf))
      newest = candles.at(-1)?.time ?? 0
      element.dataset['candles'] = String(candles.length)
      chart.timeScale().setVisibleLogicalRange({ from: candles.length - VISIBLE_CANDLES, to: candles.length + 2 })
      drawFills()
    },
    update(candle) {
      if (candle.time < newest) return
      if (candle.time > newest) element.dataset['candles'] = String(Number(element.dataset['candles'] ?? 0) + 1)
      newest = candle.time
      const { open, high, low, close } = candle
      candlesticks.update({ open, high, low, close, time: asTime(candle.time) })
      volumes.update(volumeOf(candle))
    },
    setMarks(next) {
      marks = next
      drawMarks()
    },
    setFills(next) {
      fills = next
      drawFills()
    },
    onHover(listener) {
      chart.subscribeCrosshairMove(({ time }: MouseEventParams) => listener(typeof time === 'number' ? time - offset : null))
    },
    remove() {
      stopTheme()
      chart.remove()
    },
  }
}
