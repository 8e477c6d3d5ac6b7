// A market's candles as a chart, with intervals, legend, own marks, and the newest candles as a table.

import { useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Candle, CandleInterval } from '../../client/src/index.ts'
import { priceDecimals, timeOfDay } from '../format.ts'
import { priceFreshness } from '../freshness.ts'
import { useParts } from '../parts.ts'
import { useResource } from '../state/use-resource.ts'
import { Choice, ReadNote } from '../ui/layout.tsx'
import { Table } from '../ui/table.tsx'
import { createPriceChart } from './price-chart.ts'
import type { PriceChart } from './price-chart.ts'
import { useMarks } from './use-marks.ts'

const INTERVALS: readonly (readonly [CandleInterval, string])[] = (['1m', '5m', '15m', '1h', '4h', '1d', '1w'] as const).map((each) => [each, each])
const ZONES = [['utc', 'UTC'], ['local', 'Local time']] as const
const CANDLES_MAX = 500
const TABLE_ROWS = 20
const OHLC = [['Open', 'open'], ['High', 'high'], ['Low', 'low'], ['Close', 'close']] as const
const SEC_PER_MIN = 60

export function ChartView({ asset }: { readonly asset: string }) {
  const { feed } = useParts()
  const [interval, chooseInterval] = useState<CandleInterval>('1m')
  const [zone, setZone] = useState<'utc' | 'local'>('utc')
  const hovered = useSignal<number | null>(null)
  const candles = useSignal<readonly Candle[]>([])
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<PriceChart | null>(null)
  const read = useResource('Candles', (client) => client.listCandles({ asset, interval, limit: CANDLES_MAX }), [asset, interval], { isManual: true })
  const body = read.answer.value?.body ?? null
  const isStale = priceFreshness(feed.price(asset), feed.now.value) === 'stale'

  useEffect(() => {
    if (box.current === null) return undefined
    const created = createPriceChart(box.current)
    chart.current = created
    created.onHover((time) => {
      hovered.value = time
    })
    return () => created.remove()
  }, [])
  useEffect(() => {
    candles.value = body?.candles ?? []
    const offsetSec = zone === 'utc' ? 0 : -new Date(0).getTimezoneOffset() * SEC_PER_MIN
    chart.current?.setCandles(candles.value, { decimals: priceDecimals(candles.value.at(-1)?.close ?? 1), offsetSec })
  }, [body, zone])
  useEffect(() => feed.stream.on(`candles.${asset}.${interval}`, ({ data: candle }) => {
    const last = candles.value.at(-1)
    if (last === undefined || candle.time < last.time) return
    candles.value = candle.time === last.time ? [...candles.value.slice(0, -1), candle] : [...candles.value, candle].slice(-2 * CANDLES_MAX)
    chart.current?.update(candle)
  }), [asset, interval])
  useReconnect(() => void read.read())
  useMarks(asset, chart)

  const last = candles.value.at(-1)
  const shown = hovered.value === null ? last : candles.value.find(({ time }) => time === hovered.value) ?? last
  const content = last === undefined ? 'no data yet' : `${candles.value.length} candles of ${interval}, the last at ${last.close}`
  return (
    <div class='stack'>
      <div class='row'>
        <Choice label='Candle interval' options={INTERVALS} value={interval} onChoose={chooseInterval} />
        <Choice label='Time zone' options={ZONES} value={zone} onChoose={setZone} />
      </div>
      <Legend candle={shown} />
      <div
        class={isStale ? 'chart stale' : 'chart'} ref={box} role='img'
        aria-label={`Candlestick chart of ${asset}: ${content}. The table below lists the newest.`}
      />
      <ReadNote resource={read} />
      <CandleTable candles={candles.value} />
    </div>
  )
}

/** The values of the candle below the pointer, else of the newest. */
function Legend({ candle }: { readonly candle: Candle | undefined }) {
  if (candle === undefined) return <p class='legend note'>No candles yet.</p>
  const decimals = priceDecimals(candle.close)
  const className = candle.close >= candle.open ? 'up' : 'down'
  return (
    <p class='legend'>
      {OHLC.map(([title, name]) => <span key={name}><span class='note'>{title}</span> <span class={className}>{candle[name].toFixed(decimals)}</span></span>)}
    </p>
  )
}

function CandleTable({ candles }: { readonly candles: readonly Candle[] }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Newest candles as a table</summary>
      {isOpen && (
        <Table
          isNarrow caption='Newest candles' empty='No candles yet.' rows={candles.slice(-TABLE_ROWS).toReversed()} keyOf={({ time }) => time}
          columns={[
            { title: 'Start', cell: ({ time }) => timeOfDay(time) },
            ...OHLC.map(([title, name]) => ({ title, isNumeric: true, cell: (candle: Candle) => candle[name].toFixed(priceDecimals(candle.close)) })),
          ]}
        />
      )}
    </details>
  )
}

/** Calls `listener` with the first heartbeat after a disconnect. */
function useReconnect(listener: () => void): void {
  const { feed } = useParts()
  const current = useRef(listener)
  current.current = listener
  useEffect(() => {
    let wasDisconnected = false
    const stops = [
      feed.stream.onProblem(({ kind }) => {
        if (kind === 'disconnected') wasDisconnected = true
      }),
      feed.stream.on('heartbeat', () => {
        if (!wasDisconnected) return
        wasDisconnected = false
        current.current()
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
}
