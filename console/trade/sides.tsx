// Long and Short. On a phone they stay at the bottom of the screen, whatever is above, with the liquidation price.

import { useRef } from 'preact/hooks'
import type { TradeQuote } from '../../client/src/index.ts'
import { price } from '../format.ts'
import { useParts } from '../parts.ts'
import { isEntry } from './ticket.ts'
import type { TicketInput } from './ticket.ts'

export interface SidesOptions {
  readonly asset: string
  readonly input: TicketInput
  /** Of what the ticket would open. */
  readonly quote: TradeQuote | null
  readonly onChoose: (side: TicketInput['side']) => void
}

export function Sides({ asset, input, quote, onChoose }: SidesOptions) {
  const group = useRef<HTMLDivElement>(null)
  const hasSide = isEntry(input.kind)

  function choose(side: TicketInput['side']): void {
    onChoose(side)
    // At the bottom of a phone's screen the buttons are away from the ticket that they belong to.
    const element = group.current
    if (element !== null && getComputedStyle(element).position === 'fixed') element.closest('form')?.scrollIntoView()
  }

  const button = (side: TicketInput['side']) => (
    <button type='button' class={side.toLowerCase()} aria-pressed={hasSide && input.side === side} onClick={() => choose(side)}>{side}</button>
  )
  return (
    <div class={hasSide ? 'sides' : 'sides only-phone'} role='group' aria-label='Side' ref={group}>
      <p class='liquidation note'><Liquidation asset={asset} input={input} quote={quote} /></p>
      {button('Long')}
      {button('Short')}
    </div>
  )
}

/** The liquidation price of what the ticket would open, else of the open position whose liquidation is nearest. */
function Liquidation({ asset, input, quote }: Pick<SidesOptions, 'asset' | 'input' | 'quote'>) {
  const { account, feed } = useParts()
  if (input.kind === 'market' && input.marginMode === 'isolated' && quote !== null && quote.liquidationPrice !== null) {
    return <><span>Liquidation price of this order</span><span>{price(quote.liquidationPrice)}</span></>
  }
  const current = feed.price(asset)?.priceFloat ?? 0
  const distance = (text: string): number => Math.abs(Number(text) / 1e7 - current)
  const [nearest] = (account.state.answer.value?.body.positions ?? [])
    .flatMap(({ asset: market, positionId, liquidationPrice }) => (market === asset && liquidationPrice !== null ? [{ positionId, liquidationPrice }] : []))
    .toSorted((a, b) => distance(a.liquidationPrice) - distance(b.liquidationPrice))
  if (nearest !== undefined) return <><span>{`Liquidation price of #${nearest.positionId}`}</span><span>{price(nearest.liquidationPrice)}</span></>
  return <><span>Liquidation price</span><span>n/a: no position</span></>
}
