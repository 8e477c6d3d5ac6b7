// What the leader of a vault does with it: trades, pauses and resumes it, and claims the profit share.

import { useSignal } from '@preact/signals'
import type { TradeRequest, TraderVault, VaultTrade } from '../../client/src/index.ts'
import { parseAmount } from '../format.ts'
import { useParts } from '../parts.ts'
import { Outcome } from '../trade/outcome.tsx'
import type { Sender } from '../trade/send.ts'
import { SelectField, TextField } from '../ui/field.tsx'
import { Card, Choice } from '../ui/layout.tsx'
import { openPositionsIn } from './figures.ts'

interface LeaderInput {
  readonly kind: LeaderKind
  readonly asset: string
  readonly side: 'Long' | 'Short'
  readonly collateral: string
  readonly leverage: string
  readonly triggerPrice: string
  readonly positionId: string
  readonly distance: string
  readonly orderId: string
}

type LeaderKind = 'open' | 'close' | 'limit' | 'stop_loss' | 'take_profit' | 'trailing' | 'cancel'

const KINDS: readonly (readonly [LeaderKind, string])[] = [['open', 'Open'], ['close', 'Close'], ['limit', 'Limit'], ['cancel', 'Cancel order']]
const LATER_KINDS: readonly (readonly [LeaderKind, string])[] = [['stop_loss', 'Stop-loss'], ['take_profit', 'Take-profit'], ['trailing', 'Trailing stop']]
const EMPTY: LeaderInput = {
  kind: 'open', asset: '', side: 'Long', collateral: '', leverage: '2', triggerPrice: '', positionId: '', distance: '2', orderId: '',
}
const SLIPPAGE_BPS = 100
const BPS_PER_PERCENT = 100

export function LeaderSection({ vault, trades, isSecond, sender }: {
  readonly vault: TraderVault
  readonly trades: readonly VaultTrade[]
  readonly isSecond: boolean
  readonly sender: Sender
}) {
  const { markets } = useParts()
  const input = useSignal<LeaderInput>(EMPTY)
  const positions = openPositionsIn(trades)
  const { kind } = input.value
  const built = requestOf(vault.id, input.value)

  function set(change: Partial<LeaderInput>): void {
    input.value = { ...input.value, ...change }
    sender.clear()
  }

  function submit(event: Event): void {
    event.preventDefault()
    if (typeof built === 'string') sender.refuse(built)
    else if (!vault.paused) void sender.send([{ title: 'Vault order', request: () => built }])
  }

  const send = (title: string, request: TradeRequest): void => void sender.send([{ title, request: () => request }])
  const isEntry = kind === 'open' || kind === 'limit'
  return (
    <Card title='Lead this vault'>
      <div class='row'>
        <button type='button' onClick={() => send('Claim the profit share', { op: 'claim_leader_fees', vaultId: vault.id })}>Claim profit share</button>
        <button
          type='button'
          onClick={() => send(vault.paused ? 'Resume the vault' : 'Pause the vault', { op: 'set_vault_paused', vaultId: vault.id, paused: !vault.paused })}
        >
          {vault.paused ? 'Resume the vault' : 'Pause the vault'}
        </button>
      </div>
      <form class='ticket' noValidate onSubmit={submit}>
        <Choice label='Vault order' options={isSecond ? [...KINDS, ...LATER_KINDS] : KINDS} value={kind} onChoose={(next) => set({ ...EMPTY, kind: next })} />
        {isEntry && (
          <>
            <SelectField
              label='Market' value={input.value.asset} options={[['', 'Choose a market'], ...[...markets().keys()].map((asset) => [asset, asset] as const)]}
              onChange={(asset) => set({ asset })}
            />
            <Choice label='Side' options={[['Long', 'Long'], ['Short', 'Short']]} value={input.value.side} onChoose={(side) => set({ side })} />
            <TextField label='Collateral, USDC' value={input.value.collateral} onInput={(collateral) => set({ collateral })} />
            <TextField label='Leverage' value={input.value.leverage} onInput={(leverage) => set({ leverage })} />
          </>
        )}
        {kind !== 'cancel' && !isEntry && (
          <SelectField
            label='Position' value={input.value.positionId} options={[['', 'Choose a position'], ...positions.map((id) => [id, id] as const)]}
            onChange={(positionId) => set({ positionId })}
          />
        )}
        {(kind === 'limit' || kind === 'stop_loss' || kind === 'take_profit') && (
          <TextField
            label={kind === 'limit' ? 'Limit price' : 'Trigger price'} value={input.value.triggerPrice} onInput={(triggerPrice) => set({ triggerPrice })}
          />
        )}
        {kind === 'trailing' && <TextField label='Trailing distance, %' value={input.value.distance} onInput={(distance) => set({ distance })} />}
        {kind === 'cancel' && <TextField label='Order' value={input.value.orderId} onInput={(orderId) => set({ orderId })} />}
        {kind !== 'open' && kind !== 'close' && kind !== 'cancel' && <p class='note'>The slippage tolerance is 1%.</p>}
        {vault.paused && <p class='note problem'>The vault is paused: resume it to trade.</p>}
        <button type='submit' class='main wide' disabled={vault.paused} aria-disabled={sender.isBusy()}>
          {sender.isBusy() ? 'Working…' : 'Review vault order'}
        </button>
        <Outcome sender={sender} />
      </form>
    </Card>
  )
}

/** The request, or what is missing, in a sentence. */
function requestOf(vaultId: number, input: LeaderInput): TradeRequest | string {
  const { kind, asset, side, positionId } = input
  const slippageToleranceBps = SLIPPAGE_BPS
  if (kind === 'cancel') return /^\d{1,18}$/.test(input.orderId) ? { op: 'leader_cancel_order', vaultId, orderId: input.orderId } : 'Enter the id of an order.'
  const triggerPrice = parseAmount(input.triggerPrice)
  if (kind === 'open' || kind === 'limit') {
    const collateral = parseAmount(input.collateral)
    const leverage = Number(input.leverage)
    if (asset === '') return 'Choose a market.'
    if (collateral === null) return 'Enter the collateral in USDC.'
    if (!Number.isInteger(leverage) || leverage < 1) return 'Enter the leverage as a whole number.'
    const terms = { vaultId, asset, collateral, leverage, direction: side }
    if (kind === 'open') return { op: 'leader_open_position', ...terms }
    // A limit order waits for a better price.
    const triggerCondition = side === 'Long' ? 'Below' : 'Above'
    return triggerPrice === null ? 'Enter the limit price.' : { op: 'leader_place_limit_order', ...terms, triggerPrice, triggerCondition, slippageToleranceBps }
  }
  if (positionId === '') return 'Choose a position.'
  if (kind === 'close') return { op: 'leader_close_position', vaultId, positionId }
  if (kind === 'trailing') {
    const distance = Number(input.distance)
    if (!(distance > 0)) return 'Enter the trailing distance in percent.'
    return { op: 'leader_place_trailing_stop', vaultId, positionId, trailingPercentBps: Math.round(distance * BPS_PER_PERCENT), slippageToleranceBps }
  }
  if (triggerPrice === null) return 'Enter the trigger price.'
  const order = { vaultId, positionId, triggerPrice, slippageToleranceBps }
  return kind === 'stop_loss' ? { op: 'leader_set_stop_loss', ...order } : { op: 'leader_set_take_profit', ...order }
}
