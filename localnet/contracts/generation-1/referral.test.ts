import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, type ContractCode, i128, text, u32, type Val } from '../shared/host.ts'
import { referralContract } from '../shared/referral.ts'
import { createTestHost, type TestHost, toNative, toNativeEvent } from '../../test/contracts/test-host.ts'
import {
  ADMIN, ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, KEEPER, MARKET, openArgs, REFERRAL, UNAUTHORIZED, USDC,
} from '../../test/contracts/generation-1/test-exchange.ts'
import { asAddress, entryPoint } from '../shared/values.ts'

const ALL_SIGNERS = [ADMIN, ALICE, BOB, KEEPER]

/** A contract at the market's address that reports trades on request. */
const REPORTER: ContractCode = {
  name: 'reporter',
  entryPoints: {
    report: entryPoint({ referral: 'address', referee: 'address', fee: 'i128' }, 'val', (env, args) =>
      env.call(asAddress(args[0]), 'record_trade', args.slice(1)),
    ),
  },
}

interface ReferralFixture {
  readonly host: TestHost
  tryReferral(name: string, args: readonly Val[], signers?: readonly string[]): string
  view(name: string, ...args: readonly Val[]): unknown
  /** Reports a fee of the referee as the market. Returns discount and payout. */
  report(referee: string, fee: bigint): unknown
  events(name: string, args: readonly Val[]): unknown
}

function createReferral(): ReferralFixture {
  const host = createTestHost({ [REFERRAL]: referralContract(), [MARKET]: REPORTER })
  host.invokeOk(REFERRAL, 'initialize', [address(ADMIN), address(MARKET)], [ADMIN])
  return {
    host,
    tryReferral(name, args, signers = ALL_SIGNERS) {
    return host.tryInvoke(REFERRAL, name, args, signers)
  },
    view: (name, ...args) => toNative(host.invokeOk(REFERRAL, name, args).value),
    report: (referee, fee) => toNative(host.invokeOk(MARKET, 'report', [address(REFERRAL), address(referee), i128(fee)]).value),
    events: (name, args) => host.invokeOk(REFERRAL, name, args, ALL_SIGNERS).events.map(toNativeEvent),
  }
}

const codeArgs = (account: string, code: string): Val[] => [address(account), text(code)]

test('initialize works once, by the admin; every call before it fails with 2', () => {
  const host = createUninitializedHost()
  const tryReferral = (name: string, args: readonly Val[], signers: readonly string[] = []): string => {
    return host.tryInvoke(REFERRAL, name, args, signers)
  }
  for (const [name, args] of Object.entries({
    create_code: codeArgs(ALICE, ''), set_referrer: codeArgs(ALICE, ''), record_trade: [address(ALICE), i128(0n)], claim: [address(ALICE)],
    set_discount_bps: [u32(9000)], set_referrer_share_bps: [u32(9000)], set_min_code_volume: [i128(-1n)], get_admin: [], get_market: [],
  })) assert.equal(tryReferral(name, args), contractError(2), name)
  const initializeArgs = [address(ADMIN), address(MARKET)]
  assert.equal(tryReferral('initialize', initializeArgs), UNAUTHORIZED)
  const result = host.invokeOk(REFERRAL, 'initialize', initializeArgs, [ADMIN])
  assert.deepEqual(result.events.map(toNativeEvent), [[REFERRAL, ['initialized'], [ADMIN, MARKET]]])
  assert.equal(tryReferral('initialize', initializeArgs, [ADMIN]), contractError(1))
  assert.deepEqual(['get_admin', 'get_market'].map((view) => toNative(host.invokeOk(REFERRAL, view, []).value)), [ADMIN, MARKET])
})

test('create_code registers one case-sensitive code per account, first come, first served', () => {
  const { tryReferral, events, view, host } = createReferral()
  assert.deepEqual(events('create_code', codeArgs(ALICE, 'Nord')), [[REFERRAL, ['code_created'], [ALICE, 'Nord']]])
  assert.deepEqual(view('get_info', address(ALICE)), {
    referrer: ALICE, code: 'Nord', created_at: host.ledger.timestampSec, referred_count: 0, claimable: 0n, total_earned: 0n, total_volume_generated: 0n,
  })
  assert.deepEqual([view('resolve_code', text('Nord')), view('resolve_code', text('nord'))], [ALICE, null])
  assert.equal(tryReferral('create_code', codeArgs(BOB, 'n'), [ALICE]), UNAUTHORIZED)
  assert.equal(tryReferral('create_code', codeArgs(ALICE, 'no')), contractError(6), 'checked before 9')
  assert.equal(tryReferral('create_code', codeArgs(ALICE, 'ö'.repeat(9))), contractError(7), 'bytes, not characters')
  assert.equal(tryReferral('create_code', codeArgs(ALICE, 'Nord')), contractError(8), 'checked before 9')
  assert.equal(tryReferral('create_code', codeArgs(ALICE, 'Other')), contractError(9))
  assert.equal(tryReferral('create_code', codeArgs(BOB, 'nord')), 'ok')
  assert.equal(tryReferral('create_code', codeArgs(KEEPER, 'ö'.repeat(8))), 'ok')
  assert.equal(host.tryInvoke(REFERRAL, 'get_info', [address(ADMIN)]), contractError(10))
})

