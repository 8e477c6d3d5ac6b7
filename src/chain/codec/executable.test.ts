import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Address, xdr } from '@stellar/stellar-sdk'

import { protocolVectors, vectorsMissing } from '../../../test/support/protocol-vectors.ts'
import type { ProtocolVector } from '../../../test/support/protocol-vectors.ts'
import { describeReference, readExecutable, readExecutableVal } from './executable.ts'
import { codeRoleOf, executableTagKey } from './ledger-keys.ts'

const OWNER = 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'
const MARKET = 'CA63EPM4EEXUVUANF6FQUJEJ37RWRYIXCARWFXYUMPP7RLZWFNLTVNR4'
const ACCOUNT = 'GBON6F6XGYQIQ42YYC6AKO4JDESZKQ7Y7NGU4HA73YY6REUGPYAMBN7R'
const HASH = '5a'.repeat(32)
/** Of the type of the executable, in the entry of an instance. */
const TYPE_OFFSET = 56

const { contractExecutableExternalRef, contractExecutableStellarAsset, contractExecutableWasm } = xdr.ContractExecutable
const symbol = (name: string): xdr.ScVal => xdr.ScVal.scvSymbol(name)

function reference(owner: string, tag: string | Uint8Array): xdr.ContractExecutable {
  return contractExecutableExternalRef(new xdr.ContractExecutableExternalRef({ executableOwner: new Address(owner).toScAddress(), tag }))
}

function instance(executable: xdr.ContractExecutable, storage: xdr.ScMapEntry[] | null = null): Buffer {
  return Buffer.from(xdr.LedgerEntryData.contractData(new xdr.ContractDataEntry({
    ext: xdr.ExtensionPoint.v0(), contract: new Address(MARKET).toScAddress(), key: xdr.ScVal.scvLedgerKeyContractInstance(),
    durability: xdr.ContractDataDurability.persistent, val: xdr.ScVal.scvContractInstance(new xdr.ScContractInstance({ executable, storage })),
  })).toXdr())
}

const read = (entry: Buffer): unknown => readExecutable(entry.toString('base64'))

test('reads each kind of executable of an instance', () => {
  assert.deepEqual(read(instance(contractExecutableWasm(Buffer.from(HASH, 'hex')))), { kind: 'wasm', wasmHash: HASH })
  assert.deepEqual(read(instance(contractExecutableStellarAsset())), { kind: 'asset' })
  assert.deepEqual(read(instance(reference(OWNER, 'perps-v3'))), { kind: 'reference', owner: OWNER, tag: 'perps-v3' })
  assert.deepEqual(read(instance(reference(OWNER, ''))), { kind: 'reference', owner: OWNER, tag: '' })
  assert.deepEqual(read(instance(reference(OWNER, Buffer.from([0xff, 0x41])))), { kind: 'reference', owner: OWNER, tag: '\\xffA' })
})

test('names an executable of a later protocol as newer than the gateway, and rejects what is no instance', () => {
  const entry = instance(contractExecutableStellarAsset())
  entry.writeUInt32BE(3, TYPE_OFFSET)
  const executable = readExecutable(entry.toString('base64'))
  assert.equal(executable?.kind === 'newer' ? executable.error.message : '', 'this gateway is older than the network: unknown executable type 3')
  const foreign = readExecutable(instance(reference(ACCOUNT, 'perps-v3')).toString('base64'))
  assert.equal(foreign?.kind === 'newer' ? foreign.error.what : '', 'owner of an executable with address type 0')
  const whole = instance(reference(OWNER, 'perps-v3'))
  // The entry ends with the storage, four bytes, which is not read.
  for (let length = 0; length < whole.length - 4; length++) assert.equal(read(whole.subarray(0, length)), undefined, `${length} bytes`)
  const data = xdr.LedgerEntryData.contractData(new xdr.ContractDataEntry({
    ext: xdr.ExtensionPoint.v0(), contract: new Address(MARKET).toScAddress(), key: symbol('Config'),
    durability: xdr.ContractDataDurability.persistent, val: xdr.ScVal.scvU32(7),
  }))
  assert.equal(readExecutable(data.toXdr('base64')), undefined)
})

