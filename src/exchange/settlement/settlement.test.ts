// Rare settlements as hand-made transactions; test/contract compares common ones with the contracts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EntryChanges, PositionEntry } from '../contracts/entry-changes.ts'
import type { EventItem, SettlementInput, TransactionItem } from './position-changes.ts'
import { settlementOf } from './settlement.ts'

const [MARKET, VAULT, TRADER, KEEPER] = ['market', 'vault', 'trader', 'keeper']
const SYNCED = ['vault', 'exposure_synced', {}] as const

function entry(overrides: Partial<PositionEntry> = {}): PositionEntry {
  return {
    asset: 'BTC', collateral: 100n, direction: 0, entry_cumulative_funding: 0n, entry_price: 50n, id: 1, leverage: 10, liquidation_price: 0n, margin_mode: 0,
    size: 1_000n, timestamp: 0, trader: TRADER, ...overrides,
  }
}

function changesOf(positions: readonly PositionEntry[], crossBalance?: readonly [before: bigint, after: bigint]): EntryChanges {
  const [before, after] = crossBalance ?? []
  return {
    positions: new Map(positions.map((position) => [position.id, { before: position, after: null }])),
    orders: new Map(),
    crossBalances: before === undefined || after === undefined ? new Map() : new Map([[TRADER, { trader: TRADER, before, after }]]),
  }
}

type Item =
  | readonly [contract: EventItem['contract'], topic: string, payload: Readonly<Record<string, unknown>>]
  | readonly [from: string, to: string, amount: bigint]

function itemsOf(items: readonly Item[]): readonly TransactionItem[] {
  return items.map(([first, second, third], seq): TransactionItem =>
    typeof third === 'bigint' ? { type: 'transfer', from: first, to: second, amount: third }
      : { type: 'event', seq, contract: first as EventItem['contract'], topic: second, payload: third })
}

function settle(items: readonly Item[], changes: EntryChanges | null, more: Partial<SettlementInput> = {}) {
  return settlementOf({ items: itemsOf(items), changes, contracts: { market: MARKET, vault: VAULT }, ...more })
}

const closed = (pnl: bigint): Item => ['market', 'position_closed', { positionId: 1, trader: TRADER, size: 1_000n, closePrice: 40n, pnl }]
const executed = (keeperReward: bigint): Item => ['market', 'order_executed', { orderId: 9, keeperReward }]
const settledResult = (pnl: bigint): Item => ['vault', 'pnl_settled', { pnl }]

test('before build 2.2, funding that a bankrupt trader received is not taken for a part of the loss', () => {
  const items: readonly Item[] = [settledResult(-130n), [MARKET, VAULT, 100n], [VAULT, MARKET, 10n], [MARKET, TRADER, 10n], SYNCED, closed(-130n)]
  const [change] = settle(items, changesOf([entry()]), { generation: '2.1' })
  assert.deepEqual([change?.funding, change?.payout, change?.collateral, change?.keeperReward], [-10n, 10n, 100n, 0n])
})

test('a profit that the pool could not pay in full is not taken for funding', () => {
  const items: readonly Item[] = [
    settledResult(50n), ['vault', 'payout_shortfall', { shortfall: 20n }], [VAULT, MARKET, 30n], [MARKET, TRADER, 130n], SYNCED, closed(50n),
  ]
  for (const generation of ['2.1', '2.3'] as const) {
    const [change] = settle(items, changesOf([entry()]), { generation })
    assert.deepEqual([change?.funding, change?.payout], [0n, 130n])
  }
})

test('a reduction settles the collateral that the position lost', () => {
  const changes = { ...changesOf([]), positions: new Map([[1, { before: entry(), after: entry({ collateral: 60n, size: 600n }) }]]) }
  const reduced: Item = ['market', 'position_reduced', { positionId: 1, trader: TRADER, closedSize: 400n, price: 50n, pnl: 0n }]
  const [change] = settle([settledResult(0n), [MARKET, TRADER, 40n], SYNCED, reduced], changes, { generation: '2.3' })
  assert.deepEqual([change?.kind, change?.size, change?.collateral, change?.payout, change?.funding], ['reduce', 400n, 40n, 40n, 0n])
})

