import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from './host.ts'
import { address, bool, i128, u32 } from './host.ts'
import { createTestHost, type TestHost, toNative, toNativeEvent } from './test-host.ts'
import { assetContract } from './token.ts'
import { UNAUTHORIZED } from './test-exchange.ts'

const ISSUER = 'GISSUER'
const USDC = `USDC:${ISSUER}`
const TOKEN = 'CUSDC'
const NATIVE = 'CNATIVE'
const ALICE = 'GALICE'
const BOB = 'GBOB'
const POOL = 'CPOOL'
const EVERYONE = [ALICE, BOB, ISSUER, POOL]

function world(): TestHost {
  const host = createTestHost({ [TOKEN]: assetContract(USDC), [NATIVE]: assetContract('native') })
  host.fund(ALICE, USDC, 1_000n)
  host.fund(BOB, USDC, 0n)
  host.fund(ALICE, 'native', 500n)
  return host
}

function balance(host: TestHost, holder: string, token = TOKEN): unknown {
  return toNative(host.invokeOk(token, 'balance', [address(holder)]).value)
}

function outcome(host: TestHost, name: string, args: readonly Val[], signers = EVERYONE, token = TOKEN): string {
    return host.tryInvoke(token, name, args, signers)
  }

const transfer = (from: string, to: string, amount: bigint): Val[] => [address(from), address(to), i128(amount)]

test('a transfer moves balance between accounts and contracts, and says so with the asset as last topic', () => {
  const host = world()
  const result = host.invokeOk(TOKEN, 'transfer', transfer(ALICE, POOL, 300n), [ALICE])
  assert.deepEqual(result.events.map(toNativeEvent), [[TOKEN, ['transfer', ALICE, POOL, USDC], 300n]])
  assert.deepEqual([balance(host, ALICE), balance(host, POOL)], [700n, 300n])
  host.invokeOk(TOKEN, 'transfer', transfer(POOL, BOB, 100n), [POOL])
  assert.deepEqual([balance(host, POOL), balance(host, BOB)], [200n, 100n])
})

test('a contract balance is stored under [Balance, address] as amount, authorized, clawback', () => {
  const host = world()
  host.invokeOk(TOKEN, 'transfer', transfer(ALICE, POOL, 300n), [ALICE])
  const key: Val = { type: 'vec', value: [{ type: 'symbol', value: 'Balance' }, address(POOL)] }
  assert.deepEqual(toNative(host.readEntry(TOKEN, 'persistent', key)), { amount: 300n, authorized: true, clawback: false })
})

test('from the issuer is a mint, to the issuer is a burn, and the issuer never runs dry', () => {
  const host = world()
  const minted = host.invokeOk(TOKEN, 'transfer', transfer(ISSUER, BOB, 50n), [ISSUER])
  assert.deepEqual(minted.events.map(toNativeEvent), [[TOKEN, ['mint', BOB, USDC], 50n]])
  const burned = host.invokeOk(TOKEN, 'transfer', transfer(ALICE, ISSUER, 20n), [ALICE])
  assert.deepEqual(burned.events.map(toNativeEvent), [[TOKEN, ['burn', ALICE, USDC], 20n]])
  const self = host.invokeOk(TOKEN, 'transfer', transfer(ISSUER, ISSUER, 5n), [ISSUER])
  assert.deepEqual(self.events.map(toNativeEvent), [[TOKEN, ['transfer', ISSUER, ISSUER, USDC], 5n]])
  assert.deepEqual([balance(host, ISSUER), balance(host, BOB), balance(host, ALICE)], [2n ** 63n - 1n, 50n, 980n])
})

test('the asset contract raises its own codes', () => {
  const host = world()
  const rows: [string, string, Val[], string][] = [
    ['negative before anything else', 'transfer', transfer('GNOBODY', BOB, -1n), '#8'],
    ['too little on an account', 'transfer', transfer(ALICE, BOB, 1_001n), '#10'],
    ['too little in a contract', 'transfer', transfer(POOL, BOB, 1n), '#10'],
    ['no trustline at the destination', 'transfer', transfer(ALICE, 'GNOBODY', 1n), '#13'],
    ['past an account, judged at the source', 'transfer', transfer(ALICE, BOB, 2n ** 63n), '#12'],
    ['no allowance', 'transfer_from', [address(BOB), ...transfer(ALICE, BOB, 1n)], '#9'],
    ['balance without trustline', 'balance', [address('GNOBODY')], '#13'],
    ['mint to the issuer', 'mint', [address(ISSUER), i128(1n)], '#2'],
    ['burn by the issuer', 'burn', [address(ISSUER), i128(1n)], '#2'],
    ['clawback without the flag', 'clawback', [address(ALICE), i128(1n)], '#10'],
    ['clawback from the issuer', 'clawback', [address(ISSUER), i128(1n)], '#2'],
    ['deauthorising without the flag', 'set_authorized', [address(ALICE), bool(false)], '#2'],
  ]
  for (const [what, name, args, code] of rows) assert.equal(outcome(host, name, args), `Error(Contract, ${code})`, what)
  assert.equal(outcome(host, 'transfer', transfer('GNOBODY', BOB, 1n), ['GNOBODY']), 'Error(Contract, #13)')
  assert.equal(outcome(host, 'transfer', transfer('GNOBODY', BOB, 1n), [BOB]), UNAUTHORIZED)
})

