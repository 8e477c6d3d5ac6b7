import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TEST_PROTOCOL } from '../../test/support/protocol.ts'
import { readHeader } from '../ledger/test-header-reader.ts'
import { createChainFixture, fakeCloseTimeSec } from './test-fixture.ts'

test('the header is a LedgerHeader, the close time a string, the protocol version a number', async () => {
  const fake = createChainFixture()
  const record = fake.chain.closeLedgerWith()
  assert.deepEqual(await fake.call('getLatestLedger'), {
    id: record.hash,
    protocolVersion: TEST_PROTOCOL,
    sequence: 2,
    closeTime: String(fakeCloseTimeSec(2)),
    headerXdr: record.headerXdr,
    metadataXdr: record.metadataXdr,
  })
  assert.equal(readHeader(record.headerXdr).sequence, 2)
})
