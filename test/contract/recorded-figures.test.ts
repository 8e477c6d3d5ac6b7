// Margins, liquidation prices and quotes of the gateway against recorded calls of the published contracts: what they say before a call, and what it did.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountEntries } from '../../src/accounts/entries.ts'
import { poolAfter, settlementPrice } from '../../src/accounts/margin-math.ts'
import { buildState } from '../../src/accounts/state.ts'
import type { StoredPosition } from '../../src/chain/views/market-entries.ts'
import type { AccountState } from '../../src/resources/account-state.ts'
import { readVectors, vectorsMissing } from '../../localnet/test/contracts/recorded-calls.ts'
import type { RecordedArgument } from '../../localnet/test/contracts/recorded-calls.ts'
import { assetOf, configOf, positionsOf, secondsIn, tiersOf, volumeDays } from './recorded-entries.ts'
import { amountIn, BUILD, checkEach, entryIn, isSuccess, settlementState, stored, TRADERS, valueIn } from './recorded-transactions.ts'
import type { RecordedState, RecordedTransaction } from './recorded-transactions.ts'

function accountEntries(state: RecordedState, trader: string): AccountEntries {
  const positions = positionsOf(state, trader)
  return {
    ledger: 1, generation: BUILD, positions, orders: [], peaks: new Map(), config: configOf(state), paused: false, xlm: 0n, usdc: 0n, lp: 0n,
    crossPool: amountIn(stored(state, `CrossMarginBalance(@${trader})`)),
    assets: new Map(positions.map(({ asset }) => [asset, assetOf(state, asset)])),
    riskEpochSec: secondsIn(stored(state, 'RiskEpochTs')),
    volume: volumeDays(state, trader).reduce((sum, day) => sum + day, 0n),
    feeTiers: tiersOf(state),
  }
}

/** The account as the gateway shows it right before the call. Undefined when a price cannot be read. */
function accountBefore({ before }: RecordedTransaction, trader: string): AccountState | undefined {
  const entries = accountEntries(before, trader)
  const quotes = new Map(entries.positions?.flatMap(({ asset }) => {
    const price = before.prices.get(asset)
    return price === undefined || price === null || price.price <= 0n ? [] : [[asset, price] as const]
  }))
  if (entries.config === undefined || entries.positions?.some(({ asset }) => !quotes.has(asset)) !== false) return undefined
  return buildState(trader, { entries, quotes, closeSec: before.nowSec })
}

const errorOf = ({ result }: RecordedTransaction): unknown => ('err' in result ? result.err : null)
const numberIn = (argument: RecordedArgument | undefined): bigint => BigInt(valueIn(argument))

test('an account is liquidatable exactly when the published contracts liquidate it', { skip: vectorsMissing }, () => {
  const seen = new Map<string, number>()
  checkEach(readVectors(), (transaction) => {
    if (transaction.functionName !== 'liquidate_cross_account') return
    const error = errorOf(transaction)
    const account = accountBefore(transaction, valueIn(transaction.args[1]))
    if (account === undefined || (error !== null && ![78, 83, 86].includes(error as number))) return
    assert.equal(account.cross.liquidatable, error !== 78)
    seen.set(String(error), (seen.get(String(error)) ?? 0) + 1)
  })
  assert.ok((seen.get('null') ?? 0) > 0 && (seen.get('78') ?? 0) > 0, JSON.stringify([...seen]))
})

test('a withdrawal succeeds up to what is shown as withdrawable', { skip: vectorsMissing }, () => {
  let compared = 0
  checkEach(readVectors(), (transaction) => {
    if (transaction.functionName !== 'withdraw_cross_margin') return
    const [error, amount] = [errorOf(transaction), numberIn(transaction.args[1])]
    const account = accountBefore(transaction, valueIn(transaction.args[0]))
    if (account === undefined || (error !== null && ![30, 76, 77].includes(error as number))) return
    assert.equal(amount <= BigInt(account.cross.withdrawable ?? -1), error === null, `${amount} of ${account.cross.withdrawable}`)
    compared += 1
  })
  assert.ok(compared > 0)
})

test('an isolated position is liquidated exactly from its liquidation price on', { skip: vectorsMissing }, () => {
  let compared = 0
  checkEach(readVectors(), (transaction) => {
    const { functionName, args, before } = transaction
    if (functionName !== 'liquidate') return
    const position = (entryIn(stored(before, `Position(${numberIn(args[1])})`)) as StoredPosition | undefined)
    const [error, config] = [errorOf(transaction), configOf(before)]
    if (position === undefined || position.margin_mode === 1 || config === undefined) return
    if (error !== null && ![10, 50, 83, 86].includes(error as number)) return
    const shown = accountBefore(transaction, position.trader)?.positions?.find(({ positionId }) => positionId === position.id)
    const quote = before.prices.get(position.asset)
    if (shown === undefined || quote === undefined || quote === null) return
    const price = settlementPrice(quote.price, assetOf(before, position.asset).lastGoodPrice ?? null, config, before.nowSec) ?? assert.fail()
    const limit = BigInt(shown.liquidationPrice ?? 0)
    assert.equal(position.direction === 0 ? price <= limit : price >= limit, error !== 50, `${price} and ${limit}`)
    compared += 1
  })
  assert.ok(compared > 0)
})

test('a close pays what is shown as its value, and leaves the pool that the margin figures predict', { skip: vectorsMissing }, () => {
  const seen = { isolated: 0, cross: 0 }
  checkEach(readVectors(), (transaction) => {
    const { functionName, args, before, after, items, result } = transaction
    if (!['close_position', 'close_position_cross'].includes(functionName) || !isSuccess(transaction) || !('ok' in result)) return
    if (items.some((item) => item.type === 'event' && item.topic === 'payout_shortfall')) return
    const [trader, id] = [valueIn(args[0]), Number(numberIn(args[1]))]
    const shown = accountBefore(transaction, trader)?.positions?.find(({ positionId }) => positionId === id)
    const position = (entryIn(stored(before, `Position(${id})`)) as StoredPosition | undefined)
    if (shown === undefined || position === undefined || !TRADERS.includes(trader)) return
    const [earlier, later] = [settlementState(before, 'keeper'), settlementState(after, 'keeper')]
    if (functionName === 'close_position_cross') {
      const close = { position, pnl: amountIn(result.ok), funding: BigInt(shown.accruedFunding ?? assert.fail()) }
      assert.equal(later.pools.get(trader), poolAfter(earlier.pools.get(trader) ?? 0n, close, BUILD))
      seen.cross += 1
    } else if (position.margin_mode === 0) {
      assert.equal((later.wallets.get(trader) ?? 0n) - (earlier.wallets.get(trader) ?? 0n), BigInt(shown.closeValue ?? assert.fail()))
      seen.isolated += 1
    }
  })
  assert.ok(seen.isolated > 0 && seen.cross > 0, JSON.stringify(seen))
})
