// The parts of the console that need no browser: number formats, transaction descriptions, freshness, and vault curves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findContractFunction } from '../../console/contract-functions.ts'
import { explain } from '../../console/explain.ts'
import { amount, duration, parseAmount, percent, plain, price, profitByPrice, rate, short, signed, UNKNOWN } from '../../console/format.ts'
import { connectionOf, indexAgeSec, indexFreshness, priceAgeSec, priceFreshness } from '../../console/freshness.ts'
import { countdown, drawdowns, leastOf, realisedCurve, roomForOthers, sharesFor, usdcFor } from '../../console/pools/figures.ts'
import type { CallTransaction } from '../../client/src/envelope.ts'
import type { AdlRow, VaultTrade } from '../../client/src/generated/resources.ts'
import { mergeNewest, mergeOlder } from '../../console/state/page-rows.ts'
import { adlPlaces } from '../../console/trade/adl-places.ts'
import { ACTION_NAMES, actionDefinition } from '../../src/exchange/actions.ts'
import { OPERATION_NAMES, operationDefinition } from '../../src/exchange/operations.ts'
import { fc } from '../support/fuzz.ts'

test('rounds amounts half away from zero and groups thousands without converting to floats', () => {
  const cases: readonly (readonly [string, number, string])[] = [
    ['0', 2, '0.00'], ['49999', 2, '0.00'], ['50000', 2, '0.01'], ['-50000', 2, '−0.01'], ['-49999', 2, '0.00'], ['12345678900000', 2, '1,234,567.89'],
    ['99999999', 0, '10'], ['90071992547409930000001', 7, '9,007,199,254,740,993.0000001'], ['-10000000', 0, '−1'],
  ]
  for (const [text, decimals, formatted] of cases) assert.equal(amount(text, decimals), formatted)
  assert.deepEqual([signed('10000000'), signed('-10000000'), signed('0'), signed('49999')], ['+1.00', '−1.00', '0.00', '0.00'])
  assert.deepEqual([price('923701797515'), price('2683020'), price('21842000'), price('317000000')], ['92,370.18', '0.268302', '2.1842', '31.700'])
  assert.deepEqual([price('30968'), price('1'), price('-30968')], ['0.0030968', '0.0000001', '−0.0030968'])
  assert.deepEqual([rate('-7100'), rate('12345'), rate('-1')], ['−0.0710%', '0.1235%', '0.0000%'])
  assert.deepEqual([amount(null), signed(null), price(null)], [UNKNOWN, UNKNOWN, UNKNOWN])
})

test('parses what plain() formats, and rejects other text', () => {
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 19n }), (value) => assert.equal(parseAmount(plain(String(value))), String(value))))
  assert.deepEqual(['1,000', '1,000,000.5', ' 7 ', '0.0000001'].map(parseAmount), ['10000000000', '10000005000000', '70000000', '1'])
  for (const text of ['', '-1', '1.', '.5', '1e3', '0x10', '1.00000001', '1 000', 'NaN', '１', '99999999999999']) assert.equal(parseAmount(text), null, text)
})

test('formats durations, percentages and shortened addresses', () => {
  assert.deepEqual([0, 119, 120, 7_199, 7_200, 172_800, -5].map(duration), ['0 s', '119 s', '2 min', '120 min', '2 h', '2 days', '0 s'])
  assert.deepEqual([percent(50), percent(10_000)], ['0.50%', '100.00%'])
  assert.deepEqual([short('GABCDEFGHIJ'), short('GABCDEFGH'), short('abc')], ['GABC…GHIJ', 'GABCDEFGH', 'abc'])
})

test('profit from the price change follows the side, and is null without a price', () => {
  const position = { size: '1000000000', entryPrice: '200000000', direction: 0 }
  assert.equal(profitByPrice(position, '210000000'), '50000000')
  assert.equal(profitByPrice({ ...position, direction: 1 }, '210000000'), '-50000000')
  assert.equal(profitByPrice(position, undefined), null)
  assert.equal(profitByPrice({ ...position, entryPrice: '0' }, '1'), null)
})

