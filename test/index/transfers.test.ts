// Transfers of the token in the archive: rows of the log that no list of events shows.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { encodeScVal } from '../../src/chain/codec/scval.ts'
import type { ScArgument } from '../../src/chain/codec/scval.ts'
import { readIndexState } from '../../src/projections/state/index-state.ts'
import { readChannelHeads, readLog } from '../../src/projections/log/stream-log.ts'
import { openTestStore } from '../support/database.ts'
import { createIndexFixture } from './fixture.ts'
import type { IndexFixture } from './fixture.ts'
import { TRADERS } from './accounts.ts'
import type { ExchangeEvent } from './history.ts'
import { allEvents, emptyIndex } from './tables.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))

const [ALICE = '', BOB = ''] = TRADERS

/** An event of the token. */
function tokenEvent({ exchange }: IndexFixture, name: string, parties: readonly string[]): ExchangeEvent {
  const addresses = parties.map((value): ScArgument => ({ type: 'address', value }))
  const topics: ScArgument[] = [{ type: 'symbol', value: name }, ...addresses, { type: 'string', value: 'USDC' }]
  const valueXdr = encodeScVal({ type: 'i128', value: 5n })
  const event = { contractId: exchange.contracts.usdcToken, topicsXdr: topics.map(encodeScVal), valueXdr, transaction: exchange.other(0).event.transaction }
  return { event, fact: { kind: 'other', topic: name, names: [], decodes: true } }
}

async function transfers(): Promise<readonly string[]> {
  const rows = await store.read.query<{ text: string }>(
    `select concat_ws(' ', payload->>'topic', payload->>'from', payload->>'to', payload->>'amount') as text from idx.events where is_transfer order by seq`,
  )
  return rows.map(({ text }) => text)
}

test('archives the movements of the token from and to the exchange, each with a seq of its own', async () => {
  await using fixture = createIndexFixture(store)
  const { market, vault, router, oracleShim } = fixture.exchange.contracts
  const movements: [string, string[]][] = [
    ['transfer', [ALICE, market]], ['transfer', [market, BOB]], ['transfer', [vault, market]], ['transfer', [router, ALICE]], ['mint', [vault]],
    ['burn', [market]],
  ]
  const others: [string, string[]][] = [['transfer', [ALICE, BOB]], ['transfer', [oracleShim, ALICE]], ['mint', [ALICE]], ['approve', [market, vault]]]
  fixture.queue(fixture.exchange.open(1, 1))
  for (const [name, parties] of [...movements, ...others]) fixture.queue(tokenEvent(fixture, name, parties))
  fixture.queue(fixture.exchange.open(2, 2))
  fixture.closeLedger()
  await fixture.catchUp()
  assert.deepEqual(await transfers(), [
    `transfer ${ALICE} ${market} 5`, `transfer ${market} ${BOB} 5`, `transfer ${vault} ${market} 5`, `transfer ${router} ${ALICE} 5`, `mint ${vault} 5`,
    `burn ${market} 5`,
  ])
  const seqs = await store.read.query<{ seq: number }>('select seq from idx.events order by seq')
  assert.deepEqual(seqs.map(({ seq }) => seq), [1, 2, 3, 4, 5, 6, 7, 8])
})

test('no list, count, feed or channel of events has a transfer', async () => {
  await using fixture = createIndexFixture(store)
  const { market, usdcToken } = fixture.exchange.contracts
  for (let round = 0; round < 3; round++) {
    fixture.queue(fixture.exchange.open(round, 1))
    fixture.queue(tokenEvent(fixture, 'transfer', [ALICE, market]))
    fixture.closeLedger()
  }
  await fixture.catchUp()
  for (const filter of [{}, { topic: 'transfer' }, { contract: usdcToken }, { fromLedger: 1 }]) {
    const expected = Object.keys(filter).some((key) => key === 'topic' || key === 'contract') ? 0 : 3
    assert.equal((await allEvents(store.read, { ...filter, limit: 2 })).length, expected, JSON.stringify(filter))
  }
  const state = await readIndexState(store.read)
  assert.deepEqual(state?.archived, { position_opened: 3 })
  assert.deepEqual(await store.read.query('select 1 from idx.account_events where topic = $1', ['transfer']), [])
  const { rows, end } = await readLog(store.read, 0, { limit: 10, accounts: true })
  assert.deepEqual([rows.map(({ seq, topic }) => `${seq} ${topic}`), end?.seq], [['1 position_opened', '3 position_opened', '5 position_opened'], 6])
  assert.equal((await readChannelHeads(store.read, { assets: [], accounts: [] }, 6)).events, 5)
})

test('discards a page with transfers between others, and reads it again', async () => {
  await using fixture = createIndexFixture(store)
  const { market } = fixture.exchange.contracts
  fixture.queue(tokenEvent(fixture, 'transfer', [ALICE, market]))
  fixture.closeLedger()
  await fixture.indexer.step()
  const foreign = tokenEvent(fixture, 'transfer', [ALICE, BOB]).event
  fixture.node.pageFaults.push((page) => ({ ...page, events: page.events.map((event) => ({ ...event, topicsXdr: foreign.topicsXdr })) }))
  const result = await fixture.indexer.step()
  assert.deepEqual([result.kind, await transfers()], ['unreachable', []])
  await fixture.catchUp()
  assert.equal((await transfers()).length, 1)
})

test('an epoch with another vault archives no transfer twice, and loses none', async () => {
  await using fixture = createIndexFixture(store)
  const { contracts } = fixture.exchange
  const queueTransfer = (vault: string): void => {
    fixture.queue(tokenEvent(fixture, 'transfer', [ALICE, contracts.market]))
    fixture.queue(tokenEvent(fixture, 'transfer', [ALICE, vault]))
    fixture.closeLedger()
  }
  const vault = contracts.oracleShim
  queueTransfer(contracts.vault)
  queueTransfer(vault)
  await fixture.catchUp()
  assert.equal((await transfers()).length, 3)
  fixture.redeploy({ ...contracts, vault })
  queueTransfer(vault)
  await fixture.catchUp()
  assert.equal((await transfers()).length, 6, 'with the earlier transfer to the new vault')
  assert.deepEqual((await fixture.verify()).differences, {})
})
