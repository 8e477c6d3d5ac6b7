// Upgrades of the local network's contracts, seen through the gateway: the stream, health, and the decoded events before and after.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Health } from '../../src/resources/health.ts'
import type { EventRow } from '../../src/resources/event-row.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import { assertUnbroken } from '../support/stream-client.ts'

test('an upgrade under load is on the stream at its ledger, in health at the next poll, and decodes nothing differently', async () => {
  await using fixture = await createGatewayFixture({ listen: true, generation: '2', seed: 'upgrades' })
  await fixture.publishLedgers(5)
  await fixture.indexer.watchContracts()
  const versionOf = async (contract: 'market' | 'oracleShim'): Promise<unknown> => {
    const { contracts } = (await fixture.get<Health>('/v1/health')).body
    return { generation: contracts[contract].generation, wasmHash: contracts[contract].wasmHash, sinceLedger: contracts[contract].sinceLedger }
  }
  const client = await fixture.connect()
  const { head } = await client.frame(({ type }) => type === 'hello')
  client.send({ op: 'subscribe', channels: ['events'] })
  await fixture.publishLedgers(8)
  const market = (await fixture.control('local_upgrade', { contract: 'market', build: '2.0' })) as { ledger: number; wasmHash: string }
  await fixture.publishLedgers(1)
  assert.deepEqual(await versionOf('market'), { generation: '2.0', wasmHash: market.wasmHash, sinceLedger: market.ledger })
  const shim = (await fixture.control('local_upgrade', { contract: 'oracleShim', build: '2.0' })) as { ledger: number; wasmHash: string }
  await fixture.publishLedgers(8)
  await client.settle()

  const upgrades = client.frames.filter(({ type }) => type === 'upgrade')
  assert.deepEqual(upgrades.map(({ contract, wasmHash, ledger }) => ({ contract, wasmHash, ledger })), [
    { contract: 'market', wasmHash: market.wasmHash, ledger: market.ledger },
    { contract: 'oracleShim', wasmHash: shim.wasmHash, ledger: shim.ledger },
  ])
  const seqs = client.frames.filter(({ type, channel }) => type === 'upgrade' || channel === 'events').map(({ seq }) => Number(seq))
  assert.deepEqual(seqs, seqs.toSorted((a, b) => a - b))
  assertUnbroken(client.of('events'), Number(head))
  const [first] = upgrades
  for (const { seq, data } of client.of('events')) {
    if (Number(data?.['ledger']) < market.ledger) assert.ok(Number(seq) < Number(first?.seq), 'events of earlier ledgers come first')
    if (Number(data?.['ledger']) > market.ledger) assert.ok(Number(seq) > Number(first?.seq), 'events of later ledgers follow')
  }
  const { events } = (await fixture.get<{ events: EventRow[] }>('/v1/events?limit=500')).body
  assert.ok(events.length > 10)
  assert.deepEqual(events.filter(({ topic }) => topic === 'executable_update'), [])
  const { indexer } = (await fixture.get<Health>('/v1/health')).body
  assert.equal(indexer.unknownEvents, 0)
})
