import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../shared/host.ts'
import { address, bool, i128, text } from '../shared/host.ts'
import { toNative, toNativeEvent } from '../../test/contracts/test-host.ts'
import { ADMIN, ALICE, BOB, contractError, E7, KEEPER, MARKET, REFERRAL, UNAUTHORIZED, USDC } from '../../test/contracts/generation-1/test-exchange.ts'
import { createTestExchange, createUninitializedHost, openArgs, type TestExchange } from '../../test/contracts/generation-2/test-exchange.ts'

const ALL_SIGNERS = [ADMIN, ALICE, BOB, KEEPER, MARKET]

interface ReferralFixture extends TestExchange {
  tryReferral(name: string, args: readonly Val[], signers?: readonly string[]): string
  call(name: string, ...args: readonly Val[]): unknown
  events(name: string, ...args: readonly Val[]): unknown
}

/** The exchange whose market reports trades to the referral contract. */
function createReferral(): ReferralFixture {
  const exchange = createTestExchange()
  exchange.invokeOk('set_referral', [address(REFERRAL)])
  return {
    ...exchange,
    tryReferral: (name, args, signers = ALL_SIGNERS) => exchange.host.tryInvoke(REFERRAL, name, args, signers),
    call: (name, ...args) => toNative(exchange.host.invokeOk(REFERRAL, name, args, ALL_SIGNERS).value),
    events: (name, ...args) => exchange.host.invokeOk(REFERRAL, name, args, ALL_SIGNERS).events.map((event) => toNativeEvent(event).slice(1)),
  }
}

const codeArgs = (account: string, code: string): Val[] => [address(account), text(code)]

/** ALICE owns the code `alice`, and BOB is bound to it. */
function createBound(): ReferralFixture {
  const referral = createReferral()
  referral.call('create_code', ...codeArgs(ALICE, 'alice'))
  referral.call('set_referrer', ...codeArgs(BOB, 'alice'))
  return referral
}

test('a trade of 1,000 USD earns a discount and a payout, which its fee funds and a claim pays', () => {
  const referral = createBound()
  const before = referral.usdc(BOB)
  const opened = referral.invokeOk('open_position', openArgs(BOB, { collateral: 200n * E7, leverage: 5 }))
  const recorded = opened.events.map(toNativeEvent).find(([contract]) => contract === REFERRAL)
  // Gross 0.5; discount 4 %, payout 10 %; the volume is the size.
  assert.deepEqual(recorded?.slice(1), [['trade_recorded'], [BOB, ALICE, 5_000_000n, 200_000n, 500_000n, 1000n * E7]])
  assert.equal(before - referral.usdc(BOB), 200n * E7)
  assert.equal(referral.position(1n)['collateral'], 200n * E7 - 4_800_000n)
  assert.equal(referral.usdc(REFERRAL), 500_000n)
  const info = referral.call('get_info', address(ALICE)) as Record<string, unknown>
  assert.deepEqual([info['claimable'], info['total_earned'], info['total_volume_generated']], [500_000n, 500_000n, 1000n * E7])
  const wallet = referral.usdc(ALICE)
  assert.deepEqual(referral.events('claim', address(ALICE)), [
    [['transfer', REFERRAL, ALICE, 'USDC:GISSUER'], 500_000n], [['claimed'], [ALICE, 500_000n]],
  ])
  assert.equal(referral.usdc(ALICE) - wallet, 500_000n)
  assert.equal(referral.tryReferral('claim', [address(ALICE)]), contractError(14))
})

test('a claim above the contract\'s USDC fails with 16 and loses nothing', () => {
  const referral = createBound()
  referral.host.invokeOk(REFERRAL, 'record_trade', [address(BOB), i128(1000n * E7), i128(E7)], [MARKET])
  assert.equal(referral.tryReferral('claim', [address(ALICE)], [BOB]), UNAUTHORIZED)
  assert.equal(referral.tryReferral('claim', [address(BOB)]), contractError(10))
  assert.equal(referral.tryReferral('claim', [address(ALICE)]), contractError(16))
  referral.host.invokeOk(USDC, 'transfer', [address(KEEPER), address(REFERRAL), i128(100n * E7)], [KEEPER])
  assert.equal(referral.call('claim', address(ALICE)), 100n * E7)
})

