// The section for a vault's leader, who trades, pauses and resumes it, and claims the profit share.

import { useSignal } from '@preact/signals'
import type { TradeRequest, TraderVault, VaultTrade } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { unavailable } from '../trade/availability.ts'
import type { TradeAction } from '../trade/availability.ts'
import { Outcome } from '../trade/outcome.tsx'
import type { Sender } from '../trade/send.ts'
import { useDisconnected, useMarket } from '../trade/use-market.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { Card, Choice } from '../ui/layout.tsx'
import { LEADER_FIELDS, leaderRequest, slippageHelp } from './leader-order.ts'
import type { LeaderField, LeaderInput, LeaderKind } from './leader-order.ts'
import { positionsAt } from './vault-equity.ts'

const KINDS: readonly (readonly [LeaderKind, string])[] = [['open', 'Open'], ['close', 'Close'], ['limit', 'Limit'], ['cancel', 'Cancel order']]
const LATER_KINDS: readonly (readonly [LeaderKind, string])[] = [
  ['stop_limit', 'Stop-limit'], ['stop_loss', 'Stop-loss'], ['take_profit', 'Take-profit'], ['trailing', 'Trailing stop'],
]
const ACTIONS: Readonly<Record<LeaderKind, TradeAction>> = {
  open: 'open', close: 'close', limit: 'place_entry', cancel: 'cancel',
  stop_limit: 'place_entry', stop_loss: 'place_exit', take_profit: 'place_exit', trailing: 'place_trailing',
}
const EMPTY: LeaderInput = {
  kind: 'open', asset: '', side: 'Long', collateral: '', leverage: '2', triggerPrice: '', limitPrice: '', positionId: '', distance: '2', slippage: '1',
  orderId: '',
}
const TEXT_LABELS = {
  collateral: 'Collateral, USDC', leverage: 'Leverage', triggerPrice: 'Trigger price', limitPrice: 'Limit price', distance: 'Trailing distance, %',
  slippage: 'Slippage tolerance, %', orderId: 'Order',
} as const

export function LeaderSection({ vault, trades, isSecond, sender }: {
  readonly vault: TraderVault
  readonly trades: readonly VaultTrade[]
  readonly isSecond: boolean
  readonly sender: Sender
}) {
  const input = useSignal<LeaderInput>(EMPTY)
  const positions = positionsAt(trades, Infinity).map(({ positionId }) => positionId)
  const { kind } = input.value
  const built = leaderRequest(vault.id, input.value)
  const blocked = useBlocked(vault, input.value)

  function set(change: Partial<LeaderInput>): void {
    input.value = { ...input.value, ...change }
    sender.clear()
  }

  function submit(event: Event): void {
    event.preventDefault()
    if (typeof built === 'string') sender.refuse(built)
    else if (blocked === null) void sender.send([{ title: 'Vault order', request: () => built }])
  }

  const disconnected = useDisconnected()
  const state = vault.paused ? 'Resume the vault' : 'Pause the vault'
  const button = (label: string, title: string, request: TradeRequest) => (
    <button
      type='button' aria-disabled={disconnected !== null || sender.isBusy()} onClick={() => {
        if (disconnected === null) void sender.send([{ title, request: () => request }])
      }}
    >
      {label}
    </button>
  )
  return (
    <Card title='Lead this vault'>
      <div class='row'>
        {button('Claim profit share', 'Claim the profit share', { op: 'claim_leader_fees', vaultId: vault.id })}
        {button(state, state, { op: 'set_vault_paused', vaultId: vault.id, paused: !vault.paused })}
      </div>
      <form class='ticket' noValidate onSubmit={submit}>
        <Choice label='Vault order' options={isSecond ? [...KINDS, ...LATER_KINDS] : KINDS} value={kind} onChoose={(next) => set({ ...EMPTY, kind: next })} />
        {LEADER_FIELDS[kind].map((name) => <LeaderInputField key={name} name={name} input={input.value} positions={positions} set={set} />)}
        {blocked !== null && <p class='note problem'>{blocked}</p>}
        <button type='submit' class='main wide' aria-disabled={blocked !== null || sender.isBusy()}>
          {sender.isBusy() ? 'Working…' : 'Review vault order'}
        </button>
        <Outcome sender={sender} />
      </form>
    </Card>
  )
}

/** Returns the reason why the vault cannot do this now, in a sentence; null if it can. */
function useBlocked(vault: TraderVault, { kind, asset }: LeaderInput): string | null {
  const { markets } = useParts()
  const { condition } = useMarket(asset === '' ? [...markets().keys()][0] ?? 'BTC' : asset)
  if (vault.paused) return 'The vault is paused: resume it to trade.'
  // A pause concerns all markets, the rest only the chosen one.
  return unavailable(ACTIONS[kind], asset === '' ? { ...condition, priceState: 'fresh', isHalted: false, isDeleveraging: false } : condition)
}

function LeaderInputField({ name, input, positions, set }: {
  readonly name: LeaderField
  readonly input: LeaderInput
  readonly positions: readonly string[]
  readonly set: (change: Partial<LeaderInput>) => void
}) {
  const { markets } = useParts()
  if (name === 'side') {
    return <Choice label='Side' options={[['Long', 'Long'], ['Short', 'Short']]} value={input.side} onChoose={(side) => set({ side })} />
  }
  if (name === 'asset' || name === 'positionId') {
    const [label, values] = name === 'asset' ? ['Market', [...markets().keys()]] as const : ['Position', positions] as const
    return (
      <SelectField
        label={label} value={input[name]} options={[['', `Choose a ${label.toLowerCase()}`], ...values.map((each) => [each, each] as const)]}
        onChange={(value) => set({ [name]: value })}
      />
    )
  }
  const help = name === 'slippage' ? slippageHelp(input) : name === 'limitPrice' && input.kind === 'take_profit' ? 'Optional.' : undefined
  return <TextField label={TEXT_LABELS[name]} value={input[name]} {...(help === undefined ? {} : { help })} onInput={(value) => set({ [name]: value })} />
}