test('a list in pages keeps its older rows when the newest page is read again, and restarts when rows between them were missed', () => {
  const idOf = (row: string): string => row.slice(0, 1)
  const page = (rows: readonly string[], hasMore = true) => ({ rows, hasMore })
  assert.deepEqual(mergeNewest([], page(['c', 'b']), idOf), { rows: ['c', 'b'], isRestarted: true })
  const read = mergeOlder(['c', 'b'], ['b', 'a'], idOf)
  assert.deepEqual(read, ['c', 'b', 'a'])
  assert.deepEqual(mergeNewest(read, page(['d', 'c changed']), idOf), { rows: ['d', 'c changed', 'b', 'a'], isRestarted: false })
  // A row that has another identity now is not shown twice.
  assert.deepEqual(mergeNewest(['x', 'b', 'a'], page(['c', 'b']), idOf), { rows: ['c', 'b', 'a'], isRestarted: false })
  assert.deepEqual(mergeNewest(read, page(['f', 'e']), idOf), { rows: ['f', 'e'], isRestarted: true })
  assert.deepEqual(mergeNewest(read, page(['b'], false), idOf), { rows: ['b'], isRestarted: true })
})

test('a position has its rank in the auto-deleveraging queue of its asset', () => {
  const row = (positionId: number, rank: number, quintile: number) => ({ positionId, rank, quintile }) as AdlRow
  const places = adlPlaces([{ rows: [row(7, 1, 1), row(3, 2, 3)] }, { rows: [row(9, 1, 1)] }])
  assert.deepEqual([places.get(3), places.get(9), places.get(4)], [{ rank: 2, quintile: 3, of: 2 }, { rank: 1, quintile: 1, of: 1 }, undefined])
})

const G = `G${'A'.repeat(55)}`
const CONTRACTS = { market: 'CM', vault: 'CV', oracleShim: 'CO', router: 'CR', usdcToken: 'CU', lpToken: 'CL', vaultFactory: 'CF', referral: 'CX' }

function transaction(functionName: string, args: CallTransaction['call']['args'], transfers: CallTransaction['authorizations'] = []): CallTransaction {
  const call = { contract: 'CM', functionName, args: [{ type: 'address', value: G }, ...args] }
  return {
    bytes: new Uint8Array(), source: G, feeStroops: 499_945, sequence: 5n, minTime: 0n, maxTime: 1_783_339_500n, call,
    authorizations: [{ ...call, subCalls: transfers }],
  }
}

test('describes a transaction with the transfers that it authorizes, and shows unknown parts unchanged', () => {
  const transfer = { contract: 'CU', functionName: 'transfer', subCalls: [], args: [G, 'CM', 1_005_000_000n].map((value) => ({ type: 'x', value })) }
  const opened = explain(transaction('open_position', [
    { type: 'symbol', value: 'BTC' }, { type: 'i128', value: 1_005_000_000n }, { type: 'u32', value: 5 }, { type: 'u32', value: 1 },
  ], [transfer]), CONTRACTS)
  assert.equal(opened.summary, 'Opens a short position in BTC with 100.50 USDC at 5× leverage, at the market price.')
  const rows = Object.fromEntries(opened.rows)
  assert.deepEqual([rows['Contract'], rows['Side'], rows['Authorizes'], rows['Network fee']],
    ['market CM', 'short', '100.5 USDC to market CM', 'at most 0.0499945 XLM'])
  const burn = { ...transfer, contract: 'CEVIL', functionName: 'burn' }
  const unknown = explain(transaction('give_everything', [{ type: 'bytes', value: 'ff' }], [burn]), CONTRACTS)
  assert.equal(unknown.summary, 'Calls give_everything, which this page does not know. Check the arguments below.')
  assert.deepEqual(unknown.rows.find(([name]) => name === 'Argument 2'), ['Argument 2', 'ff'])
  assert.match(Object.fromEntries(unknown.rows)['Authorizes'] ?? '', /^burn\(.*\) on CEVIL$/)
  // An invalid side is shown as its number.
  const invalidSide = explain(transaction('open_position', [
    { type: 'symbol', value: 'BTC' }, { type: 'i128', value: 1n }, { type: 'u32', value: 5 }, { type: 'u32', value: 7 },
  ]), null)
  assert.deepEqual(invalidSide.rows.find(([name]) => name === 'Side'), ['Side', 'side 7'])
})

