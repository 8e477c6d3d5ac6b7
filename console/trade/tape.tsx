// The latest trades of one market, newest first. It always has the same number of rows of the same height, so that a new trade moves nothing.

import { useComputed, useSignal } from '@preact/signals'
import type { TradeData } from '../../client/src/index.ts'
import { FILL_KINDS } from '../activity-text.ts'
import { amount, price, sideOf, timeOfDay, UNKNOWN } from '../format.ts'
import { TraderLink } from '../ui/links.tsx'
import { Line } from '../ui/skeleton.tsx'
import { TAPE_ROWS } from './use-trades.ts'
import type { Trade, Trades } from './use-trades.ts'

const SLOTS = Array.from({ length: TAPE_ROWS }, (_, slot) => slot)
const COLUMNS = ['Time', 'Price', 'Size', 'Trade', 'Trader'] as const
/** Short enough for a narrow column. */
const KINDS: Readonly<Partial<Record<TradeData['kind'], string>>> = { ...FILL_KINDS, liquidation: 'Liq.', partial_liquidation: 'Part. liq.' }

export function Tape({ trades: { rows, past } }: { readonly trades: Trades }) {
  /** The trades shown while someone points at a row or has the focus in one: what they are about to use must not become another trade. */
  const held = useSignal<readonly Trade[] | null>(null)
  const shown = useComputed(() => held.value ?? rows.value).value
  const hold = (): void => {
    held.value ??= rows.peek()
  }
  const release = (): void => {
    held.value = null
  }
  const empty = past.answer.value === null ? past.note.value : 'No trades yet. They appear here as they are indexed.'
  return (
    <div
      class='scroll tape' role='region' aria-label='Latest trades' tabIndex={0} onFocusOut={release}
      onFocusIn={({ target, currentTarget }) => target !== currentTarget && hold()}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && hold()} onPointerLeave={release}
    >
      <table role='table'>
        <caption>Latest trades, sizes in USDC{held.value !== null && held.value !== rows.value && <span class='warn'> · paused</span>}</caption>
        <thead role='rowgroup'>
          <tr role='row'>{COLUMNS.map((title) => <th key={title} role='columnheader' scope='col'>{title}</th>)}</tr>
        </thead>
        <tbody role='rowgroup'>
          {/* A row keeps its place and gets another trade. */}
          {SLOTS.map((slot) => <TapeRow key={slot} trade={shown[slot]} note={slot === 0 ? empty : null} isLoading={past.answer.value === null} />)}
        </tbody>
      </table>
    </div>
  )
}

function TapeRow({ trade, note, isLoading }: { readonly trade: Trade | undefined; readonly note: string | null; readonly isLoading: boolean }) {
  if (trade === undefined) {
    return note === null
      ? <tr key='empty' role='row' aria-hidden><td role='cell' colSpan={COLUMNS.length}>{isLoading && <Line />}</td></tr>
      : <tr key='note' role='row'><td role='cell' colSpan={COLUMNS.length} class='empty'>{note}</td></tr>
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
function takerClass({ kind, direction }: Trade): string {
  if (direction === null) return ''
  return (direction === 0) === (kind === 'open') ? 'up' : 'down'
}
