// The effect of the ticket's order, from the gateway's quote; of a resting order, as if the price were the order's.

import type { AccountState } from '../../client/src/index.ts'
import { amount, parseAmount, price } from '../format.ts'
import { useParts } from '../parts.ts'
import { Facts } from '../ui/layout.tsx'
import { ProblemText } from '../ui/problem.tsx'
import { marketSlippage } from '../state/slippage.ts'
import { feeAt, keeperReward, liquidationAt, nettingText, rateOf, roomToOpen, worstPrice } from './costs.ts'
import type { TicketCheck, TicketInput } from './ticket.ts'
import type { Market } from './use-market.ts'
import type { QuoteReading } from './use-quote.ts'

interface PreviewOptions {
  readonly input: TicketInput
  readonly check: TicketCheck
  readonly reading: QuoteReading
  readonly market: Market
}

const NONE = 'n/a'
const RATE_PERCENT = 100_000

export function Preview(options: PreviewOptions) {
  const { input, check, reading: { quote, problem }, market: { instrument, limits, isGeneration2 } } = options
  const { account } = useParts()
  const state = account.state.answer.value?.body ?? null
  const isMarket = input.kind === 'market'
  const room = quote?.headroom ?? roomToOpen(input.side, limits)
  const entry = entryPriceOf(options)
  const reward = isMarket || check.size === null ? null : keeperReward(BigInt(check.size), instrument?.keeperFee ?? null)
  return (
    <div class='preview' aria-label='Preview' role='group'>
      <Facts
        rows={[
          [isMarket ? 'Entry price' : 'Executes at about', entry === null ? NONE : price(entry)],
          ...(isMarket ? [['Worst price', worstPriceText(options, entry)] as const] : []),
          ['Position size', sizeText(options)],
          ['Fee', feeText(options, state)],
          ...(isMarket ? [] : [['Keeper reward', usdc(reward?.toString())] as const]),
          ['Liquidation price', input.marginMode === 'cross' && isMarket ? 'by account' : liquidationText(options, entry)],
          [`Room for ${input.side === 'Long' ? 'longs' : 'shorts'}`, room === null ? NONE : `${amount(room, 0)} USDC`],
        ]}
      />
      {check.netting !== null && check.netting.size > 0n && <p class='note'>{nettingText(check.netting, input.side, quote?.pnl ?? null)}</p>}
      {!isMarket && isGeneration2 && hasOpposite(options, state) && (
        <p class='note'>{`It does not close your ${input.side === 'Long' ? 'short' : 'long'} position: it opens another one beside it.`}</p>
      )}
      {problem !== null && <p class='note problem'>No preview: <ProblemText problem={problem} /></p>}
    </div>
  )
}

/** An order that is smaller than the positions in the other direction opens nothing. */
function sizeText({ input, check: { netting, size }, reading: { quote } }: PreviewOptions): string {
  if (netting !== null && netting.size <= 0n) return `none: it would only reduce your ${input.side === 'Long' ? 'short' : 'long'}`
  return usdc((input.kind === 'market' ? quote?.size : null) ?? netting?.size.toString() ?? size)
}

const usdc = (text: string | null | undefined): string => (text === null || text === undefined ? NONE : `${amount(text)} USDC`)

function entryPriceOf({ input, reading: { quote }, market: { asset } }: PreviewOptions): string | null {
  const { feed } = useParts()
  if (input.kind === 'market') return quote?.entryPrice ?? feed.price(asset)?.price ?? null
  return parseAmount(input.limitPrice.trim() === '' ? input.triggerPrice : input.limitPrice)
}

/** The quote's fee, to the stroop. Until there is a quote, and for resting orders, at the account's rate, before the discount of a referral. */
function feeText({ input, check, reading: { quote }, market: { instrument } }: PreviewOptions, state: AccountState | null): string {
  const size = check.netting?.size ?? (check.size === null ? null : BigInt(check.size))
  if (size === null || size <= 0n) return NONE
  const isMarket = input.kind === 'market'
  if (isMarket && quote !== null && quote.fee !== null) return usdc(quote.fee)
  const [first] = instrument?.feeTiers ?? []
  // Keepers fill resting orders at the rate of makers.
  const rate = (isMarket ? state?.fees.takerRate : state?.fees.makerRate) ?? rateOf(isMarket ? first?.takerDeciBps : first?.makerDeciBps)
  const fee = feeAt(size, rate)
  return fee === null ? NONE : `${isMarket ? 'about ' : ''}${usdc(fee.toString())} (${(Number(rate) / RATE_PERCENT).toFixed(3)}%)`
}

/** Contracts of generation 1 trade at any price. */
function worstPriceText({ input, market: { limits, isGeneration2 } }: PreviewOptions, entry: string | null): string {
  if (limits !== null && !isGeneration2) return 'none: the contracts take no bound here'
  return limits === null || entry === null ? NONE : price(worstPrice(BigInt(entry), input.side, marketSlippage.value).toString())
}

function liquidationText({ input, check: { leverage }, reading: { quote }, market: { instrument } }: PreviewOptions, entry: string | null): string {
  const quoted = quote?.liquidationPrice ?? null
  if (input.kind === 'market' && quoted !== null) return price(quoted)
  const maintenanceMarginBps = instrument?.maintenanceMarginBps ?? null
  if (entry === null || leverage === null || maintenanceMarginBps === null) return NONE
  const at = liquidationAt(BigInt(entry), { side: input.side, leverage, maintenanceMarginBps })
  return at === null ? 'none' : `about ${price(at.toString())}`
}

function hasOpposite({ input, market: { asset } }: PreviewOptions, state: AccountState | null): boolean {
  return (state?.positions ?? []).some((position) => position.asset === asset && (position.direction === 0) !== (input.side === 'Long'))
}