test('record_trade is the market\'s and earns nothing without a fee, a binding, a valid code or while paused', () => {
  const referral = createBound()
  const record = (referee: string, fee: bigint): unknown =>
    toNative(referral.host.invokeOk(REFERRAL, 'record_trade', [address(referee), i128(fee), i128(E7)], [MARKET]).value)
  assert.equal(referral.tryReferral('record_trade', [address(BOB), i128(1n), i128(1n)], [ADMIN, BOB]), UNAUTHORIZED)
  assert.deepEqual(record(BOB, 100n), [4n, 10n])
  assert.deepEqual(record(BOB, 0n), [0n, 0n])
  assert.deepEqual(record(KEEPER, 100n), [0n, 0n])
  referral.call('set_paused', bool(true))
  assert.deepEqual(record(BOB, 100n), [0n, 0n])
  referral.call('set_paused', bool(false))
  referral.call('revoke_code', text('alice'))
  assert.deepEqual(record(BOB, 100n), [0n, 0n])
  referral.call('unrevoke_code', text('alice'))
  assert.deepEqual(record(BOB, 100n), [4n, 10n])
  referral.call('unbind', address(BOB))
  assert.deepEqual(record(BOB, 100n), [0n, 0n])
})

test('a trader pays the whole fee while the registry is paused', () => {
  const referral = createBound()
  referral.call('set_paused', bool(true))
  referral.open(BOB, { collateral: 200n * E7, leverage: 5 })
  assert.equal(referral.position(1n)['collateral'], 200n * E7 - 5_000_000n)
})

test('create_code checks 2, authorization, 17, 13, 6, 7, 8 and 9 in this order', () => {
  const referral = createReferral()
  const create = (account: string, code: string): string => referral.tryReferral('create_code', codeArgs(account, code))
  assert.equal(createUninitializedHost().tryInvoke(REFERRAL, 'create_code', codeArgs(ALICE, '')), contractError(2))
  referral.call('set_min_code_volume', i128(1000n * E7))
  referral.call('set_paused', bool(true))
  assert.equal(referral.tryReferral('create_code', codeArgs(ALICE, ''), [BOB]), UNAUTHORIZED)
  assert.equal(create(ALICE, ''), contractError(17))
  referral.call('set_paused', bool(false))
  assert.equal(create(ALICE, ''), contractError(13), 'no volume yet')
  referral.open(ALICE, { collateral: 200n * E7, leverage: 5 })
  assert.equal(create(ALICE, ''), contractError(6), 'exactly the minimum volume')
  assert.equal(create(ALICE, 'seventeen_letters'), contractError(7))
  assert.equal(create(ALICE, 'alice'), 'ok')
  referral.call('set_min_code_volume', i128(0n))
  assert.equal(create(BOB, 'alice'), contractError(8))
  assert.equal(create(ALICE, 'second'), contractError(9))
})

test('a volume that cannot be read counts as 0', () => {
  const referral = createReferral()
  referral.call('set_market', address('CNOWHERE'))
  assert.equal(referral.tryReferral('create_code', codeArgs(ALICE, 'alice')), 'ok', 'the admin has set the minimum to 0')
  referral.call('set_min_code_volume', i128(1n))
  assert.equal(referral.tryReferral('create_code', codeArgs(BOB, 'bob')), contractError(13))
})

