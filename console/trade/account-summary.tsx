// The account's balances, its cross margin with deposit and withdrawal, and what could not be read.

import { useState } from 'preact/hooks'
import type { AccountState } from '../../client/src/index.ts'
import { amount, parseAmount, UNKNOWN } from '../format.ts'
import { TextField } from '../ui/field.tsx'
import { useParts } from '../parts.ts'
import { Facts } from '../ui/layout.tsx'
import { Line } from '../ui/skeleton.tsx'
import { missingText } from './funds.ts'
import type { Sender } from './send.ts'
import { useGate } from './use-market.ts'
import type { Market } from './use-market.ts'

const RATE_PERCENT = 100_000

interface SummaryOptions {
  readonly state: AccountState
  readonly market: Market
  readonly sender: Sender
}

export function AccountSummary({ market, sender }: Omit<SummaryOptions, 'state'>) {
  const { account } = useParts()
  const state = account.state.answer.value?.body ?? null
  if (state === null) {
    return account.owner.value === null ? null
      : <section class='card stack balances' aria-label='Balances'><h2>Balances</h2><Line /><Line /><Line /></section>
  }
  const { cross, fees, positions, orders } = state
  const unread = [positions === null ? 'positions' : '', orders === null ? 'orders' : ''].filter((name) => name !== '')
  return (
    <section class='card stack balances' aria-label='Balances'>
      <h2>Balances</h2>
      <Facts
        rows={[
          ['USDC', balance(state, 'usdc')], ['XLM', balance(state, 'xlm')], ['LP tokens', balance(state, 'lp')],
          ['Cross margin equity', amount(cross.equity)], ['Free margin', amount(cross.freeMargin)],
          ['Opening fee', fees.takerRate === null ? UNKNOWN : `${(Number(fees.takerRate) / RATE_PERCENT).toFixed(3)}%`],
        ]}
      />
      {unread.length > 0 && <p class='note problem'>{`The gateway could not read all of your ${unread.join(' and ')}.`}</p>}
      <EmptyAccount state={state} />
      <CrossMargin state={state} market={market} sender={sender} />
    </section>
  )
}

/** What an account without USDC lacks, and the way to get it. */
function EmptyAccount({ state }: Pick<SummaryOptions, 'state'>) {
  const { wallets } = useParts()
  const { burner } = wallets
  if (balance(state, 'usdc') !== 'none' && state.balances.usdc !== '0') return null
  return (
    <div class='stack'>
      <p class='note warn'>{`This account has no USDC, which every position needs. ${burner === null ? 'Send some to its address first.' : ''}`}</p>
      {burner !== null && <div class='row'><button type='button' onClick={() => void burner.addFunds()}>Add 10,000 test USDC</button></div>}
    </div>
  )
}

/** An account without a trustline or without a ledger entry has a balance of zero, unlike one that could not be read. */
function balance({ balances, unknown }: AccountState, name: keyof AccountState['balances']): string {
  const reason = unknown.find(({ part }) => part === `/balances/${name}`)?.reason
  return reason === 'no_trustline' || reason === 'no_account' ? 'none' : amount(balances[name])
}

function CrossMargin({ state, market, sender }: SummaryOptions) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const { balances: { usdc }, cross: { withdrawable } } = state
  const blocked = useGate(market.condition)('move_cross_margin')

  function send(op: 'deposit_cross_margin' | 'withdraw_cross_margin', max: string | null): void {
    const value = parseAmount(text)
    if (blocked !== null) return
    if (value === null || BigInt(value) === 0n) setProblem('Enter an amount, for example 100 or 250.50.')
    else if (max !== null && BigInt(value) > BigInt(max)) {
      setProblem(op === 'deposit_cross_margin' ? missingText(BigInt(max), BigInt(value)) : `At most ${amount(max)} USDC can be withdrawn now.`)
    } else {
      setProblem(null)
      const title = op === 'deposit_cross_margin' ? 'Deposit cross margin' : 'Withdraw cross margin'
      void sender.send([{ title, request: () => ({ op, amount: value }) }])
    }
  }

  function change(next: string): void {
    setText(next)
    setProblem(null)
    // An old message belongs to the old amount.
    sender.clear()
  }

  return (
    <details>
      <summary>Move USDC between wallet and cross margin</summary>
      <form class='row' noValidate onSubmit={(event) => event.preventDefault()}>
        <TextField label='Amount to move, USDC' value={text} problem={problem} onInput={change} />
        <button type='button' aria-disabled={blocked !== null} onClick={() => send('deposit_cross_margin', usdc)}>Deposit</button>
        <button type='button' aria-disabled={blocked !== null} onClick={() => send('withdraw_cross_margin', withdrawable)}>
          {`Withdraw, at most ${amount(withdrawable)}`}
        </button>
      </form>
      {blocked !== null && <p class='note problem'>{blocked}</p>}
      <p class='note'>
        Opening a cross position takes its collateral from the cross margin, and deposits by itself what is missing. A deposit before that is not needed: it
        adds margin to the positions that are open.
      </p>
    </details>
  )
}
