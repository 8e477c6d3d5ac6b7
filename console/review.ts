// The confirmation before a signature: a dialog that explains the transaction and continues only if the user agrees.

import type { CallTransaction, ContractAddresses, GatewayAdvice } from '../client/src/index.ts'
import { every, nowMs } from './clock.ts'
import { el, facts, setText } from './dom.ts'
import { explain } from './explain.ts'
import { amount, duration, price, signed } from './format.ts'

/** The user chose not to sign. */
export class Declined extends Error {
  override readonly name = 'Declined'
  constructor() {
    super('You did not sign. Nothing was sent.')
  }
}

export interface ReviewOptions {
  readonly contracts: ContractAddresses | null
  /** What the wallet does after the user agrees. */
  readonly walletNote: string
  /** What the gateway expects the transaction to do. */
  readonly advice?: GatewayAdvice
}

/** Resolves if the user agrees to sign, else rejects with `Declined`. `verified`: the transaction as the client read and verified it. */
export function review(verified: CallTransaction, { contracts, walletNote, advice }: ReviewOptions): Promise<void> {
  const { summary, rows } = explain(verified, contracts)
  return new Promise((resolve, reject) => {
    const timeLeft = el('p', { class: 'note' })
    const sign = el('button', { type: 'button', class: 'main', click: () => finish(true) }, 'Sign and submit')
    const dialog = el('dialog', { 'aria-labelledby': 'review-heading', 'aria-describedby': 'review-summary', close: () => finish(false) },
      el('div', { class: 'stack' },
        el('h2', { id: 'review-heading' }, 'Review the transaction'),
        el('p', { id: 'review-summary', class: 'lead message' }, summary),
        el('p', { class: 'note' }, 'Decoded from the transaction itself, which was verified against your order.'),
        facts(rows),
        ...(advice === undefined ? [] : adviceElements(advice)),
        timeLeft,
        el('p', { class: 'note' }, walletNote),
        el('div', { class: 'row' }, sign, el('button', { type: 'button', click: () => finish(false) }, 'Cancel'))))
    const updateTimeLeft = (): void => {
      const seconds = Number(verified.maxTime) - nowMs() / 1000
      sign.disabled = seconds <= 0
      setText(timeLeft, seconds > 0 ? `Expires in ${duration(seconds)}.` : 'Expired. Cancel, then prepare the order again.')
    }
    const stopTimer = every(1_000, updateTimeLeft)
    let isFinished = false

    function finish(isAgreed: boolean): void {
      if (isFinished) return
      isFinished = true
      stopTimer()
      dialog.close()
      dialog.remove()
      if (isAgreed) resolve()
      else reject(new Declined())
    }

    updateTimeLeft()
    document.body.append(dialog)
    dialog.showModal()
  })
}

/** The simulation's result, which the client cannot verify. */
function adviceElements({ preview, warnings }: GatewayAdvice): readonly HTMLElement[] {
  const known = ([
    ['Entry price', preview.entryPrice, price], ['Size', preview.size, usdc], ['Fee', preview.fee, usdc], ['Keeper reward', preview.keeperReward, usdc],
    ['Liquidation price', preview.liquidationPrice, price], ['PnL by price', preview.pnl, (text: string) => `${signed(text)} USDC`],
    ['You receive', preview.payout, usdc],
  ] as const).flatMap(([name, value, format]): [string, string][] => (value === null ? [] : [[name, format(value)]]))
  return [
    ...(known.length === 0 ? [] : [el('h3', {}, `Expected by the gateway, as of ledger ${preview.ledger}`), facts(known)]),
    ...warnings.map(({ message }) => el('p', { class: 'note warn' }, message)),
  ]
}

const usdc = (text: string): string => `${amount(text)} USDC`
