// The gateway's use of the interfaces that the contracts' code declares: health, names of errors, and calls that a contract no longer accepts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import type { ContractSpec } from '../../src/exchange/contracts/contract-spec.ts'
import { CONTRACT_ALIASES, CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import type { ContractKey } from '../../src/exchange/contracts/contracts.ts'
import { createMetrics } from '../../src/observability/metrics.ts'
import { insertContractVersion, OWN_CODE, readContractCode, storeContractCode } from '../../src/projections/state/contract-versions.ts'
import type { Health } from '../../src/resources/health.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { bearer, call, createWallet, obtainKey } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { withoutMessage } from '../support/without-message.ts'

const TOKENS: readonly ContractKey[] = ['usdcToken', 'lpToken']

interface LogLine {
  readonly level: string
  readonly fields: Record<string, unknown>
}

const lines: LogLine[] = []
const record = (level: string) => (fields: Record<string, unknown>) => void lines.push({ level, fields })
const log: Log = { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') }
const metrics = createMetrics({ clock: createVirtualClock(0), runtime: false })
let fixture: GatewayFixture
let authorization: string

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'interfaces', log, metrics })
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  authorization = bearer(await obtainKey(fixture.gateway.app, createWallet('interfaces')))
})
after(() => fixture[Symbol.asyncDispose]())

/** Reads the code of the contracts, as the indexer does once a minute. */
async function readInterfaces(): Promise<Health> {
  await fixture.indexer.watchContracts()
  await fixture.catchUp()
  return (await fixture.get<Health>('/v1/health')).body
}

function prepare(body: object): Promise<ApiResponse<Record<string, unknown>>> {
  return call(fixture.gateway.app, '/v1/orders/prepare', { method: 'POST', body, headers: { authorization } })
}

function preparePartialClose(): Promise<ApiResponse<Record<string, unknown>>> {
  const body = { op: 'close_position_partial', positionId: 1, closeSize: '10000000' }
  return call(fixture.gateway.app, '/v1/actions/prepare', { method: 'POST', headers: { authorization }, body })
}

const CLOSE = { op: 'close_position', positionId: 1 }
const WASM_HASH = 'fe'.repeat(32)

/** Stores, as the indexer does, that the market was upgraded to code with this interface. */
async function upgradeMarket(spec: ContractSpec, wasmHash: string): Promise<void> {
  const fromLedger = fixture.network.chain.history.latest().sequence
  await fixture.store.write.transaction(async (tx) => {
    await storeContractCode(tx, { wasmHash, spec, problem: null }, 0)
    await insertContractVersion(tx, 1, {
      ...OWN_CODE, contract: 'market', address: fixture.network.contracts.market, fromLedger, fromEventId: null, wasmHash, generation: null, seq: null,
      noticedAt: 0,
    })
  })
  await fixture.catchUp()
}

async function marketSpec(): Promise<ContractSpec> {
  const wasmHash = (await readInterfaces()).contracts.market.wasmHash ?? ''
  return (await readContractCode(fixture.store.read, [wasmHash])).get(wasmHash)?.spec as ContractSpec
}

test('refuses nothing while the interfaces are unknown', async () => {
  const { contracts } = (await fixture.get<Health>('/v1/health')).body
  const { generation, wasmHash, sinceLedger, notUnderstood } = contracts.market
  assert.deepEqual([generation, wasmHash, sinceLedger, notUnderstood], [null, null, null, []])
  assert.equal((await prepare(CLOSE)).status, 400, 'the simulation decides')
})

