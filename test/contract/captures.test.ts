import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Networks, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { RESULT_SHAPES } from './result-shapes.ts'
import { CAPTURES, capturesMissing, readCapture } from './captures.ts'
import { integer, listUnlessEmpty, object, xdrOf } from './shape.ts'

for (const { file, path, method, differs = [] } of CAPTURES) {
  test(`${method} as real nodes answered it: ${file} ${path.join('.')}`, { skip: capturesMissing }, () => {
    const problems = RESULT_SHAPES[method](readCapture(file, path), method)
    assert.deepEqual(problems.filter((problem) => !differs.some((known) => known.test(problem))), [])
    for (const known of differs) assert.ok(problems.some((problem) => known.test(problem)), `the capture does not differ in ${known.source}`)
  })
}

test('the mainnet corpus decodes, and its hashes are the hashes of its envelopes', { skip: capturesMissing }, () => {
  interface Item {
    txHash: string
    envelopeXdr: string
    resultXdr: string
    resultMetaXdr: string
  }
  const { records } = readCapture('js-stellar-sdk/transactions.json') as { records: Item[] }
  assert.ok(records.length >= 25)
  for (const item of records) {
    const envelope = TransactionBuilder.fromXdr(item.envelopeXdr, Networks.PUBLIC)
    assert.equal(Buffer.from(envelope.hash()).toString('hex'), item.txHash)
    xdr.TransactionResult.fromXdr(item.resultXdr, 'base64')
    assert.equal(xdr.TransactionMeta.fromXdr(item.resultMetaXdr, 'base64').type, 'v4')
  }
})

test('the check itself tells a number from a text, the missing from the unknown, and one XDR from another', () => {
  const shape = object({ ledger: integer, header: xdrOf('LedgerHeader'), list: listUnlessEmpty(integer) })
  assert.deepEqual(shape({ ledger: '1', extra: true, list: [] }, 'answer'), [
    'answer.extra: unknown',
    'answer.ledger: string "1" instead of an integer',
    'answer.header: missing',
    'answer.list: empty instead of absent',
  ])
  assert.match(shape({ ledger: 1, header: 'AAAADwAAAAVoZWxsbwAAAA==' }, 'answer')[0] ?? '', /^answer\.header: not LedgerHeader: /)
  assert.deepEqual(shape(null, 'answer'), ['answer: null instead of an object'])
})
