// The candlestick chart with volume and marks, in the page's colors. A screen reader cannot read a canvas: the view beside it has a label and a table.

import { CandlestickSeries, createChart, createSeriesMarkers, HistogramSeries } from 'lightweight-charts'
import type {
  AutoscaleInfo, CandlestickData, HistogramData, IChartApi, IPriceLine, ISeriesApi, MouseEventParams, SeriesMarker, Time, UTCTimestamp, WhitespaceData,
} from 'lightweight-charts'
import type { Candle } from '../../client/src/index.ts'
import { applyTheme } from '../chart.ts'
import type { Colors } from '../chart.ts'
import { floatPrice } from '../format.ts'
import { createChartLook, withAlpha } from './chart-look.ts'
import type { Look } from './chart-look.ts'
import type { Place, Point, Size } from './label-layout.ts'

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
  /** Changes the type of the chart and its indicators. */
  setLook(look: Look): void
  /** Place of a price: at the edge if it is outside of the visible range. Null without candles. */
  placeOf(price: number): PricePlace | null
  priceAt(y: number): number | null
  /** Position of the mark of a fill, pixels; null if it is not visible. */
  pointOf(fill: FillMark): Point | null
  /** The part with the candles, without the scales. */
  area(): Size
  /** The visible candles, which labels must not cover. */
  candleBoxes(): readonly (Place & Size)[]
  /** Calls `listener` with a price of the axis that was clicked, and `onHover` with the one below the pointer; null when it left the axis. */
  onAxis(listener: (price: number) => void, onHover: (at: { readonly price: number; readonly y: number } | null) => void): void
  remove(): void
}

export interface PricePlace {
  /** Distance from the top, pixels. */
  readonly y: number
  /** The direction in which the price is outside; null if it is visible. */
  readonly edge: 'above' | 'below' | null
}

const VISIBLE_CANDLES = 90
/** A longer movement scales the axis. */
const CLICK_MAX_PX = 4
/** Older candles are requested when this many are left before the visible ones. */
const MARGIN_CANDLES = 20
const VOLUME_SHARE = 0.8
/** The bars stay behind the candles. */
const VOLUME_ALPHA = 0.4
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
  const look = createChartLook({ chart, candlesticks, volumes })
  let colors: Colors = { text: '', line: '', up: '', down: '', accent: '', warn: '' }
  let fills: readonly FillMark[] = []
  /** Start times of the candles, ascending. */
  let times: number[] = []
  let volumeBars: VolumeBar[] = []
  let offset = 0

  const height = (): number => heightOf(chart)
  const priceAt = (y: number): number | null => candlesticks.coordinateToPrice(y)
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
    markers.setMarkers(fills.flatMap(({ time, isBuy }): SeriesMarker<Time>[] => {
      const candle = times[indexAtOrBefore(times, time)]
      if (candle === undefined) return []
      // Beside the candle, not at its price: an arrow never covers it.
      const position = isBuy ? 'belowBar' : 'aboveBar'
      return [{ time: asTime(candle), shape: isBuy ? 'arrowUp' : 'arrowDown', color: isBuy ? colors.up : colors.down, position }]
    }))
  }

  const volumeOf = ({ time, volume, open, close }: Candle): VolumeBar => ({ time: asTime(time), value: Number(volume) / ONE, isUp: close >= open })
  const coloredVolume = ({ time, value, isUp }: VolumeBar): HistogramData => ({ time, value, color: withAlpha(isUp ? colors.up : colors.down, VOLUME_ALPHA) })

  const stopTheme = applyTheme(chart, (now) => {
    colors = now
    look.setColors(now)
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
      look.setCandles(candles, { decimals, asTime })
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
      look.update(candle)
    },
    setLook: look.setLook,
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
    placeOf: (price) => placeAt(candlesticks.priceToCoordinate(price), height()),
    priceAt,
    pointOf: ({ time, isBuy }) => visiblePoint(chart, candlesticks, { index: indexAtOrBefore(times, time), isBuy }),
    area: () => ({ width: chart.timeScale().width(), height: height() }),
    candleBoxes: () => visibleBoxes(chart, candlesticks),
    onAxis: (listener, onHover) => watchAxis(element, { isOnAxis: (x, y) => x > chart.timeScale().width() && y < height(), priceAt }, listener, onHover),
    remove() {
      stopTheme()
      layoutListeners.clear()
      chart.remove()
    },
  }
}

function placeAt(y: number | null, height: number): PricePlace | null {
  if (y === null) return null
  return y < 0 ? { y: 0, edge: 'above' } : y > height ? { y: height, edge: 'below' } : { y, edge: null }
}

const heightOf = (chart: IChartApi): number => chart.panes()[0]?.getHeight() ?? 0

/** Below or above a candle; null if that is not visible. -1: there is no such candle. */
function visiblePoint(
  chart: IChartApi, candlesticks: ISeriesApi<'Candlestick'>, { index, isBuy }: { readonly index: number; readonly isBuy: boolean },
): Point | null {
  const candle = index < 0 ? null : candlesticks.dataByIndex(index)
  if (candle === null || !isDrawn(candle)) return null
  const [x, y] = [chart.timeScale().timeToCoordinate(candle.time), candlesticks.priceToCoordinate(isBuy ? candle.low : candle.high)]
  return x === null || y === null || x < 0 || x > chart.timeScale().width() || y < 0 || y > heightOf(chart) ? null : { x, y }
}

function visibleBoxes(chart: IChartApi, candlesticks: ISeriesApi<'Candlestick'>): readonly (Place & Size)[] {
  const scale = chart.timeScale()
  const range = scale.getVisibleLogicalRange()
  if (range === null) return []
  const { barSpacing: width } = scale.options()
  const boxes: (Place & Size)[] = []
  for (let index = Math.max(0, Math.floor(range.from)); index <= Math.ceil(range.to); index++) {
    const candle = candlesticks.dataByIndex(index)
    if (candle === null || !isDrawn(candle)) continue
    const [x, top, bottom] = [
      scale.timeToCoordinate(candle.time), candlesticks.priceToCoordinate(candle.high), candlesticks.priceToCoordinate(candle.low),
    ]
    if (x !== null && top !== null && bottom !== null) boxes.push({ left: x - width / 2, top, width, height: bottom - top })
  }
  return boxes
}

interface AxisPlaces {
  readonly isOnAxis: (x: number, y: number) => boolean
  readonly priceAt: (y: number) => number | null
}

/** The library reports clicks on the candles only. Its listeners scale the axis with a longer movement. */
function watchAxis(
  element: HTMLElement, { isOnAxis, priceAt }: AxisPlaces, onPick: (price: number) => void, onHover: Parameters<PriceChart['onAxis']>[1],
): void {
  let downY: number | null = null
  const at = ({ clientX, clientY }: PointerEvent): { readonly price: number; readonly y: number } | null => {
    const { left, top } = element.getBoundingClientRect()
    const y = clientY - top
    const price = isOnAxis(clientX - left, y) ? priceAt(y) : null
    return price === null || price <= 0 ? null : { price, y }
  }
  element.addEventListener('pointermove', (event) => onHover(at(event)))
  element.addEventListener('pointerleave', () => onHover(null))
  element.addEventListener('pointerdown', (event) => {
    downY = at(event)?.y ?? null
  })
  element.addEventListener('pointerup', (event) => {
    const found = at(event)
    if (found !== null && downY !== null && Math.abs(found.y - downY) < CLICK_MAX_PX) onPick(found.price)
    downY = null
  })
}

interface VolumeBar {
  readonly time: Time
  readonly value: number
  readonly isUp: boolean
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
