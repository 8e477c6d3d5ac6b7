// Closing isolated positions, by the trader or by an order that a keeper executes (contracts, "Close, isolated").

import { callSettlePnl, transferToken } from '../calls.ts'
import { emit } from '../emit.ts'
import type { ContractEnv, EntryPoint } from '../host.ts'
import { address, i128, symbol, u32, u64 } from '../host.ts'
import { asAddress, asU64, checked, entryPoint, fail, minOf, positivePart } from '../values.ts'
import { cancelAttachedOrders } from './attached-orders.ts'
import { removeExposure } from './exposure.ts'
import { addVolume, sendToVault } from './fees.ts'
import { fundingOwed } from './funding.ts'
import { deletePosition, pricePnl, requireOwnPosition } from './positions.ts'
import { readPrice } from './prices.ts'
import { requireTrader, usdcOf, vaultOf } from './storage.ts'
import { CROSS, ERRORS, type Position } from './types.ts'

/** The execution of an order that closes a position: the keeper, the nominal fee, and the order, which the close does not cancel. */
export interface OrderExecution {
  readonly keeper: string
  readonly fee: bigint
  readonly orderId: bigint
}

export function closeEntryPoints(): Record<string, EntryPoint> {
  return {
    close_position: entryPoint({ trader: 'address', position_id: 'u64' }, 'i128', (env, args) => {
      const [trader, id] = [asAddress(args[0]), asU64(args[1])]
      requireTrader(env, trader)
      const position = requireOwnPosition(env, id, trader)
      if (position.margin_mode === CROSS) fail(ERRORS.InvalidParameter)
      return i128(closeIsolated(env, position, readPrice(env, position.asset, 'lenient'), null))
    }),
  }
}

/** Settles and deletes an isolated position at this price. Returns the price PnL, before funding, caps and fees. */
export function closeIsolated(env: ContractEnv, position: Position, price: bigint, execution: OrderExecution | null): bigint {
  const pnl = pricePnl(position, price)
  const funding = fundingOwed(env, position)
  const profitPaid = callSettlePnl(env, vaultOf(env), pnl)

  let available = position.collateral
  const loss = minOf(positivePart(-pnl), available)
  available -= loss
  const fundingPaid = minOf(positivePart(funding), available)
  available -= fundingPaid
  const keeperPaid = minOf(execution?.fee ?? 0n, available)
  available -= keeperPaid
  sendToVault(env, loss + fundingPaid)
  if (execution !== null && keeperPaid > 0n) transferToken(env, usdcOf(env), env.self, execution.keeper, keeperPaid)

  // Funding owed to the trader is paid from the market's pooled USDC: no counterparty pays it in.
  const payout = checked(available + profitPaid + positivePart(-funding))
  if (payout > 0n) transferToken(env, usdcOf(env), env.self, position.trader, payout)

  removeExposure(env, position, price)
  addVolume(env, position.trader, position.size)
  cancelAttachedOrders(env, position.id, execution?.orderId)
  deletePosition(env, position)
  emitClosed(env, position, price, pnl)
  return pnl
}

export function emitClosed(env: ContractEnv, position: Position, price: bigint, pnl: bigint): void {
  emit(
    env, 'position_closed', u64(position.id), address(position.trader), symbol(position.asset), u32(position.direction),
    i128(position.size),
    i128(position.entry_price), i128(price), i128(pnl),
  )
}
