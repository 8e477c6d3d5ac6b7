import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allBuilds, build, type ContractKind } from '../builds.ts'
import { address, bytes, i128, u32 } from '../shared/host.ts'
import { wasmModuleOf } from '../../ledger/wasm-spec.ts'
import {
  ADMIN, ALICE, contractError, E7, FACTORY, MARKET, PROVIDER, REFERRAL, ROUTER, SHIM, UNAUTHORIZED, VAULT,
} from '../../test/contracts/generation-1/test-exchange.ts'
import { toNative } from '../../test/contracts/test-host.ts'
import { createVaultArgs, amountArgs } from '../../test/contracts/generation-1/test-vaults.ts'
import type { Generation2Build } from './build.ts'
import { createTestExchange, createUninitializedHost, type TestExchange } from '../../test/contracts/generation-2/test-exchange.ts'

const UPLOADED = new Map(allBuilds().map((code) => [wasmModuleOf(code).hash, code]))

const hashOf = (kind: ContractKind, name: Generation2Build) => bytes(new Uint8Array(Buffer.from(wasmModuleOf(build(kind, name)).hash, 'hex')))

function createExchange(name: Generation2Build): TestExchange {
  return createTestExchange({ build: name }, createUninitializedHost(name, UPLOADED))
}

test('a vault keeps its state through the upgrades from 2.0 to 2.3, and takes the arguments of the build that runs', () => {
  const { host, vaultView } = createExchange('2.0')
  const deposit = (...minimum: readonly bigint[]): string =>
    host.tryInvoke(VAULT, 'deposit', [address(ALICE), i128(100n * E7), ...minimum.map(i128)], [ALICE])
  assert.equal(deposit(), 'ok')
  const [pool, deposited] = [vaultView('get_pool_info'), vaultView('get_deposited', address(ALICE))]
  for (const name of ['2.1', '2.2', '2.3'] as const) {
    assert.equal(host.tryInvoke(VAULT, 'upgrade', [hashOf('vault', name)], [ALICE]), UNAUTHORIZED)
    assert.equal(host.tryInvoke(VAULT, 'upgrade', [hashOf('vault', name)], [ADMIN]), 'ok')
    assert.deepEqual([vaultView('get_pool_info'), vaultView('get_deposited', address(ALICE))], [pool, deposited], name)
  }
  assert.equal(deposit(), 'Error(WasmVm, UnexpectedSize)')
  assert.equal(deposit(101n * E7), contractError(66))
  assert.equal(deposit(0n), 'ok')
})

test('a vault upgraded back to 2.0 takes two arguments again', () => {
  const { host } = createExchange('2.3')
  host.invokeOk(VAULT, 'upgrade', [hashOf('vault', '2.0')], [ADMIN])
  assert.equal(host.tryInvoke(VAULT, 'deposit', [address(ALICE), i128(100n * E7)], [ALICE]), 'ok')
})

test('trader vaults keep shares and positions through an upgrade', () => {
  const { host } = createExchange('2.0')
  host.invokeOk(FACTORY, 'create_vault', createVaultArgs(ALICE, 'vault'), [ALICE])
  host.invokeOk(FACTORY, 'deposit', amountArgs(ALICE, 0, 1000n * E7), [ALICE])
  const view = (): unknown => toNative(host.invokeOk(FACTORY, 'view_vault', [u32(0)]).value)
  const before = view()
  host.invokeOk(FACTORY, 'upgrade', [hashOf('vaultFactory', '2.1')], [ADMIN])
  assert.deepEqual(view(), before)
  assert.equal(host.tryInvoke(FACTORY, 'withdraw', [...amountArgs(ALICE, 0, E7), i128(E7 + 1n)], [ALICE]), contractError(21))
  assert.equal(host.tryInvoke(FACTORY, 'withdraw', [...amountArgs(ALICE, 0, E7), i128(E7)], [ALICE]), 'ok')
})

test('every upgrade requires the admin and a module that was uploaded', () => {
  const { host } = createExchange('2.3')
  host.invokeOk(ROUTER, 'initialize', [address(ADMIN), address(MARKET), address(PROVIDER)], [ADMIN])
  const unknown = bytes(new Uint8Array(32))
  for (const contract of [MARKET, VAULT, SHIM, ROUTER, FACTORY, REFERRAL]) {
    assert.equal(host.tryInvoke(contract, 'upgrade', [unknown], [ALICE]), UNAUTHORIZED, contract)
    assert.equal(host.tryInvoke(contract, 'upgrade', [unknown], [ADMIN]), 'Error(Storage, MissingValue)', contract)
  }
})
