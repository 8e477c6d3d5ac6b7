import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { createChainFixture, fakeCloseTimeSec } from './test-fixture.ts'

test('the header is a LedgerHeader, the close time a string, the protocol version a number', async () => {
  const fake = createChainFixture()
  const record = fake.chain.closeLedgerWith()
  assert.deepEqual(await fake.call('getLatestLedger'), {
    id: record.hash,
    protocolVersion: 27,
    sequence: 2,
    closeTime: String(fakeCloseTimeSec(2)),
    headerXdr: record.headerXdr,
    metadataXdr: record.metadataXdr,
  })
  assert.equal(xdr.LedgerHeader.fromXdr(record.headerXdr, 'base64').ledgerSeq, 2)
})
