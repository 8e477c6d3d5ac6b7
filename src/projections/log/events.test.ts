import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStore } from '../../../test/support/database.ts'
import type { ArchivedEvent } from './archived-event.ts'
import { insertEpoch } from '../state/epochs.ts'
import { appendEvents, listEvents } from './events.ts'

const MARKET = `C${'A'.repeat(55)}`
const EVENT: Omit<ArchivedEvent, 'seq' | 'eventId'> = {
  contractId: MARKET, contract: 'market', topic: 'paused', ledger: 7, ledgerCloseTs: 1_800_000_000, txHash: 'ab'.repeat(32),
  topicsXdr: ['AAAADwAAAAZwYXVzZWQAAA=='], valueXdr: 'AAAAAQ==', payload: { topic: 'paused' }, problem: null,
}

test('lists raw XDR only for events that could not be decoded', async () => {
  await using store = await openTestStore()
  const events: readonly ArchivedEvent[] = [
    { ...EVENT, seq: 1, eventId: '0000000030064775168-0000000000' },
    { ...EVENT, seq: 2, eventId: '0000000030064775168-0000000001', topic: 'unknown', topicsXdr: ['AAAB', 'AAAC'], payload: null, problem: 'unknown topic' },
    { ...EVENT, seq: 3, eventId: '0000000030064775168-0000000002', topic: '', topicsXdr: [], payload: null, problem: 'no topic' },
  ]
  await store.write.transaction(async (tx) => {
    const contracts = { market: MARKET, vault: MARKET, vaultFactory: MARKET, referral: MARKET, usdcToken: MARKET, router: MARKET }
    const first = { number: 1, epoch: '00', chain: 1, contractEpoch: 1, reason: 'first', name: 'test' } as const
    const epoch = { ...first, passphrase: 'p', contracts, startLedger: 1, finalCursor: null }
    await insertEpoch(tx, epoch, 1, 0)
    await appendEvents(tx, 1, events, 0)
  })
  const { rows } = await listEvents(store.read, { limit: 10 })
  assert.deepEqual(rows.map(({ payload }) => payload), [
    { topic: '', topicsXdr: [], valueXdr: 'AAAAAQ==' },
    { topic: 'unknown', topicsXdr: ['AAAB', 'AAAC'], valueXdr: 'AAAAAQ==' },
    { topic: 'paused' },
  ])
})
