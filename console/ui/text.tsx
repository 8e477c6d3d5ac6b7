// Small pieces of text. Data becomes text, never markup, and hidden characters become visible: anyone can choose the labels and names on the chain.

import { displayText } from '../../client/src/index.ts'
import type { MarketStats } from '../../client/src/index.ts'
import { decimal, short, signed, UNKNOWN } from '../format.ts'

/** A name from the chain, whose direction does not affect the text around it. */
export function Name({ text }: { readonly text: string }) {
  return <bdi>{displayText(text)}</bdi>
}

/** A profit or loss in USDC, colored by its sign. `value`: digits with seven implied decimals; null is unknown. */
export function Profit({ value, decimals = 2 }: { readonly value: string | null; readonly decimals?: number }) {
  if (value === null) return <>{UNKNOWN}</>
  const text = signed(value, decimals)
  return <span class={text.startsWith('+') ? 'up' : text.startsWith('−') ? 'down' : ''}>{text}</span>
}

/** "Long" or "Short" with an arrow and a color. */
export function Side({ direction }: { readonly direction: number | null }) {
  if (direction === null) return <>{UNKNOWN}</>
  return direction === 0 ? <span class='up'>▲ Long</span> : <span class='down'>▼ Short</span>
}

/** A shortened address or hash. Screen readers and the tooltip get the whole one. */
export function Address({ text, length = 4 }: { readonly text: string; readonly length?: number }) {
  const shown = short(text, length)
  if (shown === text) return <span class='address'>{text}</span>
  return (
    <span class='address' title={text}>
      <span aria-hidden>{shown}</span>
      <span class='visually-hidden'>{text}</span>
    </span>
  )
}

/** A change in percent, colored by its sign; null is unknown. */
export function Change({ percent }: { readonly percent: number | null }) {
  if (percent === null) return <>{UNKNOWN}</>
  const text = `${decimal(percent, 2)}%`
  if (Number(percent.toFixed(2)) === 0) return <span>{text}</span>
  return percent > 0 ? <span class='up'>{`+${text}`}</span> : <span class='down'>{text}</span>
}

/** The maximum leverage of a market, as `10×`; nothing while it is not known. */
export function MaxLeverage({ stats }: { readonly stats: Pick<MarketStats, 'capacity'> | null }) {
  const value = stats?.capacity?.maxLeverage ?? null
  return value === null ? null : <span class='leverage-tag'><span class='visually-hidden'>at most </span>{`${value}×`}</span>
}
