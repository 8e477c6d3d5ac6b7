// The order ticket: inputs, live preview, and the button that leads to the review.

import { useComputed, useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { MarketLimits } from '../../client/src/index.ts'
import { amount, parseAmount, plain, price } from '../format.ts'
import { useParts } from '../parts.ts'
import { usePrice } from '../state/use-price.ts'
import { useResource } from '../state/use-resource.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { Choice, Facts } from '../ui/layout.tsx'
import { ProblemText } from '../ui/problem.tsx'
import { WalletPrompt } from '../wallet/wallet-section.tsx'
import { Outcome } from './outcome.tsx'
import type { Sender } from './send.ts'
import { checkTicket, fieldsOf, isEntry } from './ticket.ts'
import type { FieldName, OrderKind, TicketCheck, TicketContext, TicketInput } from './ticket.ts'
import { Sides } from './sides.tsx'
import { useQuote } from './use-quote.ts'
import type { QuoteReading } from './use-quote.ts'

export const EMPTY_TICKET: TicketInput = {
  kind: 'market', side: 'Long', marginMode: 'isolated', unit: 'USDC', amount: '', leverage: '5', limitPrice: '', triggerPrice: '', takeProfit: '', stopLoss: '',
  distance: '2', slippage: '1', positionId: '',
}

/** A price of one kind of order means something else in another. */
const NO_PRICES = { limitPrice: '', triggerPrice: '', takeProfit: '', stopLoss: '' }

const KINDS: readonly (readonly [kind: OrderKind, text: string])[] = [
  ['market', 'Market'], ['limit', 'Limit'], ['stop', 'Stop'], ['take_profit', 'Take-profit'], ['stop_loss', 'Stop-loss'], ['trailing', 'Trailing stop'],
]
const SHARES = [25, 50, 75, 100] as const
const PERCENT = 100n

export function TicketForm({ asset, input, sender }: { readonly asset: string; readonly input: Signal<TicketInput>; readonly sender: Sender }) {
  const { session, account } = useParts()
  const limits = useResource('Limits', (client) => client.getMarketLimits({ asset }), [asset])
  const isTried = useSignal(false)
  const context = useTicketContext(asset, limits.answer.value?.body ?? null)
  const check = checkTicket(input.value, context)
  const fields = fieldsOf(input.value, context.hasCrossStops)
  const canSign = session.wallet() !== null && account.owner.value !== null
  const quote = useQuote({
    asset, side: input.value.side, leverage: check.leverage,
    collateral: !isEntry(input.value.kind) || check.problems.has('amount') ? null : check.collateral,
  }).value

  function set(change: Partial<TicketInput>): void {
    input.value = { ...input.value, ...change }
    // An old message belongs to the old inputs.
    sender.clear()
  }

  function submit(event: Event): void {
    event.preventDefault()
    isTried.value = true
    if (check.problems.size > 0) {
      const form = event.currentTarget as HTMLFormElement
      // After the problems are shown.
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
      return
    }
    if (!canSign || check.blocked !== null || check.steps.length === 0 || sender.isBusy()) return
    isTried.value = false
    void sender.send(check.steps)
  }

  const parts = { asset, input: input.value, set, check, context, isTried: isTried.value }
  return (
    <form class='ticket' noValidate onSubmit={submit}>
      <Choice label='Order type' options={KINDS} value={input.value.kind} onChoose={(kind) => set({ kind, ...NO_PRICES })} />
      <Sides
        asset={asset} input={input.value} quote={quote.quote}
        onChoose={(side) => set(isEntry(input.value.kind) ? { side } : { side, kind: 'market', ...NO_PRICES })}
      />
      {input.value.kind === 'market' && (
        <Choice
          label='Margin mode' options={[['isolated', 'Isolated'], ['cross', 'Cross']]} value={input.value.marginMode}
          onChoose={(marginMode) => set({ marginMode })}
        />
      )}
      {fields.map((name) => <TicketField key={name} name={name} {...parts} />)}
      {isEntry(input.value.kind) && <Preview input={input.value} check={check} reading={quote} />}
      {check.steps.length > 1 && <p class='note'>{`Sends ${check.steps.length} transactions, one after the other. You review and sign each of them.`}</p>}
      {check.warnings.map((warning) => <p key={warning} class='note warn'>{warning}</p>)}
      <p class='note problem' id='ticket-blocked' hidden={check.blocked === null}>{check.blocked}</p>
      <WalletPrompt purpose='Trading' />
      {/* Not `disabled`: that would take the focus away when the price becomes stale. */}
      <button type='submit' class='main wide' aria-disabled={check.blocked !== null || sender.isBusy()} aria-describedby='ticket-blocked'>
        {sender.isBusy() ? 'Working…' : 'Review'}
      </button>
      <Outcome sender={sender} />
    </form>
  )
}

interface TicketFieldOptions {
  readonly name: FieldName
  readonly asset: string
  readonly input: TicketInput
  readonly set: (change: Partial<TicketInput>) => void
  readonly check: TicketCheck
  readonly context: TicketContext
  readonly isTried: boolean
}

const LABELS: Readonly<Record<FieldName, string>> = {
  amount: 'Amount', leverage: 'Leverage', limitPrice: 'Limit price', triggerPrice: 'Trigger price', takeProfit: 'Take-profit', stopLoss: 'Stop-loss',
  distance: 'Trailing distance, %', slippage: 'Slippage tolerance, %', positionId: 'Position',
}
const HELP: Readonly<Partial<Record<FieldName, string>>> = {
  takeProfit: 'Optional. Closes the position at this profit.', stopLoss: 'Optional. Closes the position at this loss.',
  distance: 'From the best price since the order was placed.', slippage: 'The order is cancelled if the price moves further.',
}

function TicketField(options: TicketFieldOptions) {
  const { name, input, set, check, context, isTried } = options
  // An empty field is not an error until the user tries to send it.
  const problem = isTried || input[name].trim() !== '' ? check.problems.get(name) ?? null : null
  if (name === 'amount') return <AmountField {...options} problem={problem} />
  if (name === 'leverage') return <LeverageField {...options} problem={problem} />
  if (name === 'positionId') {
    const positions = context.positions.map(({ positionId, asset, direction, size }): [string, string] =>
      [String(positionId), `${positionId}: ${direction === 0 ? 'long' : 'short'} ${asset}, ${amount(size)} USDC`])
    return (
      <SelectField
        label={LABELS.positionId} value={input.positionId} options={[['', 'Choose a position'], ...positions]} problem={problem}
        onChange={(positionId) => set({ positionId })}
      />
    )
  }
  const help = name === 'limitPrice' && input.kind === 'stop' ? 'Optional. The order then executes at this price or better.' : HELP[name]
  return (
    <TextField
      label={LABELS[name]} value={input[name]} problem={problem} {...(help === undefined ? {} : { help })} onInput={(value) => set({ [name]: value })}
    />
  )
}

function AmountField({ asset, input, set, check, context, problem }: TicketFieldOptions & { readonly problem: string | null }) {
  const { available } = context
  const other = input.unit === 'USDC' ? 'coin' : 'USDC'
  const help = check.size === null ? 'Collateral in USDC.' : `Collateral ${amount(check.collateral)} USDC, position ${amount(check.size)} USDC.`
  return (
    <div>
      <TextField
        label={LABELS.amount} value={input.amount} help={help} problem={problem} onInput={(value) => set({ amount: value })}
        suffix={<button type='button' class='quiet small' onClick={() => set({ unit: other, amount: '' })}>{input.unit === 'USDC' ? 'USDC' : asset}</button>}
      />
      <div class='row tight shares'>
        {SHARES.map((share) => (
          <button
            key={share} type='button' class='small' disabled={available === null}
            onClick={() => set({ unit: 'USDC', amount: plain(String((BigInt(available ?? 0) * BigInt(share)) / PERCENT)) })}
          >
            {share === 100 ? 'Max' : `${share}%`}
          </button>
        ))}
        <span class='note'>{available === null ? '' : `Available: ${amount(available)} USDC`}</span>
      </div>
    </div>
  )
}

function LeverageField({ input, set, context, problem }: TicketFieldOptions & { readonly problem: string | null }) {
  const max = context.maxLeverage ?? 10
  return (
    <div class='leverage'>
      <TextField
        label={LABELS.leverage} value={input.leverage} problem={problem} onInput={(leverage) => set({ leverage })} suffix={<span class='note'>×</span>}
      />
      <input
        type='range' min={1} max={max} step={1} value={input.leverage} aria-label={`Leverage from 1 to ${max}`}
        onInput={(event) => set({ leverage: event.currentTarget.value })}
      />
    </div>
  )
}

/** What the order does, from the gateway's quote; for resting orders, as if the price were the order's. */
function Preview({ input, check, reading: { quote, problem } }: {
  readonly input: TicketInput
  readonly check: TicketCheck
  readonly reading: QuoteReading
}) {
  const isMarket = input.kind === 'market'
  const usdc = (text: string | null | undefined): string => (text === null || text === undefined ? 'n/a' : `${amount(text)} USDC`)
  const entry = isMarket ? quote?.entryPrice ?? null : parseAmount(input.limitPrice.trim() === '' ? input.triggerPrice : input.limitPrice)
  return (
    <div class='preview' aria-label='Preview' role='group'>
      <Facts
        rows={[
          [isMarket ? 'Entry price' : 'Executes at about', entry === null ? 'n/a' : price(entry)],
          ['Position size', usdc(check.size)],
          ['Fee', usdc(quote?.fee)],
          ['Liquidation price', !isMarket || quote?.liquidationPrice === undefined || quote.liquidationPrice === null
            ? (input.marginMode === 'cross' ? 'by account' : 'n/a') : price(quote.liquidationPrice)],
          [`Room for ${input.side === 'Long' ? 'longs' : 'shorts'}`, quote?.headroom === null || quote === null ? 'n/a' : `${amount(quote.headroom, 0)} USDC`],
        ]}
      />
      {problem !== null && <p class='note problem'>No preview: <ProblemText problem={problem} /></p>}
    </div>
  )
}

function useTicketContext(asset: string, limits: MarketLimits | null): TicketContext {
  const { account } = useParts()
  const { received, state: priceState } = usePrice(asset)
  const state = useComputed(() => account.state.answer.value?.body ?? null).value
  const positions = useComputed(() => (account.state.answer.value?.body.positions ?? []).filter((position) => position.asset === asset)).value
  return {
    asset, positions,
    price: received?.price ?? null,
    priceState,
    available: state?.balances.usdc ?? null,
    minCollateral: limits?.minCollateral ?? null,
    maxLeverage: limits?.maxLeverage ?? null,
    maxPositionSize: limits?.maxPositionSize ?? null,
    headroom: { long: limits?.headroom.long ?? null, short: limits?.headroom.short ?? null },
    maxTrailingBps: limits?.trailingPercentBps.max ?? null,
    isPaused: limits?.tradingPaused === true,
    isHalted: limits?.assetHalted === true,
    hasCrossStops: limits !== null && limits.pauseMode !== null,
  }
}
