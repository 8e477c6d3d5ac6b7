// Vaults and referral codes with names of any bytes, created on a real local network: served without loss, indexed like any other, and no alarm.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { address, text } from '../../localnet/contracts/shared/host.ts'
import { bytesOfText } from '../../src/base/text.ts'
import type { TraderVault } from '../../src/resources/trader-vault.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { applyInOneLedger, createChainTrader } from '../support/traders.ts'

const LITERAL_ESCAPE = 'a\\x5cx00b'
/** As served. The first six and the byte order mark at the start cannot be stored as they are. */
const NAMES = [
  'a\\x00b', '\\x00\\x00\\x00', 'a\\xed\\xa0\\x80b', '\\xff\\xfe\\x80', '\\xc0\\x80a', LITERAL_ESCAPE,
  'a\u001b[2Jb', 'a\u202eb', 'a\u2028b', '\u200b\u200b\u200b', '"a"\\', ' a\n', '\\xef\\xbb\\xbfab', 'a\ufeffb', '名前名', 'a\uffff\u{e0041}',
]

let fixture: GatewayFixture

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'names' })
  await fixture.closeLedgers(3)
  const { vaultFactory, referral } = fixture.network.contracts
  for (const [index, name] of NAMES.entries()) {
    const trader = await createChainTrader(fixture, `namer ${index}`)
    await applyInOneLedger(fixture, [{ trader, contract: vaultFactory, functionName: 'create_vault', args: [address(trader.address), text(name)] }])
    await applyInOneLedger(fixture, [{ trader, contract: referral, functionName: 'create_code', args: [address(trader.address), text(name)] }])
  }
  await fixture.catchUp()
})
after(() => fixture[Symbol.asyncDispose]())

test('serves every vault, with its name as it is on the chain', async () => {
  const { body } = await fixture.get<{ vaults: readonly TraderVault[] }>('/v1/vaults')
  assert.deepEqual(body.vaults.map(({ name }) => name).reverse(), NAMES)
  for (const id of NAMES.keys()) assert.equal((await fixture.get(`/v1/vaults/${id}`)).body['name'], NAMES[id])
  assert.deepEqual([...bytesOfText(LITERAL_ESCAPE)], [...Buffer.from('a\\x00b')], 'a name that looks like an escape is not confused with one')
})

test('finds every referral code by its served form', async () => {
  for (const code of NAMES) {
    const { status, body } = await fixture.get(`/v1/referral/lookup?code=${encodeURIComponent(code)}`)
    assert.deepEqual([status, body['code']], [200, code])
  }
})

test('serves their events decoded, and raises no alarm', async () => {
  for (const [topic, field] of [['vault_created', 'name'], ['code_created', 'code']] as const) {
    const { body } = await fixture.get<{ events: readonly { payload: Record<string, unknown> }[] }>(`/v1/events?topic=${topic}&limit=100`)
    assert.deepEqual(body.events.map(({ payload }) => payload[field]).reverse(), NAMES)
  }
  const { body } = await fixture.get<{ indexer: { unknownEvents: number } }>('/v1/health')
  assert.equal(body.indexer.unknownEvents, 0)
})
