// The candlestick chart with volume and marks, in the page's colors. A screen reader cannot read a canvas: the view beside it has a label and a table.

import { CandlestickSeries, createChart, createSeriesMarkers, HistogramSeries } from 'lightweight-charts'
import type {
  AutoscaleInfo, CandlestickData, HistogramData, IPriceLine, ISeriesApi, MouseEventParams, SeriesMarker, Time, UTCTimestamp, WhitespaceData,
} from 'lightweight-charts'
import type { Candle } from '../../client/src/index.ts'
import { applyTheme } from '../chart.ts'
import { floatPrice } from '../format.ts'
import type { Point, Size } from './label-layout.ts'

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
  readonly key: string
  /** Unix seconds. */
  readonly time: number
  /** For display only; null if unknown. */
  readonly price: number | null
  readonly isBuy: boolean
  readonly text: string
}

export interface PriceChart {
  /**
   * Replaces all candles, oldest first. `offsetSec` moves the axis from UTC to the chosen time zone. `isSame`: older candles were added, or the time zone
   * changed, so that the visible part remains.
   */
  setCandles(candles: readonly Candle[], options: { readonly decimals: number; readonly offsetSec: number; readonly isSame: boolean }): void
  /** Replaces the newest candle or appends the next one. */
  update(candle: Candle): void
  setMarks(marks: readonly PriceMark[]): void
  setFills(fills: readonly FillMark[]): void
  /** Calls `listener` with the time of the candle below the pointer; null when it left the chart. */
  onHover(listener: (time: number | null) => void): void
  /** Calls `listener` when the oldest candles become visible. */
  onStart(listener: () => void): void
  /** Calls `listener` after each change of the scales. Returns a function that removes it. */
  onLayout(listener: () => void): () => void
  /** Distance of a price from the top, pixels; null if it is not visible. */
  yOf(price: number): number | null
  priceAt(y: number): number | null
  /** Position of the mark of a fill, pixels; null if it is not visible. */
  pointOf(fill: FillMark): Point | null
  /** The part with the candles, without the scales. */
  area(): Size
  remove(): void
}

const VISIBLE_CANDLES = 90
/** Older candles are requested when this many are left before the visible ones. */
const MARGIN_CANDLES = 20
const VOLUME_SHARE = 0.8
const ONE = 1e7
/** Maximum distance from the candles of a mark that is shown, as a share of the price; more when the candles themselves spread further. */
const MARK_SHARE = 0.01

