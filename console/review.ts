// The last look before a signature: a dialog that tells what the transaction does, and goes on only when somebody says so.

import type { CallTransaction, ContractAddresses } from '../client/src/index.ts'
import { every, nowMs } from './clock.ts'
import { el, facts, write } from './dom.ts'
import { explain } from './explain.ts'
import { duration } from './format.ts'

/** Whoever was to sign did not want to. */
export class Declined extends Error {
  override readonly name = 'Declined'
  constructor() {
    super('You did not sign: nothing was sent.')
  }
}

/** Resolves when it is to be signed; rejects with Declined. `verified` is what the client has read and found to be what was asked for. */
export function review(verified: CallTransaction, how: { readonly contracts: ContractAddresses | null; readonly wallet: string }): Promise<void> {
  const { summary, rows } = explain(verified, how.contracts)
  return new Promise((resolve, reject) => {
    const left = el('p', { class: 'note' })
    const sign = el('button', { type: 'button', class: 'main', click: () => end(true) }, 'Sign and submit')
    const dialog = el('dialog', { 'aria-labelledby': 'review-heading', 'aria-describedby': 'review-summary', close: () => end(false) },
      el('div', { class: 'stack' },
        el('h2', { id: 'review-heading' }, 'What you will sign'),
        el('p', { id: 'review-summary', class: 'lead told' }, summary),
        el('p', { class: 'note' }, 'Read from the transaction itself, after it was held against what you asked for.'),
        facts(rows),
        left,
        el('p', { class: 'note' }, how.wallet),
        el('div', { class: 'row' }, sign, el('button', { type: 'button', click: () => end(false) }, 'Do not sign'))))
    const look = (): void => {
      const seconds = Number(verified.maxTime) - nowMs() / 1000
      sign.disabled = seconds <= 0
      write(left, seconds > 0 ? `The network takes it for ${duration(seconds)} more.` : 'Its time is over: prepare it again.')
    }
    const stop = every(1_000, look)
    let isOver = false

    function end(agreed: boolean): void {
      if (isOver) return
      isOver = true
      stop()
      dialog.close()
      dialog.remove()
      if (agreed) resolve()
      else reject(new Declined())
    }

    look()
    document.body.append(dialog)
    dialog.showModal()
  })
}
