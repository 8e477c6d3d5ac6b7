// A market's candles as a chart, with intervals, legend, own marks, orders that can be dragged, and the newest candles as a table.

import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Candle, CandleInterval, OpenOrder } from '../../client/src/index.ts'
import { priceDecimals } from '../format.ts'
import { useParts } from '../parts.ts'
import { createStoredString } from '../storage.ts'
import { usePrice } from '../state/use-price.ts'
import { Choice, ReadNote } from '../ui/layout.tsx'
import { ChartLabels } from './chart-labels.tsx'
import type { ChartLabelsOptions, OrderHandle } from './chart-labels.tsx'
import { ChartTools, indicatorTexts, readLook, useFullScreen } from './chart-tools.tsx'
import type { ChartType, Look } from './chart-look.ts'
import { CandleTable, Legend } from './candle-texts.tsx'
import type { Zone } from './candle-texts.tsx'
import { createPriceChart } from './price-chart.ts'
import type { PriceChart } from './price-chart.ts'
import { movableOf, moveOrder } from './replace-order.ts'
import type { Sender } from './send.ts'
import type { AccountLists } from './use-account-lists.ts'
import { useCandles } from './use-candles.ts'
import { useGate } from './use-market.ts'
import type { Market } from './use-market.ts'
import { orderKey, useMarks } from './use-marks.ts'

const INTERVALS: readonly (readonly [CandleInterval, string])[] = (['1m', '5m', '15m', '1h', '4h', '1d', '1w'] as const).map((each) => [each, each])
const ZONES = [['utc', 'UTC'], ['local', 'Local']] as const
const SEC_PER_MIN = 60
/** From the pointer up to the top of what it says. */
const HINT_PX = 24

/** Interval, time zone, type and indicators, as they were last chosen in this browser. */
const stored = createStoredString(() => localStorage, 'console-chart')

export interface ChartViewOptions {
  readonly market: Market
  readonly lists: AccountLists
  readonly sender: Sender
  /** A price of the axis was clicked: digits with two to seven decimals. */
  readonly onPickPrice: (price: string) => void
}

export function ChartView({ market, lists, sender, onPickPrice }: ChartViewOptions) {
  const { asset } = market
  const { state: priceState } = usePrice(asset)
  const [chosen, setChosen] = useState(readChoice)
  const hovered = useSignal<number | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<PriceChart | null>(null)
  const series = useCandles(asset, chosen.interval, (candle) => chart.current?.update(candle))
  const { candles, version, name, loadOlder } = series

  function choose(change: Partial<Chosen>): void {
    const next = { ...chosen, ...change }
    setChosen(next)
    stored.write(`${next.interval} ${next.zone} ${next.look.type} ${next.look.indicators.join(',')}`)
  }
  useEffect(() => chart.current?.setLook(chosen.look), [chosen.look])
  const [hint, setHint] = useState<{ readonly price: number; readonly y: number } | null>(null)
  const pick = useRef(onPickPrice)
  pick.current = onPickPrice

  useEffect(() => {
    if (box.current === null) return undefined
    const created = createPriceChart(box.current)
    chart.current = created
    created.setLook(chosen.look)
    created.onHover((time) => {
      hovered.value = time
    })
    created.onAxis((price) => pick.current(price.toFixed(priceDecimals(price))), setHint)
    return () => created.remove()
  }, [])
  const older = useRef(loadOlder)
  older.current = loadOlder
  useEffect(() => chart.current?.onStart(() => older.current()), [])
  const drawn = useRef('')
  useEffect(() => {
    const all = candles.peek()
    const last = all.at(-1)
    const offsetSec = chosen.zone === 'utc' || last === undefined ? 0 : -new Date(last.time * 1000).getTimezoneOffset() * SEC_PER_MIN
    chart.current?.setCandles(all, { decimals: priceDecimals(last?.close ?? 1), offsetSec, isSame: all.length > 0 && drawn.current === name.peek() })
    drawn.current = all.length > 0 ? name.peek() : ''
  }, [version.value, chosen.zone])
  const orders = useChartLabels(chart, { market, lists, sender })

  const last = candles.value.at(-1)
  const shown = hovered.value === null ? last : candles.value.find(({ time }) => time === hovered.value) ?? last
  const [isFull, setFull] = useFullScreen()
  return (
    <div class={isFull ? 'stack chart-full' : 'stack'}>
      <div class='row chart-choices'>
        <Choice label='Candle interval' options={INTERVALS} value={chosen.interval} onChoose={(interval) => choose({ interval })} />
        <Choice label='Time zone' options={ZONES} value={chosen.zone} onChoose={(zone) => choose({ zone })} />
        <ChartTools look={chosen.look} isFull={isFull} onLook={(look) => choose({ look })} onFull={setFull} />
      </div>
      <Legend candle={shown} zone={chosen.zone} indicators={indicatorTexts(candles.value, shown, chosen.look)} />
      <div class='chart-box'>
        <div
          class={priceState === 'stale' ? 'chart stale' : 'chart'} ref={box} role='img' data-resized
          aria-label={labelOf(asset, chosen, candles.value)}
        />
        <ChartLabels chart={chart} {...orders.labels} />
        {hint !== null && (
          <div class='axis-hint' aria-hidden ref={(element) => element?.style.setProperty('transform', `translateY(${hint.y - HINT_PX}px)`)}>
            {`Limit ${hint.price.toFixed(priceDecimals(hint.price))}`}
          </div>
        )}
      </div>
      <p class='note problem' role='status' hidden={orders.problem === null}>{orders.problem}</p>
      <div class='chart-notes'>
        <CandleTable candles={candles.value} zone={chosen.zone} />
        {orders.labels.handles.size > 0 && <p class='note'>Drag an order to move it: it is cancelled, then placed again.</p>}
        <ReadNote resource={series.resource} />
      </div>
    </div>
  )
}

