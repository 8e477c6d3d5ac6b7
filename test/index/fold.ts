// Computes the expected tables from facts, each figure by walking the whole history. Shares no code with the code under test.

import assert from 'node:assert/strict'
import type { Fact, LedgerFact } from './history.ts'
import { TRADERS } from './accounts.ts'

export type Mode = 'isolated' | 'cross'

/** Observations of ledger entries stored by the index, by `chain market id`. */
export interface Observations {
  readonly modes: ReadonlyMap<string, Mode>
  readonly orderOwners: ReadonlyMap<string, string>
}

/** The expected tables. Keys and rows are text, for comparison with deepEqual. */
export interface Expected {
  readonly open: readonly string[]
  readonly trades: readonly string[]
  /** PnL, volume, trades and liquidations. */
  readonly traders: Readonly<Record<string, string>>
  /** The number of traders, their volume and their trades. */
  readonly traderTotals: string
  readonly interest: Readonly<Record<string, string>>
  /** Events by account, newest first. */
  readonly feeds: Readonly<Record<string, readonly string[]>>
  readonly events: number
  readonly undecoded: number
  /** Bad debt of the current deployment: covered by the buffer, borne by liquidity providers, and the number of events. */
  readonly solvency: string
  readonly volume24h: (asset: string, nowSec: number) => bigint
  readonly volume14d: (trader: string, nowSec: number) => bigint
}

/** Folds facts in log order. `current` is the deployment whose open positions are listed. */
export function foldFacts(facts: readonly LedgerFact[], observations: Observations, current: { chain: number; market: string }): Expected {
  const { modes } = observations
  const opens = facts.filter((entry) => entry.fact.kind === 'open')
  const trades: string[] = []
  const fills: { asset: string; trader: string; size: bigint; at: number; countsForTrader: boolean }[] = []
  for (const { fact, closeSec } of opens) {
    if (fact.kind !== 'open') continue
    fills.push({ asset: fact.asset, trader: fact.trader, size: fact.size, at: closeSec, countsForTrader: true })
  }
  for (const entry of facts) {
    const { fact, ledger, closeSec } = entry
    if (fact.kind === 'account_liquidation') trades.push(`cross_liquidation null ${fact.trader} ${ledger} ${closeSec} null null ${fact.totalPnl}`)
    if (!isClosing(fact)) continue
    const { isKnown, size } = closedBy(entry, facts)
    const leg = isKnown ? `${fact.asset} ${fact.direction} ${size} ${fact.entryPrice}` : 'null'
    trades.push(`${fact.kind} ${fact.id} ${fact.trader} ${ledger} ${closeSec} ${leg} ${fact.closePrice} ${fact.pnl}`)
    // The close before it counts.
    if (fact.kind === 'adl') continue
    const countsForTrader = (fact.kind === 'close' || fact.kind === 'reduce') && isKnown
    fills.push({ asset: fact.asset, trader: fact.trader, size, at: closeSec, countsForTrader })
  }
  const open = opens.filter((entry) => entry.chain === current.chain && marketOf(entry.fact) === current.market && isOpen(entry, facts, modes))
  return {
    open: open.map((entry) => describeOpen(entry, facts)).toReversed(),
    trades: trades.toReversed(),
    ...leaderboardOf(facts),
    interest: interestOf(open, facts),
    feeds: feedsOf(facts, observations),
    events: facts.length,
    solvency: solvencyOf(facts.filter((entry) => entry.chain === current.chain && marketOf(entry.fact) === current.market)),
    undecoded: facts.filter(({ fact }) => fact.kind === 'other' && !fact.decodes).length,
    volume24h: (asset, nowSec) => total(fills.filter((fill) => fill.asset === asset && fill.at > nowSec - 86_400).map((fill) => fill.size)),
    volume14d: (trader, nowSec) => total(fills
      .filter((fill) => fill.countsForTrader && fill.trader === trader && fill.at > nowSec - 14 * 86_400)
      .map((fill) => fill.size)),
  }
}

