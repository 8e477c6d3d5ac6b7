// The full value of a vault: its USDC, the equity of its positions and the collateral of its pending orders.

import type { ContractEnv } from '../../shared/host.ts'
import { u64 } from '../../shared/host.ts'
import { PENDING } from '../../shared/market/types.ts'
import { KEYS, readAddress, type Vault } from '../../shared/trader-vaults/vaults.ts'
import { tryCall } from '../../shared/try-call.ts'
import { asI128, asU32, checked, fail, fieldOf } from '../../shared/values.ts'
import { ERRORS, readSlots } from './slots.ts'

/** Fails with 18 if a position cannot be valued, such as a position that a keeper closed and nobody reconciled. */
export function fullNav(env: ContractEnv, vault: Vault): bigint {
  const market = readAddress(env, KEYS.market)
  const positions = readSlots(env, 'Position', vault.id).map((id) =>
    asI128(tryCall(env, market, 'get_position_equity', [u64(id)]) ?? fail(ERRORS.ValuationUnavailable)),
  )
  const orders = readSlots(env, 'Order', vault.id).map((id) => {
    const order = env.call(market, 'get_order', [u64(id)])
    if (order.type === 'void') return 0n
    return asU32(fieldOf(order, 'status')) === PENDING ? asI128(fieldOf(order, 'collateral')) : 0n
  })
  return [...positions, ...orders].reduce((sum, value) => checked(sum + value, ERRORS.Overflow), vault.total_usdc)
}

/** The vault with its full value in the place of its USDC, for the arithmetic of shares. */
export function valued(env: ContractEnv, vault: Vault): Vault {
  return { ...vault, total_usdc: fullNav(env, vault) }
}
