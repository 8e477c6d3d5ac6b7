// Keepers execute the vaults' orders and close their positions without the factory. Anyone can then bring a vault up to date.

import { emitWithSubject } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint, Val } from '../../shared/host.ts'
import { i128, u32, u64, VOID } from '../../shared/host.ts'
import { EXECUTED, PENDING } from '../../shared/market/types.ts'
import { KEYS, readAddress, requireInitialized, requireVault, type Vault } from '../../shared/trader-vaults/vaults.ts'
import { asI128, asU32, asU64, entryPoint, fail, fieldOf } from '../../shared/values.ts'
import { collateralOf, creditVault } from './leader.ts'
import { addSlot, ERRORS, removeSlot, requireOwned, type SlotKind } from './slots.ts'

export function reconcileEntryPoints(): Record<string, EntryPoint> {
  return {
    reconcile_order: entryPoint({ vault_id: 'u32', order_id: 'u64' }, 'void', reconcileOrder),
    reconcile_position: entryPoint({ vault_id: 'u32', position_id: 'u64' }, 'void', reconcilePosition),
  }
}

/** The checks of both calls: 2, 16, which an unknown vault fails with too. */
function checkSlot(env: ContractEnv, args: readonly Val[], kind: SlotKind): { vault: Vault; id: bigint } {
  const [vaultId, id] = [asU32(args[0]), asU64(args[1])]
  requireInitialized(env)
  requireOwned(env, kind, vaultId, id)
  return { vault: requireVault(env, vaultId), id }
}

/**
 * Binds the position of an executed order, or credits the collateral of one that was cancelled. Fails with 3 for a pending order, and, as deployed,
 * for an executed one that opened no position.
 */
function reconcileOrder(env: ContractEnv, args: readonly Val[]): Val {
  const { vault, id } = checkSlot(env, args, 'Order')
  const order = env.call(readAddress(env, KEYS.market), 'get_order', [u64(id)])
  const status = order.type === 'void' ? PENDING : asU32(fieldOf(order, 'status'))
  const positionId = status === EXECUTED ? asU64(fieldOf(order, 'position_id')) : 0n
  if (status === PENDING || (status === EXECUTED && positionId === 0n)) fail(ERRORS.InvalidParameter)
  const credited = status === EXECUTED ? 0n : collateralOf(order)
  removeSlot(env, 'Order', vault.id, id)
  if (positionId !== 0n) addSlot(env, 'Position', vault.id, positionId)
  creditVault(env, vault, credited)
  emitWithSubject(env, 'order_reconciled', u32(vault.id), u64(id), u64(positionId), i128(credited))
  return VOID
}

/** Credits what the market paid for a position that a keeper closed. Fails with 3 while it is open. */
function reconcilePosition(env: ContractEnv, args: readonly Val[]): Val {
  const { vault, id } = checkSlot(env, args, 'Position')
  const market = readAddress(env, KEYS.market)
  if (env.call(market, 'get_position', [u64(id)]).type !== 'void') fail(ERRORS.InvalidParameter)
  const proceeds = asI128(env.call(market, 'get_closed_proceeds', [u64(id)]))
  removeSlot(env, 'Position', vault.id, id)
  creditVault(env, vault, proceeds)
  emitWithSubject(env, 'position_reconciled', u32(vault.id), u64(id), i128(proceeds))
  return VOID
}
