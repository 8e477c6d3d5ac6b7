// Labels of the account's entries, liquidation prices, orders and fills over the chart. Those of orders can be dragged to another price; the Orders tab offers
// the same by keyboard.

import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { OpenOrder } from '../../client/src/index.ts'
import { ORDER_TYPES } from '../activity-text.ts'
import { price as priceText, priceDecimals } from '../format.ts'
import { placeLineLabels, placePointLabels } from './label-layout.ts'
import type { Place, Size } from './label-layout.ts'
import type { FillMark, PriceChart, PriceMark, PricePlace } from './price-chart.ts'

/** An order whose line can be dragged. */
export interface OrderHandle {
  readonly order: OpenOrder
  /** The reason why it cannot be moved now; null if it can. */
  readonly disabled: string | null
}

export interface ChartLabelsOptions {
  readonly marks: readonly PriceMark[]
  readonly fills: readonly FillMark[]
  /** By the key of their mark. */
  readonly handles: ReadonlyMap<string, OrderHandle>
  readonly chart: RefObject<PriceChart | null>
  /** The order is being dragged. `price`: digits with two to seven decimals; null when the user has given up. */
  readonly onDrag: (order: OpenOrder, price: string | null) => void
  readonly onDrop: (order: OpenOrder, price: string) => void
}

const ONE = 1e7
/** A shorter movement is a click. */
const DRAG_MIN_PX = 4
/** From a label to its line. */
const CONNECTOR_PX = 10
const GUTTER_STEP_PX = 8

export function ChartLabels({ marks, fills, handles, chart, onDrag, onDrop }: ChartLabelsOptions) {
  const [lines, points, connectors] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null), useRef<SVGSVGElement>(null)]
  useEffect(() => {
    let frame = 0
    let stop: (() => void) | undefined
    const place = (): void => {
      // The chart is created after its labels.
      stop ??= chart.current?.onLayout(placeLater)
      if (chart.current !== null && lines.current !== null && points.current !== null && connectors.current !== null) {
        placeLabels(chart.current, { marks, fills }, { lines: lines.current, points: points.current, connectors: connectors.current })
      }
    }
    /** In the next frame the chart has calculated its scale. */
    function placeLater(): void {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(place)
    }
    place()
    placeLater()
    return () => {
      cancelAnimationFrame(frame)
      stop?.()
    }
  }, [marks, fills, handles, chart])
  return (
    <div class='labels' aria-hidden>
      <svg class='connectors' ref={connectors}>
        {marks.map(({ key, tone }) => <path key={key} class={tone} />)}
        {fills.map(({ key, isBuy }) => <path key={key} class={isBuy ? 'up' : 'down'} />)}
      </svg>
      <div ref={lines}>
        {marks.map((mark) => {
          const handle = handles.get(mark.key)
          if (handle !== undefined) return <Handle key={mark.key} mark={mark} handle={handle} chart={chart} onDrag={onDrag} onDrop={onDrop} />
          return <div key={mark.key} class={`chart-label ${mark.tone}`}>{mark.title}<span class='edge-price'>{` ${textOf(mark.price)}`}</span></div>
        })}
      </div>
      <div ref={points}>
        {fills.map(({ key, isBuy, text }) => <div key={key} class={`chart-label fill ${isBuy ? 'up' : 'down'}`}>{text}</div>)}
      </div>
    </div>
  )
}

type Elements = Readonly<Record<'lines' | 'points' | 'connectors', Element>>

/**
 * Labels of lines are in a gutter beside the candles, those of points where no candle is. Reads all sizes before it moves a label, so that the browser lays out
 * once. A gutter of another width makes the chart lay out again.
 */
function placeLabels(chart: PriceChart, { marks, fills }: Pick<ChartLabelsOptions, 'marks' | 'fills'>, { lines, points, connectors }: Elements): void {
  const at = marks.map(({ price }) => chart.placeOf(price))
  for (const [index, child] of [...lines.children].entries()) setEdge(child, at[index]?.edge ?? null)
  const area = chart.area()
  const lineSizes = sizesOf(lines)
  const gutter = gutterOf(lineSizes)
  lines.closest<HTMLElement>('.chart-box')?.style.setProperty('--gutter', `${gutter}px`)
  const visible = at.flatMap((found, index) => (found === null ? [] : [{ index, y: found.y, ...sizeAt(lineSizes, index) }]))
  const linePlaces = scatter(marks.length, visible, placeLineLabels(visible, { width: gutter, height: area.height }))
  const fillAt = fills.map((fill) => chart.pointOf(fill))
  const pointSizes = sizesOf(points)
  const visiblePoints = fillAt.flatMap((point, index) =>
    (point === null ? [] : [{ index, ...point, ...sizeAt(pointSizes, index), isBelow: fills[index]?.isBuy === true }]))
  const taken = visiblePoints.length === 0 ? [] : chart.candleBoxes()
  const pointPlaces = scatter(fills.length, visiblePoints, placePointLabels(visiblePoints, taken, area))
  move(lines, linePlaces)
  move(points, pointPlaces.map((place) => (place === null ? null : { ...place, left: place.left + gutter })))
  const paths = [
    ...linePlaces.map((place, index) => lineConnector(place, sizeAt(lineSizes, index), at[index] ?? null, gutter)),
    ...pointPlaces.map((place, index) => pointConnector(place, sizeAt(pointSizes, index), fillAt[index] ?? null, gutter)),
  ]
  for (const [index, path] of paths.entries()) connectors.children[index]?.setAttribute('d', path)
}

