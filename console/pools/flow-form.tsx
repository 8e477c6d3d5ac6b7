// The form that deposits into a vault or the pool and withdraws from it: checks the amount, says what it gives, and leads to the review.

import { useSignal } from '@preact/signals'
import { amount as format, parseAmount, plain } from '../format.ts'
import { useParts } from '../parts.ts'
import { Outcome } from '../trade/outcome.tsx'
import type { Sender } from '../trade/send.ts'
import type { TicketStep } from '../trade/ticket.ts'
import { useDisconnected } from '../trade/use-market.ts'
import { focusFirstProblem, TextField } from '../ui/field.tsx'
import { Choice } from '../ui/layout.tsx'
import { WalletPrompt } from '../wallet/wallet-section.tsx'
import { leastOf } from './figures.ts'

/** One direction: a deposit or a withdrawal. */
export interface Flow {
  readonly label: 'Amount' | 'Shares' | 'LP tokens'
  /** Amount that the account has; null while unknown. */
  readonly available: bigint | null
  readonly unit: string
  /** Returns the amount received for `sum`, before the bound; null while unknown. */
  readonly expected: (sum: bigint) => bigint | null
  readonly expectedUnit: string
  /** On which terms, for example "at 1.02 USDC per share"; null while unknown. */
  readonly terms?: (sum: bigint) => string | null
  /** The most that the contract accepts now, with the reason in a sentence; null without such a limit. */
  readonly limit: { readonly most: bigint; readonly reason: string } | null
  /** The reason why nothing can be sent now, in a sentence. */
  readonly blocked: string | null
  /** The transactions. `minOut`: the least to receive; undefined where the contracts have no bound. */
  readonly steps: (sum: string, minOut: string | undefined) => readonly TicketStep[]
}

export interface FlowFormOptions {
  readonly purpose: string
  readonly deposit: Flow
  readonly withdrawal: Flow
  /** True if the contracts accept a bound for what is received. */
  readonly hasBound: boolean
  readonly sender: Sender
}

type Side = 'deposit' | 'withdrawal'
const SIDES = [['deposit', 'Deposit'], ['withdrawal', 'Withdraw']] as const
const TOLERANCE_MAX_BPS = 10_000
/** A percentage with seven implied decimals has this many units per basis point. */
const UNITS_PER_BPS = 100_000n

export function FlowForm({ purpose, deposit, withdrawal, hasBound, sender }: FlowFormOptions) {
  const { session, account } = useParts()
  const side = useSignal<Side>('deposit')
  const sum = useSignal('')
  const tolerance = useSignal('0.5')
  const isTried = useSignal(false)
  const flow = side.value === 'deposit' ? deposit : withdrawal
  const blocked = useDisconnected() ?? flow.blocked
  const canSign = session.wallet() !== null && account.owner.value !== null
  const sumProblem = problemOfSum(sum.value, flow)
  const toleranceBps = hasBound ? parseTolerance(tolerance.value) : 0
  const parsed = sumProblem === null ? BigInt(parseAmount(sum.value) ?? 0) : null
  const expected = parsed === null ? null : flow.expected(parsed)

  const terms = parsed === null ? null : flow.terms?.(parsed) ?? null
  const gain = expected === null ? null : `You receive about ${format(expected.toString(), 2)} ${flow.expectedUnit}${terms === null ? '' : ` ${terms}`}.`

  function change(update: () => void): void {
    update()
    isTried.value = false
    // An old message belongs to the old inputs.
    sender.clear()
  }

  function submit(event: Event): void {
    event.preventDefault()
    isTried.value = true
    if (parsed === null || toleranceBps === null) {
      focusFirstProblem(event)
      return
    }
    if (!canSign || blocked !== null || sender.isBusy()) return
    const minOut = hasBound && expected !== null && toleranceBps < TOLERANCE_MAX_BPS ? leastOf(expected, toleranceBps).toString() : undefined
    isTried.value = false
    void sender.send(withNote(flow.steps(parsed.toString(), minOut), gain))
  }

  const isShown = isTried.value || sum.value.trim() !== ''
  const { available } = flow
  return (
    <form class='ticket' noValidate onSubmit={submit}>
      <Choice
        label='Direction' options={SIDES} value={side.value} onChoose={(next) => change(() => {
          side.value = next
          sum.value = ''
        })}
      />
      <TextField
        label={flow.label} value={sum.value} problem={isShown ? sumProblem : null}
        help={available === null ? `In ${flow.unit}.` : `You have ${format(available.toString(), 2)} ${flow.unit}.`}
        suffix={(
          <button
            type='button' class='small' disabled={available === null} onClick={() => change(() => {
              sum.value = plain((available ?? 0n).toString())
            })}
          >
            Max
          </button>
        )}
        onInput={(value) => change(() => {
          sum.value = value
        })}
      />
      {hasBound && (
        <TextField
          label='Slippage tolerance, %' value={tolerance.value} help='The transaction fails if you would receive less by more than this.'
          problem={toleranceBps === null ? 'Enter a percentage from 0 to 100.' : null}
          onInput={(value) => change(() => {
            tolerance.value = value
          })}
        />
      )}
      {gain !== null && <p class='note'>{gain}</p>}
      {parsed !== null && expected === null && <p class='note warn'>What you would receive is unknown, because the present value could not be read.</p>}
      {blocked !== null && <p class='note problem'>{blocked}</p>}
      <WalletPrompt purpose={purpose} />
      <button type='submit' class='main wide' aria-disabled={blocked !== null || sender.isBusy()}>
        {sender.isBusy() ? 'Working…' : 'Review'}
      </button>
      <Outcome sender={sender} />
    </form>
  )
}

/** The last transaction is the one that gives something. */
function withNote(steps: readonly TicketStep[], note: string | null): readonly TicketStep[] {
  return note === null ? steps : steps.map((step, index) => (index === steps.length - 1 ? { ...step, note } : step))
}

function problemOfSum(text: string, { label, available, unit, limit }: Flow): string | null {
  const parsed = parseAmount(text)
  if (parsed === null) return `${label}: enter a number, for example 100 or 12.5.`
  const sum = BigInt(parsed)
  if (sum === 0n) return `${label}: enter a number above zero.`
  if (available !== null && sum > available) {
    return `You have ${format(available.toString(), 2)} ${unit}: ${format((sum - available).toString(), 2)} ${unit} are missing.`
  }
  return limit !== null && sum > limit.most ? limit.reason : null
}

/** Basis points; null unless the text is a percentage from 0 to 100. */
function parseTolerance(text: string): number | null {
  const parsed = parseAmount(text)
  if (parsed === null) return null
  const bps = Number(BigInt(parsed) / UNITS_PER_BPS)
  return bps <= TOLERANCE_MAX_BPS ? bps : null
}