test('a failed transfer leaves nothing behind', () => {
  const host = world()
  const before = host.fingerprint()
  assert.equal(outcome(host, 'transfer', transfer(ALICE, 'GNOBODY', 1n)), 'Error(Contract, #13)')
  assert.equal(host.fingerprint(), before)
})

test('the native asset: no issuer, missing accounts are 6, and nobody mints or burns it', () => {
  const host = world()
  assert.equal(balance(host, ALICE, NATIVE), 500n)
  assert.equal(outcome(host, 'transfer', transfer(ALICE, 'GNOBODY', 1n), EVERYONE, NATIVE), 'Error(Contract, #6)')
  assert.equal(outcome(host, 'balance', [address('GNOBODY')], EVERYONE, NATIVE), 'Error(Contract, #6)')
  for (const [name, args] of [
    ['mint', [address(ALICE), i128(1n)]], ['burn', [address(ALICE), i128(1n)]], ['admin', []], ['set_admin', [address(ALICE)]],
    ['clawback', [address(ALICE), i128(1n)]],
  ] as const) {
    assert.equal(outcome(host, name, args, EVERYONE, NATIVE), 'Error(Contract, #2)', name)
  }
  const result = host.invokeOk(NATIVE, 'transfer', transfer(ALICE, POOL, 5n), [ALICE])
  assert.deepEqual(result.events.map(toNativeEvent), [[NATIVE, ['transfer', ALICE, POOL, 'native'], 5n]])
  assert.deepEqual(toNative(host.invokeOk(NATIVE, 'name', []).value), 'native')
})

test('an allowance is used up, lapses after its ledger, and an approval without future is refused', () => {
  const host = world()
  const approve = (amount: bigint, liveUntil: number): Val[] => [address(ALICE), address(POOL), i128(amount), u32(liveUntil)]
  const allowance = (): unknown => toNative(host.invokeOk(TOKEN, 'allowance', [address(ALICE), address(POOL)]).value)
  const result = host.invokeOk(TOKEN, 'approve', approve(100n, 150), [ALICE])
  assert.deepEqual(result.events.map(toNativeEvent), [[TOKEN, ['approve', ALICE, POOL, USDC], [100n, 150]]])
  host.invokeOk(TOKEN, 'transfer_from', [address(POOL), ...transfer(ALICE, BOB, 60n)], [POOL])
  assert.equal(allowance(), 40n)
  assert.equal(outcome(host, 'transfer_from', [address(POOL), ...transfer(ALICE, BOB, 41n)]), 'Error(Contract, #9)')
  host.invokeOk(TOKEN, 'burn_from', [address(POOL), address(ALICE), i128(10n)], [POOL])
  assert.deepEqual([balance(host, ALICE), balance(host, BOB), allowance()], [930n, 60n, 30n])
  host.ledger.sequence = 150
  assert.equal(allowance(), 30n)
  host.ledger.sequence = 151
  assert.equal(allowance(), 0n)
  assert.equal(outcome(host, 'approve', approve(1n, 150)), 'Error(Contract, #9)')
  assert.equal(outcome(host, 'approve', approve(1n, 151 + 3_110_400)), 'Error(Contract, #9)')
  assert.equal(outcome(host, 'approve', approve(0n, 0)), 'ok')
})

test('the issuer administers until it hands over', () => {
  const host = world()
  assert.equal(outcome(host, 'mint', [address(BOB), i128(7n)], [ALICE]), UNAUTHORIZED)
  const minted = host.invokeOk(TOKEN, 'mint', [address(BOB), i128(7n)], [ISSUER])
  assert.deepEqual(minted.events.map(toNativeEvent), [[TOKEN, ['mint', BOB, USDC], 7n]])
  const handed = host.invokeOk(TOKEN, 'set_admin', [address(ALICE)], [ISSUER])
  assert.deepEqual(handed.events.map(toNativeEvent), [[TOKEN, ['set_admin', ISSUER, USDC], ALICE]])
  assert.equal(outcome(host, 'mint', [address(BOB), i128(7n)], [ISSUER]), UNAUTHORIZED)
  assert.equal(outcome(host, 'mint', [address(BOB), i128(7n)], [ALICE]), 'ok')
  assert.equal(toNative(host.invokeOk(TOKEN, 'admin', []).value), ALICE)
})

test('what the token says of itself', () => {
  const host = world()
  assert.deepEqual(['decimals', 'name', 'symbol'].map((name) => toNative(host.invokeOk(TOKEN, name, []).value)), [7, USDC, 'USDC'])
  assert.equal(toNative(host.invokeOk(TOKEN, 'authorized', [address(POOL)]).value), true)
  assert.equal(outcome(host, 'set_authorized', [address(POOL), bool(true)]), 'ok')
})
