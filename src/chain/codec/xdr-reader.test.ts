import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { fc, fuzzRuns } from '../../../test/support/fuzz.ts'
import { createSystemClock } from '../../base/clock.ts'
import { NewerThanKnown } from './newer-than-known.ts'
import { MalformedXdr, readXdr } from './xdr-reader.ts'

const VOID = xdr.ScVal.scvVoid()
const CONTRACT = xdr.ScAddress.scAddressTypeContract(new xdr.ContractId(new Uint8Array(32).fill(7)))

function metaWith(values: xdr.ScVal[]): xdr.TransactionMeta {
  const ext = xdr.ExtensionPoint.v0()
  const entry = (val: xdr.ScVal) => new xdr.LedgerEntry({
    lastModifiedLedgerSeq: 9, ext: xdr.LedgerEntryExt.v0(),
    data: xdr.LedgerEntryData.contractData(
      new xdr.ContractDataEntry({ ext, contract: CONTRACT, key: val, durability: xdr.ContractDataDurability.persistent, val }),
    ),
  })
  const event = (topics: xdr.ScVal[]) => new xdr.ContractEvent({
    ext, contractId: new xdr.ContractId(new Uint8Array(32).fill(7)), type: xdr.ContractEventType.contract,
    body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics, data: VOID })),
  })
  const changes = values.map((val) => xdr.LedgerEntryChange.ledgerEntryUpdated(entry(val)))
  return xdr.TransactionMeta.v4(new xdr.TransactionMetaV4({
    ext, txChangesBefore: [], txChangesAfter: [], events: [], diagnosticEvents: [],
    operations: [new xdr.OperationMetaV2({ ext, changes, events: [event(values)] })],
    sorobanMeta: new xdr.SorobanTransactionMetaV2({ ext: xdr.SorobanTransactionMetaExt.v0(), returnValue: VOID }),
  }))
}

const META = Buffer.from(metaWith([VOID, xdr.ScVal.scvSymbol('a'), xdr.ScVal.scvVec([xdr.ScVal.scvU32(4)])]).toXdr())

test('reads a transaction\'s meta, and leaves its values, addresses and keys as their own bytes', () => {
  const meta = readXdr(xdr.TransactionMeta, META.toString('base64'))
  assert.ok(meta.v === 4)
  const [operation] = meta.v4.operations
  const [, change] = operation?.changes ?? []
  assert.ok(change?.type === 1 && change.updated.data.type === 6)
  const { contract, val } = change.updated.data.contractData
  assert.equal(contract.raw.toString('base64'), CONTRACT.toXdr('base64'))
  assert.equal(val.raw.toString('base64'), xdr.ScVal.scvSymbol('a').toXdr('base64'))
  const [event] = operation?.events ?? []
  assert.deepEqual(event?.body.v0.topics.map(({ raw }) => raw.length), [4, 12, 20])
  assert.equal(meta.v4.sorobanMeta?.returnValue?.raw.toString('base64'), VOID.toXdr('base64'))
})

/** The name of what reading ends with. Any other error fails the test. */
function endOf(type: { readonly schema: xdr.XdrType<unknown> }, bytes: Uint8Array): 'read' | 'malformed' | 'newer' {
  try {
    readXdr(type, bytes)
    return 'read'
  } catch (error) {
    if (error instanceof NewerThanKnown) return 'newer'
    assert.ok(error instanceof MalformedXdr, String(error))
    return 'malformed'
  }
}

test('property: accepts exactly what the SDK accepts, for any damage to a meta and any bytes', () => {
  const damaged = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.integer({ min: -8, max: 4 })).map(([at, byte, longer]) => {
    const bytes = Buffer.from(META)
    bytes[at % bytes.length] = byte
    return longer < 0 ? bytes.subarray(0, bytes.length + longer) : Buffer.concat([bytes, Buffer.alloc(longer)])
  })
  const ends = { read: 0, malformed: 0, newer: 0 }
  fc.assert(fc.property(fc.oneof({ weight: 3, arbitrary: damaged }, { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) }), (bytes) => {
    for (const type of [xdr.TransactionMeta, xdr.TransactionEnvelope, xdr.DiagnosticEvent] as readonly { readonly schema: xdr.XdrType<unknown> }[]) {
      const end = endOf(type, bytes)
      ends[end]++
      const isValid = type.schema.validateXdr(Uint8Array.from(bytes))
      if (isValid) assert.equal(end, 'read')
      // What the SDK refuses is malformed, newer, or has a muxed contract address.
      else if (end === 'read') assert.ok(Buffer.from(bytes).includes(Buffer.from('00000005', 'hex')))
    }
  }), { numRuns: fuzzRuns(2_000) })
  assert.ok(ends.read > 20 && ends.malformed > 500 && ends.newer > 5, JSON.stringify(ends))
})

/** A value in `depth` lists. */
function nested(depth: number): Buffer {
  return Buffer.concat([...Array.from({ length: depth }, () => Buffer.from('000000100000000100000001', 'hex')), Buffer.from('00000001', 'hex')])
}

test('reads values as deep as the network allows, and rejects deeper ones without overflowing the stack', () => {
  // The host counts at most 500 nested types, of which a list in a list takes two or more.
  assert.equal(endOf(xdr.ScVal, nested(250)), 'read')
  for (const depth of [1_000, 100_000]) assert.equal(endOf(xdr.ScVal, nested(depth)), 'malformed')
})

test('rejects announced lengths that the bytes cannot have, and takes time in proportion to the bytes', () => {
  assert.equal(endOf(xdr.ScVal, Buffer.from('0000001000000001ffffffff', 'hex')), 'malformed')
  assert.equal(endOf(xdr.ScVal, Buffer.from('0000000effffffff', 'hex')), 'malformed')
  const clock = createSystemClock()
  const elapsed = (count: number): number => {
    const bytes = Buffer.from(metaWith(Array.from({ length: count }, () => VOID)).toXdr())
    const runs = Array.from({ length: 5 }, () => {
      const start = clock.elapsedMs()
      readXdr(xdr.TransactionMeta, bytes)
      return clock.elapsedMs() - start
    })
    return Math.min(...runs)
  }
  elapsed(500)
  const [short, long] = [elapsed(1_000), elapsed(8_000)]
  assert.ok(long < short * 32 + 5, `8 times the length took ${long} ms instead of ${short} ms`)
})

test('names what a later protocol added, wherever it is', () => {
  const versions = Buffer.from(META)
  versions.writeUInt32BE(5)
  assert.throws(() => readXdr(xdr.TransactionMeta, versions), { name: 'NewerThanKnown', what: 'transaction meta version 5' })
  const credentials = Buffer.from('00000004', 'hex')
  assert.throws(() => readXdr(xdr.SorobanAuthorizationEntry, credentials), { what: 'credentials type 4' })
  const address = Buffer.from(CONTRACT.toXdr())
  address.writeUInt32BE(6)
  const inside = Buffer.from(META)
  inside.writeUInt32BE(6, inside.indexOf(CONTRACT.toXdr()))
  assert.throws(() => readXdr(xdr.TransactionMeta, inside), { what: 'address type 6' })
  assert.throws(() => readXdr(xdr.ScVal, Buffer.from('0000001300000003', 'hex')), { what: 'executable type 3' })
})
