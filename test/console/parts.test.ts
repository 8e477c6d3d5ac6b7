// The parts of the console that need no browser: figures, forms, what a transaction is told as, what is stale, a vault's curve.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from '../../console/explain.ts'
import { amount, duration, parseAmount, percent, plain, price, profitByPrice, short, signed, UNKNOWN } from '../../console/format.ts'
import { indexAgeSec, indexFreshness, priceAgeSec, priceFreshness, streamFreshness } from '../../console/freshness.ts'
import { FIELDS, OPERATIONS, requestOf } from '../../console/operations.ts'
import type { FieldName, Operation } from '../../console/operations.ts'
import { vaultCurve } from '../../console/vault-curve.ts'
import type { CallTransaction } from '../../client/src/envelope.ts'
import type { VaultTrade } from '../../client/src/generated/resources.ts'
import { OPERATION_NAMES, operationFields } from '../../src/exchange/operations.ts'
import { fc } from '../support/fuzz.ts'

test('amounts are rounded half away from zero, grouped, and never pass through a float', () => {
  const cases: readonly (readonly [string, number, string])[] = [
    ['0', 2, '0.00'], ['49999', 2, '0.00'], ['50000', 2, '0.01'], ['-50000', 2, '−0.01'], ['-49999', 2, '0.00'], ['12345678900000', 2, '1,234,567.89'],
    ['99999999', 0, '10'], ['90071992547409930000001', 7, '9,007,199,254,740,993.0000001'], ['-10000000', 0, '−1'],
  ]
  for (const [text, decimals, written] of cases) assert.equal(amount(text, decimals), written)
  assert.deepEqual([signed('10000000'), signed('-10000000'), signed('0')], ['+1.00', '−1.00', '0.00'])
  assert.deepEqual([price('923701797515'), price('2683020'), price('21842000'), price('317000000')], ['92,370.18', '0.268302', '2.1842', '31.700'])
  assert.deepEqual([amount(null), signed(null), price(null)], [UNKNOWN, UNKNOWN, UNKNOWN])
})

test('what is typed comes back as it was, or is refused', () => {
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 19n }), (value) => assert.equal(parseAmount(plain(String(value))), String(value))))
  assert.deepEqual(['1,000', '1,000,000.5', ' 7 ', '0.0000001'].map(parseAmount), ['10000000000', '10000005000000', '70000000', '1'])
  for (const text of ['', '-1', '1.', '.5', '1e3', '0x10', '1.00000001', '1 000', 'NaN', '１', '99999999999999']) assert.equal(parseAmount(text), null, text)
})

test('texts for people', () => {
  assert.deepEqual([0, 119, 120, 7_199, 7_200, 172_800, -5].map(duration), ['0 s', '119 s', '2 min', '120 min', '2 h', '2 days', '0 s'])
  assert.deepEqual([percent(50), percent(10_000)], ['0.50 %', '100.00 %'])
  assert.deepEqual([short('GABCDEFGHIJ'), short('GABCDEFGH'), short('abc')], ['GABC…GHIJ', 'GABCDEFGH', 'abc'])
})

test('profit by price alone goes with the side, and is unknown without a price', () => {
  const position = { size: '1000000000', entryPrice: '200000000', direction: 0 }
  assert.equal(profitByPrice(position, '210000000'), '50000000')
  assert.equal(profitByPrice({ ...position, direction: 1 }, '210000000'), '-50000000')
  assert.equal(profitByPrice(position, undefined), null)
  assert.equal(profitByPrice({ ...position, entryPrice: '0' }, '1'), null)
})

/** What a person may write into each field. */
const WRITTEN: Readonly<Record<FieldName, string>> = {
  asset: 'BTC', direction: 'Short', collateral: '100.5', leverage: '5', triggerPrice: '91,500.25', limitPrice: '91000', triggerCondition: 'Above',
  slippageToleranceBps: '0.5', trailingPercentBps: '3', positionId: '12', orderId: '7', amount: '1',
}
const SENT = {
  asset: 'BTC', direction: 'Short', collateral: '1005000000', leverage: 5, triggerPrice: '915002500000', limitPrice: '910000000000', triggerCondition: 'Above',
  slippageToleranceBps: 50, trailingPercentBps: 300, positionId: '12', orderId: '7', amount: '10000000',
}

test('there is a form for each of the ten operations, with the fields that the exchange takes, in the units of the exchange', () => {
  const written = new Map(Object.entries(WRITTEN) as [FieldName, string][])
  for (const op of OPERATION_NAMES) {
    assert.deepEqual([...OPERATIONS[op].fields].sort(), [...operationFields(op)].sort(), op)
    assert.deepEqual(requestOf(op, written), { request: { op, ...Object.fromEntries(OPERATIONS[op].fields.map((name) => [name, SENT[name]])) } })
  }
})

test('a field that is not filled in, or filled with nonsense, is named', () => {
  for (const op of Object.keys(OPERATIONS) as Operation[]) {
    for (const name of OPERATIONS[op].fields.filter((each) => FIELDS[each].options === undefined)) {
      for (const text of ['', '0', '-1', 'x', '1e9', '<b>']) {
        if (text === '0' && name.endsWith('Id')) continue
        const filled = requestOf(op, new Map<FieldName, string>([...(Object.entries(WRITTEN) as [FieldName, string][]), [name, text]]))
        assert.deepEqual('problems' in filled && [...filled.problems.keys()], [name], `${op} ${name} ${text}`)
      }
    }
  }
  assert.ok('problems' in requestOf('place_trailing_stop', new Map([['positionId', '1'], ['trailingPercentBps', '51'], ['slippageToleranceBps', '1']])))
})

