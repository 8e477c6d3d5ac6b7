// Sends the transactions of a ticket one after the other: prepare, verify, review, sign, submit, wait. The gateway never receives the secret key.

import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { ContractFailure, RefusedToSign, UnknownOutcome } from '../../client/src/index.ts'
import type { ContractAddresses, Traded } from '../../client/src/index.ts'
import { reasonOf } from '../problems.ts'
import { Declined, review } from '../review.tsx'
import type { Session } from '../session.ts'
import type { TicketStep } from './ticket.ts'

/** What became of the last ticket. */
export type Sending =
  | { readonly kind: 'idle' }
  /** `step` counts from 1. */
  | { readonly kind: 'working'; readonly text: string; readonly title: string; readonly step: number; readonly steps: number; readonly hash: string | null }
  | { readonly kind: 'done'; readonly title: string; readonly traded: Traded }
  | { readonly kind: 'stopped'; readonly text: string }
  | { readonly kind: 'refused'; readonly error: RefusedToSign }
  | { readonly kind: 'unknown'; readonly error: UnknownOutcome }

export interface Sender {
  readonly sending: ReadonlySignal<Sending>
  isBusy(): boolean
  /** Resolves when the last transaction has ended or one of them failed; then the rest is not sent. */
  send(steps: readonly TicketStep[]): Promise<void>
  /** Looks up the outcome of a transaction that was not known. */
  check(error: UnknownOutcome): Promise<void>
  clear(): void
}

export function createSender(session: Session): Sender {
  const sending = signal<Sending>({ kind: 'idle' })
  let contracts: ContractAddresses | null = null

  async function sendStep({ title, request }: TicketStep, opened: number | null, place: { readonly step: number; readonly steps: number }): Promise<Traded> {
    const wallet = session.wallet()
    const working = (text: string, hash: string | null = null): void => {
      sending.value = { kind: 'working', text, title, hash, ...place }
    }
    working('The gateway is preparing the transaction…')
    contracts ??= addressesOf(await session.client().getHealth())
    const walletNote = wallet?.secret !== undefined ? 'The burner wallet signs without asking again.' : 'Your wallet will ask you to confirm.'
    return await session.client().trade(request(opened), {
      onVerified: (transaction, advice) => review(transaction, { contracts, walletNote, advice }),
      onSigned: ({ hash }) => working('Signed and sent. Waiting for a ledger to include it…', hash),
    })
  }

  function fail(error: unknown, { title, step, steps }: { readonly title: string; readonly step: number; readonly steps: number }): void {
    const rest = step === 1 ? '' : ` The ${step === 2 ? 'first transaction was' : `first ${step - 1} transactions were`} applied; the rest was not sent.`
    if (error instanceof RefusedToSign) sending.value = { kind: 'refused', error }
    else if (error instanceof UnknownOutcome) sending.value = { kind: 'unknown', error }
    else if (error instanceof Declined) sending.value = { kind: 'stopped', text: `${error.message}${rest}` }
    else {
      const isFree = step === 1 && error instanceof ContractFailure && error.stage !== 'ledger'
      const name = steps === 1 ? '' : `${title}: `
      sending.value = { kind: 'stopped', text: `${name}${isFree ? 'Nothing was traded and nothing was charged' : 'Not traded'}: ${reasonOf(error)}.${rest}` }
    }
  }

  return {
    sending,
    isBusy: () => sending.value.kind === 'working',
    async send(steps) {
      if (sending.peek().kind === 'working') return
      let opened: number | null = null
      for (const [index, step] of steps.entries()) {
        const place = { title: step.title, step: index + 1, steps: steps.length }
        try {
          const traded = await sendStep(step, opened, place)
          opened ??= traded.positionId
          sending.value = { kind: 'done', title: step.title, traded }
        } catch (error) {
          fail(error, place)
          return
        }
      }
    },
    async check(error) {
      const { transaction } = error
      sending.value = { kind: 'working', title: 'Check', text: 'Checking the transaction…', hash: transaction.hash, step: 1, steps: 1 }
      try {
        const { ledger } = await session.client().finish(transaction)
        sending.value = { kind: 'stopped', text: `The transaction is in ledger ${ledger}.` }
      } catch (failure) {
        fail(failure, { title: 'Check', step: 1, steps: 1 })
      }
    },
    clear() {
      if (sending.peek().kind !== 'working') sending.value = { kind: 'idle' }
    },
  }
}

function addressesOf({ body }: { readonly body: { readonly contracts: Readonly<Record<string, { readonly address: string }>> } }): ContractAddresses {
  return Object.fromEntries(Object.entries(body.contracts).map(([name, { address }]) => [name, address])) as ContractAddresses
}
