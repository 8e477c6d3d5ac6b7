// The gateway's computation from the events and entries of a transaction, against recorded calls of the published contracts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tradeEffects } from '../../src/exchange/settlement/trade-effects.ts'
import type { TradeEffects } from '../../src/exchange/settlement/trade-effects.ts'
import { readVectors, vectorsMissing } from '../../localnet/test/contracts/recorded-calls.ts'
import type { RecordedArgument } from '../../localnet/test/contracts/recorded-calls.ts'
import { checkOperation, createTotals } from './cash-check.ts'
import { amountIn, archivedEvents, BUILD, checkEach, isSuccess, settlementState, usdcOf, valueIn } from './recorded-transactions.ts'
import type { RecordedTransaction } from './recorded-transactions.ts'
import { changesBetween, checkSettlement } from './settlement-check.ts'
import type { State } from './settlement-check.ts'

const KEEPER_CALLS: ReadonlySet<string> = new Set(['execute_order', 'liquidate', 'liquidate_cross_account', 'adl_close'])
const CONTRACTS = { market: 'market', vault: 'vault', vaultFactory: 'factory', usdcToken: 'usdc', router: 'router' }

/** Some scenarios use the published referral contract, the others a stand-in. */
const referralOf = ({ after }: RecordedTransaction): string =>
  [...after.storage].some(([key, value]) => key.startsWith('market/I/') && value === '@registry') ? 'registry' : 'referral'

const forEachSuccess = (check: (transaction: RecordedTransaction) => void): void =>
  checkEach(readVectors(), (transaction) => (isSuccess(transaction) ? check(transaction) : undefined))

const keeperOf = ({ functionName, args }: RecordedTransaction): string => (KEEPER_CALLS.has(functionName) ? valueIn(args[0]) : 'keeper')

test('every recorded change of a position is settled as the published contracts did', { skip: vectorsMissing }, () => {
  const seen = new Map<string, number>()
  forEachSuccess((transaction) => {
    const { functionName, items, before, after } = transaction
    const keeper = keeperOf(transaction)
    const outcome = { before: settlementState(before, keeper), after: settlementState(after, keeper), items }
    checkSettlement({ name: functionName, generation: BUILD, isNet: true, seen, keeper, contracts: CONTRACTS }, outcome)
  })
  for (const kind of ['liquidation cross ', 'liquidation isolated ', 'partial_liquidation isolated ', 'adl isolated ', 'close cross order']) {
    assert.ok(seen.has(kind), `${kind}: ${JSON.stringify([...seen])}`)
  }
})

test('the account ledger explains every recorded movement of USDC', { skip: vectorsMissing }, () => {
  const totals = createTotals()
  forEachSuccess((transaction) => {
    const { functionName, before, after } = transaction
    const [earlier, later] = [settlementState(before, 'keeper'), settlementState(after, 'keeper')]
    const pools = new Map([...later.pools].map(([trader, amount]) => [trader, amount - (earlier.pools.get(trader) ?? 0n)]))
    const holders = [...after.balances.keys()].filter((key) => key.startsWith('usdc:')).map((key) => key.slice('usdc:'.length))
    const contracts = { ...CONTRACTS, referral: referralOf(transaction) }
    const accounts = holders.filter((holder) => !Object.values(contracts).includes(holder))
    const wallets = new Map(accounts.map((account) => [account, usdcOf(after, account) - usdcOf(before, account)]))
    const operation = { name: functionName, events: archivedEvents(transaction), changes: changesBetween(earlier, later), wallets, pools }
    // Direct transfers between accounts concern no contract of the exchange.
    if (transaction.contract === 'usdc') return
    const rows = checkOperation(operation, totals, contracts)
    for (const { account, kind } of rows) assert.ok(kind !== 'other' || WITHOUT_KIND.has(functionName) || account === 'treasury', `${account}: ${kind}`)
  })
  assert.ok(totals.calls > 0)
})

/** Calls whose movements have no kind of their own. */
const WITHOUT_KIND: ReadonlySet<string> = new Set([
  'add_collateral', 'remove_collateral', 'claim_shortfall', 'execute_recovery', 'pay_from_buffer', 'seed_buffer', 'settle_pnl',
])

test('the bad debt of the events is what the published vault covered and absorbed', { skip: vectorsMissing }, () => {
  let debts = 0
  forEachSuccess(({ contract, items, before, after }) => {
    if (contract !== 'market') return
    const recorded = items.flatMap((item) => (item.type === 'event' && item.topic === 'bad_debt_recorded' ? [item.payload ?? {}] : []))
    for (const [field, key] of [['bufferCovered', 'CumBadDebtCovered'], ['lpAbsorbed', 'CumBadDebtLpAbsorbed']] as const) {
      const sum = recorded.reduce((total, payload) => total + BigInt(String(payload[field])), 0n)
      assert.equal(amountIn(after.storage.get(`vault/P/${key}`)) - amountIn(before.storage.get(`vault/P/${key}`)), sum, field)
    }
    debts += recorded.length
  })
  assert.ok(debts > 0)
})

const TRADES: ReadonlySet<string> = new Set([
  'open_position', 'open_position_cross', 'close_position', 'close_position_cross', 'close_position_partial', 'add_collateral', 'remove_collateral',
  'place_limit_order', 'cancel_order', 'set_stop_loss', 'set_take_profit', 'place_trailing_stop',
])

test('a preview of every recorded trade has the figures that the published contracts booked', { skip: vectorsMissing }, () => {
  let previews = 0
  forEachSuccess((transaction) => {
    const { contract, functionName, args, items, before, after, result } = transaction
    if (contract !== 'market' || !TRADES.has(functionName)) return
    const account = valueIn(args[0])
    const [earlier, later] = [settlementState(before, 'keeper'), settlementState(after, 'keeper')]
    const effects = tradeEffects({
      account,
      changes: changesBetween(earlier, later),
      events: items.flatMap((item) => (item.type === 'event' ? [{ contract: item.contract, topic: item.topic, payload: item.payload ?? {} }] : [])),
      transfers: items.flatMap((item) => (item.type === 'transfer' && (item.from === account || item.to === account) ? [item] : [])),
    })
    previews += 1
    const gained = (of: (state: State) => ReadonlyMap<string, bigint>): bigint => (of(later).get(account) ?? 0n) - (of(earlier).get(account) ?? 0n)
    assert.equal(gained(({ wallets }) => wallets) + gained(({ pools }) => pools), (effects.payout ?? 0n) - spentIn(functionName, effects, args))
    if (functionName.startsWith('close_position')) assert.equal(effects.pnl, 'ok' in result ? amountIn(result.ok) : null)
    const stored = effects.positionId === null ? undefined : later.positions.get(effects.positionId)
    if (stored === undefined || effects.position === null) return
    assert.deepEqual([effects.position, effects.size === null ? null : effects.entryPrice], [stored, stored.entry_price])
    if (stored.margin_mode === 0) assert.equal(effects.liquidationPrice, stored.liquidation_price > 0n ? stored.liquidation_price : null)
  })
  assert.ok(previews > 0)
})

/** Returns the amount that a trade takes from the account's wallet and its cross balance together. */
function spentIn(functionName: string, { collateral, fee }: TradeEffects, args: readonly RecordedArgument[]): bigint {
  if (functionName.startsWith('open_position')) return (collateral ?? 0n) + (fee ?? 0n)
  if (functionName === 'place_limit_order') return collateral ?? 0n
  return functionName === 'add_collateral' ? BigInt(valueIn(args[2])) : 0n
}
