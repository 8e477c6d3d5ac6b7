// Test support: the liquidity vault of generation 2 on the in-memory host. The tests sign as the market.

import type { Val } from '../../../contracts/shared/host.ts'
import { address, i128, symbol, u32 } from '../../../contracts/shared/host.ts'
import { ADMIN, ALICE, BOB, E7, ISSUER, LP, LP_ASSET, MARKET, PROVIDER, USDC, USDC_ASSET, VAULT } from '../generation-1/test-exchange.ts'
import { createTestHost, type TestHost, toNative, toNativeEvent } from '../test-host.ts'
import { assetContract } from '../../../contracts/shared/token.ts'
import type { Generation2Build } from '../../../contracts/generation-2/build.ts'
import { liquidityVaultContract } from '../../../contracts/generation-2/liquidity-vault/liquidity-vault.ts'

const ALL_SIGNERS = [ISSUER, ADMIN, ALICE, BOB, PROVIDER, MARKET]

export interface TestVault {
  readonly host: TestHost
  /** Calls the vault, signed by all accounts and the market by default. Returns `ok` or the error. */
  try(name: string, args?: readonly Val[], signers?: readonly string[]): string
  /** The result in native types; throws if the call fails. */
  call(name: string, ...args: readonly Val[]): unknown
  /** The vault's events of a call: topics and data. */
  events(name: string, ...args: readonly Val[]): readonly (readonly [topics: unknown, data: unknown])[]
  /** Transfers a loss from the market and reports it. */
  receiveLoss(amount: bigint): void
  usdc(holder: string): bigint
  approveLp(owner: string, amount: bigint): void
  advance(seconds: bigint): void
}

export function createUninitializedVault(build: Generation2Build = '2.3'): TestHost {
  return createTestHost({ [VAULT]: liquidityVaultContract(build), [USDC]: assetContract(USDC_ASSET), [LP]: assetContract(LP_ASSET) })
}

export const initializeArgs = (depositFee = 30, withdrawFee = 30): Val[] => [
  address(ADMIN), address(USDC), address(LP), address(MARKET), u32(depositFee), u32(withdrawFee),
]

/** An initialized vault without liquidity. ALICE, BOB, PROVIDER and the market have 100,000,000 USDC each. */
export function createTestVault(build: Generation2Build = '2.3', fees: readonly [number, number] = [30, 30]): TestVault {
  const host = createUninitializedVault(build)
  host.invokeOk(VAULT, 'initialize', initializeArgs(...fees), [ADMIN])
  host.invokeOk(LP, 'mint', [address(VAULT), i128(100_000_000n * E7)], [ISSUER])
  host.invokeOk(USDC, 'mint', [address(MARKET), i128(100_000_000n * E7)], [ISSUER])
  for (const account of [ALICE, BOB, PROVIDER]) {
    host.fund(account, USDC_ASSET, 100_000_000n * E7)
    host.fund(account, LP_ASSET, 0n)
  }
  const vault: TestVault = {
    host,
    try: (name, args = [], signers = ALL_SIGNERS) => host.tryInvoke(VAULT, name, args, signers),
    call: (name, ...args) => toNative(host.invokeOk(VAULT, name, args, ALL_SIGNERS).value),
    events: (name, ...args) =>
      host.invokeOk(VAULT, name, args, ALL_SIGNERS).events.filter(({ contract }) => contract === VAULT).map((event) => {
        const [, topics, data] = toNativeEvent(event)
        return [topics, data] as const
      }),
    receiveLoss(amount) {
      host.invokeOk(USDC, 'transfer', [address(MARKET), address(VAULT), i128(amount)], [MARKET])
      vault.call('receive_loss', i128(amount))
    },
    usdc: (holder) => toNative(host.invokeOk(USDC, 'balance', [address(holder)]).value) as bigint,
    approveLp: (owner, amount) => void host.invokeOk(LP, 'approve', [address(owner), address(VAULT), i128(amount), u32(10_000)], [owner]),
    advance: (seconds) => void (host.ledger.timestampSec += seconds),
  }
  return vault
}

export const depositArgs = (account: string, amount: bigint, minimumOut = 0n): Val[] => [address(account), i128(amount), i128(minimumOut)]

/** Arguments of `reserve_for_position` with a growing imbalance by default. */
export function reserveArgs(amount: bigint, sideAfter: bigint, skewBefore = 0n, skewAfter = 0n, asset = 'BTC'): Val[] {
  return [symbol(asset), i128(amount), i128(sideAfter), i128(skewBefore), i128(skewAfter)]
}
