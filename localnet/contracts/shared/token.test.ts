import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from './host.ts'
import { address, bool, i128, u32 } from './host.ts'
import { createTestHost, type TestHost, toNative, toNativeEvent } from '../../test/contracts/test-host.ts'
import { assetContract } from './token.ts'
import { UNAUTHORIZED } from '../../test/contracts/generation-1/test-exchange.ts'

const ISSUER = 'GISSUER'
const USDC = `USDC:${ISSUER}`
const TOKEN = 'CUSDC'
const NATIVE = 'CNATIVE'
const ALICE = 'GALICE'
const BOB = 'GBOB'
const POOL = 'CPOOL'
const ALL_SIGNERS = [ALICE, BOB, ISSUER, POOL]

function createTokens(): TestHost {
  const host = createTestHost({ [TOKEN]: assetContract(USDC), [NATIVE]: assetContract('native') })
  host.fund(ALICE, USDC, 1_000n)
  host.fund(BOB, USDC, 0n)
  host.fund(ALICE, 'native', 500n)
  return host
}

function balance(host: TestHost, holder: string, token = TOKEN): unknown {
  return toNative(host.invokeOk(token, 'balance', [address(holder)]).value)
}

function tryToken(host: TestHost, name: string, args: readonly Val[], signers = ALL_SIGNERS, token = TOKEN): string {
  return host.tryInvoke(token, name, args, signers)
}

const transferArgs = (from: string, to: string, amount: bigint): Val[] => [address(from), address(to), i128(amount)]

test('a transfer between accounts and contracts emits an event with the asset as last topic', () => {
  const host = createTokens()
  const result = host.invokeOk(TOKEN, 'transfer', transferArgs(ALICE, POOL, 300n), [ALICE])
  assert.deepEqual(result.events.map(toNativeEvent), [[TOKEN, ['transfer', ALICE, POOL, USDC], 300n]])
  assert.deepEqual([balance(host, ALICE), balance(host, POOL)], [700n, 300n])
  host.invokeOk(TOKEN, 'transfer', transferArgs(POOL, BOB, 100n), [POOL])
  assert.deepEqual([balance(host, POOL), balance(host, BOB)], [200n, 100n])
})

test('a contract balance is stored under [Balance, address] as amount, authorized, clawback', () => {
  const host = createTokens()
  host.invokeOk(TOKEN, 'transfer', transferArgs(ALICE, POOL, 300n), [ALICE])
  const key: Val = { type: 'vec', value: [{ type: 'symbol', value: 'Balance' }, address(POOL)] }
  assert.deepEqual(toNative(host.readEntry(TOKEN, 'persistent', key)), { amount: 300n, authorized: true, clawback: false })
})

test('a transfer from the issuer mints, one to the issuer burns, and the issuer\'s balance is unlimited', () => {
  const host = createTokens()
  const minted = host.invokeOk(TOKEN, 'transfer', transferArgs(ISSUER, BOB, 50n), [ISSUER])
  assert.deepEqual(minted.events.map(toNativeEvent), [[TOKEN, ['mint', BOB, USDC], 50n]])
  const burned = host.invokeOk(TOKEN, 'transfer', transferArgs(ALICE, ISSUER, 20n), [ALICE])
  assert.deepEqual(burned.events.map(toNativeEvent), [[TOKEN, ['burn', ALICE, USDC], 20n]])
  const self = host.invokeOk(TOKEN, 'transfer', transferArgs(ISSUER, ISSUER, 5n), [ISSUER])
  assert.deepEqual(self.events.map(toNativeEvent), [[TOKEN, ['transfer', ISSUER, ISSUER, USDC], 5n]])
  assert.deepEqual([balance(host, ISSUER), balance(host, BOB), balance(host, ALICE)], [2n ** 63n - 1n, 50n, 980n])
})

test('the asset contract fails with the network\'s error codes', () => {
  const host = createTokens()
  const rows: [string, string, Val[], string][] = [
    ['negative amount, checked first', 'transfer', transferArgs('GSTRANGER', BOB, -1n), '#8'],
    ['account balance too small', 'transfer', transferArgs(ALICE, BOB, 1_001n), '#10'],
    ['contract balance too small', 'transfer', transferArgs(POOL, BOB, 1n), '#10'],
    ['no trustline at the destination', 'transfer', transferArgs(ALICE, 'GSTRANGER', 1n), '#13'],
    ['more than an account can hold, checked at the source', 'transfer', transferArgs(ALICE, BOB, 2n ** 63n), '#12'],
    ['no allowance', 'transfer_from', [address(BOB), ...transferArgs(ALICE, BOB, 1n)], '#9'],
    ['balance without a trustline', 'balance', [address('GSTRANGER')], '#13'],
    ['mint to the issuer', 'mint', [address(ISSUER), i128(1n)], '#2'],
    ['burn by the issuer', 'burn', [address(ISSUER), i128(1n)], '#2'],
    ['clawback without the flag', 'clawback', [address(ALICE), i128(1n)], '#10'],
    ['clawback from the issuer', 'clawback', [address(ISSUER), i128(1n)], '#2'],
    ['deauthorize without the flag', 'set_authorized', [address(ALICE), bool(false)], '#2'],
  ]
  for (const [description, name, args, code] of rows) assert.equal(tryToken(host, name, args), `Error(Contract, ${code})`, description)
  assert.equal(tryToken(host, 'transfer', transferArgs('GSTRANGER', BOB, 1n), ['GSTRANGER']), 'Error(Contract, #13)')
  assert.equal(tryToken(host, 'transfer', transferArgs('GSTRANGER', BOB, 1n), [BOB]), UNAUTHORIZED)
})

