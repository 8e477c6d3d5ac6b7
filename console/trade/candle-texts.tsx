// A market's candles as text: the values of one, and the newest as a table, for those who cannot see the chart.

import { useState } from 'preact/hooks'
import type { Candle } from '../../client/src/index.ts'
import { amount, floatPrice, percent, priceDecimals } from '../format.ts'
import { Table } from '../ui/table.tsx'

export type Zone = 'utc' | 'local'

const TABLE_ROWS = 20
const OHLC = [['Open', 'open'], ['High', 'high'], ['Low', 'low'], ['Close', 'close']] as const
const BPS = 10_000

const startText = (seconds: number, zone: Zone): string =>
  new Date(seconds * 1000).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', ...(zone === 'utc' ? { timeZone: 'UTC' } : {}) })

/** The values of the candle below the pointer, else of the newest. */
export function Legend({ candle, zone, indicators }: {
  readonly candle: Candle | undefined
  readonly zone: Zone
  /** Names and values at this candle. */
  readonly indicators: readonly (readonly [name: string, value: string])[]
}) {
  if (candle === undefined) return <p class='legend note'>No candles yet.</p>
  const { open, close, time, volume } = candle
  const decimals = priceDecimals(close)
  const className = close >= open ? 'up' : 'down'
  const change = open === 0 ? 0 : ((close - open) / open) * BPS
  return (
    <p class='legend'>
      <span class='note'>{startText(time, zone)}</span>
      {OHLC.map(([title, name]) => (
        <span key={name}><span class='note'>{title}</span> <span class={className}>{floatPrice(candle[name], decimals)}</span></span>
      ))}
      <span class={className}>{`${change > 0 ? '+' : change < 0 ? '−' : ''}${percent(Math.abs(change))}`}</span>
      <span><span class='note'>Volume</span> {amount(volume, 0)}</span>
      {indicators.map(([name, value]) => <span key={name}><span class='note'>{name}</span> {value}</span>)}
    </p>
  )
}

export function CandleTable({ candles, zone }: { readonly candles: readonly Candle[]; readonly zone: Zone }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Newest candles as a table</summary>
      {isOpen && (
        <Table
          caption='Newest candles' empty='No candles yet.' rows={candles.slice(-TABLE_ROWS).toReversed()} keyOf={({ time }) => time}
          columns={[
            { title: 'Start', cell: ({ time }) => startText(time, zone) },
            ...OHLC.map(([title, name]) => ({ title, isNumeric: true, cell: (candle: Candle) => floatPrice(candle[name], priceDecimals(candle.close)) })),
            { title: 'Volume', isNumeric: true, cell: ({ volume }) => amount(volume, 0) },
          ]}
        />
      )}
    </details>
  )
}
