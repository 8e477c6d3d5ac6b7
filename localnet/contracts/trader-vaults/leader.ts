// What a leader does with a vault's money: trades on the market, which sees the factory as the trader (contracts, "Vault factory").

import { tokenBalance } from '../calls.ts'
import { emitWithSubject } from '../emit.ts'
import type { ContractEnv, EntryPoint, SpecType, Val } from '../host.ts'
import { address, i128, u32, u64, VOID } from '../host.ts'
import { asAddress, asI128, asU32, entryPoint, fail, fieldOf } from '../values.ts'
import { requireLeaderMinimum } from './shares.ts'
import type { Vault } from './vaults.ts'
import { ERRORS, KEYS, readAddress, requireActive, requireInitialized, requireVault, writeVault } from './vaults.ts'

const LEADER: Readonly<Record<string, SpecType>> = { leader: 'address', vault_id: 'u32' }
const TERMS: Readonly<Record<string, SpecType>> = { ...LEADER, asset: 'symbol', collateral: 'i128', leverage: 'u32', direction: 'u32' }

const LONG = 0
const SHORT = 1
const GOOD_TILL_CANCELLED = 0

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
    leader_close_position: entryPoint({ ...LEADER, position_id: 'u64' }, 'void', (env, args) => closeOrCancel(env, args, 'close_position', 'leader_close')),
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
    leader_cancel_order: entryPoint({ ...LEADER, order_id: 'u64' }, 'void', (env, args) => closeOrCancel(env, args, 'cancel_order', 'leader_cancel')),
  }
}

/** 2, agreement, 5, 6, 12: how every call of a leader's begins. */
function checkLeader(env: ContractEnv, args: readonly Val[]): { leader: string; vault: Vault } {
  const [leader, id] = [asAddress(args[0]), asU32(args[1])]
  requireInitialized(env)
  env.requireAuth(leader)
  const vault = requireVault(env, id)
  if (vault.leader !== leader) fail(ERRORS.NotLeader)
  requireActive(vault)
  return { leader, vault }
}

/** 8, 10, 3; then the collateral, gross. */
function checkCollateral(vault: Vault, args: readonly Val[]): bigint {
  const [collateral, direction] = [asI128(args[3]), asU32(args[5])]
  if (collateral <= 0n) fail(ERRORS.AmountMustBePositive)
  if (collateral > vault.total_usdc) fail(ERRORS.InsufficientBalance)
  if (direction !== LONG && direction !== SHORT) fail(ERRORS.InvalidParameter)
  return collateral
}

/** A call to the market that takes the collateral from the factory: the market is called by it, the token by the market in turn. */
function callMarketWithCollateral(env: ContractEnv, collateral: bigint, functionName: string, terms: readonly Val[]): Val {
  const [market, usdc] = [readAddress(env, KEYS.market), readAddress(env, KEYS.usdc)]
  env.authorizeNextCall(usdc, 'transfer', [address(env.self), address(market), i128(collateral)])
  return env.call(market, functionName, [address(env.self), ...terms])
}

/** Closes a position or cancels an order. Nothing says whose it is: a leader may end what another vault began, as deployed. */
function closeOrCancel(env: ContractEnv, args: readonly Val[], functionName: string, topic: string): Val {
  const { leader, vault } = checkLeader(env, args)
  const id = args[2] ?? u64(0n)
  env.call(readAddress(env, KEYS.market), functionName, [address(env.self), id])
  resync(env, vault)
  emitWithSubject(env, topic, u32(vault.id), address(leader), id)
  return VOID
}

/** The vault's money becomes the factory's whole balance, that of other vaults included: a defect of the deployed factory, kept. */
function resync(env: ContractEnv, vault: Vault): Vault {
  const synced = { ...vault, total_usdc: tokenBalance(env, readAddress(env, KEYS.usdc), env.self) }
  writeVault(env, synced)
  return synced
}
