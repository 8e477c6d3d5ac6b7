// The account's positions and open orders, with what can be done to each.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { AccountState, OpenOrder, TradeRequest } from '../../client/src/index.ts'
import { ORDER_TYPES } from '../activity-text.ts'
import { amount, parseAmount, percent, price, profitByPrice, UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import { usePrice } from '../state/use-price.ts'
import { TextField } from '../ui/field.tsx'
import { Fresh } from '../ui/layout.tsx'
import { Table } from '../ui/table.tsx'
import { Profit, Side } from '../ui/text.tsx'
import type { Sender } from './send.ts'

type Position = NonNullable<AccountState['positions']>[number]

const ATTACHED_SLIPPAGE_BPS = 100

export function Positions({ sender, isGeneration2 }: { readonly sender: Sender; readonly isGeneration2: boolean }) {
  const { account } = useParts()
  const rows = account.state.answer.value?.body.positions ?? []
  return (
    <Fresh resource={account.state}>
      <Table
        caption='Your positions' empty='You have no open positions. Choose Long or Short in the order ticket to open one.'
        rows={rows} keyOf={({ positionId }) => positionId}
        columns={[
          { title: 'Market', cell: ({ asset, positionId }) => <><a href={`#/trade/${asset}`}>{asset}</a> <span class='note'>{`#${positionId}`}</span></> },
          {
            title: 'Side',
            cell: ({ direction, leverage, marginMode }) => <><Side direction={direction} />{` ${leverage}×${marginMode === 'cross' ? ' cross' : ''}`}</>,
          },
          { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
          { title: 'Entry', isNumeric: true, cell: ({ entryPrice }) => price(entryPrice) },
          { title: 'Mark', isNumeric: true, isMinor: true, cell: (position) => <Mark position={position} /> },
          { title: 'Liquidation', isNumeric: true, cell: (position) => <Liquidation position={position} /> },
          { title: 'Margin', isNumeric: true, isMinor: true, cell: ({ collateral }) => amount(collateral) },
          { title: 'PnL (return)', isNumeric: true, cell: (position) => <LivePnl position={position} /> },
          { title: 'Funding', isNumeric: true, isMinor: true, cell: ({ accruedFunding }) => <Profit value={negated(accruedFunding)} /> },
          { title: 'Actions', isWide: true, cell: (position) => <PositionActions position={position} sender={sender} isGeneration2={isGeneration2} /> },
        ]}
      />
    </Fresh>
  )
}

/** Funding that the trader owes reduces the profit. */
function negated(value: string | null): string | null {
  return value === null ? null : (-BigInt(value)).toString()
}

function Mark({ position }: { readonly position: Position }) {
  const { received, className } = usePrice(position.asset)
  return <span class={className}>{price(received?.price ?? null)}</span>
}

function LivePnl({ position }: { readonly position: Position }) {
  const { received, className } = usePrice(position.asset)
  const pnl = profitByPrice(position, received?.price)
  const bps = pnl === null || position.collateral === '0' ? null : Number((BigInt(pnl) * 10_000n) / BigInt(position.collateral))
  return <span class={className}><Profit value={pnl} />{bps === null ? '' : ` (${bps > 0 ? '+' : ''}${percent(bps)})`}</span>
}

/** The liquidation price and how far the price is from it. */
function Liquidation({ position }: { readonly position: Position }) {
  const mark = usePrice(position.asset).received?.price ?? null
  const { liquidationPrice, marginMode } = position
  if (liquidationPrice === null) return <>{marginMode === 'cross' ? 'by account' : UNKNOWN}</>
  const distance = mark === null || BigInt(mark) === 0n ? null : Number(((BigInt(mark) - BigInt(liquidationPrice)) * 10_000n) / BigInt(mark))
  return <>{price(liquidationPrice)}{distance !== null && <span class='note'>{` ${percent(Math.abs(distance))} away`}</span>}</>
}

function PositionActions({ position, sender, isGeneration2 }: { readonly position: Position; readonly sender: Sender; readonly isGeneration2: boolean }) {
  const [form, setForm] = useState<InlineKind | null>(null)
  const { positionId, marginMode } = position
  const isCross = marginMode === 'cross'
  const name = `position ${positionId}`
  const op = isCross ? 'close_position_cross' as const : 'close_position' as const
  const close = (): void => void sender.send([{ title: 'Close the position', request: () => ({ op, positionId: String(positionId) }) }])
  return (
    <div class='stack'>
      <div class='row tight'>
        <button type='button' class='small' aria-label={`Close ${name}`} onClick={close}>Close</button>
        {isGeneration2 && !isCross && <button type='button' class='small' aria-label={`Close part of ${name}`} onClick={() => setForm('part')}>Part</button>}
        {isGeneration2 && !isCross && (
          <>
            <button type='button' class='small' aria-label={`Add collateral to ${name}`} onClick={() => setForm('add')}>+</button>
            <button type='button' class='small' aria-label={`Remove collateral from ${name}`} onClick={() => setForm('remove')}>−</button>
          </>
        )}
        {(!isCross || isGeneration2) && (
          <>
            <button type='button' class='small' aria-label={`Take-profit for ${name}`} onClick={() => setForm('take_profit')}>TP</button>
            <button type='button' class='small' aria-label={`Stop-loss for ${name}`} onClick={() => setForm('stop_loss')}>SL</button>
          </>
        )}
      </div>
      {form !== null && <InlineForm kind={form} position={position} sender={sender} onDone={() => setForm(null)} />}
    </div>
  )
}

type InlineKind = 'take_profit' | 'stop_loss' | 'part' | 'add' | 'remove'

const INLINE_FORMS: Readonly<Record<InlineKind, { readonly label: string; readonly title: string; readonly error: string }>> = {
  take_profit: { label: 'Trigger price', title: 'Set a take-profit', error: 'Enter a price, for example 91500.25.' },
  stop_loss: { label: 'Trigger price', title: 'Set a stop-loss', error: 'Enter a price, for example 91500.25.' },
  part: { label: 'Size to close, USDC', title: 'Close a part of the position', error: 'Enter an amount, for example 100.' },
  add: { label: 'Collateral to add, USDC', title: 'Add collateral', error: 'Enter an amount, for example 100.' },
  remove: { label: 'Collateral to remove, USDC', title: 'Remove collateral', error: 'Enter an amount, for example 100.' },
}

function requestOf(kind: InlineKind, positionId: string, value: string): TradeRequest {
  switch (kind) {
    case 'part': return { op: 'close_position_partial', positionId, closeSize: value }
    case 'add': return { op: 'add_collateral', positionId, amount: value }
    case 'remove': return { op: 'remove_collateral', positionId, amount: value }
    default: return { op: `set_${kind}`, positionId, triggerPrice: value, slippageToleranceBps: ATTACHED_SLIPPAGE_BPS }
  }
}

function InlineForm({ kind, position, sender, onDone }: {
  readonly kind: InlineKind
  readonly position: Position
  readonly sender: Sender
  readonly onDone: () => void
}) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const { label, title, error } = INLINE_FORMS[kind]
  useEffect(() => form.current?.querySelector('input')?.focus(), [kind])

  function submit(event: Event): void {
    event.preventDefault()
    const value = parseAmount(text)
    if (value === null || BigInt(value) === 0n) setProblem(error)
    else if (kind === 'part' && BigInt(value) >= BigInt(position.size)) setProblem(`Enter less than the position's size, ${amount(position.size)} USDC.`)
    else {
      onDone()
      void sender.send([{ title, request: () => requestOf(kind, String(position.positionId), value) }])
    }
  }

  return (
    <form class='row tight' noValidate ref={form} onSubmit={submit}>
      <TextField label={label} value={text} problem={problem} onInput={setText} />
      <button type='submit' class='small'>Review</button>
      <button type='button' class='small quiet' onClick={onDone}>Cancel</button>
    </form>
  )
}

export function Orders({ sender }: { readonly sender: Sender }) {
  const { account } = useParts()
  const cancel = ({ orderId }: OpenOrder): void =>
    void sender.send([{ title: 'Cancel the order', request: () => ({ op: 'cancel_order', orderId: String(orderId) }) }])
  return (
    <Fresh resource={account.state}>
      <Table
        caption='Your open orders' empty='You have no open orders.' rows={account.state.answer.value?.body.orders ?? []} keyOf={({ orderId }) => orderId}
        columns={[
          { title: 'Order', cell: ({ orderId }) => orderId },
          { title: 'Type', cell: ({ orderType }) => ORDER_TYPES[orderType] ?? orderType },
          { title: 'Market', cell: ({ asset }) => <a href={`#/trade/${asset}`}>{asset}</a> },
          { title: 'Side', cell: ({ direction }) => <Side direction={direction} /> },
          { title: 'Position', isNumeric: true, isMinor: true, cell: ({ positionId }) => (positionId === null ? 'new' : positionId) },
          { title: 'Trigger', isNumeric: true, cell: (order) => `${order.triggerCondition === 'Above' ? '≥' : '≤'} ${price(order.referencePrice)}` },
          {
            title: 'Actions', isWide: true,
            cell: (order) => <button type='button' class='small' aria-label={`Cancel order ${order.orderId}`} onClick={() => cancel(order)}>Cancel</button>,
          },
        ]}
      />
    </Fresh>
  )
}
