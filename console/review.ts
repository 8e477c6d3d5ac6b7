// The confirmation before a signature: a dialog that explains the transaction and continues only if the user agrees.

import type { CallTransaction, ContractAddresses } from '../client/src/index.ts'
import { every, nowMs } from './clock.ts'
import { el, facts, setText } from './dom.ts'
import { explain } from './explain.ts'
import { duration } from './format.ts'

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
}

/** Resolves if the user agrees to sign, else rejects with `Declined`. `verified`: the transaction as the client read and verified it. */
export function review(verified: CallTransaction, { contracts, walletNote }: ReviewOptions): Promise<void> {
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