function solvencyOf(facts: readonly LedgerFact[]): string {
  const debts = facts.flatMap(({ fact }) => (fact.kind === 'bad_debt' ? [fact] : []))
  return `${total(debts.map(({ covered }) => covered))} ${total(debts.map(({ absorbed }) => absorbed))} ${debts.length}`
}

interface Gain {
  readonly trader: string
  readonly pnl: bigint
  readonly volume: bigint
  readonly isLiquidation: boolean
  /** The total of an account counts nothing: its legs have. */
  readonly isTrade?: boolean
}

/**
 * Returns the figures of the leaderboard (generation 2, 5.11). The liquidation of an account counts by its own event, which names no position: it counts even
 * if the account's opens are not among the facts.
 */
function leaderboardOf(facts: readonly LedgerFact[]): Pick<Expected, 'traders' | 'traderTotals'> {
  const gains = facts.flatMap((entry): Gain[] => {
    const { fact } = entry
    switch (fact.kind) {
      case 'open':
        return [{ trader: fact.trader, pnl: 0n, volume: fact.size, isLiquidation: false }]
      case 'close':
      case 'reduce': {
        const { isKnown, size } = closedBy(entry, facts)
        return [{ trader: fact.trader, pnl: fact.pnl ?? 0n, volume: isKnown ? size : 0n, isLiquidation: false }]
      }
      case 'liquidation':
      case 'partial_liquidation':
      case 'cross_liquidation':
        return [{ trader: fact.trader, pnl: 0n, volume: 0n, isLiquidation: true }]
      case 'account_liquidation':
        return [{ trader: fact.trader, pnl: fact.totalPnl, volume: 0n, isLiquidation: false, isTrade: false }]
      default:
        return []
    }
  })
  const traders = [...Map.groupBy(gains, ({ trader }) => trader)].map(([trader, own]) => {
    const liquidations = own.filter(({ isLiquidation }) => isLiquidation).length
    return [trader, `${total(own.map(({ pnl }) => pnl))} ${total(own.map(({ volume }) => volume))} ${countTrades(own)} ${liquidations}`] as const
  })
  return { traders: Object.fromEntries(traders), traderTotals: `${traders.length} ${total(gains.map(({ volume }) => volume))} ${countTrades(gains)}` }
}

const countTrades = (gains: readonly Gain[]): number => gains.filter(({ isTrade = true }) => isTrade).length

function describeOpen(open: LedgerFact, facts: readonly LedgerFact[]): string {
  const { fact, closeSec } = open
  if (fact.kind !== 'open') return ''
  return `${fact.id} ${fact.trader} ${fact.asset} ${fact.direction} ${sizeAfter(open, facts)} ${fact.entryPrice} ${closeSec}`
}

function feedsOf(facts: readonly LedgerFact[], observations: Observations): Record<string, string[]> {
  const entries = facts.map((entry) => ({ entry, accounts: accountsOf(entry, facts, observations) }))
  const feed = (account: string): string[] =>
    entries.filter(({ accounts }) => accounts.includes(account)).map(({ entry }) => `${topicOf(entry.fact)} ${entry.ledger} ${entry.id}`).toReversed()
  return Object.fromEntries(TRADERS.map((account) => [account, feed(account)]))
}

/** The accounts of a fact: those that its event names, or the owner of the order that it ends, if known. */
function accountsOf({ fact, chain }: LedgerFact, facts: readonly LedgerFact[], observations: Observations): readonly string[] {
  if (fact.kind === 'other') return fact.names
  if (fact.kind !== 'order_end') return [fact.trader]
  const isReported = facts.some((other) => other.fact.kind === 'order_placed' && other.chain === chain
    && other.fact.market === fact.market && other.fact.id === fact.id)
  const observed = observations.orderOwners.get(`${chain} ${fact.market} ${fact.id}`)
  assert.ok(observed === undefined || observed === fact.trader, `order ${fact.id} was attributed to another account`)
  return isReported || observed !== undefined ? [fact.trader] : []
}

