// The account's positions, with what can be done to each.

import { useRef, useState } from 'preact/hooks'
import type { Fill, OpenOrder } from '../../client/src/index.ts'
import { amount, percent, plain, price, profitByPrice, UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import { usePrice } from '../state/use-price.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Fresh } from '../ui/layout.tsx'
import { MarketLink } from '../ui/links.tsx'
import { Table } from '../ui/table.tsx'
import type { Column } from '../ui/table.tsx'
import { Profit, Side } from '../ui/text.tsx'
import { Adl, useAdlPlaces } from './adl.tsx'
import { InlineForm } from './inline-form.tsx'
import { breakEven, coinSize, costsOf, returnOnMargin, signedPercent } from './position-figures.ts'
import {
  attachedOrder, checkPositionForm, closeAllSteps, closeMove, exitSuggestions, POSITION_FORMS, reverseSteps, shareSuggestions,
} from './position-forms.ts'
import type { Position, PositionFormKind } from './position-forms.ts'
import { liquidationDistance } from './risk.ts'
import type { Sender } from './send.ts'
import { useGate } from './use-market.ts'
import type { Market } from './use-market.ts'

interface RowParts {
  readonly market: Market
  readonly sender: Sender
  readonly positions: readonly Position[]
  readonly orders: readonly OpenOrder[]
  readonly available: string | null
}

interface PositionsOptions {
  readonly market: Market
  readonly sender: Sender
  /** The account's fills, as far as they were read. */
  readonly fills: readonly Fill[]
}

export function Positions({ market, sender, fills }: PositionsOptions) {
  const { account } = useParts()
  const { isGeneration2 } = market
  const state = account.state.answer.value?.body ?? null
  const adlPlaces = useAdlPlaces(state?.positions ?? [], isGeneration2)
  const positions = state?.positions ?? []
  const parts = { market, sender, positions, orders: state?.orders ?? [], available: state?.balances.usdc ?? null }
  const adl: readonly Column<Position>[] = isGeneration2
    ? [{ title: 'ADL', isMinor: true, cell: ({ positionId }) => <Adl place={adlPlaces?.get(positionId)} isKnown={adlPlaces !== null} /> }] : []
  const costs = (position: Position) => costsOf(position, fills, state?.fees.takerRate ?? null)
  const gate = useGate(market.condition)
  return (
    <Fresh resource={account.state}>
      {positions.length > 1 && (
        <div class='row'>
          <GatedButton label='Close all positions' reason={gate('close')} onClick={() => void sender.send(closeAllSteps(positions))}>Close all</GatedButton>
        </div>
      )}
      <Table
        caption='Your positions' empty='You have no open positions. Choose Long or Short in the order ticket to open one.'
        rows={positions} keyOf={({ positionId }) => positionId} isLoading={state === null}
        columns={[
          { title: 'Market', cell: ({ asset, positionId }) => <><MarketLink asset={asset} /> <span class='second'>{`#${positionId}`}</span></> },
          {
            title: 'Side',
            cell: ({ direction, leverage, marginMode }) => (
              <><Side direction={direction} /> <span class='second'>{`${leverage}×${marginMode === 'cross' ? ' cross' : ''}`}</span></>
            ),
          },
          {
            title: 'Size', isNumeric: true,
            cell: (position) => <>{amount(position.size)} <span class='second'>{`${coinSize(position)} ${position.asset}`}</span></>,
          },
          { title: 'PnL', isNumeric: true, cell: (position) => <LivePnl position={position} /> },
          {
            title: 'Entry, break-even', isNumeric: true,
            cell: (position) => <>{price(position.entryPrice)} <span class='second'>{price(breakEven(position, costs(position).openingFee))}</span></>,
          },
          { title: 'Mark', isNumeric: true, isMinor: true, cell: (position) => <Mark position={position} /> },
          { title: 'Liquidation', isNumeric: true, cell: (position) => <Liquidation position={position} /> },
          {
            title: 'Margin, funding', isNumeric: true, isMinor: true,
            cell: (position) => (
              <>{amount(position.collateral)} <span class='second' title={FUNDING}><Profit value={negated(costs(position).funding)} /></span></>
            ),
          },
          ...adl,
          { title: 'TP, SL', isNumeric: true, cell: ({ positionId }) => <Exits orders={parts.orders} positionId={positionId} /> },
          { title: 'Actions', isWide: true, cell: (position) => <PositionActions position={position} {...parts} /> },
        ]}
      />
    </Fresh>
  )
}

const FUNDING = 'Funding over the life of the position'

/** Funding that the trader pays reduces the profit. */
function negated(value: bigint | null): string | null {
  return value === null ? null : (-value).toString()
}

function Mark({ position }: { readonly position: Position }) {
  const { received, className } = usePrice(position.asset)
  return <span class={className}>{price(received?.price ?? null)}</span>
}

function LivePnl({ position }: { readonly position: Position }) {
  const { received, className } = usePrice(position.asset)
  const pnl = profitByPrice(position, received?.price)
  const bps = returnOnMargin(pnl, position.collateral)
  return <span class={className}><Profit value={pnl} /> {bps !== null && <ReturnOnMargin bps={bps} />}</span>
}

function ReturnOnMargin({ bps }: { readonly bps: number }) {
  return <span class='second' title='Return on margin'>{signedPercent(bps)}<span class='visually-hidden'> on margin</span></span>
}

/** The liquidation price and how far the price is from it. */
function Liquidation({ position }: { readonly position: Position }) {
  const mark = usePrice(position.asset).received?.price ?? null
  const { liquidationPrice, marginMode } = position
  if (liquidationPrice === null) return <>{marginMode === 'cross' ? 'by account' : UNKNOWN}</>
  const distance = liquidationDistance(position, mark)
  if (distance === null) return <>{price(liquidationPrice)}</>
  const { bps, state } = distance
  const text = state === 'beyond' ? `passed by ${percent(-bps)}` : `${percent(bps)} away`
  return <>{price(liquidationPrice)} <span class={state === 'far' ? 'second' : state === 'near' ? 'second warn' : 'second down'}>{text}</span></>
}

function Exits({ orders, positionId }: { readonly orders: readonly OpenOrder[]; readonly positionId: number }) {
  const text = (kind: 'take_profit' | 'stop_loss'): string => {
    const order = attachedOrder(orders, positionId, kind)
    return order === undefined ? '–' : price(order.referencePrice)
  }
  return <>{text('take_profit')} <span class='second'>{text('stop_loss')}</span></>
}

const NETS_OTHERS = 'The exchange would first close your other positions on this side. Close this one, then open the other side.'

function PositionActions({ position, positions, market, sender, orders, available }: RowParts & { readonly position: Position }) {
  const { asset, positionId, marginMode } = position
  const [kind, setKind] = useState<PositionFormKind | null>(null)
  const opener = useRef<HTMLElement | null>(null)
  const row = useRef<HTMLDivElement>(null)
  const { received, state: priceState } = usePrice(asset)
  // A pause affects all markets.
  const gate = useGate({ ...market.condition, asset, priceState })
  const isCross = marginMode === 'cross'
  const hasParts = market.instrument?.canReduce === true && !isCross
  const hasCollateral = market.isGeneration2 && !isCross
  const context = { price: received?.price ?? null, available, orders }
  const hasOthers = market.isGeneration2 && positions.some((each) =>
    each.positionId !== positionId && each.asset === asset && each.direction === position.direction && each.marginMode === marginMode)
  const name = `position ${positionId}`

  function open(next: PositionFormKind): void {
    opener.current = document.activeElement instanceof HTMLElement ? document.activeElement : null
    setKind(next)
  }

  function close(): void {
    setKind(null)
    opener.current?.focus()
  }

  const button = (label: string, text: string, next: PositionFormKind) => (
    <GatedButton label={`${label} ${name}`} reason={gate(POSITION_FORMS[next].action)} onClick={() => open(next)}>{text}</GatedButton>
  )
  return (
    <div class='stack' ref={row}>
      <div class='actions'>
        <GatedButton label={`Close ${name}`} reason={gate('close')} onClick={() => void sender.send(closeMove(position).steps)}>Close</GatedButton>
        <GatedButton label={`Reverse ${name}`} reason={hasOthers ? NETS_OTHERS : gate('open')} onClick={() => void sender.send(reverseSteps(position))}>
          Reverse
        </GatedButton>
        {hasParts && button('Close part of', 'Part', 'part')}
        {hasCollateral && button('Add collateral to', '+', 'add')}
        {hasCollateral && button('Remove collateral from', '−', 'remove')}
        {(!isCross || market.isGeneration2) && button('TP, take-profit for', 'TP', 'take_profit')}
        {(!isCross || market.isGeneration2) && button('SL, stop-loss for', 'SL', 'stop_loss')}
      </div>
      {kind !== null && (
        <InlineForm
          key={kind} label={POSITION_FORMS[kind].label} initial={initialOf(kind, orders, positionId)} sender={sender} onDone={close}
          blocked={gate(POSITION_FORMS[kind].action)} check={(text) => checkPositionForm(kind, text, position, context)}
          help={kind === 'add' && available !== null ? `Available: ${amount(available)} USDC.` : undefined}
          suggestions={suggestionsOf(kind, position)}
        />
      )}
    </div>
  )
}

function suggestionsOf(kind: PositionFormKind, position: Position): ReturnType<typeof shareSuggestions> {
  if (kind === 'part') return shareSuggestions(position)
  return kind === 'take_profit' || kind === 'stop_loss' ? exitSuggestions(kind, position) : []
}

/** A take-profit or stop-loss that exists is moved. */
function initialOf(kind: PositionFormKind, orders: readonly OpenOrder[], positionId: number): string {
  const existing = kind === 'take_profit' || kind === 'stop_loss' ? attachedOrder(orders, positionId, kind) : undefined
  return existing === undefined || existing.referencePrice === null ? '' : plain(existing.referencePrice)
}
