// A leader trades with a vault's USDC. The market sees the factory as the trader (contracts, "Vault factory").

import { tokenBalance } from '../calls.ts'
import { emitWithSubject } from '../emit.ts'
import type { ContractEnv, EntryPoint, SpecType, Val } from '../host.ts'
import { address, i128, u32, u64, VOID } from '../host.ts'
import { GOOD_TILL_CANCELLED } from '../market/orders.ts'
import { LONG, SHORT } from '../market/types.ts'
import { asAddress, asI128, asU32, entryPoint, fail, fieldOf } from '../values.ts'
import { requireLeaderMinimum } from './shares.ts'
import type { Vault } from './vaults.ts'
import { ERRORS, KEYS, readAddress, requireActive, requireInitialized, requireVault, writeVault } from './vaults.ts'

export const LEADER: Readonly<Record<string, SpecType>> = { leader: 'address', vault_id: 'u32' }
export const TERMS: Readonly<Record<string, SpecType>> = { ...LEADER, asset: 'symbol', collateral: 'i128', leverage: 'u32', direction: 'u32' }

export function leaderEntryPoints(): Record<string, EntryPoint> {
  return {
    leader_open_position: entryPoint(TERMS, 'u64', (env, args) => {
      const { leader, vault } = checkLeader(env, args)
      const collateral = checkCollateral(vault, args)
      const position = callMarketWithCollateral(env, collateral, 'open_position', args.slice(2, 6))
      requireLeaderMinimum(resync(env, vault))
      const id = fieldOf(position, 'id')
      emitWithSubject(env, 'leader_open', u32(vault.id), address(leader), id, i128(collateral))
      return id
    }),
    leader_close_position: entryPoint({ ...LEADER, position_id: 'u64' }, 'void', (env, args) =>
      closeOrCancel(env, args, 'close_position', 'leader_close'),
    ),
    leader_place_limit_order: entryPoint(
      { ...TERMS, trigger_price: 'i128', trigger_above: 'bool', slippage_tolerance_bps: 'u32' }, 'u64',
      (env, args) => {
        const { leader, vault } = checkLeader(env, args)
        const collateral = checkCollateral(vault, args)
        const [asset = VOID, amount = VOID, leverage = VOID, direction = VOID, ...trigger] = args.slice(2)
        const terms = [asset, direction, amount, leverage, ...trigger, u32(GOOD_TILL_CANCELLED)]
        const order = callMarketWithCollateral(env, collateral, 'place_limit_order', terms)
        resync(env, vault)
        const id = fieldOf(order, 'id')
        emitWithSubject(env, 'leader_limit', u32(vault.id), address(leader), id)
        return id
      },
    ),
    leader_cancel_order: entryPoint({ ...LEADER, order_id: 'u64' }, 'void', (env, args) =>
      closeOrCancel(env, args, 'cancel_order', 'leader_cancel'),
    ),
  }
}

/** The first checks of a leader's calls: 2, authorization, 5, 6, 12. */
export function checkLeader(env: ContractEnv, args: readonly Val[]): { leader: string; vault: Vault } {
  const [leader, id] = [asAddress(args[0]), asU32(args[1])]
  requireInitialized(env)
  env.requireAuth(leader)
  const vault = requireVault(env, id)
  if (vault.leader !== leader) fail(ERRORS.NotLeader)
  requireActive(vault)
  return { leader, vault }
}

/** Fails with 8, 10 or 3. Returns the gross collateral. */
export function checkCollateral(vault: Vault, args: readonly Val[]): bigint {
  const [collateral, direction] = [asI128(args[3]), asU32(args[5])]
  if (collateral <= 0n) fail(ERRORS.AmountMustBePositive)
  if (collateral > vault.total_usdc) fail(ERRORS.InsufficientBalance)
  if (direction !== LONG && direction !== SHORT) fail(ERRORS.InvalidParameter)
  return collateral
}

/** Calls the market and authorizes its transfer of the collateral from the factory. Fails if the market transfers another amount. */
export function callMarketWithCollateral(env: ContractEnv, collateral: bigint, functionName: string, terms: readonly Val[]): Val {
  const [market, usdc] = [readAddress(env, KEYS.market), readAddress(env, KEYS.usdc)]
  env.authorizeNextCall(usdc, 'transfer', [address(env.self), address(market), i128(collateral)])
  return env.call(market, functionName, [address(env.self), ...terms])
}

/** Closes a position or cancels an order. As deployed, it may belong to another vault: the factory does not record the owner. */
function closeOrCancel(env: ContractEnv, args: readonly Val[], functionName: string, topic: string): Val {
  const { leader, vault } = checkLeader(env, args)
  const id = args[2] ?? u64(0n)
  env.call(readAddress(env, KEYS.market), functionName, [address(env.self), id])
  resync(env, vault)
  emitWithSubject(env, topic, u32(vault.id), address(leader), id)
  return VOID
}

/** Sets the vault's total to the factory's whole balance, including other vaults' USDC: a defect of the deployed factory. */
function resync(env: ContractEnv, vault: Vault): Vault {
  const synced = { ...vault, total_usdc: tokenBalance(env, readAddress(env, KEYS.usdc), env.self) }
  writeVault(env, synced)
  return synced
}