test('knows every operation and action, with a name for each argument that any generation takes', () => {
  const definitions = [...OPERATION_NAMES.map(operationDefinition), ...ACTION_NAMES.map(actionDefinition)]
  for (const { contract, functionName, forms } of definitions) {
    const known = findContractFunction(contract, functionName) ?? assert.fail(functionName)
    const most = Math.max(...forms.map(({ parameters }) => parameters.length))
    assert.equal(known.args.length, known.hasSigner === false ? most : most - 1, functionName)
  }
})

test('describes an action that only contracts of generation 2 have, and a bound of the price', () => {
  const reduced = explain(transaction('close_position_partial', [{ type: 'u64', value: 12n }, { type: 'i128', value: 2_500_000_000n }]), CONTRACTS)
  assert.equal(reduced.summary, 'Closes 250.00 USDC of the size of position 12 at the market price.')
  const bounded = explain(transaction('close_position', [{ type: 'u64', value: 12n }, { type: 'i128', value: 915_002_500_000n }]), CONTRACTS)
  assert.deepEqual(bounded.bounds, [['Worst price', '91,500.25']])
  const any = explain(transaction('close_position', [{ type: 'u64', value: 12n }, { type: 'i128', value: 0n }]), CONTRACTS)
  assert.deepEqual(any.bounds, [['Worst price', 'none']])
  const lacking = [['Worst price', 'none: the contracts take no bound here']]
  assert.deepEqual([reduced.bounds, explain(transaction('close_position', [{ type: 'u64', value: 12n }]), CONTRACTS).bounds], [lacking, lacking])
})

test('a price is stale after 10 s without an update or 60 s after its attestation, and unknown if none arrived', () => {
  const received = { price: '1', priceFloat: 1, ageSec: 2, receivedMs: 1_000_000 }
  assert.equal(priceFreshness(undefined, 0), 'unknown')
  assert.equal(priceFreshness(received, 1_010_000), 'fresh')
  assert.equal(priceFreshness(received, 1_010_001), 'stale')
  assert.equal(priceFreshness({ ...received, ageSec: 60 }, 1_000_000), 'fresh')
  assert.equal(priceFreshness({ ...received, ageSec: 59 }, 1_001_001), 'stale')
  assert.equal(priceAgeSec(received, 1_003_000), 5)
})

test('the index ages from its reported age; the connection is lost after 2.5 s of silence', () => {
  const head = { seq: 1, ledger: 9, ageSec: 3, receivedMs: 1_000_000 }
  assert.deepEqual([indexAgeSec(head, 1_002_000), indexAgeSec(null, 0), indexAgeSec({ ...head, ageSec: null }, 0)], [5, null, null])
  assert.deepEqual([indexFreshness(head, 1_027_000), indexFreshness(head, 1_027_001), indexFreshness(null, 0)], ['fresh', 'stale', 'unknown'])
  assert.deepEqual([connectionOf(head, 1_002_500), connectionOf(head, 1_002_501), connectionOf(null, 0)], ['live', 'lost', 'connecting'])
})

