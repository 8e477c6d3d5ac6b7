// The latest trades of one market, newest first. It always has the same number of rows of the same height, so that a new trade moves nothing.

import { useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { TradeData } from '../../client/src/index.ts'
import { FILL_KINDS } from '../activity-text.ts'
import { amount, price, sideOf, timeOfDay, UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import { TraderLink } from '../ui/links.tsx'

const ROWS = 40
const SLOTS = Array.from({ length: ROWS }, (_, slot) => slot)
/** Positions before the head of the log at which the tape begins. */
const LOOK_BACK = 400
const COLUMNS = ['Time', 'Price', 'Size', 'Trade', 'Trader'] as const
/** Short enough for a narrow column. */
const KINDS: Readonly<Partial<Record<TradeData['kind'], string>>> = { ...FILL_KINDS, liquidation: 'Liq.', partial_liquidation: 'Part. liq.' }

export function Tape({ asset }: { readonly asset: string }) {
  const { feed } = useParts()
  const trades = useSignal<readonly TradeData[]>([])
  /** The trades shown while someone points at a row or has the focus in one: what they are about to use must not become another trade. */
  const held = useSignal<readonly TradeData[] | null>(null)
  const head = useSignal(feed.head()?.seq ?? null)
  useEffect(() => {
    // Without a head there is no past to begin at: the first heartbeat brings it.
    if (head.value !== null) return undefined
    return feed.stream.on('heartbeat', ({ data }) => {
      head.value ??= data.head
    })
  }, [])
  useEffect(() => {
    trades.value = []
    held.value = null
    if (head.value === null) return undefined
    const since = Math.max(0, head.value - LOOK_BACK)
    return feed.stream.on(`trades.${asset}`, ({ data }) => {
      trades.value = [data, ...trades.value].slice(0, ROWS)
    }, { since })
  }, [asset, head.value])
  const shown = useComputed(() => held.value ?? trades.value).value
  const hold = (): void => {
    held.value ??= trades.peek()
  }
  const release = (): void => {
    held.value = null
  }
  return (
    <div
      class='scroll tape' role='region' aria-label='Latest trades' tabIndex={0} onFocusOut={release}
      onFocusIn={({ target, currentTarget }) => target !== currentTarget && hold()}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && hold()} onPointerLeave={release}
    >
      <table role='table'>
        <caption>Latest trades, sizes in USDC{held.value !== null && held.value !== trades.value && <span class='warn'> · paused</span>}</caption>
        <thead role='rowgroup'>
          <tr role='row'>{COLUMNS.map((title) => <th key={title} role='columnheader' scope='col'>{title}</th>)}</tr>
        </thead>
        <tbody role='rowgroup'>
          {/* A row keeps its place and gets another trade. */}
          {SLOTS.map((slot) => <TapeRow key={slot} trade={shown[slot]} isFirst={slot === 0} />)}
        </tbody>
      </table>
    </div>
  )
}

function TapeRow({ trade, isFirst }: { readonly trade: TradeData | undefined; readonly isFirst: boolean }) {
  if (trade === undefined) {
    return isFirst
      ? <tr key='note' role='row'><td role='cell' colSpan={COLUMNS.length} class='empty'>No trades yet. They appear here as they are indexed.</td></tr>
      : <tr key='empty' role='row' aria-hidden><td role='cell' colSpan={COLUMNS.length} /></tr>
  }
  const { ts, kind, direction, size, trader } = trade
  const className = takerClass(trade)
  return (
    <tr key='trade' role='row'>
      <th role='rowheader' scope='row'>{timeOfDay(ts / 1000)}</th>
      <td role='cell' class={className}>{price(trade.price)}</td>
      <td role='cell'>{amount(size, 0)}</td>
      <td role='cell' class={className}>{`${KINDS[kind] ?? kind} ${direction === null ? UNKNOWN : sideOf(direction).toLowerCase()}`}</td>
      <td role='cell'><TraderLink address={trader} length={2} /></td>
    </tr>
  )
}

/** By what the trade buys or sells: closing a long sells. */
function takerClass({ kind, direction }: TradeData): string {
  if (direction === null) return ''
  return (direction === 0) === (kind === 'open') ? 'up' : 'down'
}
