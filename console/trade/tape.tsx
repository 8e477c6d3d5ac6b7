// The latest trades of one market, newest first.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { TradeData } from '../../client/src/index.ts'
import { FILL_KINDS } from '../activity-text.ts'
import { amount, price, timeOfDay, UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import { Table } from '../ui/table.tsx'
import { TraderLink } from '../ui/links.tsx'

const ROWS_MAX = 40
/** How far back in the log the tape begins. */
const LOOK_BACK = 400
export function Tape({ asset }: { readonly asset: string }) {
  const { feed } = useParts()
  const trades = useSignal<readonly TradeData[]>([])
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
    if (head.value === null) return undefined
    const since = Math.max(0, head.value - LOOK_BACK)
    return feed.stream.on(`trades.${asset}`, ({ data }) => {
      trades.value = [data, ...trades.value].slice(0, ROWS_MAX)
    }, { since })
  }, [asset, head.value])
  return (
    <div class='tape'>
      <Table
        isNarrow caption='Latest trades' empty='No trades yet. They appear here as they are indexed.'
        rows={trades.value} keyOf={({ eventId, kind }) => `${eventId} ${kind}`}
        columns={[
          { title: 'Time', cell: ({ ts }) => timeOfDay(ts / 1000) },
          { title: 'Price', isNumeric: true, cell: (trade) => <span class={takerClass(trade)}>{price(trade.price)}</span> },
          { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size, 0) },
          { title: 'Side', cell: (trade) => <TapeSide trade={trade} /> },
          { title: 'Type', cell: ({ kind }) => FILL_KINDS[kind] ?? kind },
          { title: 'Trader', isMinor: true, cell: ({ trader }) => <TraderLink address={trader} length={2} /> },
        ]}
      />
    </div>
  )
}

/** What the trade buys or sells: closing a long sells. */
function takerSide({ kind, direction }: TradeData): 'buy' | 'sell' | null {
  if (direction === null) return null
  return (direction === 0) === (kind === 'open') ? 'buy' : 'sell'
}

function takerClass(trade: TradeData): string {
  const side = takerSide(trade)
  return side === null ? '' : side === 'buy' ? 'up' : 'down'
}

function TapeSide({ trade }: { readonly trade: TradeData }) {
  if (trade.direction === null) return <>{UNKNOWN}</>
  return <span class={takerClass(trade)}>{trade.direction === 0 ? 'Long' : 'Short'}</span>
}
