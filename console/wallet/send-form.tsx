// Sends USDC to another account: checks the destination and the amount, and leads to the review.

import { useSignal } from '@preact/signals'
import { isAddress } from '../../client/src/index.ts'
import { amount as format, parseAmount, plain } from '../format.ts'
import { useParts } from '../parts.ts'
import { useMinLedger } from '../state/use-min-ledger.ts'
import { missingText } from '../trade/funds.ts'
import { Outcome } from '../trade/outcome.tsx'
import { useDisconnected } from '../trade/use-market.ts'
import { useSender } from '../trade/use-sender.ts'
import { focusFirstProblem, TextField } from '../ui/field.tsx'

export function SendForm({ owner }: { readonly owner: string }) {
  const { account } = useParts()
  const sender = useSender()
  const destination = useSignal('')
  const amount = useSignal('')
  const isTried = useSignal(false)
  const blocked = useDisconnected()
  const available = account.state.answer.value?.body.balances.usdc ?? null
  // The index, which announces changes, has no transfers between accounts.
  useMinLedger([sender], () => void account.state.read())
  const problems = { destination: destinationProblem(destination.value.trim(), owner), amount: amountProblem(amount.value, available) }

  function change(update: () => void): void {
    update()
    isTried.value = false
    // An old message belongs to the old inputs.
    sender.clear()
  }

  function submit(event: Event): void {
    event.preventDefault()
    isTried.value = true
    const [to, sum] = [destination.value.trim(), parseAmount(amount.value)]
    if (problems.destination !== null || problems.amount !== null || sum === null) {
      focusFirstProblem(event)
      return
    }
    if (blocked !== null || sender.isBusy()) return
    isTried.value = false
    void sender.send([{ title: 'Send USDC', request: () => ({ op: 'transfer_usdc', destination: to, amount: sum }) }])
  }

  return (
    <details>
      <summary>Send USDC to another account</summary>
      <form noValidate onSubmit={submit}>
        <TextField
          label='Destination' value={destination.value} inputMode='text' problem={isTried.value ? problems.destination : null}
          help='An account that has a trustline for USDC. Check every character: a transfer cannot be undone.'
          onInput={(value) => change(() => {
            destination.value = value
          })}
        />
        <TextField
          label='Amount to send, USDC' value={amount.value} problem={isTried.value ? problems.amount : null}
          aside={available === null ? '' : `Available: ${format(available)} USDC`}
          suffix={(
            <button
              type='button' class='small' disabled={available === null} onClick={() => change(() => {
                amount.value = plain(available ?? '0')
              })}
            >
              Max
            </button>
          )}
          onInput={(value) => change(() => {
            amount.value = value
          })}
        />
        {blocked !== null && <p class='note problem'>{blocked}</p>}
        <div class='row'><button type='submit' aria-disabled={blocked !== null || sender.isBusy()}>{sender.isBusy() ? 'Working…' : 'Review'}</button></div>
        <Outcome sender={sender} id='send-outcome' />
      </form>
    </details>
  )
}

function destinationProblem(text: string, owner: string): string | null {
  if (text === owner) return 'This is your own address. Enter the address of another account.'
  return isAddress(text) ? null : 'Enter the address of an account: G and 55 more characters, copied as a whole.'
}

function amountProblem(text: string, available: string | null): string | null {
  const sum = parseAmount(text)
  if (sum === null || sum === '0') return 'Enter an amount, for example 100 or 250.50.'
  return available !== null && BigInt(sum) > BigInt(available) ? missingText(BigInt(available), BigInt(sum)) : null
}
