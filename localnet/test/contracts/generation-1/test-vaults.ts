// Test support: the vault factory on the in-memory exchange.

import type { Val } from '../../../contracts/shared/host.ts'
import { address, bool, i128, text, u32, u64 } from '../../../contracts/shared/host.ts'
import { type InvokeSuccess, toNative, toNativeEvent } from '../test-host.ts'
import { ADMIN, ALICE, BOB, createTestExchange, FACTORY, KEEPER, openArgs, type OpenOptions, PROVIDER, type TestExchange, USDC } from './test-exchange.ts'
import type { Vault } from '../../../contracts/shared/trader-vaults/vaults.ts'

export interface TestVaults extends TestExchange {
  /** Calls the factory. Returns the value in native types; throws if the call fails. */
  callFactory(functionName: string, args: readonly Val[], signers?: readonly string[]): unknown
  /** Like `callFactory`, with events. */
  invokeFactory(functionName: string, args: readonly Val[]): InvokeSuccess
  /** Calls the factory. Returns `ok` or the error. */
  tryFactory(functionName: string, args: readonly Val[], signers?: readonly string[]): string
  vault(id: number): Vault
  shares(id: number, holder: string): bigint
}

const ALL_SIGNERS = [ADMIN, ALICE, BOB, PROVIDER, KEEPER]

export function createTestVaults(): TestVaults {
  const exchange = createTestExchange()
  const { host } = exchange
  const callFactory: TestVaults['callFactory'] = (functionName, args, signers = ALL_SIGNERS) =>
    toNative(host.invokeOk(FACTORY, functionName, args, signers).value)
  return {
    ...exchange,
    invokeFactory: (functionName, args) => host.invokeOk(FACTORY, functionName, args, ALL_SIGNERS),
    callFactory,
    tryFactory: (functionName, args, signers = ALL_SIGNERS) => host.tryInvoke(FACTORY, functionName, args, signers),
    vault: (id) => callFactory('view_vault', [u32(id)]) as Vault,
    shares: (id, holder) => callFactory('shares_of', [u32(id), address(holder)]) as bigint,
  }
}

export const createVaultArgs = (leader: string, name: string): Val[] => [address(leader), text(name)]
export const amountArgs = (depositor: string, id: number, amount: bigint): Val[] => [address(depositor), u32(id), i128(amount)]
export const pauseArgs = (id: number, paused: boolean): Val[] => [u32(id), bool(paused)]
export const leaderIdArgs = (leader: string, id: number, positionOrOrderId: bigint): Val[] => [address(leader), u32(id), u64(positionOrOrderId)]

/** Arguments of `leader_open_position`: those of `open_position` with the vault's id. */
export function leaderOpenArgs(leader: string, id: number, options?: OpenOptions): Val[] {
  const [trader, ...terms] = openArgs(leader, options)
  return [trader as Val, u32(id), ...terms]
}

export function leaderLimitArgs(leader: string, id: number, triggerPrice: bigint, options?: OpenOptions): Val[] {
  return [...leaderOpenArgs(leader, id, options), i128(triggerPrice), bool(false), u32(100)]
}

/** The events of a call except the token's: contract, topics and data in native types. */
export function eventRowsOf(result: InvokeSuccess): readonly (readonly unknown[])[] {
  return result.events.filter(({ contract }) => contract !== USDC).map((event) => {
    const [contract, topics, data] = toNativeEvent(event)
    return [contract, ...topics, data]
  })
}