test('a vault\'s curve ends at the vault\'s total and starts at the oldest known trade', () => {
  const close = (ts: number, pnl: string | null): VaultTrade =>
    ({
      id: ts, vaultId: 1, positionId: String(ts), action: 'close', leader: G, collateral: '0', ledger: ts, ts, txHash: '', pnl, asset: 'BTC', direction: 0,
      size: '1', price: '1',
    })
  const open = { ...close(35, null), action: 'open' } as const
  const trades = [close(40, '-30000000'), open, close(30, '20000000'), close(30, '10000000'), close(20, null), close(10, '50000000')]
  assert.deepEqual(realisedCurve(trades, null), [{ time: 10, value: 5 }, { time: 30, value: 8 }, { time: 40, value: 5 }])
  assert.deepEqual(realisedCurve(trades, '1050000000').map(({ value }) => value), [105, 108, 105])
  assert.deepEqual(realisedCurve([], '7'), [])
})

test('shares and USDC are exchanged at the value of all shares, rounded down, and one for one in an empty vault', () => {
  const basis = { value: 30_000_000_000n, shares: 20_000_000_000n }
  assert.deepEqual([sharesFor(150_000_000n, basis), usdcFor(100_000_000n, basis), usdcFor(1n, basis)], [100_000_000n, 150_000_000n, 1n])
  assert.deepEqual([sharesFor(70n, { value: 0n, shares: 0n }), usdcFor(70n, { value: 0n, shares: 0n })], [70n, 0n])
  assert.deepEqual([leastOf(1_000n, 50), leastOf(1_000n, 0), leastOf(1_000n, 10_000)], [995n, 1_000n, 0n])
  // With 5 % of the shares, the leader leaves no room; with a tenth, others can double the shares.
  assert.equal(roomForOthers(1_000_000_000n, basis), 0n)
  assert.equal(roomForOthers(2_000_000_000n, basis), 30_000_000_000n)
})

test('a drawdown is measured from the highest value so far, and a countdown ends at zero', () => {
  const points = [10, 12, 9, 12].map((value, time) => ({ time, value }))
  assert.deepEqual(drawdowns(points).map(({ value }) => value), [0, 0, -25, 0])
  assert.deepEqual(drawdowns([{ time: 0, value: 0 }]), [{ time: 0, value: 0 }])
  assert.deepEqual([3_725, 1_799.2, 59, 0, -5].map(countdown), ['1:02:05', '30:00', '0:59', '', ''])
})

test('describes deposits and withdrawals by the contract that is called, and actions without an account as first argument', () => {
  const on = (contract: string, functionName: string, args: CallTransaction['call']['args']): CallTransaction => {
    const base = transaction(functionName, args)
    return { ...base, call: { ...base.call, contract } }
  }
  const i128 = (value: bigint): CallTransaction['call']['args'][number] => ({ type: 'i128', value })
  const u32 = (value: number): CallTransaction['call']['args'][number] => ({ type: 'u32', value })
  const pool = explain(on('CV', 'deposit', [i128(1_000_000_000n)]), CONTRACTS)
  assert.equal(pool.summary, 'Deposits 100.00 USDC from the account into the liquidity pool, for LP tokens.')
  const vault = explain(on('CF', 'deposit', [u32(3), i128(1_000_000_000n), i128(5_000_000n)]), CONTRACTS)
  assert.equal(vault.summary, 'Deposits 100.00 USDC from the account into trader vault 3, for shares.')
  assert.equal(Object.fromEntries(vault.rows)['At least'], '0.5 shares')
  assert.equal(explain(on('CL', 'approve', [{ type: 'address', value: 'CV' }, i128(25_000_000n), u32(900)]), CONTRACTS).summary,
    'Allows CV to take 2.5 LP tokens from the account until ledger 900.')
  // The same function of an unknown contract is not described.
  assert.match(explain(on('CEVIL', 'deposit', [i128(1n)]), CONTRACTS).summary, /^Calls deposit, which this page does not know/)
  const claim = on('CF', 'claim_leader_fees', [])
  const paid = explain({ ...claim, call: { ...claim.call, args: [u32(3)] } }, CONTRACTS)
  assert.deepEqual([paid.summary, Object.fromEntries(paid.rows)['Account']], ['Claims the leader\'s profit share of vault 3.', G])
})
