// The chart's type, indicators and size: the controls, and the values of the indicators as text.

import { useEffect, useState } from 'preact/hooks'
import type { Candle } from '../../client/src/index.ts'
import { decimal, floatPrice, priceDecimals } from '../format.ts'
import { Choice } from '../ui/layout.tsx'
import { plotsOf } from './chart-look.ts'
import type { ChartType, IndicatorName, Look } from './chart-look.ts'

const TYPES: readonly (readonly [ChartType, string])[] = [['candles', 'Candles'], ['bars', 'Bars'], ['line', 'Line'], ['area', 'Area']]
const INDICATORS: readonly (readonly [IndicatorName, string])[] = [
  ['average', 'Moving averages'], ['rsi', 'RSI'], ['macd', 'MACD'], ['volume', 'Volume'],
]

export function ChartTools({ look, isFull, onLook, onFull }: {
  readonly look: Look
  readonly isFull: boolean
  readonly onLook: (look: Look) => void
  readonly onFull: (isFull: boolean) => void
}) {
  const toggle = (name: IndicatorName): void => onLook({
    ...look, indicators: INDICATORS.map(([each]) => each).filter((each) => look.indicators.includes(each) !== (each === name)),
  })
  return (
    <div class='chart-tools'>
      <details>
        <summary>Type and indicators</summary>
        <Choice label='Chart type' options={TYPES} value={look.type} onChoose={(type) => onLook({ ...look, type })} />
        <div class='choice' role='group' aria-label='Indicators'>
          {INDICATORS.map(([name, text]) => (
            <button key={name} type='button' aria-pressed={look.indicators.includes(name)} onClick={() => toggle(name)}>{text}</button>
          ))}
        </div>
      </details>
      <button type='button' class='small' aria-pressed={isFull} onClick={() => onFull(!isFull)}>{isFull ? 'Leave full screen' : 'Full screen'}</button>
    </div>
  )
}

/** The stored type and indicators, of which others than the present ones are ignored. */
export function readLook(type: string | undefined, indicators: string | undefined): Look {
  const names = indicators?.split(',')
  return {
    type: TYPES.find(([each]) => each === type)?.[0] ?? 'candles',
    indicators: names === undefined ? ['volume'] : INDICATORS.map(([each]) => each).filter((each) => names.includes(each)),
  }
}

/**
 * Fills the screen where the browser allows it, else the window, until Escape is pressed. The whole page is in full screen, so that dialogs are above the
 * chart.
 */
export function useFullScreen(): readonly [isFull: boolean, setFull: (isFull: boolean) => void] {
  const [isFull, setFull] = useState(false)
  useEffect(() => {
    if (!isFull) return undefined
    // The browser takes the Escape key of a full screen for itself, and only reports that it ended.
    const end = (): void => {
      if (document.fullscreenElement === null) setFull(false)
    }
    const leave = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) setFull(false)
    }
    document.addEventListener('keydown', leave)
    document.addEventListener('fullscreenchange', end)
    // A browser that refuses leaves the chart in its window.
    if (document.fullscreenEnabled) document.documentElement.requestFullscreen().catch(() => {})
    return () => {
      document.removeEventListener('keydown', leave)
      document.removeEventListener('fullscreenchange', end)
      if (document.fullscreenElement !== null) void document.exitFullscreen()
    }
  }, [isFull])
  return [isFull, setFull]
}

/** The values of the indicators at a candle. The volume is among the candle's own values. */
export function indicatorTexts(
  candles: readonly Candle[], shown: Candle | undefined, { indicators }: Look,
): readonly (readonly [name: string, value: string])[] {
  const index = shown === undefined ? -1 : candles.findLastIndex(({ time }) => time === shown.time)
  if (shown === undefined || index === -1) return []
  const closes = candles.slice(0, index + 1).map(({ close }) => close)
  const decimals = priceDecimals(shown.close)
  return indicators.flatMap((name) => plotsOf(name, closes)).map(({ name, values, isPrice }) => {
    const value = values[index] ?? null
    return [name, value === null ? 'n/a' : isPrice ? floatPrice(value, decimals) : decimal(value, 2)]
  })
}
