// The parts of the portfolio, trader and referral pages that need no browser: explorer links, curves, equity, and the CSV file.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAddress, RateLimited } from '../../client/src/index.ts'
import type { AccountState, CashMovement, Client } from '../../client/src/index.ts'
import { explorerUrl } from '../../console/explorer.ts'
import { decimal, shortTime } from '../../console/format.ts'
import { createCashExport, EXPORT_ROWS_MAX } from '../../console/portfolio/cash-export.ts'
import type { ReadLedger } from '../../console/portfolio/cash-export.ts'
import { curveOf, requestOf, sumOf } from '../../console/portfolio/curve.ts'
import { CSV_HEADER, csvLine, exact, fileName } from '../../console/portfolio/csv.ts'
import { equityParts, knownTotalOf, totalOf } from '../../console/portfolio/equity.ts'
import type { VaultHolding } from '../../console/portfolio/equity.ts'
import { nearestTo, scaleOf, timesOf } from '../../console/ui/line-scale.ts'
import { fc } from '../support/fuzz.ts'

const TEST_NETWORK = 'Test SDF Network ; September 2015'
const PUBLIC_NETWORK = 'Public Global Stellar Network ; September 2015'

test('links to the explorer on the test network and the public network only, never on a local network with the same passphrase', () => {
  const url = (networkPassphrase: string, localRpcUrl: string | null = null) => explorerUrl({ networkPassphrase, localRpcUrl }, 'tx', 'ab')
  assert.equal(url(TEST_NETWORK), 'https://stellar.expert/explorer/testnet/tx/ab')
  assert.equal(url(PUBLIC_NETWORK), 'https://stellar.expert/explorer/public/tx/ab')
  assert.equal(url(TEST_NETWORK, 'http://127.0.0.1:8000/rpc'), null)
  assert.equal(url('Standalone Network ; February 2017'), null)
  assert.equal(url('toString'), null)
  assert.equal(explorerUrl({ networkPassphrase: TEST_NETWORK, localRpcUrl: null }, 'contract', 'a/b'), 'https://stellar.expert/explorer/testnet/contract/a%2Fb')
})

test('an address is valid only with its checksum and of its kind', () => {
  const account = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'
  assert.equal(isAddress(account), true)
  assert.equal(isAddress(account, 'contract'), false)
  for (const text of ['', 'G', account.slice(1), account.replace('Q', 'R'), ` ${account}`, account.toLowerCase()]) assert.equal(isAddress(text), false, text)
})

const points = (...cumulative: readonly (string | null)[]) => cumulative.map((value, index) => ({ ts: 1_000 + 60 * index, cumulative: value }))
const pairsOf = (curve: ReturnType<typeof curveOf>) => curve?.points.map((vertex) => [vertex.time, vertex.exact])

test('a PnL curve begins at zero and ends at the end of the last interval', () => {
  const curve = curveOf(points('100', '-50', '200'), { intervalSec: 60, toSec: 1_180 })
  assert.deepEqual(pairsOf(curve), [[1_000, '0'], [1_060, '100'], [1_120, '-50'], [1_180, '200']])
  assert.deepEqual([curve?.fromSec, curve?.toSec, curve?.unknownFromSec, curve?.points.at(-1)?.value], [1_000, 1_180, null, 0.00002])
  // The last interval is not over.
  assert.deepEqual(pairsOf(curveOf(points('10', '10'), { intervalSec: 60, toSec: 1_100 })), [[1_000, '0'], [1_060, '10'], [1_100, '10']])
})

test('a PnL curve ends where values are not known, and there is none without a known value', () => {
  const curve = curveOf(points('100', null, null), { intervalSec: 60, toSec: 1_180 })
  assert.deepEqual([pairsOf(curve), curve?.unknownFromSec, curve?.toSec], [[[1_000, '0'], [1_060, '100']], 1_060, 1_180])
  assert.equal(curveOf(points(null, null), { intervalSec: 60, toSec: 1_180 }), null)
  assert.equal(curveOf([], { intervalSec: 60, toSec: 1_180 }), null)
  assert.deepEqual([sumOf(['1', '-3']), sumOf(['1', null]), sumOf([])], ['-2', null, '0'])
})

