// A leader trades with a vault's USDC in generation 2: with all order types, on the vault's own positions and orders only.

import { tokenBalance } from '../../shared/calls.ts'
import { emitWithSubject } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint, SpecType, Val } from '../../shared/host.ts'
import { address, i128, u32, VOID } from '../../shared/host.ts'
import { GOOD_TILL_CANCELLED } from '../../shared/market/orders.ts'
import { callMarketWithCollateral, checkCollateral, checkLeader, LEADER, TERMS } from '../../shared/trader-vaults/leader.ts'
import { requireLeaderMinimum } from '../../shared/trader-vaults/shares.ts'
import { KEYS, readAddress, type Vault, writeVault } from '../../shared/trader-vaults/vaults.ts'
import { asI128, asU64, checked, entryPoint, fieldOf } from '../../shared/values.ts'
import { addSlot, ERRORS, removeSlot, requireOwned } from './slots.ts'

/** The vault's positions have no price bound: the market takes 0 as none. */
const NO_PRICE_BOUND = i128(0n)

const POSITION: Readonly<Record<string, SpecType>> = { ...LEADER, position_id: 'u64' }
const ENTRY: Readonly<Record<string, SpecType>> = { ...TERMS, trigger_price: 'i128' }

export function leaderEntryPoints(): Record<string, EntryPoint> {
  return {
    leader_open_position: entryPoint(TERMS, 'u64', openPosition),
    leader_close_position: entryPoint(POSITION, 'void', closePosition),
    leader_place_limit_order: entryPoint(
      { ...ENTRY, trigger_above: 'bool', slippage_tolerance_bps: 'u32', time_in_force: 'u32' }, 'u64',
      (env, args) => placeEntryOrder(env, args, 'place_limit_order', 'leader_limit'),
    ),
    leader_place_stop_limit: entryPoint(
      { ...ENTRY, limit_price: 'i128', trigger_above: 'bool', slippage_tolerance_bps: 'u32' }, 'u64',
      (env, args) => placeEntryOrder(env, [...args, u32(GOOD_TILL_CANCELLED)], 'place_stop_limit_order', 'leader_stop_limit'),
    ),
    leader_set_stop_loss: entryPoint({ ...POSITION, trigger_price: 'i128', slippage_tolerance_bps: 'u32' }, 'u64', (env, args) =>
      attachOrder(env, args, 'set_stop_loss', 'leader_sl'),
    ),
    leader_set_take_profit: entryPoint(
      { ...POSITION, trigger_price: 'i128', slippage_tolerance_bps: 'u32', limit_price: 'i128' }, 'u64',
      (env, args) => attachOrder(env, args, 'set_take_profit', 'leader_tp'),
    ),
    leader_place_trailing_stop: entryPoint(
      { ...POSITION, trailing_percent_bps: 'u32', slippage_tolerance_bps: 'u32' }, 'u64',
      (env, args) => attachOrder(env, args, 'place_trailing_stop', 'leader_trail'),
    ),
    leader_cancel_order: entryPoint({ ...LEADER, order_id: 'u64' }, 'void', cancelOrder),
  }
}

function openPosition(env: ContractEnv, args: readonly Val[]): Val {
  const { leader, vault } = checkLeader(env, args)
  const collateral = checkCollateral(vault, args)
  const terms = [...args.slice(2, 6), NO_PRICE_BOUND]
  const position = tradeFor(env, vault, () => callMarketWithCollateral(env, collateral, 'open_position', terms))
  const id = fieldOf(position, 'id')
  addSlot(env, 'Position', vault.id, asU64(id))
  requireLeaderMinimum(vault)
  emitWithSubject(env, 'leader_open', u32(vault.id), address(leader), id, i128(collateral))
  return id
}

function closePosition(env: ContractEnv, args: readonly Val[]): Val {
  const { leader, vault } = checkLeader(env, args)
  const id = args[2] ?? VOID
  requireOwned(env, 'Position', vault.id, asU64(id))
  tradeFor(env, vault, () => callMarket(env, 'close_position', [id, NO_PRICE_BOUND]))
  removeSlot(env, 'Position', vault.id, asU64(id))
  emitWithSubject(env, 'leader_close', u32(vault.id), address(leader), id)
  return VOID
}

/**
 * Places an order that opens a position. As deployed, an immediate-or-cancel order that is cancelled at once occupies a slot too: reconciling it
 * credits its collateral, which has already been returned, a second time.
 */
function placeEntryOrder(env: ContractEnv, args: readonly Val[], functionName: string, topic: string): Val {
  const { leader, vault } = checkLeader(env, args)
  const collateral = checkCollateral(vault, args)
  const [asset = VOID, amount = VOID, leverage = VOID, direction = VOID, ...trigger] = args.slice(2)
  const terms = [asset, direction, amount, leverage, ...trigger]
  const order = tradeFor(env, vault, () => callMarketWithCollateral(env, collateral, functionName, terms))
  const id = fieldOf(order, 'id')
  addSlot(env, 'Order', vault.id, asU64(id))
  emitWithSubject(env, topic, u32(vault.id), address(leader), id)
  return id
}

/** Places an order that closes one of the vault's positions. It occupies no slot and belongs to no vault, so the leader cannot cancel it. */
function attachOrder(env: ContractEnv, args: readonly Val[], functionName: string, topic: string): Val {
  const { leader, vault } = checkLeader(env, args)
  const [positionId = VOID, ...terms] = args.slice(2)
  requireOwned(env, 'Position', vault.id, asU64(positionId))
  const order = tradeFor(env, vault, () => callMarket(env, functionName, [positionId, ...terms]))
  const id = fieldOf(order, 'id')
  emitWithSubject(env, topic, u32(vault.id), address(leader), id, positionId)
  return id
}

function cancelOrder(env: ContractEnv, args: readonly Val[]): Val {
  const { leader, vault } = checkLeader(env, args)
  const id = args[2] ?? VOID
  requireOwned(env, 'Order', vault.id, asU64(id))
  tradeFor(env, vault, () => callMarket(env, 'cancel_order', [id]))
  removeSlot(env, 'Order', vault.id, asU64(id))
  emitWithSubject(env, 'leader_cancel', u32(vault.id), address(leader), id)
  return VOID
}

function callMarket(env: ContractEnv, functionName: string, args: readonly Val[]): Val {
  return env.call(readAddress(env, KEYS.market), functionName, [address(env.self), ...args])
}

/** Runs a call of the market and credits the vault with exactly what it changed of the factory's balance. */
function tradeFor(env: ContractEnv, vault: Vault, trade: () => Val): Val {
  const usdc = readAddress(env, KEYS.usdc)
  const before = tokenBalance(env, usdc, env.self)
  const result = trade()
  creditVault(env, vault, tokenBalance(env, usdc, env.self) - before)
  return result
}

export function creditVault(env: ContractEnv, vault: Vault, amount: bigint): void {
  writeVault(env, { ...vault, total_usdc: checked(vault.total_usdc + amount, ERRORS.Overflow) })
}

/** The collateral that an order returns when it does not execute. */
export const collateralOf = (order: Val): bigint => asI128(fieldOf(order, 'collateral'))
