// Sends the transactions of a ticket one after the other: prepare, verify, review, sign, submit, wait. The gateway never receives the secret key.

import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { ContractAddresses, Traded, UnknownOutcome } from '../../client/src/index.ts'
import type { Connection } from '../freshness.ts'
import { review } from '../review.tsx'
import { marketSlippage } from '../state/slippage.ts'
import type { Session } from '../session.ts'
import { failureOf, notesOf } from './sequence.ts'
import type { Sending, Sequence } from './sequence.ts'
import type { TicketStep } from './ticket.ts'

export interface Sender {
  readonly sending: ReadonlySignal<Sending>
  isBusy(): boolean
  /** Resolves when the last transaction has ended or one of them failed; then the rest is not sent. */
  send(steps: readonly TicketStep[]): Promise<void>
  /** Sends the rest of a sequence again that stopped after its first transaction. */
  resume(): Promise<void>
  /** Looks up the outcome of a transaction that was not known. */
  check(error: UnknownOutcome): Promise<void>
  /** Reports why something was not sent at all. */
  refuse(text: string): void
  clear(): void
}

/** `connection`: without it, the review does not let the user sign. */
export function createSender(session: Session, connection: ReadonlySignal<Connection>): Sender {
  const sending = signal<Sending>({ kind: 'idle' })
  let contracts: ContractAddresses | null = null
  let last: Sequence = { steps: [], next: 0, opened: null }

  async function sendStep(step: TicketStep, { steps, next, opened }: Sequence, isReviewed: boolean): Promise<Traded> {
    const wallet = session.wallet()
    const count = steps.length - next
    const working = (text: string, hash: string | null = null): void => {
      sending.value = { kind: 'working', text, hash, title: step.title, step: next + 1, steps: steps.length }
    }
    working('The gateway is preparing the transaction…')
    contracts ??= addressesOf(await session.client().getHealth())
    const asks = count === 1 ? 'Your wallet will ask you to confirm.' : `Your wallet will ask you to confirm each of the ${count} transactions.`
    const walletNote = wallet?.secret !== undefined ? 'The burner wallet signs without asking again.' : asks
    return await session.client().trade(step.request(opened), {
      // The review asks about an unusual fee.
      acceptUnusualFee: true,
      slippageBps: marketSlippage.peek(),
      async onVerified(transaction, advice) {
        // The client has compared it with the request that was reviewed.
        const isKnown = isReviewed && advice.warnings.every(({ code }) => code !== 'fee_unusual')
        if (isKnown) return working('Waiting for the signature…')
        working('Waiting for your review…')
        await review(transaction, { contracts, walletNote, notes: notesOf(steps, next), advice, connection })
        working('Waiting for the signature…')
      },
      onSigned: ({ hash }) => working('Signed and sent. Waiting for a ledger to include it…', hash),
    })
  }

  async function run(sequence: Sequence): Promise<void> {
    last = sequence
    const first = sequence.next
    for (const step of sequence.steps.slice(first)) {
      try {
        const traded = await sendStep(step, sequence, sequence.next > first)
        sequence.opened ??= traded.positionId
        sequence.next += 1
        sending.value = { kind: 'done', title: step.title, traded }
      } catch (error) {
        sending.value = failureOf(error, sequence)
        return
      }
    }
  }

  return {
    sending,
    isBusy: () => sending.value.kind === 'working',
    async send(steps) {
      if (sending.peek().kind !== 'working') await run({ steps, next: 0, opened: null })
    },
    async resume() {
      if (sending.peek().kind === 'stopped') await run(last)
    },
    async check(error) {
      const { transaction } = error
      sending.value = { kind: 'working', title: 'Check', text: 'Checking the transaction…', hash: transaction.hash, step: 1, steps: 1 }
      try {
        const { ledger } = await session.client().finish(transaction)
        const rest = last.steps.length - last.next - 1
        const effect = rest > 0 ? `The ${rest === 1 ? 'transaction' : `${rest} transactions`} after it ${rest === 1 ? 'was' : 'were'} not sent.` : ''
        sending.value = { kind: 'stopped', problem: { text: `The transaction is in ledger ${ledger}.`, code: null }, effect, canResume: false }
      } catch (failure) {
        sending.value = failureOf(failure, last)
      }
    },
    refuse(text) {
      if (sending.peek().kind !== 'working') sending.value = { kind: 'stopped', problem: { text, code: null }, effect: 'Nothing was sent.', canResume: false }
    },
    clear() {
      if (sending.peek().kind !== 'working') sending.value = { kind: 'idle' }
    },
  }
}

function addressesOf({ body }: { readonly body: { readonly contracts: Readonly<Record<string, { readonly address: string }>> } }): ContractAddresses {
  return Object.fromEntries(Object.entries(body.contracts).map(([name, { address }]) => [name, address])) as ContractAddresses
}
