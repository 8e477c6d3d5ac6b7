// Test support: the vault factory of generation 2 on the in-memory exchange.

import type { Val } from '../../../contracts/shared/host.ts'
import { address, bool, i128, u32, u64 } from '../../../contracts/shared/host.ts'
import { ADMIN, ALICE, BOB, FACTORY, KEEPER, type OpenOptions, PROVIDER } from '../generation-1/test-exchange.ts'
import { type InvokeSuccess, toNative } from '../test-host.ts'
import { amountArgs, createVaultArgs, leaderOpenArgs } from '../generation-1/test-vaults.ts'
import type { Vault } from '../../../contracts/shared/trader-vaults/vaults.ts'
import type { Generation2Build } from '../../../contracts/generation-2/build.ts'
import { createTestExchange, type TestExchange } from './test-exchange.ts'

const ALL_SIGNERS = [ADMIN, ALICE, BOB, PROVIDER, KEEPER]

export interface TestVaults extends TestExchange {
  /** Calls the factory. Returns the value in native types; throws if the call fails. */
  callFactory(functionName: string, args: readonly Val[]): unknown
  /** Like `callFactory`, with events. */
  invokeFactory(functionName: string, args: readonly Val[]): InvokeSuccess
  /** Calls the factory. Returns `ok` or the error. */
  tryFactory(functionName: string, args: readonly Val[], signers?: readonly string[]): string
  vault(id: number): Vault
  fullNav(id: number): bigint
  /** A vault of `leader` with this deposit of the leader. */
  createFunded(leader: string, amount: bigint): number
}

export function createTestVaults(build: Generation2Build = '2.3'): TestVaults {
  const exchange = createTestExchange({ build })
  const { host } = exchange
  const callFactory: TestVaults['callFactory'] = (name, args) => toNative(host.invokeOk(FACTORY, name, args, ALL_SIGNERS).value)
  return {
    ...exchange,
    callFactory,
    invokeFactory: (name, args) => host.invokeOk(FACTORY, name, args, ALL_SIGNERS),
    tryFactory: (name, args, signers = ALL_SIGNERS) => host.tryInvoke(FACTORY, name, args, signers),
    vault: (id) => callFactory('view_vault', [u32(id)]) as Vault,
    fullNav: (id) => callFactory('get_full_nav', [u32(id)]) as bigint,
    createFunded(leader, amount) {
      const id = callFactory('create_vault', createVaultArgs(leader, 'vault')) as number
      callFactory('deposit', minOutArgs(leader, id, amount))
      return id
    },
  }
}

/** Arguments of `deposit` and `withdraw`, with the minimum output. */
export const minOutArgs = (account: string, id: number, amount: bigint, minimum = 0n): Val[] => [...amountArgs(account, id, amount), i128(minimum)]

/** Arguments of `leader_place_limit_order`: a long at this trigger or below, 1 % slippage. */
export function limitArgs(leader: string, id: number, trigger: bigint, options: OpenOptions & { readonly timeInForce?: number } = {}): Val[] {
  return [...leaderOpenArgs(leader, id, options), i128(trigger), bool(false), u32(100), u32(options.timeInForce ?? 0)]
}

/** Arguments of the leader's calls that close a position: the position, then the order's terms. */
export const positionArgs = (leader: string, id: number, position: bigint, ...terms: readonly Val[]): Val[] => [
  address(leader), u32(id), u64(position), ...terms,
]

export const reconcileArgs = (id: number, positionOrOrder: bigint): Val[] => [u32(id), u64(positionOrOrder)]