test('a liquidation of generation 2 returns what is left, and what cannot be read is unknown', () => {
  const liquidated: Item = ['market', 'position_liquidated', { positionId: 1, trader: TRADER, size: 1_000n, pnl: -70n, keeperReward: 2n }]
  const settlement = (refund: unknown, penalty: unknown): unknown => {
    const items: readonly Item[] = [[MARKET, VAULT, 73n], ['market', 'liq_refund', { positionId: 1, refund, penalty }], SYNCED, liquidated]
    const [change] = settle(items, changesOf([entry()]), { generation: '2.3' })
    return [change?.funding, change?.penalty, change?.payout]
  }
  assert.deepEqual(settlement(17n, 10n), [3n, 10n, 17n])
  assert.deepEqual(settlement(null, 10n), [null, 10n, null])
  assert.deepEqual(settlement(17n, null), [null, null, 17n])
})

test('an executed order pays the keeper, the trader, or both, as the transfers show', () => {
  const paid = (transfers: readonly Item[], changes: EntryChanges | null = changesOf([entry()]), received = 0n): unknown => {
    const loss: readonly Item[] = received === 0n ? [] : [[MARKET, VAULT, received]]
    const [change] = settle([settledResult(-received), ...loss, SYNCED_BEFORE, ...transfers, SYNCED, closed(-received), executed(10n)], changes)
    return [change?.orderId, change?.keeperReward, change?.payout]
  }
  // Ends what came before the payments.
  const SYNCED_BEFORE: Item = ['vault', 'loss_received', { amount: 0n }]
  assert.deepEqual(paid([[MARKET, KEEPER, 10n], [MARKET, TRADER, 90n]]), [9, 10n, 90n])
  assert.deepEqual(paid([[MARKET, TRADER, 11n]]), [9, 0n, 11n], 'more than the reward is the trader\'s, whatever is left')
  assert.deepEqual(paid([[MARKET, TRADER, 10n]]), [9, 10n, 0n], 'the trader is the keeper, who comes first')
  assert.deepEqual(paid([[MARKET, TRADER, 10n]], changesOf([entry()]), 100n), [9, 0n, 10n], 'nothing was left for a keeper')
  assert.deepEqual(paid([[MARKET, KEEPER, 4n]]), [9, 4n, 0n])
  // Without the entries it is unknown whose a small amount is.
  const unknown = { ...changesOf([]), positions: new Map() }
  assert.deepEqual(paid([[MARKET, TRADER, 10n]], unknown), [9, null, null])
  assert.deepEqual(paid([[MARKET, TRADER, 10n]], null), [9, null, null])
})

test('a position of a liquidated account has its exact funding when the vault reports the result, also with bad debt of the account', () => {
  const entryOf = (id: number): PositionEntry => entry({ id, margin_mode: 1 })
  const leg = (id: number, pnl: bigint): Item => ['market', 'position_liquidated', { positionId: id, trader: TRADER, size: 1_000n, pnl, keeperReward: 0n }]
  const total: Item = ['market', 'cross_liq', { trader: TRADER, keeperReward: 0n }]
  const debt: Item = ['market', 'bad_debt_recorded', { amount: 5n }]
  const changes = changesOf([entryOf(1), entryOf(2)], [0n, 0n])
  const fundings = (items: readonly Item[]): unknown => settle(items, changes, { generation: '2.3' }).map(({ funding }) => funding)
  assert.deepEqual(fundings([settledResult(27n), SYNCED, leg(1, 30n), settledResult(-40n), SYNCED, leg(2, -38n), debt, total]), [3n, 2n])
  // The second one owed its result: the vault received it and reports none.
  const owed: readonly Item[] = [settledResult(27n), SYNCED, leg(1, 30n), [MARKET, VAULT, 60n], SYNCED, leg(2, -55n)]
  assert.deepEqual(fundings([...owed, total]), [3n, 5n])
  assert.deepEqual(fundings([...owed, debt, total]), [3n, null], 'how much was owed is unknown')
  const unreadable: Item = ['vault', 'pnl_settled', { pnl: 'unreadable' }]
  assert.deepEqual(fundings([unreadable, SYNCED, leg(1, 30n), settledResult(-40n), SYNCED, leg(2, -38n), total]), [null, 2n])
})

