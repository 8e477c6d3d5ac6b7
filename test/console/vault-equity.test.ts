// The equity of a trader vault from its trades: what is open, what it is worth, and a curve in which an open is no loss.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VaultSample, VaultTrade } from '../../client/src/generated/resources.ts'
import { equityOf, positionsAt, samplesAtCost } from '../../console/pools/vault-equity.ts'

const ONE = 10_000_000n
const usdc = (value: number): string => String(BigInt(value) * ONE)
const BASE = { vaultId: 1, leader: 'G', ts: 1, txHash: '', asset: 'BTC', direction: 0, price: usdc(100) }

function open(positionId: string, ledger: number, collateral: number, size: number): VaultTrade {
  return { ...BASE, id: ledger, ledger, positionId, action: 'open', collateral: usdc(collateral), pnl: null, size: usdc(size) }
}
function close(positionId: string, ledger: number, size: number | null): VaultTrade {
  return { ...BASE, id: ledger, ledger, positionId, action: 'close', collateral: '0', pnl: '0', size: size === null ? null : usdc(size) }
}
const idsAt = (trades: readonly VaultTrade[], ledger = Infinity): readonly string[] => positionsAt(trades, ledger).map(({ positionId }) => positionId)

test('a position is open until all of its size is closed, and keeps its collateral in proportion', () => {
  const trades = [close('2', 40, 50), open('3', 30, 10, 20), close('1', 25, 40), open('2', 20, 100, 200), open('1', 10, 20, 40)]
  assert.deepEqual(idsAt(trades), ['3', '2'])
  assert.deepEqual(positionsAt(trades, Infinity).map(({ size, collateral }) => [size, collateral]), [[20n * ONE, 10n * ONE], [150n * ONE, 75n * ONE]])
  assert.deepEqual([idsAt(trades, 9), idsAt(trades, 10), idsAt(trades, 24), idsAt(trades, 25)], [[], ['1'], ['2', '1'], ['2']])
  assert.deepEqual(idsAt([close('1', 30, 25), close('1', 20, 15), open('1', 10, 20, 40)]), [], 'closed in parts')
  assert.deepEqual(idsAt([close('1', 30, null), open('1', 10, 20, 40)]), [], 'a close of unknown size')
  assert.deepEqual(positionsAt([{ ...open('1', 10, 20, 40), size: null }], Infinity).map(({ size, collateral }) => [size, collateral]), [[null, 20n * ONE]])
})

test('equity is cash, collateral and profit at live prices; a lost position counts nothing', () => {
  const trades = [{ ...open('2', 20, 10, 100), direction: 1 }, open('1', 10, 100, 500)]
  const at = (price: number) => equityOf({ cash: usdc(400), expected: 2 }, trades, () => usdc(price))?.value
  assert.equal(at(100), 510n * ONE, 'an open is not a loss')
  // 500 × 10 % of profit, and 100 × 10 % of loss, which is all of the second collateral.
  assert.equal(at(110), 550n * ONE)
  assert.equal(at(150), 750n * ONE, 'no more than its collateral is lost')
})

test('equity is unknown while a price, a trade or a position is', () => {
  const trades = [open('1', 10, 100, 500)]
  const price = (): string => usdc(100)
  assert.equal(equityOf({ cash: '1', expected: 2 }, trades, price), null, 'an older open is not loaded')
  assert.equal(equityOf({ cash: '1', expected: 1 }, trades, () => undefined), null)
  assert.equal(equityOf({ cash: '1', expected: 1 }, [{ ...open('1', 10, 100, 500), asset: null }], price), null)
  assert.equal(equityOf({ cash: '1', expected: 0 }, [], price)?.value, 1n)
})

test('the curve contains the collateral of positions that were open, and begins where the trades do', () => {
  const sample = (ledger: number, totalUsdc: number): VaultSample => ({
    time: ledger, ledger, sharePrice: '0', totalUsdc: usdc(totalUsdc), circulatingShares: usdc(500), hwmNav: '0', deposits: '0', withdrawals: '0',
  })
  const trades = [close('1', 30, 40), open('1', 20, 100, 40)]
  const samples = [sample(40, 510), sample(25, 400), sample(15, 500)]
  const values = (hasOlder: boolean) => samplesAtCost(samples, trades, hasOlder).map(({ value }) => value / ONE)
  assert.deepEqual(values(false), [510n, 500n, 500n])
  assert.deepEqual(values(true), [510n, 500n])
})
