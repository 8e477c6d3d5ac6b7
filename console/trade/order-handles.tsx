// Labels of the open orders over the chart, which can be dragged to another price. The Orders tab offers the same by keyboard.

import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { OpenOrder } from '../../client/src/index.ts'
import { ORDER_TYPES } from '../activity-text.ts'
import { price as priceText, priceDecimals } from '../format.ts'
import type { PriceChart } from './price-chart.ts'

export interface OrderHandle {
  readonly order: OpenOrder
  /** Where it is drawn, a number for display only. */
  readonly price: number
  /** Why it cannot be moved now; null if it can. */
  readonly disabled: string | null
}

export interface OrderHandlesOptions {
  readonly handles: readonly OrderHandle[]
  readonly chart: RefObject<PriceChart | null>
  /** The order is being dragged. `price`: digits with two to seven decimals; null when the user has given up. */
  readonly onDrag: (order: OpenOrder, price: string | null) => void
  readonly onDrop: (order: OpenOrder, price: string) => void
}

const ONE = 1e7
/** A shorter movement is a click. */
const DRAG_MIN_PX = 4

export function OrderHandles({ handles, chart, onDrag, onDrop }: OrderHandlesOptions) {
  const layer = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let frame = 0
    let stop: (() => void) | undefined
    const place = (): void => {
      // The chart is created after its handles.
      stop ??= chart.current?.onLayout(placeLater)
      for (const element of layer.current?.children ?? []) if (element instanceof HTMLElement) placeHandle(element, chart.current)
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
  }, [handles, chart])
  return (
    <div class='handles' ref={layer} aria-hidden>
      {handles.map((handle) => <Handle key={handle.order.orderId} handle={handle} chart={chart} onDrag={onDrag} onDrop={onDrop} />)}
    </div>
  )
}

function placeHandle(element: HTMLElement, chart: PriceChart | null): void {
  const y = chart?.yOf(Number(element.dataset['price'])) ?? null
  element.hidden = y === null
  if (y !== null) element.style.top = `${y}px`
}

function Handle({ handle: { order, price, disabled }, chart, onDrag, onDrop }: Omit<OrderHandlesOptions, 'handles'> & { readonly handle: OrderHandle }) {
  const start = useRef<number | null>(null)
  const name = ORDER_TYPES[order.orderType] ?? order.orderType

  function priceAt(event: PointerEvent): string | null {
    const { top } = (event.currentTarget as HTMLElement).parentElement?.getBoundingClientRect() ?? { top: 0 }
    const at = chart.current?.priceAt(event.clientY - top) ?? null
    return at === null || at <= 0 ? null : at.toFixed(priceDecimals(at))
  }

  function end(event: PointerEvent, isDropped: boolean): void {
    const from = start.current
    start.current = null
    if (from === null) return
    const at = isDropped && Math.abs(event.clientY - from) >= DRAG_MIN_PX ? priceAt(event) : null
    if (at === null) onDrag(order, null)
    else onDrop(order, at)
  }

  return (
    <div
      class={`handle ${order.direction === 0 ? 'up' : 'down'}${disabled === null ? '' : ' disabled'}`} data-order={order.orderId} data-price={price}
      title={disabled ?? 'Drag to move the order: it is cancelled and placed again.'}
      onPointerDown={(event) => {
        if (disabled !== null || event.button !== 0) return
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = event.clientY
      }}
      onPointerMove={(event) => {
        if (start.current !== null) onDrag(order, priceAt(event))
      }}
      onPointerUp={(event) => end(event, true)}
      onPointerCancel={(event) => end(event, false)}
    >
      {disabled === null ? '⇕ ' : ''}{`${name} ${priceText(Math.round(price * ONE).toString())}`}
    </div>
  )
}
