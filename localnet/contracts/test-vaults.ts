// Test support: the vault factory on the exchange in memory.

import type { Val } from './host.ts'
import { address, bool, i128, symbol, text, u32, u64 } from './host.ts'
import type { Outcome } from './test-host.ts'
import { plain, plainEvent } from './test-host.ts'
import { ADMIN, ALICE, BOB, createTestExchange, FACTORY, KEEPER, PROVIDER, type TestExchange, USDC } from './test-exchange.ts'

/** A vault as `view_vault` tells it, without types. */
export interface PlainVault {
  readonly id: number
  readonly leader: string
  readonly name: string
  readonly created_at: bigint
  readonly total_usdc: bigint
  readonly circulating_shares: bigint
  readonly leader_shares: bigint
  readonly hwm_nav: bigint
  readonly realized_pnl: bigint
  readonly profit_share_bps: number
  readonly paused: boolean
}

export type Done = Extract<Outcome, { ok: true }>

/** What a leader's open asks for, with defaults: 100 USDC, 10x, long, BTC. */
export interface LeaderTerms {
  readonly asset?: string
  readonly collateral?: bigint
  readonly leverage?: number
  readonly direction?: number
}

export interface TestVaults extends TestExchange {
  /** A call to the factory that must succeed; its result without types. */
  factory(functionName: string, args: readonly Val[], signers?: readonly string[]): unknown
  /** The same with its events. */
  done(functionName: string, args: readonly Val[]): Done
  /** `ok` or the error. */
  attempt(functionName: string, args: readonly Val[], signers?: readonly string[]): string
  vault(id: number): PlainVault
  shares(id: number, holder: string): bigint
}

const EVERYBODY = [ADMIN, ALICE, BOB, PROVIDER, KEEPER]
export const ASK = 100n * 10_000_000n

export function createTestVaults(): TestVaults {
  const exchange = createTestExchange()
  const { host } = exchange
  const done: TestVaults['done'] = (functionName, args) => host.must(FACTORY, functionName, args, EVERYBODY)
  const factory: TestVaults['factory'] = (functionName, args, signers = EVERYBODY) => plain(host.must(FACTORY, functionName, args, signers).value)
  return {
    ...exchange,
    done,
    factory,
    attempt(functionName, args, signers = EVERYBODY) {
      const outcome = host.invoke(FACTORY, functionName, args, signers)
      return outcome.ok ? 'ok' : outcome.error
    },
    vault: (id) => factory('view_vault', [u32(id)]) as PlainVault,
    shares: (id, holder) => factory('shares_of', [u32(id), address(holder)]) as bigint,
  }
}

export const createArgs = (leader: string, name: string): Val[] => [address(leader), text(name)]
export const moveArgs = (who: string, id: number, amount: bigint): Val[] => [address(who), u32(id), i128(amount)]
export const pauseArgs = (id: number, paused: boolean): Val[] => [u32(id), bool(paused)]
export const endArgs = (leader: string, id: number, what: bigint): Val[] => [address(leader), u32(id), u64(what)]

export function openArgs(leader: string, id: number, { asset = 'BTC', collateral = ASK, leverage = 10, direction = 0 }: LeaderTerms = {}): Val[] {
  return [address(leader), u32(id), symbol(asset), i128(collateral), u32(leverage), u32(direction)]
}

export function limitArgs(leader: string, id: number, triggerPrice: bigint, terms: LeaderTerms = {}): Val[] {
  return [...openArgs(leader, id, terms), i128(triggerPrice), bool(false), u32(100)]
}

/** All events of a call but the token's: contract, topics and data, without types. */
export function storyOf(outcome: Done): readonly (readonly unknown[])[] {
  return outcome.events.filter(({ contract }) => contract !== USDC).map((event) => {
    const [contract, topics, data] = plainEvent(event)
    return [contract, ...topics, data]
  })
}