export function createPriceChart(element: HTMLElement): PriceChart {
  // The library's logo adds an inline style, which the content security policy blocks. The footer links to its authors instead.
  const chart = createChart(element, { autoSize: true, layout: { attributionLogo: false } })
  let marks: readonly PriceMark[] = []
  const candlesticks: ISeriesApi<'Candlestick'> = chart.addSeries(CandlestickSeries, {
    autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => withMarks(original(), marks),
  })
  const volumes: ISeriesApi<'Histogram'> = chart.addSeries(HistogramSeries, {
    priceScaleId: '', priceFormat: { type: 'volume' }, lastValueVisible: false, priceLineVisible: false,
  })
  volumes.priceScale().applyOptions({ scaleMargins: { top: VOLUME_SHARE, bottom: 0 } })
  const markers = createSeriesMarkers<Time>(candlesticks, [])
  const layoutListeners = new Set<() => void>()
  // The library calls this whenever a scale has changed, for what is drawn over the chart.
  candlesticks.attachPrimitive({ updateAllViews: () => layoutListeners.forEach((listener) => listener()) })
  const lines = new Map<string, IPriceLine>()
  let colors: Readonly<Record<'text' | 'line' | 'up' | 'down' | 'accent', string>> = { text: '', line: '', up: '', down: '', accent: '' }
  let fills: readonly FillMark[] = []
  /** Start times of the candles, ascending. */
  let times: number[] = []
  let volumeBars: VolumeBar[] = []
  let offset = 0

  function yOf(price: number): number | null {
    const y = candlesticks.priceToCoordinate(price)
    return y === null || y < 0 || y > (chart.panes()[0]?.getHeight() ?? 0) ? null : y
  }
  const asTime = (seconds: number): Time => (seconds + offset) as UTCTimestamp

  function drawMarks(): void {
    for (const line of lines.values()) candlesticks.removePriceLine(line)
    lines.clear()
    for (const { key, price, tone } of marks) {
      lines.set(key, candlesticks.createPriceLine({ price, color: colors[tone], lineWidth: 1, lineStyle: 2, axisLabelVisible: true }))
    }
  }

  /** A fill belongs to the candle that contains its time. Fills before the first candle have none. */
  function drawFills(): void {
    markers.setMarkers(fills.flatMap(({ time, price, isBuy }): SeriesMarker<Time>[] => {
      const candle = times[indexAtOrBefore(times, time)]
      if (candle === undefined) return []
      const look = { time: asTime(candle), shape: isBuy ? 'arrowUp' : 'arrowDown', color: isBuy ? colors.up : colors.down } as const
      return [price === null ? { ...look, position: isBuy ? 'belowBar' : 'aboveBar' } : { ...look, position: isBuy ? 'atPriceBottom' : 'atPriceTop', price }]
    }))
  }

  const volumeOf = ({ time, volume, open, close }: Candle): VolumeBar => ({ time: asTime(time), value: Number(volume) / ONE, isUp: close >= open })
  const coloredVolume = ({ time, value, isUp }: VolumeBar): HistogramData => ({ time, value, color: faded(isUp ? colors.up : colors.down) })

  const stopTheme = applyTheme(chart, (now) => {
    colors = now
    candlesticks.applyOptions({ upColor: now.up, downColor: now.down, wickUpColor: now.up, wickDownColor: now.down, borderVisible: false })
    volumes.setData(volumeBars.map(coloredVolume))
    drawMarks()
    drawFills()
  })
  return {
    setCandles(candles, { decimals, offsetSec, isSame }) {
      offset = offsetSec
      times = candles.map(({ time }) => time)
      candlesticks.applyOptions({ priceFormat: { type: 'price', precision: decimals, minMove: 10 ** -decimals } })
      candlesticks.setData(candles.map(({ time, open, high, low, close }) => ({ time: asTime(time), open, high, low, close })))
      chart.applyOptions({ localization: { priceFormatter: (price: number) => floatPrice(price, decimals) } })
      volumeBars = candles.map(volumeOf)
      volumes.setData(volumeBars.map(coloredVolume))
      element.dataset['candles'] = String(candles.length)
      if (!isSame) chart.timeScale().setVisibleLogicalRange({ from: candles.length - VISIBLE_CANDLES, to: candles.length + 2 })
      drawFills()
    },
    update(candle) {
      const newest = times.at(-1) ?? 0
      if (candle.time < newest) return
      if (candle.time > newest) times.push(candle.time)
      else volumeBars.pop()
      volumeBars.push(volumeOf(candle))
      element.dataset['candles'] = String(times.length)
      const { open, high, low, close } = candle
      candlesticks.update({ open, high, low, close, time: asTime(candle.time) })
      volumes.update(coloredVolume(volumeOf(candle)))
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
    onStart(listener) {
      chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
        if (range !== null && times.length > 0 && range.from < MARGIN_CANDLES) listener()
      })
    },
    onLayout(listener) {
      layoutListeners.add(listener)
      return () => void layoutListeners.delete(listener)
    },
    yOf,
    priceAt: (y) => candlesticks.coordinateToPrice(y),
    pointOf({ time, price, isBuy }) {
      const index = indexAtOrBefore(times, time)
      const candle = index < 0 ? null : candlesticks.dataByIndex(index)
      if (candle === null || !isDrawn(candle)) return null
      const [x, y] = [chart.timeScale().timeToCoordinate(candle.time), yOf(price ?? (isBuy ? candle.low : candle.high))]
      return x === null || y === null || x < 0 || x > chart.timeScale().width() ? null : { x, y }
    },
    area: () => ({ width: chart.timeScale().width(), height: chart.panes()[0]?.getHeight() ?? 0 }),
    remove() {
      stopTheme()
      layoutListeners.clear()
      chart.remove()
    },
  }
}

interface VolumeBar {
  readonly time: Time
  readonly value: number
  readonly isUp: boolean
}

/** A computed color, `rgb(…)`, at half its opacity, so that the bars stay behind the candles. */
function faded(color: string): string {
  return color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.4)')
}

/** Shows marks that are near the visible candles, so that orders can be dragged. Distant ones would make the candles flat. */
function withMarks(info: AutoscaleInfo | null, marks: readonly PriceMark[]): AutoscaleInfo | null {
  const range = info?.priceRange ?? null
  if (info === null || range === null) return info
  const { minValue, maxValue } = range
  const margin = Math.max(maxValue - minValue, maxValue * MARK_SHARE)
  const near = marks.map(({ price }) => price).filter((price) => price >= minValue - margin && price <= maxValue + margin)
  return { ...info, priceRange: { minValue: Math.min(minValue, ...near), maxValue: Math.max(maxValue, ...near) } }
}

const isDrawn = (data: CandlestickData<Time> | WhitespaceData<Time>): data is CandlestickData<Time> => 'open' in data

/** -1: `time` is before all of them. */
function indexAtOrBefore(times: readonly number[], time: number): number {
  return times.findLastIndex((each) => each <= time)
}