function topicOf(fact: Fact): string {
  switch (fact.kind) {
    case 'open':
      return 'position_opened'
    case 'close':
      return 'position_closed'
    case 'liquidation':
      return 'position_liquidated'
    case 'reduce':
      return 'position_reduced'
    case 'partial_liquidation':
      return 'position_partial_liq'
    case 'cross_liquidation':
    case 'account_liquidation':
      return 'cross_liq'
    case 'adl':
      return 'adl_executed'
    case 'bad_debt':
      return 'bad_debt_recorded'
    case 'order_placed':
      return 'order_placed'
    default:
      return fact.topic
  }
}

type Closing = Extract<Fact, { readonly closePrice: bigint }>

/** True if it closes a position, or part of one. */
function isClosing(fact: Fact): fact is Closing {
  return 'closePrice' in fact
}

const isPart = ({ kind }: Fact): boolean => kind === 'reduce' || kind === 'partial_liquidation'

/** Returns whether the open is among the earlier facts, and the size that was closed: all that was left by these facts, or the reported part. */
function closedBy(entry: LedgerFact, facts: readonly LedgerFact[]): { readonly isKnown: boolean; readonly size: bigint } {
  const { fact } = entry
  const earlier = facts.slice(0, facts.indexOf(entry))
  const open = earlier.find((other) => isOpenOf(other, entry))
  const reported = isClosing(fact) ? fact.size : 0n
  return { isKnown: open !== undefined, size: open === undefined || isPart(fact) || fact.kind === 'adl' ? reported : sizeAfter(open, earlier) }
}

/** Returns the size left of a position after these facts. */
function sizeAfter(open: LedgerFact, facts: readonly LedgerFact[]): bigint {
  const changes = facts.filter((entry) => isPart(entry.fact) && isOpenOf(open, entry))
  return changes.reduce((size, { fact }) => {
    if (fact.kind === 'reduce') return fact.remaining ?? size
    if (fact.kind !== 'partial_liquidation') return size
    return size > fact.size ? size - fact.size : 0n
  }, open.fact.kind === 'open' ? open.fact.size : 0n)
}

function isOpenOf(open: LedgerFact, { fact, chain }: LedgerFact): boolean {
  return open.fact.kind === 'open' && isClosing(fact) && open.chain === chain && open.fact.market === fact.market && open.fact.id === fact.id
}

/**
 * Open: not closed or liquidated itself, and no later cross liquidation of its trader unless it is known to be isolated. What was reduced after a cross
 * liquidation was not ended by it.
 */
function isOpen(open: LedgerFact, facts: readonly LedgerFact[], modes: ReadonlyMap<string, Mode>): boolean {
  const { fact } = open
  if (fact.kind !== 'open') return false
  const later = facts.slice(facts.indexOf(open) + 1)
  if (later.some((entry) => isOpenOf(open, entry) && (entry.fact.kind === 'close' || entry.fact.kind === 'liquidation'))) return false
  if (modes.get(`${open.chain} ${fact.market} ${fact.id}`) === 'isolated') return true
  const last = later.findLast((entry) => isOpenOf(open, entry) || (entry.chain === open.chain && entry.fact.kind === 'cross_liquidation'
    && entry.fact.market === fact.market && entry.fact.trader === fact.trader))
  return last?.fact.kind !== 'cross_liquidation'
}

function interestOf(open: readonly LedgerFact[], facts: readonly LedgerFact[]): Record<string, string> {
  const sums: Record<string, { long: bigint; short: bigint; count: number }> = {}
  for (const entry of open) {
    const { fact } = entry
    if (fact.kind !== 'open') continue
    const size = sizeAfter(entry, facts)
    const sum = (sums[fact.asset] ??= { long: 0n, short: 0n, count: 0 })
    if (fact.direction === 0) sum.long += size
    else sum.short += size
    sum.count += 1
  }
  return Object.fromEntries(Object.entries(sums).map(([asset, sum]) => [asset, `${sum.long} ${sum.short} ${sum.count}`]))
}

function marketOf(fact: Fact): string | undefined {
  return 'market' in fact ? fact.market : undefined
}

function total(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}