const SCALE = { width: 100, height: 100, decimals: 2, fromSec: 0, toSec: 10, hasZero: false }
const lineOf = (values: readonly number[], change: Partial<typeof SCALE> = {}) =>
  scaleOf(values.map((value, time) => ({ time: time * 5, value })), { ...SCALE, ...change })

test('a line chart has round labels at equal distances that include every value', () => {
  const { labels, line, area } = lineOf([0, 50, 200], { hasZero: true })
  assert.deepEqual([labels, line, area], [[200, 150, 100, 50, 0], 'M0 100L50 75L100 0', 'M0 100L50 75L100 0L100 100L0 100Z'])
  assert.deepEqual(lineOf([3, 4], { hasZero: true }).labels, [4, 3, 2, 1, 0])
  assert.deepEqual(lineOf([-3, -1], { hasZero: true }).labels, [0, -1, -2, -3])
  assert.deepEqual(lineOf([1.000_012, 1.000_345], { decimals: 6 }).labels, [1.0004, 1.0003, 1.0002, 1.0001, 1])
  assert.deepEqual([lineOf([7, 7]).labels, lineOf([7, 7]).line], [[7.1, 7, 6.9], 'M0 50L50 50'], 'a line without change is in the middle')
  fc.assert(fc.property(fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1 }), (values) => {
    const scale = lineOf(values)
    assert.ok(scale.labels.length >= 2 && scale.labels.length <= 7, String(scale.labels))
    for (const value of values) assert.ok(scale.y(value) >= -0.01 && scale.y(value) <= 100.01, `${value} in ${scale.labels.join(' ')}`)
  }))
})

test('the reader of a line chart points at the nearest time, and an axis names it as far as its span needs', () => {
  const at = [0, 10, 40].map((time) => ({ time, value: 1 }))
  assert.deepEqual([-5, 4, 6, 26, 99].map((sec) => nearestTo(at, sec)), [0, 0, 1, 2, 2])
  assert.equal(nearestTo([], 3), -1)
  assert.deepEqual([timesOf(0, 100, 3), timesOf(7, 7, 3)], [[0, 50, 100], [7]])
  const sec = new Date(2026, 2, 5, 9, 8).getTime() / 1000
  assert.deepEqual([60, 3_600, 200_000, 40_000_000].map((span) => shortTime(sec, span)), ['09:08:00', '09:08', '5 Mar, 09:08', 'Mar 2026'])
  assert.deepEqual([decimal(-1234.5, 2), decimal(-0.001, 2), decimal(7, 0)], ['−1,234.50', '0.00', '7'])
})

test('a range requests at most 200 intervals, aligned and up to now, and "all" begins at the first trade', () => {
  const nowSec = 1_800_000_123
  const request = (range: Parameters<typeof requestOf>[0], firstSec = 0) => requestOf(range, { nowSec, firstSec })
  assert.deepEqual(request('day'), { interval: '15m', intervalSec: 900, from: 1_799_913_600, to: nowSec + 1 })
  assert.deepEqual([request('week').interval, request('month').interval], ['1h', '4h'])
  const intervals = [600, 90 * 86_400, 400 * 86_400].map((ageSec) => request('all', nowSec - ageSec).interval)
  assert.deepEqual(intervals, ['1m', '1d', '1w'])
  for (const range of ['day', 'week', 'month'] as const) {
    const { from, to, intervalSec } = request(range)
    assert.equal(from % intervalSec, 0)
    assert.ok((to - from) / intervalSec <= 202)
  }
})

const MOVEMENT: CashMovement = {
  seq: 7, kind: 'close', amount: '-12345', balanceOf: 'wallet', positionId: 3, orderId: null, vaultId: null, fee: '1', funding: null, pnl: '-10000000',
  ledger: 9, ts: 1_700_000_000, txHash: 'ab',
}

