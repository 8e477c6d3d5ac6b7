// The account's open orders, with what can be done to each.

import { useRef, useState } from 'preact/hooks'
import type { OpenOrder } from '../../client/src/index.ts'
import { ORDER_TYPES } from '../activity-text.ts'
import { amount, dateTime, price } from '../format.ts'
import { useParts } from '../parts.ts'
import { usePrice } from '../state/use-price.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Fresh } from '../ui/layout.tsx'
import { MarketLink } from '../ui/links.tsx'
import { Table } from '../ui/table.tsx'
import { Side } from '../ui/text.tsx'
import { InlineForm } from './inline-form.tsx'
import { movableOf, moveOrder } from './replace-order.ts'
import type { Movable } from './replace-order.ts'
import type { Sender } from './send.ts'
import { useGate, useMarket } from './use-market.ts'
import type { Market } from './use-market.ts'

export function Orders({ market, sender }: { readonly market: Market; readonly sender: Sender }) {
  const { account } = useParts()
  const gate = useGate(market.condition)
  const state = account.state.answer.value?.body ?? null
  const orders = state?.orders ?? []
  const sizeOf = ({ size, positionId }: OpenOrder): string | null =>
    size ?? state?.positions?.find((position) => position.positionId === positionId)?.size ?? null
  const cancelAll = orders.map(({ orderId }) => (
    { title: `Cancel order ${orderId}`, request: () => ({ op: 'cancel_order', orderId: String(orderId) } as const) }
  ))
  return (
    <Fresh resource={account.state}>
      {orders.length > 1 && (
        <div class='row'>
          <GatedButton label='Cancel all orders' reason={gate('cancel')} onClick={() => void sender.send(cancelAll)}>Cancel all</GatedButton>
        </div>
      )}
      <Table
        caption='Your open orders' empty='You have no open orders. Choose Limit or Stop in the order ticket to place one.'
        rows={orders} keyOf={({ orderId }) => orderId} isLoading={state === null}
        columns={[
          { title: 'Order', cell: ({ orderId }) => orderId },
          { title: 'Type', cell: ({ orderType }) => ORDER_TYPES[orderType] ?? orderType },
          { title: 'Market', cell: ({ asset }) => <MarketLink asset={asset} /> },
          { title: 'Side', cell: ({ direction }) => <Side direction={direction} /> },
          { title: 'Size', isNumeric: true, cell: (order) => (sizeOf(order) === null ? '' : amount(sizeOf(order))) },
          { title: 'Position', isNumeric: true, isMinor: true, cell: ({ positionId }) => (positionId === null ? 'new' : positionId) },
          { title: 'Trigger', isNumeric: true, cell: (order) => `${order.triggerCondition === 'Above' ? '≥' : '≤'} ${price(order.referencePrice)}` },
          { title: 'Placed', isNumeric: true, cell: ({ createdAt }) => dateTime(createdAt) },
          { title: 'Actions', isWide: true, cell: (order) => <OrderActions order={order} market={market} sender={sender} /> },
        ]}
      />
    </Fresh>
  )
}

function OrderActions({ order, market, sender }: { readonly order: OpenOrder; readonly market: Market; readonly sender: Sender }) {
  const [isMoving, setIsMoving] = useState(false)
  const row = useRef<HTMLDivElement>(null)
  const movable = movableOf(order)
  const { orderId } = order
  const blocked = useGate(market.condition)('cancel')
  const cancel = (): void =>
    void sender.send([{ title: 'Cancel the order', request: () => ({ op: 'cancel_order', orderId: String(orderId) }) }])

  function close(): void {
    setIsMoving(false)
    row.current?.querySelector('button')?.focus()
  }

  return (
    <div class='stack' ref={row}>
      <div class='row tight'>
        {movable !== null && <GatedButton label={`Move order ${orderId}`} reason={blocked} onClick={() => setIsMoving(true)}>Move</GatedButton>}
        <GatedButton label={`Cancel order ${orderId}`} reason={blocked} onClick={cancel}>Cancel</GatedButton>
      </div>
      {isMoving && movable !== null && (
        order.asset === market.asset
          ? <MoveForm order={order} movable={movable} market={market} sender={sender} onDone={close} />
          : <MoveElsewhere order={order} movable={movable} sender={sender} onDone={close} />
      )}
    </div>
  )
}

interface MoveFormOptions {
  readonly order: OpenOrder
  readonly movable: Movable
  readonly sender: Sender
  readonly onDone: () => void
}

/** For an order in another market than the one on the page. */
function MoveElsewhere(options: MoveFormOptions) {
  const market = useMarket(options.order.asset)
  return <MoveForm {...options} market={market} />
}

function MoveForm({ order, movable, market, sender, onDone }: MoveFormOptions & { readonly market: Market }) {
  const { account } = useParts()
  const gate = useGate(market.condition)
  const { received } = usePrice(order.asset)
  const position = account.state.answer.value?.body.positions?.find(({ positionId }) => positionId === order.positionId) ?? null
  const context = { price: received?.price ?? null, position, maxTrailingBps: market.limits?.trailingPercentBps.max ?? null }
  return (
    <InlineForm
      label={movable.label} initial={movable.value} help={movable.help ?? undefined} sender={sender} onDone={onDone} blocked={gate(movable.action)}
      check={(text) => moveOrder(order, text, context)}
    />
  )
}