test('reads the executable although the storage holds a value that no library knows', () => {
  const entry = instance(contractExecutableWasm(Buffer.from(HASH, 'hex')), [new xdr.ScMapEntry({ key: symbol('Admin'), val: xdr.ScVal.scvU32(0) })])
  // The last value's type, before its four bytes.
  entry.writeUInt32BE(40, entry.length - 8)
  assert.throws(() => xdr.LedgerEntryData.fromXdr(entry))
  assert.deepEqual(read(entry), { kind: 'wasm', wasmHash: HASH })
})

const refVal = (owner: xdr.ScVal, tag: xdr.ScVal): xdr.ScVal => xdr.ScVal.scvVec([symbol('ExternalRef'), xdr.ScVal.scvMap([
  new xdr.ScMapEntry({ key: symbol('owner'), val: owner }), new xdr.ScMapEntry({ key: symbol('tag'), val: tag }),
])])

test('reads executables as the host describes them in events, with tags of any length that a ledger entry can have', () => {
  const described = (value: xdr.ScVal): unknown => readExecutableVal(value.toXdr('base64'))
  assert.deepEqual(described(xdr.ScVal.scvVec([symbol('Wasm'), xdr.ScVal.scvBytes(Buffer.from(HASH, 'hex'))])), { kind: 'wasm', wasmHash: HASH })
  assert.deepEqual(described(xdr.ScVal.scvVec([symbol('StellarAsset')])), { kind: 'asset' })
  const owner = new Address(OWNER).toScVal()
  for (const tag of ['perps-v3', 't'.repeat(265), 't'.repeat(60_000)]) {
    assert.deepEqual(described(refVal(owner, xdr.ScVal.scvString(tag))), { kind: 'reference', owner: OWNER, tag })
  }
  assert.equal(described(refVal(owner, xdr.ScVal.scvString('t'.repeat(96 * 1024)))), undefined, 'more than an entry can have')
})

test('names a description that it does not know as newer, and rejects what no host sends', () => {
  const described = (valueXdr: string): string | undefined => {
    const executable = readExecutableVal(valueXdr)
    return executable?.kind === 'newer' ? executable.error.what : executable?.kind
  }
  assert.equal(described(xdr.ScVal.scvVec([symbol('Native')]).toXdr('base64')), 'executable "Native"')
  assert.equal(described(Buffer.from([0, 0, 0, 23, 0, 0, 0, 0]).toString('base64')), 'executable, a value of type 23')
  const newMember = Buffer.from(xdr.ScVal.scvVec([symbol('Wasm'), xdr.ScVal.scvU32(0)]).toXdr())
  newMember.writeUInt32BE(23, newMember.length - 8)
  assert.equal(described(newMember.toString('base64')), 'member of an executable')
  assert.equal(described(refVal(new Address(ACCOUNT).toScVal(), xdr.ScVal.scvString('a')).toXdr('base64')), 'kind of owner of an executable')
  for (const value of [symbol('Wasm'), xdr.ScVal.scvVec([symbol('Wasm')]), xdr.ScVal.scvVec([symbol('ExternalRef')]), xdr.ScVal.scvVec([])]) {
    assert.equal(described(value.toXdr('base64')), undefined)
  }
  assert.equal(described('AAAA'), undefined)
})

test('shortens a long tag in messages', () => {
  assert.equal(describeReference({ owner: OWNER, tag: 'perps-v3' }), `executable tag "perps-v3" of ${OWNER}`)
  assert.equal(describeReference({ owner: OWNER, tag: 't'.repeat(65) }), `executable tag "${'t'.repeat(64)}…" of ${OWNER}`)
})

/** A vector by type and name. */
function vector(type: string, name: string): ProtocolVector {
  return protocolVectors(type).find((each) => each.name === name) ?? assert.fail(name)
}

test('agrees with the vectors of external executables', { skip: vectorsMissing }, () => {
  const { xdr: dataXdr, expect: { owner, tag } } = vector('LedgerEntryData', 'external-ref-instance')
  assert.deepEqual(readExecutable(dataXdr), { kind: 'reference', owner, tag })
  const { xdr: keyXdr } = vector('LedgerKey', 'external-ref-tag-key')
  assert.equal(executableTagKey(String(owner), String(tag)), keyXdr)
  assert.deepEqual([codeRoleOf(keyXdr), codeRoleOf(vector('LedgerKey', 'external-ref-code-key').xdr)], ['tag', 'code'])
  assert.equal(codeRoleOf(vector('LedgerKey', 'external-ref-instance-key').xdr), null)
})