test('writes exact amounts, and distinguishes an unknown amount from one that does not apply', () => {
  assert.equal(CSV_HEADER, 'seq,time,kind,balance,amount,fee,funding,pnl,position,order,vault,ledger,transaction\r\n')
  assert.equal(csvLine(MOVEMENT), '7,2023-11-14T22:13:20.000Z,close,wallet,-0.0012345,0.0000001,,-1.0000000,3,,,9,ab\r\n')
  assert.equal(csvLine({ ...MOVEMENT, amount: null }).split(',')[4], 'unknown')
  assert.equal(csvLine({ ...MOVEMENT, txHash: 'a,"b"\n' }).endsWith(',"a,""b""\n"\r\n'), true)
  fc.assert(fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (value) => assert.equal(BigInt(exact(String(value)).replace('.', '')), value)))
})

test('a file is named by the account and the day, and by the part when there are several', () => {
  const file = { account: 'GABC', nowSec: 1_700_000_000 }
  assert.equal(fileName({ ...file, part: 1 }), 'cash-GABC-2023-11-14.csv')
  assert.equal(fileName({ ...file, part: 2 }), 'cash-GABC-2023-11-14-part-2.csv')
})

const POSITION = {
  positionId: 1, asset: 'BTC', direction: 0, marginMode: 'isolated', size: '1000', collateral: '100', entryPrice: '200', accruedFunding: '5', closeValue: '90',
  unrealizedPnl: '0',
}
const STATE = {
  positions: [POSITION, { ...POSITION, positionId: 2, marginMode: 'cross', closeValue: null }], orders: [{ collateral: '40' }, { collateral: null }],
  balances: { usdc: '1000', lp: '20', xlm: null }, cross: { pool: '300', equity: '395' }, unknown: [],
} as unknown as AccountState
const SOURCES = { state: STATE, priceOf: () => '210', lpPrice: '15000000', vaults: [], owed: '0' }
const valueOf = (parts: ReturnType<typeof equityParts>, name: string) => parts.find((part) => part.name === name)?.value

test('equity counts every part at live prices', () => {
  const parts = equityParts(SOURCES)
  assert.deepEqual(parts.map(({ name, value }) => [name, value]), [
    ['Wallet', '1000'], ['Isolated positions', '145'], ['Cross balance', '300'], ['Cross positions', '145'], ['Collateral of open orders', '40'],
    ['Pool shares', '30'], ['Vault shares', '0'],
  ])
  assert.equal(totalOf(parts), '1660')
  assert.equal(valueOf(equityParts({ ...SOURCES, priceOf: () => '100' }), 'Isolated positions'), '0', 'the loss is limited to the collateral')
  assert.equal(valueOf(equityParts({ ...SOURCES, priceOf: () => undefined }), 'Isolated positions'), '90', 'without a live price as of the ledger')
})

test('an unknown part makes the total unknown, and an account without a trustline has zero', () => {
  const parts = equityParts({ ...SOURCES, lpPrice: null, vaults: null })
  assert.deepEqual([totalOf(parts), knownTotalOf(parts), valueOf(parts, 'Pool shares'), valueOf(parts, 'Vault shares')], [null, '1630', null, null])
  const unknown = [{ part: '/balances/usdc', reason: 'no_trustline' }]
  const bare = { ...STATE, balances: { usdc: null, lp: null, xlm: null }, unknown } as unknown as AccountState
  const read = equityParts({ ...SOURCES, state: bare })
  assert.deepEqual([valueOf(read, 'Wallet'), valueOf(read, 'Pool shares')], ['0', null])
  assert.equal(valueOf(equityParts({ ...SOURCES, owed: '7' }), 'Owed by the pool'), '7')
})