test('a failed transfer changes nothing', () => {
  const host = createTokens()
  const before = host.fingerprint()
  assert.equal(tryToken(host, 'transfer', transferArgs(ALICE, 'GSTRANGER', 1n)), 'Error(Contract, #13)')
  assert.equal(host.fingerprint(), before)
})

test('the native asset has no issuer, cannot be minted or burned, and fails with 6 for a missing account', () => {
  const host = createTokens()
  assert.equal(balance(host, ALICE, NATIVE), 500n)
  assert.equal(tryToken(host, 'transfer', transferArgs(ALICE, 'GSTRANGER', 1n), ALL_SIGNERS, NATIVE), 'Error(Contract, #6)')
  assert.equal(tryToken(host, 'balance', [address('GSTRANGER')], ALL_SIGNERS, NATIVE), 'Error(Contract, #6)')
  for (const [name, args] of [
    ['mint', [address(ALICE), i128(1n)]], ['burn', [address(ALICE), i128(1n)]], ['admin', []], ['set_admin', [address(ALICE)]],
    ['clawback', [address(ALICE), i128(1n)]],
  ] as const) {
    assert.equal(tryToken(host, name, args, ALL_SIGNERS, NATIVE), 'Error(Contract, #2)', name)
  }
  const result = host.invokeOk(NATIVE, 'transfer', transferArgs(ALICE, POOL, 5n), [ALICE])
  assert.deepEqual(result.events.map(toNativeEvent), [[NATIVE, ['transfer', ALICE, POOL, 'native'], 5n]])
  assert.deepEqual(toNative(host.invokeOk(NATIVE, 'name', []).value), 'native')
})

test('an allowance is spent, expires after its ledger, and cannot expire in the past', () => {
  const host = createTokens()
  const approve = (amount: bigint, liveUntil: number): Val[] => [address(ALICE), address(POOL), i128(amount), u32(liveUntil)]
  const allowance = (): unknown => toNative(host.invokeOk(TOKEN, 'allowance', [address(ALICE), address(POOL)]).value)
  const result = host.invokeOk(TOKEN, 'approve', approve(100n, 150), [ALICE])
  assert.deepEqual(result.events.map(toNativeEvent), [[TOKEN, ['approve', ALICE, POOL, USDC], [100n, 150]]])
  host.invokeOk(TOKEN, 'transfer_from', [address(POOL), ...transferArgs(ALICE, BOB, 60n)], [POOL])
  assert.equal(allowance(), 40n)
  assert.equal(tryToken(host, 'transfer_from', [address(POOL), ...transferArgs(ALICE, BOB, 41n)]), 'Error(Contract, #9)')
  host.invokeOk(TOKEN, 'burn_from', [address(POOL), address(ALICE), i128(10n)], [POOL])
  assert.deepEqual([balance(host, ALICE), balance(host, BOB), allowance()], [930n, 60n, 30n])
  host.ledger.sequence = 150
  assert.equal(allowance(), 30n)
  host.ledger.sequence = 151
  assert.equal(allowance(), 0n)
  assert.equal(tryToken(host, 'approve', approve(1n, 150)), 'Error(Contract, #9)')
  assert.equal(tryToken(host, 'approve', approve(1n, 151 + 3_110_400)), 'Error(Contract, #9)')
  assert.equal(tryToken(host, 'approve', approve(0n, 0)), 'ok')
})

test('the issuer is admin until it sets another', () => {
  const host = createTokens()
  assert.equal(tryToken(host, 'mint', [address(BOB), i128(7n)], [ALICE]), UNAUTHORIZED)
  const minted = host.invokeOk(TOKEN, 'mint', [address(BOB), i128(7n)], [ISSUER])
  assert.deepEqual(minted.events.map(toNativeEvent), [[TOKEN, ['mint', BOB, USDC], 7n]])
  const handed = host.invokeOk(TOKEN, 'set_admin', [address(ALICE)], [ISSUER])
  assert.deepEqual(handed.events.map(toNativeEvent), [[TOKEN, ['set_admin', ISSUER, USDC], ALICE]])
  assert.equal(tryToken(host, 'mint', [address(BOB), i128(7n)], [ISSUER]), UNAUTHORIZED)
  assert.equal(tryToken(host, 'mint', [address(BOB), i128(7n)], [ALICE]), 'ok')
  assert.equal(toNative(host.invokeOk(TOKEN, 'admin', []).value), ALICE)
})

test('the metadata views return decimals, name and symbol', () => {
  const host = createTokens()
  assert.deepEqual(['decimals', 'name', 'symbol'].map((name) => toNative(host.invokeOk(TOKEN, name, []).value)), [7, USDC, 'USDC'])
  assert.equal(toNative(host.invokeOk(TOKEN, 'authorized', [address(POOL)]).value), true)
  assert.equal(tryToken(host, 'set_authorized', [address(POOL), bool(true)]), 'ok')
})