test('set_referrer is final and fails with 11, 10 or 12 in this order', () => {
  const { tryReferral, events, view } = createReferral()
  events('create_code', codeArgs(ALICE, 'north'))
  events('create_code', codeArgs(BOB, 'south'))
  assert.equal(tryReferral('set_referrer', codeArgs(BOB, 'nowhere'), [ALICE]), UNAUTHORIZED)
  assert.equal(tryReferral('set_referrer', codeArgs(ALICE, 'nowhere')), contractError(10))
  assert.equal(tryReferral('set_referrer', codeArgs(ALICE, 'north')), contractError(12))
  assert.deepEqual(events('set_referrer', codeArgs(KEEPER, 'north')), [[REFERRAL, ['referrer_set'], [KEEPER, ALICE, 'north']]])
  assert.equal(tryReferral('set_referrer', codeArgs(KEEPER, 'nowhere')), contractError(11))
  assert.deepEqual([view('get_referrer', address(KEEPER)), view('get_referrer', address(BOB))], [ALICE, null])
  assert.equal((view('get_info', address(ALICE)) as { referred_count: number }).referred_count, 1)
  assert.equal(tryReferral('set_referrer', codeArgs(ALICE, 'south')), 'ok', 'a referrer can have a referrer')
})

test('record_trade is for the market only: 4 % discount, 10 % reward, truncated; the fee counts as volume', () => {
  const { tryReferral, events, view, report, host } = createReferral()
  events('create_code', codeArgs(ALICE, 'north'))
  events('set_referrer', codeArgs(BOB, 'north'))
  assert.equal(tryReferral('record_trade', [address(BOB), i128(E7)]), UNAUTHORIZED)
  assert.deepEqual(report(KEEPER, E7), [0n, 0n], 'this account has no referrer')
  for (const fee of [0n, -E7]) assert.deepEqual(report(BOB, fee), [0n, 0n])
  const reported = host.invokeOk(MARKET, 'report', [address(REFERRAL), address(BOB), i128(999n)])
  assert.deepEqual(toNative(reported.value), [39n, 99n])
  assert.deepEqual(reported.events.map(toNativeEvent), [[REFERRAL, ['trade_recorded'], [BOB, ALICE, 999n, 39n, 99n]]])
  report(BOB, E7)
  const { claimable, total_earned, total_volume_generated } = view('get_info', address(ALICE)) as Record<string, bigint>
  assert.deepEqual([claimable, total_earned, total_volume_generated], [1_000_099n, 1_000_099n, E7 + 999n])
  assert.equal(host.tryInvoke(MARKET, 'report', [address(REFERRAL), address(BOB), i128(2n ** 126n)]), contractError(15))
})

test('claim resets the claimable amount and emits an event without transferring USDC', () => {
  const { tryReferral, events, view, report } = createReferral()
  assert.equal(tryReferral('claim', [address(ALICE)], [BOB]), UNAUTHORIZED)
  assert.equal(tryReferral('claim', [address(ALICE)]), contractError(10))
  events('create_code', codeArgs(ALICE, 'north'))
  events('set_referrer', codeArgs(BOB, 'north'))
  assert.equal(tryReferral('claim', [address(ALICE)]), contractError(14))
  report(BOB, E7)
  assert.deepEqual(events('claim', [address(ALICE)]), [[REFERRAL, ['claimed'], [ALICE, 1_000_000n]]], 'this host has no token to call')
  const { claimable, total_earned } = view('get_info', address(ALICE)) as Record<string, bigint>
  assert.deepEqual([claimable, total_earned], [0n, 1_000_000n])
  assert.equal(tryReferral('claim', [address(ALICE)]), contractError(14))
})

test('the admin sets discount and reward up to 50 %', () => {
  const { tryReferral, events, view, report } = createReferral()
  assert.deepEqual(view('get_config'), [400, 1000, 10_000n * E7])
  for (const [name, arg, wrong] of [
    ['set_discount_bps', u32(0), u32(5001)], ['set_referrer_share_bps', u32(5000), u32(5001)], ['set_min_code_volume', i128(0n), i128(-1n)],
  ] as const) {
    assert.equal(tryReferral(name, [wrong], [ALICE]), UNAUTHORIZED, name)
    assert.equal(tryReferral(name, [wrong]), contractError(5), name)
    assert.deepEqual(events(name, [arg]), [], name)
  }
  assert.deepEqual(view('get_config'), [0, 5000, 0n])
  events('create_code', codeArgs(ALICE, 'north'))
  events('set_referrer', codeArgs(BOB, 'north'))
  assert.deepEqual(report(BOB, E7), [0n, E7 / 2n])
})

test('without set_referral the market reports no trades and a referred trader pays the full fee', () => {
  const exchange = createTestExchange()
  exchange.host.invokeOk(REFERRAL, 'create_code', codeArgs(ALICE, 'north'), [ALICE])
  exchange.host.invokeOk(REFERRAL, 'set_referrer', codeArgs(BOB, 'north'), [BOB])
  const before = exchange.usdc(USDC)
  const opened = exchange.host.invokeOk(MARKET, 'open_position', openArgs(BOB), [BOB])
  assert.equal((toNative(opened.value) as { collateral: bigint }).collateral, 100n * E7 - E7 / 2n)
  assert.deepEqual(opened.events.filter(({ contract }) => contract === REFERRAL), [])
  assert.deepEqual(exchange.usdc(USDC), before)
  const info = toNative(exchange.host.invokeOk(REFERRAL, 'get_info', [address(ALICE)]).value) as Record<string, unknown>
  assert.deepEqual([info['total_earned'], info['total_volume_generated'], info['referred_count']], [0n, 0n, 1])
})
