// Quotes of opens against recorded calls of the published contracts: what a quote says before the call, and what the call did.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { poolFigures } from '../../src/markets/capacity.ts'
import { describeQuote, sizeOpen } from '../../src/markets/quote.ts'
import type { MarginMode, QuotedTrader, QuotedVenue, QuoteTerms } from '../../src/markets/quote.ts'
import type { AssetCaps } from '../../src/markets/headroom.ts'
import type { AssetSummary, MarketSummary, OpenInterest } from '../../src/chain/views/market-summary.ts'
import type { StoredAssetRisk } from '../../src/chain/views/market-entries.ts'
import type { Pool } from '../../src/chain/views/pool-view.ts'
import type { VaultCaps } from '../../src/markets/vault-caps.ts'
import { readVectors, vectorsMissing } from '../../localnet/test/contracts/recorded-calls.ts'
import { configOf, positionsOf, secondsIn, tiersOf, volumeDays } from './recorded-entries.ts'
import {
  valueIn, amountIn, BUILD, checkEach, entriesOf, entryIn, fundingIndex, isSuccess, listIn, settlementState, stored, usdcOf,
} from './recorded-transactions.ts'
import type { RecordedState, RecordedTransaction } from './recorded-transactions.ts'

const BPS = 10_000n

function marketOf(state: RecordedState): MarketSummary {
  const assets = [...state.prices.keys()]
  const riskEpochSec = secondsIn(stored(state, 'RiskEpochTs'))
  return {
    ledger: 1, config: configOf(state) ?? null, paused: false, pauseMode: 0, pausedSinceSec: 0, feeTiers: tiersOf(state),
    lastPositionId: Number(amountIn(stored(state, 'PositionCounter'))), referral: null, sharedFunding: null, totalLong: null, totalShort: null,
    hasAssetRisk: riskEpochSec !== null, riskEpochSec,
    openInterest: new Map(assets.map((asset): [string, OpenInterest] => {
      const [, long, , short] = listIn(stored(state, `AssetExposure(${asset})`)).map(amountIn)
      return [asset, { long: long ?? 0n, short: short ?? 0n }]
    })),
    assets: new Map(assets.map((asset): [string, AssetSummary] => [asset, {
      risk: entryIn(stored(state, `AssetRisk(${asset})`)) as StoredAssetRisk | undefined,
      funding: { cumulative: fundingIndex(state, asset), rate: 0n, lastSec: 0 },
      skewSeconds: undefined, halted: undefined, adlActive: undefined,
    }])),
  }
}

const vaultAmount = ({ storage }: RecordedState, key: string): bigint => amountIn(storage.get(`vault/P/${key}`))

function poolOf(state: RecordedState): Pool {
  const amount = (key: string): bigint => vaultAmount(state, key)
  const value = amount('TotalUsdc') + amount('TotalFees') - amount('UnrealizedPnl')
  return {
    ledger: 1, aum: value > 0n ? value : 0n, lpPrice: null, lpSupply: null, totalUsdc: amount('TotalUsdc'), totalFees: amount('TotalFees'),
    usdcBalance: usdcOf(state, 'vault'), unrealizedPnl: amount('UnrealizedPnl'), reservedPayout: amount('ReservedPayout'), shortfall: amount('Shortfall'),
    bufferBalance: amount('BufferBalance'), shortfallReserve: amount('ShortfallReserve'), depositFeeBps: null, withdrawFeeBps: null, paused: false,
  }
}

function capsOf({ storage, prices }: RecordedState): VaultCaps {
  const bps = (key: string, preset: number): number => Number(storage.get(key) ?? preset)
  return {
    reserveBps: bps('vault/I/ReserveCapBps', 7_000), hasShortfallReserve: true,
    assets: new Map([...prices.keys()].map((asset): [string, AssetCaps] => [asset, {
      sideBps: bps(`vault/P/AssetCapBps(${asset})`, 2_500), skewBps: bps(`vault/P/SkewCapBps(${asset})`, 1_500),
      sideAbsolute: amountIn(storage.get(`vault/P/AssetCapAbs(${asset})`)),
    }])),
  }
}

function termsOf({ functionName, args }: RecordedTransaction): QuoteTerms {
  const marginMode: MarginMode = functionName === 'open_position' ? 'isolated' : 'cross'
  return { asset: valueIn(args[1]), collateral: BigInt(valueIn(args[2])), leverage: Number(valueIn(args[3])), direction: Number(valueIn(args[4])), marginMode }
}

function traderOf(state: RecordedState, trader: string): QuotedTrader {
  const record = (entryIn(stored(state, `TraderVolume(@${trader})`)) as { readonly last_update_day: bigint } | undefined)
  return {
    volume: { slots: volumeDays(state, trader), lastDay: Number(record?.last_update_day ?? 0n) }, positions: positionsOf(state, trader),
    crossPool: amountIn(stored(state, `CrossMarginBalance(@${trader})`)),
  }
}

