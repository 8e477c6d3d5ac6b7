import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, type ContractCode, i128, text, u32, type Val } from './host.ts'
import { referralContract } from './referral.ts'
import { createTestHost, type TestHost, toNative, toNativeEvent } from './test-host.ts'
import {
  ADMIN, ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, KEEPER, MARKET, openArgs, REFERRAL, UNAUTHORIZED, USDC,
} from './test-exchange.ts'
import { asAddress, entryPoint } from './values.ts'

const EVERYBODY = [ADMIN, ALICE, BOB, KEEPER]

/** Stands where the market does, and reports what it is told to. */
const REPORTER: ContractCode = {
  name: 'reporter',
  entryPoints: {
    report: entryPoint({ referral: 'address', referee: 'address', fee: 'i128' }, 'val', (env, args) =>
      env.call(asAddress(args[0]), 'record_trade', args.slice(1)),
    ),
  },
}

interface World {
  readonly host: TestHost
  attempt(name: string, args: readonly Val[], signers?: readonly string[]): string
  view(name: string, ...args: readonly Val[]): unknown
  /** The market reports a fee of the referee's: discount and payout. */
  report(referee: string, fee: bigint): unknown
  events(name: string, args: readonly Val[]): unknown
}

function world(): World {
  const host = createTestHost({ [REFERRAL]: referralContract(), [MARKET]: REPORTER })
  host.invokeOk(REFERRAL, 'initialize', [address(ADMIN), address(MARKET)], [ADMIN])
  return {
    host,
    attempt(name, args, signers = EVERYBODY) {
    return host.tryInvoke(REFERRAL, name, args, signers)
  },
    view: (name, ...args) => toNative(host.invokeOk(REFERRAL, name, args).value),
    report: (referee, fee) => toNative(host.invokeOk(MARKET, 'report', [address(REFERRAL), address(referee), i128(fee)]).value),
    events: (name, args) => host.invokeOk(REFERRAL, name, args, EVERYBODY).events.map(toNativeEvent),
  }
}

const named = (who: string, code: string): Val[] => [address(who), text(code)]

test('the contract is initialised once, by its admin; every call before that is 2', () => {
  const host = createUninitializedHost()
  const attempt = (name: string, args: readonly Val[], signers: readonly string[] = []): string => {
    return host.tryInvoke(REFERRAL, name, args, signers)
  }
  for (const [name, args] of Object.entries({
    create_code: named(ALICE, ''), set_referrer: named(ALICE, ''), record_trade: [address(ALICE), i128(0n)], claim: [address(ALICE)],
    set_discount_bps: [u32(9000)], set_referrer_share_bps: [u32(9000)], set_min_code_volume: [i128(-1n)], get_admin: [], get_market: [],
  })) assert.equal(attempt(name, args), contractError(2), name)
  const setUp = [address(ADMIN), address(MARKET)]
  assert.equal(attempt('initialize', setUp), UNAUTHORIZED)
  const result = host.invokeOk(REFERRAL, 'initialize', setUp, [ADMIN])
  assert.deepEqual(result.events.map(toNativeEvent), [[REFERRAL, ['initialized'], [ADMIN, MARKET]]])
  assert.equal(attempt('initialize', setUp, [ADMIN]), contractError(1))
  assert.deepEqual(['get_admin', 'get_market'].map((view) => toNative(host.invokeOk(REFERRAL, view, []).value)), [ADMIN, MARKET])
})

test('a code belongs to whoever creates it first, letter by letter, one each', () => {
  const { attempt, events, view, host } = world()
  assert.deepEqual(events('create_code', named(ALICE, 'Nord')), [[REFERRAL, ['code_created'], [ALICE, 'Nord']]])
  assert.deepEqual(view('get_info', address(ALICE)), {
    referrer: ALICE, code: 'Nord', created_at: host.ledger.timestampSec, referred_count: 0, claimable: 0n, total_earned: 0n, total_volume_generated: 0n,
  })
  assert.deepEqual([view('resolve_code', text('Nord')), view('resolve_code', text('nord'))], [ALICE, null])
  assert.equal(attempt('create_code', named(BOB, 'n'), [ALICE]), UNAUTHORIZED)
  assert.equal(attempt('create_code', named(ALICE, 'no')), contractError(6), 'before 9')
  assert.equal(attempt('create_code', named(ALICE, 'ö'.repeat(9))), contractError(7), 'bytes, not characters')
  assert.equal(attempt('create_code', named(ALICE, 'Nord')), contractError(8), 'before 9')
  assert.equal(attempt('create_code', named(ALICE, 'Other')), contractError(9))
  assert.equal(attempt('create_code', named(BOB, 'nord')), 'ok')
  assert.equal(attempt('create_code', named(KEEPER, 'ö'.repeat(8))), 'ok')
  assert.equal(host.tryInvoke(REFERRAL, 'get_info', [address(ADMIN)]), contractError(10))
})

