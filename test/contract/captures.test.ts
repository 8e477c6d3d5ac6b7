import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Networks, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { RESULT_SHAPES } from './result-shapes.ts'
import { CAPTURES, capturesMissing, readCapture } from './captures.ts'
import { arrayUnlessEmpty, integer, object, xdrOf } from './shape.ts'

for (const { file, path, method, differs = [] } of CAPTURES) {
  test(`matches the ${method} response of a real node: ${file} ${path.join('.')}`, { skip: capturesMissing }, () => {
    const problems = RESULT_SHAPES[method](readCapture(file, path), method)
    assert.deepEqual(problems.filter((problem) => !differs.some((difference) => difference.test(problem))), [])
    for (const difference of differs) {
      assert.ok(problems.some((problem) => difference.test(problem)), `expected a problem that matches ${difference.source}`)
    }
  })
}

test('mainnet transactions decode, and their hashes match their envelopes', { skip: capturesMissing }, () => {
  interface TransactionRecord {
    txHash: string
    envelopeXdr: string
    resultXdr: string
    resultMetaXdr: string
  }
  const { records } = readCapture('js-stellar-sdk/transactions.json') as { records: TransactionRecord[] }
  assert.ok(records.length >= 25)
  for (const record of records) {
    const envelope = TransactionBuilder.fromXdr(record.envelopeXdr, Networks.PUBLIC)
    assert.equal(Buffer.from(envelope.hash()).toString('hex'), record.txHash)
    xdr.TransactionResult.fromXdr(record.resultXdr, 'base64')
    assert.equal(xdr.TransactionMeta.fromXdr(record.resultMetaXdr, 'base64').type, 'v4')
  }
})

test('the shape check reports wrong types, missing and unknown fields, empty arrays and wrong XDR', () => {
  const shape = object({ ledger: integer, header: xdrOf('LedgerHeader'), list: arrayUnlessEmpty(integer) })
  assert.deepEqual(shape({ ledger: '1', extra: true, list: [] }, 'response'), [
    'response.extra: unknown',
    'response.ledger: string "1" instead of an integer',
    'response.header: missing',
    'response.list: empty instead of absent',
  ])
  assert.match(shape({ ledger: 1, header: 'AAAADwAAAAVoZWxsbwAAAA==' }, 'response')[0] ?? '', /^response\.header: not LedgerHeader: /)
  assert.deepEqual(shape(null, 'response'), ['response: null instead of an object'])
})