/** Returns the answer of the stand-in for the referral contract. Null: the published contract answers. */
function discountOf({ referral: [kind, discount], storage }: RecordedState, fee: bigint | null): bigint | null {
  if (fee === null || [...storage].some(([key, value]) => key === 'market/I/Referral' && value === '@registry')) return null
  if (kind === 'fail' || fee <= 0n || !storage.has('market/I/Referral')) return 0n
  return kind === 'bps' ? (fee * BigInt(discount)) / BPS : BigInt(discount)
}

/** The quote right before the call. Null where the gateway has none. */
function quoteBefore(transaction: RecordedTransaction) {
  const { before, args } = transaction
  const terms = termsOf(transaction)
  const price = before.prices.get(terms.asset)
  const trader = traderOf(before, valueIn(args[0]))
  if (price === undefined || price === null || configOf(before) === undefined) return null
  const snapshot = { pool: poolOf(before), market: marketOf(before), caps: capsOf(before), assets: [...before.prices.keys()] }
  const venue: QuotedVenue = { generation: BUILD, snapshot, price: { ...price, ledger: 1 }, closeSec: before.nowSec }
  const open = sizeOpen(terms, venue, trader)
  const quote = describeQuote(terms, venue, { open, discount: discountOf(before, open?.grossFee ?? null), pool: trader.crossPool ?? null })
  return { quote, open, terms, hasPool: poolFigures(snapshot.pool, snapshot.caps) !== null }
}

test('an open does what its quote says', { skip: vectorsMissing }, () => {
  const seen = { opens: 0, discounted: 0, netted: 0 }
  checkEach(readVectors(), (transaction) => {
    const { functionName, args, before, after, items } = transaction
    if (!['open_position', 'open_position_cross'].includes(functionName) || !isSuccess(transaction)) return
    const quoted = quoteBefore(transaction) ?? assert.fail('no quote')
    const { quote, open, terms } = quoted
    const position = settlementState(after, 'keeper').positions.get(quote.positionId ?? 0) ?? assert.fail('not the id of the quote')
    assert.deepEqual([quote.entryPrice, quote.size], [String(position.entry_price), String(position.size)])
    if (quote.fee !== null) {
      assert.equal(quote.collateral, String(position.collateral))
      assert.equal(quote.fee, String((open?.collateral ?? 0n) - position.collateral))
      if (quote.fee !== String(open?.grossFee)) seen.discounted += 1
    }
    assert.equal(quote.liquidationPrice, terms.marginMode === 'cross' || position.liquidation_price <= 0n ? null : String(position.liquidation_price))
    seen.opens += 1
    if (open === null || open.closed.length === 0) return assert.deepEqual([quote.pnl, quote.payout], [null, null])
    const closed = items.flatMap((item) => (item.type === 'event' && item.topic === 'position_closed' ? [BigInt(String(item.payload?.['pnl']))] : []))
    const reduced = items.some((item) => item.type === 'event' && item.topic === 'position_reduced')
    assert.ok(!reduced)
    assert.equal(quote.pnl, String(closed.reduce((sum, pnl) => sum + pnl, 0n)))
    if (quote.payout === null) return
    const [earlier, later] = [settlementState(before, 'keeper'), settlementState(after, 'keeper')]
    const trader = valueIn(args[0])
    const gained = (later.wallets.get(trader) ?? 0n) - (earlier.wallets.get(trader) ?? 0n) + (later.pools.get(trader) ?? 0n) - (earlier.pools.get(trader) ?? 0n)
    assert.equal(gained + open.collateral, BigInt(quote.payout))
    seen.netted += 1
  })
  assert.ok(seen.opens > 0 && seen.discounted > 0 && seen.netted > 0, JSON.stringify(seen))
})

/** The vault's refusals of an open. */
const CAPACITY_ERRORS: readonly unknown[] = [82, 89, 40]

test('an open succeeds within the headroom of its quote and is refused above it', { skip: vectorsMissing }, () => {
  const seen = { within: 0, above: 0 }
  checkEach(readVectors(), (transaction) => {
    if (!['open_position', 'open_position_cross'].includes(transaction.functionName)) return
    const error = 'err' in transaction.result ? transaction.result.err : null
    if (error !== null && !CAPACITY_ERRORS.includes(error)) return
    const quoted = quoteBefore(transaction)
    const { asset } = quoted?.terms ?? {}
    if (quoted === null || quoted.open === null || quoted.open.closed.length > 0 || stored(transaction.before, `AdlActive(${asset})`) === true) return
    // 82 is also the limit on the number of positions.
    if (error === 82 && entriesOf(transaction.before, 'Position').size >= 32) return
    assert.equal(quoted.open.size <= BigInt(quoted.quote.headroom ?? assert.fail()), error === null, `${quoted.open.size} of ${quoted.quote.headroom}`)
    seen[error === null ? 'within' : 'above'] += 1
  })
  assert.ok(seen.within > 0 && seen.above > 0, JSON.stringify(seen))
})