const G = `G${'A'.repeat(55)}`
const CONTRACTS = { market: 'CM', vault: 'CV', oracleShim: 'CO', router: 'CR', usdcToken: 'CU', lpToken: 'CL', vaultFactory: 'CF', referral: 'CX' }

function transaction(functionName: string, args: CallTransaction['call']['args'], moves: CallTransaction['authorizations'] = []): CallTransaction {
  const call = { contract: 'CM', functionName, args: [{ type: 'address', value: G }, ...args] }
  return {
    bytes: new Uint8Array(), source: G, feeStroops: 499_945, sequence: 5n, minTime: 0n, maxTime: 1_783_339_500n, call,
    authorizations: [{ ...call, subCalls: moves }],
  }
}

test('a transaction is told from what it holds, down to what it may move, and what is not known is shown as it is', () => {
  const transfer = { contract: 'CU', functionName: 'transfer', subCalls: [], args: [G, 'CM', 1_005_000_000n].map((value) => ({ type: 'x', value })) }
  const opened = explain(transaction('open_position', [
    { type: 'symbol', value: 'BTC' }, { type: 'i128', value: 1_005_000_000n }, { type: 'u32', value: 5 }, { type: 'u32', value: 1 },
  ], [transfer]), CONTRACTS)
  assert.equal(opened.summary, 'Opens a short position in BTC with 100.50 USDC at 5 times, at the market price.')
  const rows = Object.fromEntries(opened.rows)
  assert.deepEqual([rows['Contract'], rows['Side'], rows['May move from the account'], rows['Network\'s fee']],
    ['market CM', 'short', '100.5 USDC to market CM', 'at most 0.0499945 XLM'])
  const burn = { ...transfer, contract: 'CEVIL', functionName: 'burn' }
  const strange = explain(transaction('give_everything', [{ type: 'bytes', value: 'ff' }], [burn]), CONTRACTS)
  assert.equal(strange.summary, 'Calls give_everything, which this page has no words for.')
  assert.deepEqual(strange.rows.find(([name]) => name === 'Argument 2'), ['Argument 2', 'ff'])
  assert.match(Object.fromEntries(strange.rows)['May move from the account'] ?? '', /^burn\(.*\) on CEVIL$/)
  // A side that there is not is not called one of the two.
  const odd = explain(transaction('open_position', [
    { type: 'symbol', value: 'BTC' }, { type: 'i128', value: 1n }, { type: 'u32', value: 5 }, { type: 'u32', value: 7 },
  ]), null)
  assert.deepEqual(odd.rows.find(([name]) => name === 'Side'), ['Side', 'side 7'])
})

test('a price is stale when none came for ten seconds, or when it is older than the exchange opens at; what never came is unknown', () => {
  const heard = { price: '1', priceFloat: 1, ageSec: 2, heardMs: 1_000_000 }
  assert.equal(priceFreshness(undefined, 0), 'unknown')
  assert.equal(priceFreshness(heard, 1_010_000), 'fresh')
  assert.equal(priceFreshness(heard, 1_010_001), 'stale')
  assert.equal(priceFreshness({ ...heard, ageSec: 60 }, 1_000_000), 'fresh')
  assert.equal(priceFreshness({ ...heard, ageSec: 59 }, 1_001_001), 'stale')
  assert.equal(priceAgeSec(heard, 1_003_000), 5)
})

test('the index is as old as it was told, and older by the time since; silence makes the stream stale', () => {
  const head = { seq: 1, ledger: 9, ageSec: 3, heardMs: 1_000_000 }
  assert.deepEqual([indexAgeSec(head, 1_002_000), indexAgeSec(null, 0), indexAgeSec({ ...head, ageSec: null }, 0)], [5, null, null])
  assert.deepEqual([indexFreshness(head, 1_027_000), indexFreshness(head, 1_027_001), indexFreshness(null, 0)], ['fresh', 'stale', 'unknown'])
  assert.deepEqual([streamFreshness(head, 1_005_000), streamFreshness(head, 1_005_001), streamFreshness(null, 0)], ['fresh', 'stale', 'unknown'])
})

test('a vault\'s curve ends at its own sum, and begins where the trades that are known do', () => {
  const close = (ts: number, pnl: string | null): VaultTrade =>
    ({ id: ts, vaultId: 1, positionId: String(ts), action: 'close', leader: G, collateral: '0', ledger: ts, ts, txHash: '', pnl })
  const open = { ...close(35, null), action: 'open' } as const
  const trades = [close(40, '-30000000'), open, close(30, '20000000'), close(30, '10000000'), close(20, null), close(10, '50000000')]
  assert.deepEqual(vaultCurve(trades, null), [{ time: 10, value: 5 }, { time: 30, value: 8 }, { time: 40, value: 5 }])
  assert.deepEqual(vaultCurve(trades, '1050000000').map(({ value }) => value), [105, 108, 105])
  assert.deepEqual(vaultCurve([], '7'), [])
})
