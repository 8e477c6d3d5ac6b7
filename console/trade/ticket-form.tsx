// The order ticket: inputs, live preview, and the button that leads to the review.

import { useComputed, useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { AccountState, Instrument } from '../../client/src/index.ts'
import { amount, parseAmount, plain } from '../format.ts'
import { useParts } from '../parts.ts'
import { MARKET_SLIPPAGE_MAX_BPS, marketSlippage, setMarketSlippage } from '../state/slippage.ts'
import { usePrice } from '../state/use-price.ts'
import { focusFirstProblem, SelectField, TextField } from '../ui/field.tsx'
import { Choice } from '../ui/layout.tsx'
import { WalletPrompt } from '../wallet/wallet-section.tsx'
import { afterNetting, availableFor } from './funds.ts'
import type { CrossMargin } from './funds.ts'
import { takesKind } from './market-steps.ts'
import { Outcome } from './outcome.tsx'
import { resultAt } from './position-figures.ts'
import { exitSuggestions } from './position-forms.ts'
import type { Sender } from './send.ts'
import { BPS_PER_PERCENT, checkTicket, fieldsOf, isEntry, parseBps } from './ticket.ts'
import { Preview } from './ticket-preview.tsx'
import type { FieldName, OrderKind, TicketCheck, TicketContext, TicketInput } from './ticket.ts'
import { Sides } from './sides.tsx'
import type { Market } from './use-market.ts'
import { useQuote } from './use-quote.ts'

/** The inputs of a new ticket. */
export const emptyTicket = (): TicketInput => ({
  kind: 'market', side: 'Long', marginMode: 'isolated', unit: 'USDC', amount: '', leverage: '5', limitPrice: '', triggerPrice: '', takeProfit: '', stopLoss: '',
  distance: '2', slippage: '1', marketSlippage: String(marketSlippage.peek() / BPS_PER_PERCENT), positionId: '',
})

/** A price of one kind of order means something else in another. */
export const NO_PRICES = { limitPrice: '', triggerPrice: '', takeProfit: '', stopLoss: '' }

const KINDS: readonly (readonly [kind: OrderKind, text: string])[] = [
  ['market', 'Market'], ['limit', 'Limit'], ['stop', 'Stop'], ['take_profit', 'Take-profit'], ['stop_loss', 'Stop-loss'], ['trailing', 'Trailing stop'],
]
const MARGIN_MODES = [['isolated', 'Isolated'], ['cross', 'Cross']] as const
const SHARES = [25, 50, 75, 100] as const
const PERCENT = 100n

export function TicketForm({ market, input, sender }: { readonly market: Market; readonly input: Signal<TicketInput>; readonly sender: Sender }) {
  const { asset } = market
  const { session, account } = useParts()
  const isTried = useSignal(false)
  const context = useTicketContext(market)
  const check = checkTicket(input.value, context)
  const fields = fieldsOf(input.value, context.isGeneration2)
  const canSign = session.wallet() !== null && account.owner.value !== null
  const quote = useQuote({
    asset, side: input.value.side, leverage: check.leverage,
    // Keepers open isolated positions.
    marginMode: input.value.kind === 'market' ? input.value.marginMode : 'isolated',
    collateral: !isEntry(input.value.kind) || check.problems.has('amount') ? null : check.collateral,
  }).value

  function set(change: Partial<TicketInput>): void {
    input.value = { ...input.value, ...change }
    const tolerance = parseBps(change.marketSlippage ?? '', MARKET_SLIPPAGE_MAX_BPS)
    if (tolerance !== null) setMarketSlippage(tolerance)
    // An old message belongs to the old inputs.
    sender.clear()
  }

  function submit(event: Event): void {
    event.preventDefault()
    isTried.value = true
    if (check.problems.size > 0) {
      focusFirstProblem(event)
      return
    }
    if (!canSign || check.blocked !== null || check.steps.length === 0 || sender.isBusy()) return
    isTried.value = false
    void sender.send(check.steps)
  }

  const parts = { asset, input: input.value, set, check, context, isTried: isTried.value }
  return (
    <form class='ticket' noValidate onSubmit={submit}>
      <Choice
        label='Order type' options={KINDS.filter(([kind]) => takesKind(kind, market.instrument))} value={input.value.kind}
        onChoose={(kind) => set({ kind, ...NO_PRICES })}
      />
      <Sides
        asset={asset} input={input.value} quote={quote.quote}
        onChoose={(side) => set(isEntry(input.value.kind) ? { side } : { side, kind: 'market', ...NO_PRICES })}
      />
      {input.value.kind === 'market' && (
        <Choice
          label='Margin mode' options={MARGIN_MODES.filter(([mode]) => market.instrument?.marginModes.includes(mode) !== false)} value={input.value.marginMode}
          onChoose={(marginMode) => set({ marginMode })}
        />
      )}
      <div class='ticket-fields'>{fields.map((name) => <TicketField key={name} name={name} {...parts} />)}</div>
      {isEntry(input.value.kind) && <Preview input={input.value} check={check} reading={quote} market={market} />}
      {check.steps.length > 1 && <p class='note'>{`Sends ${check.steps.length} transactions, one after the other, after one review.`}</p>}
      {check.dangers.map(({ text, isBeyond }) => <p key={text} class={isBeyond ? 'note problem' : 'note warn'} role='status'>{text}</p>)}
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
  distance: 'Trailing distance, %', slippage: 'Slippage tolerance, %', marketSlippage: 'Slippage tolerance, %', positionId: 'Position',
}
const HELP: Readonly<Partial<Record<FieldName, string>>> = {
  takeProfit: 'Optional price.', stopLoss: 'Optional price.',
  distance: 'From the best price so far.', slippage: 'Cancelled beyond this.', marketSlippage: 'Refused beyond this. Kept for all market opens and closes.',
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
  const exit = exitOf(options)
  const help = name === 'limitPrice' && input.kind === 'stop' ? 'Optional.' : exit?.result ?? HELP[name]
  const field = (
    <TextField
      label={LABELS[name]} value={input[name]} problem={problem} {...(help === undefined ? {} : { help })} onInput={(value) => set({ [name]: value })}
    />
  )
  if (exit === null) return field
  return (
    <div class='field'>
      {field}
      <div class='shares' role='group' aria-label={`${LABELS[name]} by return on margin`}>
        {exit.suggestions.map(([text, value]) => (
          <button key={text} type='button' class='small' aria-label={`${LABELS[name]} at ${text} on margin`} onClick={() => set({ [name]: value })}>
            {text}
          </button>
        ))}
      </div>
    </div>
  )
}

interface Exit {
  /** The expected result of the price that was entered. */
  readonly result: string | undefined
  readonly suggestions: ReturnType<typeof exitSuggestions>
}

/** A take-profit or stop-loss: of what the ticket opens, or of the position that it closes. Null for another field, and until the position is known. */
function exitOf({ name, input, check, context }: TicketFieldOptions): Exit | null {
  const kind = name === 'takeProfit' || name === 'stopLoss' ? name : name === 'triggerPrice' && input.kind !== 'stop' ? input.kind : null
  if (kind === null) return null
  const position = name === 'triggerPrice' ? check.closes : openedBy(input, check, context)
  if (position === null) return null
  const trigger = parseAmount(input[name])
  return {
    result: trigger === null || position.size === null ? undefined : resultAt(trigger, { ...position, size: position.size }) ?? undefined,
    suggestions: exitSuggestions(kind === 'takeProfit' || kind === 'take_profit' ? 'take_profit' : 'stop_loss', position),
  }
}

/** The position that the ticket opens at the price now; its size is null until there is an amount. */
function openedBy({ side }: TicketInput, { size, collateral, leverage, liquidationPrice }: TicketCheck, { price }: TicketContext) {
  if (price === null || leverage === null) return null
  return { size, collateral: collateral ?? '0', leverage, liquidationPrice, entryPrice: price, direction: side === 'Long' ? 0 : 1 }
}

function AmountField({ asset, input, set, check, context, problem }: TicketFieldOptions & { readonly problem: string | null }) {
  const isCross = input.kind === 'market' && input.marginMode === 'cross'
  const available = availableFor(isCross, context)
  const other = input.unit === 'USDC' ? 'coin' : 'USDC'
  const help = check.size === null ? 'Collateral in USDC.' : `Collateral ${amount(check.collateral)}, position ${amount(check.size)} USDC.`
  return (
    <div class='whole'>
      <TextField
        label={LABELS.amount} value={input.amount} help={help} problem={problem} onInput={(value) => set({ amount: value })}
        aside={available === null ? '' : `Available: ${amount(available.toString())} USDC`}
        suffix={(
          <button type='button' class='quiet small' title='Change the unit' onClick={() => set({ unit: other, amount: '' })}>
            {input.unit === 'USDC' ? 'USDC' : asset}<span aria-hidden> ⇄</span>
          </button>
        )}
      />
      <div class='shares'>
        {SHARES.map((share) => (
          <button
            key={share} type='button' class='small' disabled={available === null}
            onClick={() => set({ unit: 'USDC', amount: plain(String(((available ?? 0n) * BigInt(share)) / PERCENT)) })}
          >
            {share === 100 ? 'Max' : `${share}%`}
          </button>
        ))}
      </div>
      {isCross && context.cross !== null && <p class='note'>{crossText(context, check)}</p>}
    </div>
  )
}

/** Says where the collateral of a cross position comes from. */
function crossText(context: TicketContext, { collateral, netting }: TicketCheck): string {
  const { cross } = netting === null ? context : afterNetting(context, netting, true)
  const wanted = netting?.collateral ?? (collateral === null ? null : BigInt(collateral))
  if (wanted === null || cross === null) return 'The collateral is taken from your cross margin first, and what is missing from your wallet.'
  const pool = BigInt(cross.pool)
  const fromPool = wanted < pool ? wanted : pool
  return `Takes ${amount(fromPool.toString())} USDC from your cross margin and ${amount((wanted - fromPool).toString())} USDC from your wallet.`
}

function LeverageField({ input, set, context, problem }: TicketFieldOptions & { readonly problem: string | null }) {
  const max = context.maxLeverage
  return (
    <div class='leverage whole'>
      <TextField
        label={LABELS.leverage} value={input.leverage} problem={problem} onInput={(leverage) => set({ leverage })} suffix={<span class='note'>×</span>}
      />
      <input
        type='range' min={1} max={max ?? input.leverage} step={context.marketSteps?.leverageStep ?? 1} value={input.leverage} disabled={max === null}
        aria-label={max === null ? 'Leverage, its maximum is not known yet' : `Leverage from 1 to ${max}`}
        onInput={(event) => set({ leverage: event.currentTarget.value })}
      />
    </div>
  )
}

function useTicketContext({ asset, instrument, limits, condition, isGeneration2 }: Market): TicketContext {
  const { account } = useParts()
  const { received } = usePrice(asset)
  const state = useComputed(() => account.state.answer.value?.body ?? null).value
  const positions = useComputed(() => (account.state.answer.value?.body.positions ?? []).filter((position) => position.asset === asset)).value
  return {
    asset, positions, condition,
    attached: state?.orders ?? [],
    price: received?.price ?? null,
    available: state?.balances.usdc ?? null,
    cross: state === null ? null : crossMarginOf(state, isGeneration2),
    minCollateral: instrument?.minCollateral ?? null,
    maxLeverage: maxLeverageOf(instrument),
    maxPositionSize: instrument?.maxNotional ?? null,
    marketSteps: instrument,
    headroom: { long: limits?.headroom.long ?? null, short: limits?.headroom.short ?? null },
    maintenanceMarginBps: instrument?.maintenanceMarginBps ?? null,
    maxTrailingBps: limits?.trailingPercentBps.max ?? null,
    isGeneration2,
  }
}

function maxLeverageOf(instrument: Instrument | null): number | null {
  return instrument === null || instrument.maxLeverage === null ? null : Number(instrument.maxLeverage)
}

/** Contracts of generation 1 compare the equity with the maintenance margin, those of generation 2 with the used margin. */
function crossMarginOf({ cross, positions }: AccountState, isGeneration2: boolean): CrossMargin | null {
  const { pool, equity, usedMargin, maintenanceMargin } = cross
  const required = isGeneration2 ? usedMargin : maintenanceMargin
  if (pool === null) return null
  const hasPositions = positions?.some(({ marginMode }) => marginMode === 'cross') === true
  return { pool, equity: hasPositions && required !== null ? equity : null, required: required ?? '0' }
}
