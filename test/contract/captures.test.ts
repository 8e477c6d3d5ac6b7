import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Networks, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { RESULT_SHAPES } from './result-shapes.ts'
import { CAPTURES, capturesMissing, readCapture } from './captures.ts'
import { integer, listUnlessEmpty, object, xdrOf } from './shape.ts'

for (const { file, path, method, differs = [] } of CAPTURES) {
  test(`captured result of ${method} has its shape: ${file} ${path.join('.')}`, { skip: capturesMissing }, () => {
    const problems = RESULT_SHAPES[method](readCapture(file, path), method)
    assert.deepEqual(problems.filter((problem) => !differs.some((difference) => difference.test(problem))), [])
    for (const difference of differs) assert.ok(problems.some((problem) => difference.test(problem)), `the capture does not differ in ${difference.source}`)
  })
}

test('the mainnet corpus decodes, and its hashes match its envelopes', { skip: capturesMissing }, () => {
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

test('a shape reports wrong types, missing and unknown fields, and wrong XDR', () => {
  const shape = object({ ledger: integer, header: xdrOf('LedgerHeader'), list: listUnlessEmpty(integer) })
  assert.deepEqual(shape({ ledger: '1', extra: true, list: [] }, 'result'), [
    'result.extra: unknown',
    'result.ledger: string "1" instead of an integer',
    'result.header: missing',
    'result.list: empty instead of absent',
  ])
  assert.match(shape({ ledger: 1, header: 'AAAADwAAAAVoZWxsbwAAAA==' }, 'result')[0] ?? '', /^result\.header: not LedgerHeader: /)
  assert.deepEqual(shape(null, 'result'), ['result: null instead of an object'])
})