interface Chosen {
  readonly interval: CandleInterval
  readonly zone: Zone
  readonly look: Look
}

function readChoice(): Chosen {
  const [storedInterval, storedZone, storedType, storedIndicators] = (stored.read() ?? '').split(' ')
  return {
    interval: INTERVALS.find(([each]) => each === storedInterval)?.[0] ?? '1m', zone: ZONES.find(([each]) => each === storedZone)?.[0] ?? 'utc',
    look: readLook(storedType, storedIndicators),
  }
}

const TYPE_NAMES: Readonly<Record<ChartType, string>> = { candles: 'Candlestick', bars: 'Bar', line: 'Line', area: 'Area' }

function labelOf(asset: string, { interval, look }: Chosen, candles: readonly Candle[]): string {
  const last = candles.at(-1)
  const content = last === undefined ? 'no data yet' : `${candles.length} candles of ${interval}, the last at ${last.close}`
  return `${TYPE_NAMES[look.type]} chart of ${asset}: ${content}. The table below lists the newest.`
}

interface ChartLabelsState {
  readonly labels: Omit<ChartLabelsOptions, 'chart'>
  /** The reason why the order that was dropped last was not moved. */
  readonly problem: string | null
}

/** The account's marks, and where its orders are dragged to. */
function useChartLabels(
  chart: { readonly current: PriceChart | null }, { market, lists, sender }: { readonly market: Market; readonly lists: AccountLists; readonly sender: Sender },
): ChartLabelsState {
  const { account } = useParts()
  const { asset, limits } = market
  const gate = useGate(market.condition)
  const { received } = usePrice(asset)
  const [moved, setMoved] = useState<{ readonly orderId: number; readonly price: number } | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const state = account.state.answer.value?.body ?? null
  const marks = useMarks(chart, { asset, state, fills: lists.fills.rows.value, moved })
  const reasons = ['place_entry', 'place_exit'].map((action) => gate(action as 'place_entry' | 'place_exit')).join(' ')
  const handles = useMemo(() => new Map((state?.orders ?? []).flatMap((order): [string, OrderHandle][] => {
    const movable = order.asset === asset ? movableOf(order) : null
    return movable === null || movable.kind !== 'price' ? [] : [[orderKey(order.orderId), { order, disabled: gate(movable.action) }]]
  })), [state, asset, reasons])

  async function drop(order: OpenOrder, price: string): Promise<void> {
    const position = state?.positions?.find(({ positionId }) => positionId === order.positionId) ?? null
    const move = moveOrder(order, price, { price: received?.price ?? null, position, maxTrailingBps: limits?.trailingPercentBps.max ?? null })
    setProblem(move.problem === null ? null : `Order ${order.orderId} was not moved. ${move.problem}`)
    if (move.problem === null && !sender.isBusy()) {
      setMoved({ orderId: order.orderId, price: Number(price) })
      await sender.send(move.steps)
    }
    setMoved(null)
  }

  return {
    problem,
    labels: {
      ...marks, handles,
      onDrag: (order, price) => setMoved(price === null ? null : { orderId: order.orderId, price: Number(price) }),
      onDrop: (order, price) => void drop(order, price),
    },
  }
}