/** A label at the edge has an arrow, and its price, which has no line. */
function setEdge(label: Element, edge: 'above' | 'below' | null): void {
  if (!(label instanceof HTMLElement) || label.dataset['edge'] === (edge ?? undefined)) return
  if (edge === null) delete label.dataset['edge']
  else label.dataset['edge'] = edge
}

/** In steps, so that the chart does not follow each digit of a price. */
function gutterOf(sizes: readonly Size[]): number {
  const widest = Math.max(0, ...sizes.map(({ width }) => width))
  return widest === 0 ? 0 : Math.ceil((widest + CONNECTOR_PX) / GUTTER_STEP_PX) * GUTTER_STEP_PX
}

const sizesOf = (parent: Element): readonly Size[] =>
  [...parent.children].map((child) => (child instanceof HTMLElement ? { width: child.offsetWidth, height: child.offsetHeight } : { width: 0, height: 0 }))
const sizeAt = (sizes: readonly Size[], index: number): Size => sizes[index] ?? { width: 0, height: 0 }

/** The places of all labels, of those that were placed. */
function scatter(count: number, placed: readonly { readonly index: number }[], places: readonly (Place | null)[]): readonly (Place | null)[] {
  const all: (Place | null)[] = Array.from({ length: count }, () => null)
  for (const [position, { index }] of placed.entries()) all[index] = places[position] ?? null
  return all
}

/** Hidden labels keep their size. */
function move(parent: Element, places: readonly (Place | null)[]): void {
  for (const [index, child] of [...parent.children].entries()) {
    if (!(child instanceof HTMLElement)) continue
    const place = places[index] ?? null
    child.style.visibility = place === null ? 'hidden' : 'visible'
    if (place !== null) child.style.transform = `translate(${place.left}px, ${place.top}px)`
  }
}

/** From the label's right to its line at the edge of the candles. A price outside has no line. */
function lineConnector(place: Place | null, { width, height }: Size, at: PricePlace | null, gutter: number): string {
  if (place === null || at === null || at.edge !== null) return ''
  return `M${place.left + width} ${place.top + height / 2}L${gutter} ${at.y}`
}

/** From the label to its point. */
function pointConnector(place: Place | null, { height }: Size, point: { readonly x: number; readonly y: number } | null, gutter: number): string {
  if (place === null || point === null) return ''
  return `M${point.x + gutter} ${point.y}V${place.top > point.y ? place.top : place.top + height}`
}

const textOf = (price: number): string => priceText(Math.round(price * ONE).toString())

interface HandleOptions extends Pick<ChartLabelsOptions, 'chart' | 'onDrag' | 'onDrop'> {
  readonly mark: PriceMark
  readonly handle: OrderHandle
}

function Handle({ mark: { price, tone }, handle: { order, disabled }, chart, onDrag, onDrop }: HandleOptions) {
  /** First positions of the pointer and the line: the label may be beside its line. */
  const start = useRef<{ readonly pointerY: number; readonly lineY: number } | null>(null)
  const name = ORDER_TYPES[order.orderType] ?? order.orderType

  function priceAt({ clientY }: PointerEvent): string | null {
    if (start.current === null) return null
    const at = chart.current?.priceAt(start.current.lineY + clientY - start.current.pointerY) ?? null
    return at === null || at <= 0 ? null : at.toFixed(priceDecimals(at))
  }

  function end(event: PointerEvent, isDropped: boolean): void {
    if (start.current === null) return
    const at = isDropped && Math.abs(event.clientY - start.current.pointerY) >= DRAG_MIN_PX ? priceAt(event) : null
    start.current = null
    if (at === null) onDrag(order, null)
    else onDrop(order, at)
  }

  return (
    <div
      class={`chart-label handle ${tone}${disabled === null ? '' : ' disabled'}`} data-order={order.orderId}
      title={disabled ?? 'Drag to move the order: it is cancelled and placed again.'}
      onPointerDown={(event) => {
        const lineY = chart.current?.placeOf(price)?.y ?? null
        if (disabled !== null || event.button !== 0 || lineY === null) return
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = { pointerY: event.clientY, lineY }
      }}
      onPointerMove={(event) => {
        if (start.current !== null) onDrag(order, priceAt(event))
      }}
      onPointerUp={(event) => end(event, true)}
      onPointerCancel={(event) => end(event, false)}
    >
      {disabled === null ? '⇕ ' : ''}{`${name} ${textOf(price)}`}
    </div>
  )
}
