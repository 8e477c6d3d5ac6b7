// The confirmation before a signature: a dialog that explains the transaction and continues only if the user agrees.

import { useSignal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { CallTransaction, ContractAddresses, GatewayAdvice } from '../client/src/index.ts'
import { every, nowMs } from './clock.ts'
import { explain } from './explain.ts'
import { amount, duration, price, signed } from './format.ts'
import type { Connection } from './freshness.ts'
import { Declined } from './problems.ts'
import { DISCONNECTED } from './trade/availability.ts'
import { Facts } from './ui/layout.tsx'

export interface ReviewOptions {
  readonly contracts: ContractAddresses | null
  /** Says what the wallet does after the user agrees. */
  readonly walletNote: string
  /** The transaction's position in a sequence, and what happens if a later one fails. */
  readonly notes?: readonly string[]
  /** The effect that the gateway expects of the transaction. */
  readonly advice?: GatewayAdvice
  /** While it is lost, nothing can be signed. */
  readonly connection: ReadonlySignal<Connection>
}

/** Resolves if the user agrees to sign, else rejects with `Declined`. `verified`: the transaction as the client read it from its bytes and verified it. */
export function review(verified: CallTransaction, options: ReviewOptions): Promise<void> {
  const container = document.createElement('div')
  document.body.append(container)
  const opener = document.activeElement
  return new Promise((resolve, reject) => {
    let isFinished = false
    const finish = (isAgreed: boolean): void => {
      if (isFinished) return
      isFinished = true
      render(null, container)
      container.remove()
      // A dialog that is removed with its focused button does not return the focus.
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true })
      if (isAgreed) resolve()
      else reject(new Declined())
    }
    render(<ReviewDialog verified={verified} options={options} onFinish={finish} />, container)
  })
}

interface ReviewDialogProps {
  readonly verified: CallTransaction
  readonly options: ReviewOptions
  readonly onFinish: (isAgreed: boolean) => void
}

function ReviewDialog({ verified, options: { contracts, walletNote, notes = [], advice, connection }, onFinish }: ReviewDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const now = useSignal(nowMs())
  const acceptsFee = useSignal(false)
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    const stop = every(1_000, () => {
      now.value = nowMs()
    })
    return () => {
      stop()
      // Closing returns the focus to where it was.
      element?.close()
    }
  }, [])
  const { summary, isKnown, bounds, rows } = explain(verified, contracts)
  const { traded, after: afterwards } = expectedFigures(verified, advice)
  const isFeeUnusual = advice?.warnings.some(({ code }) => code === 'fee_unusual') === true
  // The button has the color of the side that is opened.
  const side = rows.find(([name]) => name === 'Side')?.[1] ?? ''
  const isDisconnected = connection.value === 'lost'
  const secondsLeft = Number(verified.maxTime) - now.value / 1000
  return (
    <dialog ref={dialog} aria-labelledby='review-heading' aria-describedby='review-summary' onClose={() => onFinish(false)}>
      <div class='stack'>
        <h2 id='review-heading'>Review the transaction</h2>
        <p id='review-summary' class='lead message'>{summary}</p>
        {notes.map((text) => <p key={text} class='note warn'>{text}</p>)}
        <Facts rows={[...traded, ...bounds, ...afterwards]} />
        {advice?.warnings.map(({ message }) => <p key={message} class='note warn'>{message}</p>)}
        <details open={!isKnown}>
          <summary>Transaction details</summary>
          <div class='stack'>
            <p class='note'>Decoded from the transaction itself, which was verified against your order.</p>
            <Facts rows={rows} />
            {advice !== undefined && <p class='note'>{`Price, size, fee and results are expected by the gateway, as of ledger ${advice.preview.ledger}.`}</p>}
          </div>
        </details>
        {isFeeUnusual && (
          <label class='row'>
            <input type='checkbox' checked={acceptsFee.value} onChange={({ currentTarget }) => (acceptsFee.value = currentTarget.checked)} />
            Sign it with this unusual fee
          </label>
        )}
        <p class='note'>{secondsLeft > 0 ? `Expires in ${duration(secondsLeft)}.` : 'Expired. Cancel, then prepare the order again.'}</p>
        <p class='note'>{walletNote}</p>
        <p class='note problem' id='review-blocked' role='status' hidden={!isDisconnected}>{DISCONNECTED}</p>
        <div class='row decision'>
          <button
            type='button' class={`main ${side}`} disabled={secondsLeft <= 0 || (isFeeUnusual && !acceptsFee.value)} aria-disabled={isDisconnected}
            aria-describedby='review-blocked' onClick={() => {
              if (!isDisconnected) onFinish(true)
            }}
          >
            Sign and submit
          </button>
          <button type='button' onClick={() => onFinish(false)}>Cancel</button>
        </div>
      </div>
    </dialog>
  )
}

const usdc = (text: string): string => `${amount(text)} USDC`

type Figures = readonly (readonly [name: string, value: string])[]

/** The simulation's result, which the client cannot verify: the trade itself, and what follows from it. */
function expectedFigures(
  { call }: CallTransaction, advice: GatewayAdvice | undefined,
): { readonly traded: Figures; readonly after: Figures } {
  if (advice === undefined) return { traded: [], after: [] }
  const { preview } = advice
  return {
    traded: known([
      preview.entryPrice === null ? ['Price', preview.price, price] : ['Entry price', preview.entryPrice, price],
      ['Size', preview.size, usdc], ['Fee', preview.fee, usdc], ['Keeper reward', preview.keeperReward, usdc],
    ]),
    after: [
      ...(call.functionName === 'open_position_cross' && preview.liquidationPrice === null ? [['Liquidation price', 'by account'] as const] : []),
      ...known([
        ['Liquidation price', preview.liquidationPrice, price], ['PnL by price', preview.pnl, (text) => `${signed(text)} USDC`],
        ['You receive', preview.payout, usdc],
      ]),
    ],
  }
}

function known(figures: readonly (readonly [name: string, value: string | null, format: (text: string) => string])[]): Figures {
  return figures.flatMap(([name, value, format]) => (value === null ? [] : [[name, format(value)] as const]))
}
