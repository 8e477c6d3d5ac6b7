// One trader's actions that cause every kind of print of a generation: executed orders and stops, liquidations in stages and of a cross account, reductions,
// deleveraging. The keeper of the local network does what is due.

import { DEFAULT_MARKET_CONFIG } from '../../localnet/contracts/generation-2/market/defaults.ts'
import { address, i128, symbol, u64 } from '../../localnet/contracts/shared/host.ts'
import { adminOf, CONFIG_SECONDS, struct } from '../support/admin-calls.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { applyInOneLedger, chainTraderOf, createChainTrader, lastPositionId, ONE } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

/** Enough for the keeper to act on a price, also on one that is averaged over some publications. */
const KEEPER_LEDGERS = 25

export interface PrintScript {
  readonly fixture: GatewayFixture
  readonly trader: Trader
  /** The name that the trader was created with. */
  readonly name: string
}

async function setPrice({ fixture }: PrintScript, asset: string, price: bigint): Promise<void> {
  await fixture.control('local_setPrice', { asset, price: String(price) })
}

async function release({ fixture }: PrintScript, ...assets: readonly string[]): Promise<void> {
  for (const asset of assets) await fixture.control('local_releasePrice', { asset })
}

async function priceOf({ fixture }: PrintScript, asset: string): Promise<bigint> {
  return BigInt((await fixture.get<{ price: string }>(`/v1/markets/${asset}/price`)).body.price)
}

const terms = (asset: string, usdc: bigint, leverage: number) =>
  ({ asset, collateral: String(usdc * ONE), leverage, direction: 'Long' } as const)

/** A limit order opens a position, and a stop-loss closes another. */
export async function executeOrders(script: PrintScript): Promise<void> {
  const { fixture, trader } = script
  const price = await priceOf(script, 'XLM')
  await setPrice(script, 'XLM', price)
  await trader.trade({ op: 'open_position', ...terms('XLM', 100n, 2) })
  const positionId = await lastPositionId(fixture, trader.address)
  const triggerPrice = String((price * 996n) / 1_000n)
  await trader.trade({ op: 'set_stop_loss', positionId, triggerPrice, slippageToleranceBps: 500 })
  await trader.trade({ op: 'place_limit_order', ...terms('XLM', 100n, 2), triggerPrice, triggerCondition: 'Below', slippageToleranceBps: 500 })
  await setPrice(script, 'XLM', (price * 994n) / 1_000n)
  await fixture.closeLedgers(KEEPER_LEDGERS)
  await release(script, 'XLM')
}

/** An isolated position and a cross account are liquidated; from generation 2 on the former in stages. */
export async function liquidate(script: PrintScript): Promise<void> {
  const { fixture, trader, name } = script
  const [btc, eth] = [await priceOf(script, 'BTC'), await priceOf(script, 'ETH')]
  await setPrice(script, 'BTC', btc)
  await setPrice(script, 'ETH', eth)
  await trader.trade({ op: 'open_position', ...terms('BTC', 1_000n, 10) })
  const deposit = [address(trader.address), i128(1_350n * ONE)]
  await applyInOneLedger(fixture, [{ trader: chainTraderOf(fixture, name), functionName: 'deposit_cross_margin', args: deposit }])
  await trader.trade({ op: 'open_position_cross', ...terms('BTC', 1_000n, 10) })
  await trader.trade({ op: 'open_position_cross', ...terms('ETH', 300n, 10) })
  await setPrice(script, 'BTC', (btc * 919n) / 1_000n)
  await fixture.closeLedgers(KEEPER_LEDGERS)
  await setPrice(script, 'BTC', (btc * 780n) / 1_000n)
  await setPrice(script, 'ETH', (eth * 700n) / 1_000n)
  await fixture.closeLedgers(2 * KEEPER_LEDGERS)
  await release(script, 'BTC', 'ETH')
}

/** A position is reduced, then deleveraged: the ratio that allows it is so high that a profit of 0.0003 % of the pool exceeds it. Generation 2. */
export async function reduceAndDeleverage(script: PrintScript): Promise<void> {
  const { fixture, trader, name } = script
  const price = await priceOf(script, 'SOL')
  await setPrice(script, 'SOL', price)
  await trader.trade({ op: 'open_position', ...terms('SOL', 2_000n, 10) })
  const positionId = u64(BigInt(await lastPositionId(fixture, trader.address)))
  const part = [address(trader.address), positionId, i128(4_000n * ONE)]
  await applyInOneLedger(fixture, [{ trader: chainTraderOf(fixture, name), functionName: 'close_position_partial', args: part }])
  const configure = (config: Readonly<Record<string, bigint | number>>): Promise<unknown> =>
    adminOf(fixture, 'market')('migrate_config', struct(config, CONFIG_SECONDS))
  await configure({ ...DEFAULT_MARKET_CONFIG, adl_trigger_ratio_bps: 4_000_000_000, adl_clear_ratio_bps: 4_000_000_000 })
  await setPrice(script, 'SOL', (price * 1_050n) / 1_000n)
  const other = await createChainTrader(fixture, 'deleverager')
  // The local keeper, which expects the usual ratio, may clear the flag in the next ledger.
  await applyInOneLedger(fixture, [{ trader: other, functionName: 'check_adl_trigger', args: [symbol('SOL')] }])
  await applyInOneLedger(fixture, [{ trader: other, functionName: 'adl_close', args: [address(other.address), positionId] }])
  await configure({ ...DEFAULT_MARKET_CONFIG })
  await applyInOneLedger(fixture, [{ trader: other, functionName: 'check_adl_trigger', args: [symbol('SOL')] }])
  await release(script, 'SOL')
}