test('a binding is for ever: 11, then 10, then 12', () => {
  const { attempt, events, view } = world()
  events('create_code', named(ALICE, 'north'))
  events('create_code', named(BOB, 'south'))
  assert.equal(attempt('set_referrer', named(BOB, 'nowhere'), [ALICE]), UNAUTHORIZED)
  assert.equal(attempt('set_referrer', named(ALICE, 'nowhere')), contractError(10))
  assert.equal(attempt('set_referrer', named(ALICE, 'north')), contractError(12))
  assert.deepEqual(events('set_referrer', named(KEEPER, 'north')), [[REFERRAL, ['referrer_set'], [KEEPER, ALICE, 'north']]])
  assert.equal(attempt('set_referrer', named(KEEPER, 'nowhere')), contractError(11))
  assert.deepEqual([view('get_referrer', address(KEEPER)), view('get_referrer', address(BOB))], [ALICE, null])
  assert.equal((view('get_info', address(ALICE)) as { referred_count: number }).referred_count, 1)
  assert.equal(attempt('set_referrer', named(ALICE, 'south')), 'ok', 'referrers may be referred')
})

test('the market alone reports trades: 4 % off for the referee, 10 % for the referrer, truncated; the fee is counted as volume', () => {
  const { attempt, events, view, report, host } = world()
  events('create_code', named(ALICE, 'north'))
  events('set_referrer', named(BOB, 'north'))
  assert.equal(attempt('record_trade', [address(BOB), i128(E7)]), UNAUTHORIZED)
  assert.deepEqual(report(KEEPER, E7), [0n, 0n], 'nobody referred this one')
  for (const fee of [0n, -E7]) assert.deepEqual(report(BOB, fee), [0n, 0n])
  const reported = host.invokeOk(MARKET, 'report', [address(REFERRAL), address(BOB), i128(999n)])
  assert.deepEqual(toNative(reported.value), [39n, 99n])
  assert.deepEqual(reported.events.map(toNativeEvent), [[REFERRAL, ['trade_recorded'], [BOB, ALICE, 999n, 39n, 99n]]])
  report(BOB, E7)
  const { claimable, total_earned, total_volume_generated } = view('get_info', address(ALICE)) as Record<string, bigint>
  assert.deepEqual([claimable, total_earned, total_volume_generated], [1_000_099n, 1_000_099n, E7 + 999n])
  assert.equal(host.tryInvoke(MARKET, 'report', [address(REFERRAL), address(BOB), i128(2n ** 126n)]), contractError(15))
})

test('a claim empties the books and says so; no USDC moves', () => {
  const { attempt, events, view, report } = world()
  assert.equal(attempt('claim', [address(ALICE)], [BOB]), UNAUTHORIZED)
  assert.equal(attempt('claim', [address(ALICE)]), contractError(10))
  events('create_code', named(ALICE, 'north'))
  events('set_referrer', named(BOB, 'north'))
  assert.equal(attempt('claim', [address(ALICE)]), contractError(14))
  report(BOB, E7)
  assert.deepEqual(events('claim', [address(ALICE)]), [[REFERRAL, ['claimed'], [ALICE, 1_000_000n]]], 'no token is called: there is none in this host')
  const { claimable, total_earned } = view('get_info', address(ALICE)) as Record<string, bigint>
  assert.deepEqual([claimable, total_earned], [0n, 1_000_000n])
  assert.equal(attempt('claim', [address(ALICE)]), contractError(14))
})

test('the admin sets what trades earn, up to a half', () => {
  const { attempt, events, view, report } = world()
  assert.deepEqual(view('get_config'), [400, 1000, 10_000n * E7])
  for (const [name, arg, wrong] of [
    ['set_discount_bps', u32(0), u32(5001)], ['set_referrer_share_bps', u32(5000), u32(5001)], ['set_min_code_volume', i128(0n), i128(-1n)],
  ] as const) {
    assert.equal(attempt(name, [wrong], [ALICE]), UNAUTHORIZED, name)
    assert.equal(attempt(name, [wrong]), contractError(5), name)
    assert.deepEqual(events(name, [arg]), [], name)
  }
  assert.deepEqual(view('get_config'), [0, 5000, 0n])
  events('create_code', named(ALICE, 'north'))
  events('set_referrer', named(BOB, 'north'))
  assert.deepEqual(report(BOB, E7), [0n, E7 / 2n])
})

test('the market of this exchange reports nothing: a referred trader pays in full, and the books stay at zero', () => {
  const exchange = createTestExchange()
  exchange.host.invokeOk(REFERRAL, 'create_code', named(ALICE, 'north'), [ALICE])
  exchange.host.invokeOk(REFERRAL, 'set_referrer', named(BOB, 'north'), [BOB])
  const before = exchange.usdc(USDC)
  const opened = exchange.host.invokeOk(MARKET, 'open_position', openArgs(BOB), [BOB])
  assert.equal((toNative(opened.value) as { collateral: bigint }).collateral, 100n * E7 - E7 / 2n)
  assert.deepEqual(opened.events.filter(({ contract }) => contract === REFERRAL), [])
  assert.deepEqual(exchange.usdc(USDC), before)
  const info = toNative(exchange.host.invokeOk(REFERRAL, 'get_info', [address(ALICE)]).value) as Record<string, unknown>
  assert.deepEqual([info['total_earned'], info['total_volume_generated'], info['referred_count']], [0n, 0n, 1])
})