test('vault shares are worth a part of the full value; without it the part is labelled as cash only', () => {
  const vault = { vaultId: 4, name: 'No\u202erth', shares: '50', fullValue: '500', totalUsdc: '300', circulatingShares: '100', openPositions: 2 }
  const part = (change: Partial<VaultHolding>) => equityParts({ ...SOURCES, vaults: [{ ...vault, ...change }] }).at(-1)
  const name = 'Shares of vault 4, No\\u{202e}rth'
  assert.deepEqual(part({}), { name, value: '250' })
  assert.deepEqual(part({ fullValue: null }), { name, note: 'cash of the vault only, without its 2 open positions', value: '150' })
  assert.deepEqual(part({ fullValue: null, openPositions: 0 }), { name, value: '150' })
  assert.equal(part({ shares: null })?.value, null)
})

const ANSWER = { requestId: null, ledger: 1, seq: 1, isStale: false, next: null }
const NO_CLIENT = {} as Client
/** A ledger of this many rows, read through pages like the gateway's. Each page after the first is refused once for the rate limit. */
function ledgerOf(count: number): { readonly read: ReadLedger; readonly reads: number[] } {
  const refused = new Set<number>()
  const reads: number[] = []
  return {
    reads,
    read(_client, { limit, cursor = '0' }) {
      const start = Number(cursor)
      if (start > 0 && !refused.has(start)) {
        refused.add(start)
        const details = { status: 429, code: 'rate_limited', message: '', hint: null, requestId: null, body: null }
        return Promise.reject(new RateLimited({ ...details, retryAfterSec: 0 }))
      }
      reads.push(start)
      const ledger = Array.from({ length: Math.min(limit, count - start) }, (_, index) => ({ ...MOVEMENT, seq: count - start - index }))
      const end = start + ledger.length
      return Promise.resolve({ ...ANSWER, body: { ledger, gaps: [], nextCursor: end < count ? String(end) : null } })
    },
  }
}

test('an export reads every page, waits for the rate limit, and continues a long ledger in the next file', async () => {
  const files: string[] = []
  const save = (text: string, part: number): void => void files.push(`${part} ${text}`)
  const short = createCashExport()
  await short.run(NO_CLIENT, ledgerOf(1_234).read, { isNextPart: false, save })
  assert.deepEqual(short.state.value, { kind: 'done', rows: 1_234, gaps: 0, next: null, part: 1 })
  assert.deepEqual(files[0]?.split('\r\n').slice(1, -1).map((line) => Number(line.split(',')[0])), Array.from({ length: 1_234 }, (_, index) => 1_234 - index))
  const long = createCashExport()
  const { read } = ledgerOf(EXPORT_ROWS_MAX + 1)
  await long.run(NO_CLIENT, read, { isNextPart: false, save })
  assert.deepEqual(long.state.value, { kind: 'done', rows: EXPORT_ROWS_MAX, gaps: 0, next: String(EXPORT_ROWS_MAX), part: 1 })
  await long.run(NO_CLIENT, read, { isNextPart: true, save })
  assert.deepEqual(long.state.value, { kind: 'done', rows: 1, gaps: 0, next: null, part: 2 })
  assert.equal(files[2], `2 ${CSV_HEADER}${csvLine({ ...MOVEMENT, seq: 1 })}`)
})

test('a cancelled or failed export saves no file', async () => {
  const never = (): void => assert.fail('saved')
  const cash = createCashExport()
  const { read, reads } = ledgerOf(5_000)
  const running = cash.run(NO_CLIENT, (client, input) => {
    if (reads.length === 3) cash.cancel()
    return read(client, input)
  }, { isNextPart: false, save: never })
  await running
  assert.deepEqual([cash.state.value, reads.length < 6], [{ kind: 'idle' }, true])
  await cash.run(NO_CLIENT, () => Promise.reject(new Error('no answer')), { isNextPart: false, save: never })
  assert.deepEqual(cash.state.value, { kind: 'failed', problem: { text: 'No answer.', code: null } })
})