test('the positions of a liquidated account of generation 1 are distinguished by asset and size', () => {
  const release = (asset: string, size: bigint): Item => ['vault', 'exposure_synced', { asset, release: size }]
  const positions = [
    entry({ id: 1, margin_mode: 1 }), entry({ id: 2, margin_mode: 1, size: 2_000n, collateral: 200n }), entry({ id: 3, margin_mode: 1, asset: 'ETH' }),
  ]
  const results: readonly Item[] = [
    settledResult(-30n), release('BTC', 1_000n), settledResult(-50n), release('BTC', 2_000n), settledResult(-20n), release('ETH', 1_000n),
  ]
  const total: Item = ['market', 'cross_liq', { trader: TRADER, keeperReward: 40n }]
  const fundingGrowth = new Map(positions.map(({ id }) => [id, 0n]))
  const changes = settle([...results, [MARKET, KEEPER, 40n], total], changesOf(positions, [60n, 0n]), { fundingGrowth, generation: '1' })
  assert.deepEqual(changes.map(({ positionId, pnl, keeperReward }) => [positionId, pnl, keeperReward]), [[1, -30n, 10n], [2, -50n, 20n], [3, -20n, 10n]])
  // Of 60 and 400 USDC, losses of 100 leave 360.
  assert.deepEqual(changes.map(({ penalty, payout }) => [penalty, payout]), [[90n, -20n], [180n, -30n], [90n, -10n]])
  assert.equal(changes.reduce((sum, { payout }) => sum + (payout ?? 0n), 0n), -60n, 'the balance is emptied')
})

test('a cross position settles into the balance, less what its keeper received', () => {
  const reward: Item = [MARKET, KEEPER, 4n]
  for (const end of [[reward, SYNCED], [SYNCED, reward]]) {
    const items: readonly Item[] = [settledResult(30n), [VAULT, MARKET, 30n], ...end, closed(30n), executed(10n)]
    const [change] = settle(items, changesOf([entry({ margin_mode: 1 })], [0n, 500n]), { generation: '2.3' })
    assert.deepEqual([change?.marginMode, change?.keeperReward, change?.funding, change?.payout], ['cross', 4n, 0n, 126n], 'whatever else the balance received')
  }
  // Nothing is left for the keeper: the small loss went to the vault.
  const items: readonly Item[] = [[MARKET, VAULT, 9n], SYNCED, closed(-9n), executed(10n)]
  const [change] = settle(items, changesOf([entry({ margin_mode: 1 })], [0n, 500n]), { generation: '2.3' })
  assert.deepEqual([change?.keeperReward, change?.payout], [0n, 91n])
})

