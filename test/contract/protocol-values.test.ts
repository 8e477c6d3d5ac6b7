// Values, keys and events of protocols 28 to 30 that another implementation of XDR wrote.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { createReader, readValue } from '../../client/src/xdr.ts'
import { decodeMuxed } from '../../src/base/strkey.ts'
import { contractDataValue } from '../../src/chain/codec/ledger-keys.ts'
import { readTransactionResult } from '../../src/chain/rpc/outcome.ts'
import { readEntryKey } from '../../src/chain/codec/footprint.ts'
import { decodeScVal, readScAddress, readScVal } from '../../src/chain/codec/scval.ts'
import { readXdr } from '../../src/chain/codec/xdr-reader.ts'
import { decodeEvent, UNKNOWN_INTERFACE } from '../../src/indexer/pages/decode.ts'
import { protocolVectors, vectorsMissing } from '../support/protocol-vectors.ts'
import type { ProtocolVector } from '../support/protocol-vectors.ts'

const skip = { skip: vectorsMissing }

function vector(type: string, name: string): ProtocolVector {
  return protocolVectors(type).find((each) => each.name === name) ?? assert.fail(`no vector ${name}`)
}

const bytesOf = ({ xdr: base64 }: ProtocolVector): Uint8Array => Uint8Array.from(Buffer.from(base64, 'base64'))

test('a muxed contract address has the text of another implementation, in the gateway and in the client', skip, () => {
  const muxed = vector('ScVal', 'muxed-contract-scval')
  const { strkey, contract, id } = muxed.expect
  assert.deepEqual(decodeScVal(muxed.xdr), { type: 'address', value: strkey })
  assert.deepEqual(readValue(createReader(bytesOf(muxed))), { type: 'address', value: strkey })
  assert.deepEqual(decodeMuxed(String(strkey)), { kind: 'contract', address: contract, id: BigInt(String(id)) })
  const zero = vector('strkey', 'muxed-contract-strkey-zero')
  assert.equal(decodeMuxed(zero.xdr)?.id, 0n)
})

test('a call to transfer to a muxed contract is read', skip, () => {
  const { contractAddress, functionName, args } = readXdr(xdr.InvokeContractArgs, vector('InvokeContractArgs', 'transfer-call-to-muxed-contract').xdr)
  assert.ok(readScAddress(contractAddress).startsWith('C'))
  assert.equal(functionName.toString(), 'transfer')
  assert.deepEqual(args.map((each) => readScVal(each)).at(1), { type: 'address', value: vector('ScVal', 'muxed-contract-scval').expect['strkey'] })
})

test('a transfer to a muxed contract names the contract, and its amount is beside the id', skip, () => {
  const event = vector('ScVal[] (topics, then data)', 'transfer-to-muxed-contract-event')
  const values = event.xdr as unknown as readonly string[]
  const { payload, problem } = decodeEvent('usdcToken', values.slice(0, -1), values.at(-1) ?? '', UNKNOWN_INTERFACE)
  assert.deepEqual([payload?.['to'], payload?.['amount'], problem], [event.expect['to'], event.expect['amount'], null])
})

test('the tag of an external executable and the entry behind it are read', skip, () => {
  const tag = vector('ScVal', 'executable-tag-scval')
  assert.deepEqual(decodeScVal(tag.xdr), { type: 'other', xdrType: 'scvExecutableTag' })
  assert.deepEqual(readValue(createReader(bytesOf(tag))), { type: 'executable_tag', value: null })
  for (const name of ['external-ref-tag-key', 'external-ref-instance-key', 'external-ref-code-key']) {
    assert.equal(readEntryKey(vector('LedgerKey', name).xdr), undefined, 'no entry of the exchange')
  }
  assert.deepEqual(contractDataValue(vector('LedgerEntryData', 'external-ref-instance').xdr), { type: 'other', xdrType: 'scvContractInstance' })
})

test('authorization entries of all kinds are read, their addresses included', skip, () => {
  for (const entry of protocolVectors('SorobanAuthorizationEntry')) {
    const { credentials, rootInvocation } = readXdr(xdr.SorobanAuthorizationEntry, entry.xdr)
    assert.ok(rootInvocation.function.type === 0)
    assert.equal(rootInvocation.function.contractFn.functionName.toString(), 'increment')
    const signer = credentials.type === 1 ? credentials.address : credentials.type === 2 ? credentials.addressV2 : null
    if (signer !== null) assert.equal(readScAddress(signer.address), entry.expect['address'])
  }
})

test('a transaction that touches a frozen key has the code of its result', skip, () => {
  const frozen = vector('TransactionResult', 'result-frozen-key')
  assert.equal(readTransactionResult(frozen.xdr)?.code, frozen.expect['code'])
})