test('set_referrer checks 2, authorization, 17, 11, 10, 12 and 18 in this order', () => {
  const referral = createBound()
  const set = (account: string, code: string): string => referral.tryReferral('set_referrer', codeArgs(account, code))
  assert.equal(createUninitializedHost().tryInvoke(REFERRAL, 'set_referrer', codeArgs(ALICE, '')), contractError(2))
  referral.call('revoke_code', text('alice'))
  referral.call('set_paused', bool(true))
  assert.equal(referral.tryReferral('set_referrer', codeArgs(BOB, 'x'), [ALICE]), UNAUTHORIZED)
  assert.equal(set(BOB, 'x'), contractError(17))
  referral.call('set_paused', bool(false))
  assert.equal(set(BOB, 'x'), contractError(11))
  assert.equal(set(ALICE, 'x'), contractError(10))
  assert.equal(set(ALICE, 'alice'), contractError(12))
  assert.equal(set(KEEPER, 'alice'), contractError(18))
  referral.call('unrevoke_code', text('alice'))
  assert.equal(set(KEEPER, 'alice'), 'ok')
  referral.call('unbind', address(BOB))
  assert.equal(referral.call('get_referrer', address(BOB)), null)
  assert.equal(set(BOB, 'alice'), 'ok', 'a binding is no longer permanent')
})

test('a pause does not stop claims', () => {
  const referral = createBound()
  referral.open(BOB, { collateral: 200n * E7, leverage: 5 })
  referral.call('set_paused', bool(true))
  assert.equal(referral.call('claim', address(ALICE)), 500_000n)
})

test('the admin\'s calls require the admin and emit events; unbound and registry_paused carry a bare value', () => {
  const referral = createBound()
  const rows: readonly (readonly [name: string, args: readonly Val[], event: readonly unknown[] | null])[] = [
    ['revoke_code', [text('alice')], [['code_revoked'], [ALICE, 'alice']]],
    ['unrevoke_code', [text('alice')], [['code_unrevoked'], [ALICE, 'alice']]],
    ['unbind', [address(BOB)], [['unbound'], BOB]],
    ['set_paused', [bool(true)], [['registry_paused'], true]],
    ['set_usdc_token', [address(USDC)], null],
    ['set_market', [address('CNEW')], null],
    ['set_admin', [address(KEEPER)], [['admin_rotated'], [ADMIN, KEEPER]]],
  ]
  for (const [name, args, event] of rows) {
    assert.equal(createUninitializedHost().tryInvoke(REFERRAL, name, args, ALL_SIGNERS), contractError(2), name)
    assert.equal(referral.tryReferral(name, args, [ALICE, BOB]), UNAUTHORIZED, name)
    assert.deepEqual(referral.events(name, ...args), event === null ? [] : [event], name)
  }
  assert.deepEqual([referral.call('get_admin'), referral.call('get_market')], [KEEPER, 'CNEW'])
  assert.equal(referral.call('version'), 'referral_v1')
  assert.equal(referral.tryReferral('revoke_code', [text('unknown')]), contractError(10))
  assert.deepEqual(referral.call('get_config'), [400, 1000, 0n])
})

test('unbinding an account without a binding succeeds and emits its event', () => {
  assert.deepEqual(createReferral().events('unbind', address(BOB)), [[['unbound'], BOB]])
})

test('initialize stores a minimum volume of 10,000 USDC for a code', () => {
  const exchange = createTestExchange({ configured: false })
  assert.deepEqual(toNative(exchange.host.invokeOk(REFERRAL, 'get_config', []).value), [400, 1000, 10_000n * E7])
  assert.equal(exchange.host.tryInvoke(REFERRAL, 'create_code', codeArgs(ALICE, 'alice'), [ALICE]), contractError(13))
})

test('get_info and get_config fail with 2 before initialize', () => {
  const host = createUninitializedHost()
  const tryView = (name: string, args: readonly Val[]): string => host.tryInvoke(REFERRAL, name, args, [])
  assert.deepEqual([tryView('get_info', [address(ALICE)]), tryView('get_config', [])], [contractError(2), contractError(2)])
})