test('a position of a liquidated account pays its penalty after the report, and funds that a bankrupt account leaves are in no payout', () => {
  const entryOf = (id: number): PositionEntry => entry({ id, margin_mode: 1 })
  const leg = (id: number, pnl: bigint, keeperReward: bigint): Item =>
    ['market', 'position_liquidated', { positionId: id, trader: TRADER, size: 1_000n, pnl, keeperReward }]
  const total: Item = ['market', 'cross_liq', { trader: TRADER, keeperReward: 5n }]
  const penalty: readonly Item[] = [[MARKET, KEEPER, 5n], [MARKET, VAULT, 6n], ['vault', 'buffer_funded', { amount: 6n }]]
  const [healthy] = settle([[MARKET, VAULT, 60n], SYNCED, ...penalty, leg(1, -60n, 5n), total], changesOf([entryOf(1)], [0n, 29n]), { generation: '2.3' })
  assert.deepEqual([healthy?.penalty, healthy?.keeperReward, healthy?.funding, healthy?.payout], [11n, 5n, 0n, 29n])
  // Of a loss of 250 the pool of 50 and the collateral of 100 pay 150. The collateral and the profit of the second position stay in the market.
  const bankrupt: readonly Item[] = [
    [MARKET, VAULT, 150n], SYNCED, leg(1, -250n, 0n), settledResult(40n), [VAULT, MARKET, 40n], SYNCED, leg(2, 40n, 0n),
    ['market', 'bad_debt_recorded', { trader: TRADER, amount: 100n }], total,
  ]
  const legs = settle(bankrupt, changesOf([entryOf(1), entryOf(2)], [50n, 0n]), { generation: '2.3' })
  assert.deepEqual(legs.map(({ payout }) => payout), [-50n, 0n])
})

test('a cross open whose fee is discounted in full transfers nothing', () => {
  const position = entry({ margin_mode: 1, leverage: 10 })
  const changes = { ...changesOf([], [100n, 0n]), positions: new Map([[1, { before: null, after: position }]]) }
  const opened: Item = ['market', 'position_opened', { positionId: 1, trader: TRADER, asset: 'BTC', direction: 0, size: 1_000n, entryPrice: 50n }]
  const fees = [changes, null].map((known) => settle([SYNCED, opened], known, { generation: '2.3' })[0]?.fee)
  assert.deepEqual(fees, [0n, null])
})

test('what several changes in one transaction leave ambiguous is unknown', () => {
  const changes = { ...changesOf([]), positions: new Map([[1, { before: entry(), after: entry({ collateral: 20n, size: 200n }) }]]) }
  const reduced: Item = ['market', 'position_reduced', { positionId: 1, trader: TRADER, closedSize: 400n, price: 50n, pnl: 0n }]
  const round: readonly Item[] = [settledResult(0n), [MARKET, TRADER, 40n], SYNCED, reduced]
  assert.deepEqual(settle([...round, ...round], changes, { generation: '2.3' }).map(({ collateral }) => collateral), [null, null])
  const twins = [entry({ id: 1, margin_mode: 1 }), entry({ id: 2, margin_mode: 1 })]
  const release: Item = ['vault', 'exposure_synced', { asset: 'BTC', release: 1_000n }]
  const items: readonly Item[] = [settledResult(-30n), release, settledResult(-50n), release, ['market', 'cross_liq', { trader: TRADER, keeperReward: 0n }]]
  const liquidated = settle(items, changesOf(twins), { fundingGrowth: new Map(twins.map(({ id }) => [id, 0n])), generation: '1' })
  assert.deepEqual(liquidated.map(({ pnl, payout }) => [pnl, payout]), [[null, null], [null, null]])
})

test('the funding of a bankrupt position is unknown without its collateral or its debt', () => {
  const fundingOf = (debt: unknown, changes: EntryChanges | null, pnl = -90n): unknown => {
    const liquidated: Item = ['market', 'position_liquidated', { positionId: 1, trader: TRADER, size: 1_000n, pnl, keeperReward: 0n }]
    return settle([['market', 'bad_debt_recorded', { amount: debt }], SYNCED, liquidated], changes, { generation: '2.3' })[0]?.funding
  }
  // 10 are left for the 12 that it owed.
  assert.deepEqual([fundingOf(2n, changesOf([entry()])), fundingOf('?', changesOf([entry()])), fundingOf(2n, null)], [10n, null, null])
  assert.equal(fundingOf(20n, changesOf([entry()]), -130n), -10n, 'funding that it earned was settled against the loss')
})