test('reports generation, hash and first ledger of every contract, and understands all of them', async () => {
  const health = await readInterfaces()
  assert.deepEqual([health.deployment, health.passphrase], [{ name: 'local', since: null }, fixture.network.networkPassphrase])
  for (const key of CONTRACT_KEYS) {
    const { address, generation, wasmHash, sinceLedger, notUnderstood } = health.contracts[key]
    assert.equal(address, fixture.network.contracts[key])
    assert.deepEqual(notUnderstood, [], key)
    if (TOKENS.includes(key)) assert.deepEqual([generation, wasmHash, sinceLedger], [null, null, null], key)
    else assert.ok(generation === '1' && /^[0-9a-f]{64}$/.test(wasmHash ?? '') && (sinceLedger ?? 0) > 0, key)
  }
  for (const [alias, key] of Object.entries(CONTRACT_ALIASES)) assert.deepEqual(health.contracts[alias as 'noeToken'], health.contracts[key])
})

test('exports generation and hash of each contract as metrics', async () => {
  const { contracts } = await readInterfaces()
  const text = await metrics.text()
  assert.ok(text.includes(`gateway_contract_info{contract="market",generation="1",wasm_hash="${contracts.market.wasmHash}"} 1\n`))
  assert.ok(text.includes('gateway_contract_not_understood{contract="vaultFactory"} 0\n'))
  assert.doesNotMatch(text, /contract="usdcToken"/)
})

test('refuses an operation of another generation with 503, with what the contract has', async () => {
  await readInterfaces()
  const { status, body } = await preparePartialClose()
  assert.deepEqual([status, withoutMessage(body)], [503, {
    error: 'unsupported_by_deployment', op: 'close_position_partial', expected: 'close_position_partial(address, u64, i128)', found: null,
  }])
})

test('follows an upgrade in place: the next poll reports the new code, and its operations are accepted', async () => {
  const old = (await readInterfaces()).contracts.market
  const upgrade = await fixture.control('local_upgrade', { contract: 'market', build: '2.3' }) as { readonly ledger: number; readonly wasmHash: string }
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  const { contracts } = (await fixture.get<Health>('/v1/health')).body
  const { generation, wasmHash, sinceLedger, notUnderstood } = contracts.market
  assert.notEqual(wasmHash, old.wasmHash)
  assert.deepEqual([generation, wasmHash, sinceLedger, notUnderstood], ['2.3', upgrade.wasmHash, upgrade.ledger, []])
  assert.equal(contracts.vault.generation, '1', 'the vault keeps its code')
  const { status, body } = await preparePartialClose()
  assert.deepEqual([status, body['error']], [400, 'simulation_failed'], 'there is such a function, and no such position')
})

test('refuses an operation whose arguments an upgrade changed, before anything is simulated, with one log line', async () => {
  const spec = await marketSpec()
  const functions = spec.functions.map((each) => (
    each.name === 'close_position' ? { ...each, inputs: [...each.inputs, { name: 'deadline', type: 'u64' }] } : each
  ))
  await upgradeMarket({ ...spec, functions, errors: [...spec.errors, { name: 'OrderNotExpired', value: 195 }] }, WASM_HASH)

  const { contracts } = (await fixture.get<Health>('/v1/health')).body
  assert.equal(contracts.market.wasmHash, WASM_HASH)
  const changed = 'close_position(trader: address, position_id: u64, acceptable_price: i128, deadline: u64)'
  assert.deepEqual(contracts.market.notUnderstood, [`${changed}: expected (address, u64, i128)`, 'error 195 OrderNotExpired is unknown'])

  fixture.rpc.isDown = true
  for (let request = 0; request < 3; request++) {
    const { status, body } = await prepare(CLOSE)
    assert.deepEqual([status, withoutMessage(body)], [503, {
      error: 'unsupported_by_deployment', op: 'close_position', expected: 'close_position(address, u64, i128)', found: changed,
    }])
  }
  fixture.rpc.isDown = false
  const logged = lines.filter(({ fields }) => fields['op'] === 'close_position' && fields['wasmHash'] === WASM_HASH)
  assert.equal(logged.length, 1)
  assert.deepEqual([logged[0]?.level, logged[0]?.fields['found']], ['warn', changed])
  assert.equal((await prepare({ op: 'cancel_order', orderId: 1 })).status, 400, 'other operations still work')
  assert.ok((await metrics.text()).includes('gateway_contract_not_understood{contract="market"} 2\n'))
})
