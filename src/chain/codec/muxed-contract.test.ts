// Muxed contract addresses (W…) and executable tags in everything that is read. The SDK cannot write a W… address, so the tests write an M… address of the same
// layout and change its type in the bytes.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { Account, Address, Contract, Keypair, nativeToScVal, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { findUndeclaredEntry, readAppliedCall } from './applied-call.ts'
import { decodeMeta, decodeStateChanges, readReturnedOrderId } from './entry-changes.ts'
import { readEntryKey, readFootprint, replaceFootprint } from './footprint.ts'
import { contractDataValue, instanceStorage } from './ledger-keys.ts'
import { accountEntryKey } from '../views/market-entries.ts'
import { findFailureCause } from '../rpc/outcome.ts'
import { readSimulatedEvents } from './simulated-events.ts'
import { decodeEnvelope, MalformedEnvelope, networkIdOf } from './transaction.ts'

const PASSPHRASE = 'Test SDF Network ; September 2015'
const NETWORK_ID = networkIdOf(PASSPHRASE)
const TRADER = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(7))
const TOKEN = 'CA63EPM4EEXUVUANF6FQUJEJ37RWRYIXCARWFXYUMPP7RLZWFNLTVNR4'
const MARKET = 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'
const W_ADDRESS = 'WCVSPNZJ3HGEZMOABFQHABCGSJAVT2JJRUHZKKXOHVKUBC4OBMNXCABAAAAAAAAAAGQOA'
/** Id, then contract id. */
const MUXED = Buffer.from('0020000000000001ab27b729d9cc4cb1c00960700446924159e9298d0f952aee3d55408b8e0b1b71', 'hex')
const AS_ACCOUNT = Buffer.concat([Buffer.from('00000002', 'hex'), MUXED])

const PLACEHOLDER = xdr.ScAddress.scAddressTypeMuxedAccount(
  new xdr.MuxedEd25519Account({ id: MUXED.readBigUInt64BE(), ed25519: MUXED.subarray(8) }),
)
const PLACEHOLDER_VALUE = xdr.ScVal.scvAddress(PLACEHOLDER)

/** The base64 of an SDK value in which each placeholder is the address of this type. */
function written(value: { toXdr(): Uint8Array }, type = 5): string {
  const bytes = Buffer.from(value.toXdr())
  for (let at = bytes.indexOf(AS_ACCOUNT); at !== -1; at = bytes.indexOf(AS_ACCOUNT, at + 1)) bytes.writeUInt32BE(type, at)
  return bytes.toString('base64')
}

const FROM = new Address(TRADER.publicKey()).toScVal()
const AMOUNT = nativeToScVal(25_000_000n, { type: 'i128' })
const TAG_KEY = xdr.LedgerKey.contractData(new xdr.LedgerKeyContractData({
  contract: new Address(TOKEN).toScAddress(), key: xdr.ScVal.scvExecutableTag('exchange-v2'), durability: xdr.ContractDataDurability.persistent,
}))

const RESOURCES = new xdr.SorobanTransactionData({
  ext: xdr.SorobanTransactionDataExt.v0(), resourceFee: 9n,
  resources: new xdr.SorobanResources({
    footprint: new xdr.LedgerFootprint({ readOnly: [TAG_KEY], readWrite: [] }), instructions: 1, diskReadBytes: 2, writeBytes: 3,
  }),
})

/** A signed transfer of the token to the placeholder, authorized by the trader's own entry. */
function transferTo(to: xdr.ScVal) {
  const transaction = new TransactionBuilder(new Account(TRADER.publicKey(), '41'), { fee: '100', networkPassphrase: PASSPHRASE })
    .addOperation(new Contract(TOKEN).call('transfer', FROM, to, AMOUNT))
    .setTimebounds(0, 1_783_339_500)
    .setSorobanData(RESOURCES)
    .build()
  transaction.sign(TRADER)
  return transaction.toEnvelope()
}

test('decodes the envelope of a transfer to a muxed contract, with the hash of its own bytes', () => {
  const envelopeXdr = written(transferTo(PLACEHOLDER_VALUE))
  const decoded = decodeEnvelope(envelopeXdr, NETWORK_ID)
  const { source, sequence, expiresAt, contract, functionName } = decoded
  assert.deepEqual([source, sequence, expiresAt, contract, functionName], [TRADER.publicKey(), 42n, 1_783_339_500, TOKEN, 'transfer'])
  const bytes = Buffer.from(envelopeXdr, 'base64')
  // One signature: its count, hint, length and 64 bytes.
  const payload = Buffer.concat([NETWORK_ID, bytes.subarray(0, -(4 + 4 + 4 + 64))])
  assert.equal(decoded.hash, createHash('sha256').update(payload).digest('hex'))
})

test('an envelope with an address of a later protocol is newer, not malformed, and damage is malformed', () => {
  assert.throws(() => decodeEnvelope(written(transferTo(PLACEHOLDER_VALUE), 6), NETWORK_ID), { name: 'NewerThanKnown', what: 'address type 6' })
  assert.throws(() => decodeEnvelope(written(transferTo(PLACEHOLDER_VALUE), 600), NETWORK_ID), MalformedEnvelope)
  assert.throws(() => decodeEnvelope(written(transferTo(PLACEHOLDER_VALUE)).slice(0, 200), NETWORK_ID), MalformedEnvelope)
})

test('reads the arguments and the footprint of an applied call, keys byte for byte', () => {
  const applied = readAppliedCall(written(transferTo(PLACEHOLDER_VALUE)))
  assert.deepEqual(applied, {
    contract: TOKEN, functionName: 'transfer', source: TRADER.publicKey(), readOnly: [TAG_KEY.toXdr('base64')], readWrite: [],
    args: [{ type: 'address', value: TRADER.publicKey() }, { type: 'address', value: W_ADDRESS }, { type: 'i128', value: 25_000_000n }],
  })
  assert.equal(readAppliedCall(written(transferTo(PLACEHOLDER_VALUE), 6)), undefined)
})

const EXT = xdr.ExtensionPoint.v0()

function eventOf(topics: readonly xdr.ScVal[], data: xdr.ScVal, type: xdr.ContractEventType, contract: string | null): xdr.ContractEvent {
  return new xdr.ContractEvent({
    ext: EXT, contractId: contract === null ? null : new xdr.ContractId(new Address(contract).toBuffer()), type,
    body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics: [...topics], data })),
  })
}

const NOTED = eventOf([xdr.ScVal.scvSymbol('noted'), PLACEHOLDER_VALUE], xdr.ScVal.scvVec([PLACEHOLDER_VALUE]), xdr.ContractEventType.contract, MARKET)

function dataEntry(key: xdr.ScVal, val: xdr.ScVal): xdr.LedgerEntry {
  const data = new xdr.ContractDataEntry({
    ext: EXT, contract: new Address(MARKET).toScAddress(), key, durability: xdr.ContractDataDurability.persistent, val,
  })
  return new xdr.LedgerEntry({ lastModifiedLedgerSeq: 1, data: xdr.LedgerEntryData.contractData(data), ext: xdr.LedgerEntryExt.v0() })
}

const BALANCE_KEY = xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('CrossMarginBalance'), FROM])

function metaOf(returnValue: xdr.ScVal): xdr.TransactionMeta {
  const created = [dataEntry(BALANCE_KEY, AMOUNT), dataEntry(xdr.ScVal.scvSymbol('Note'), PLACEHOLDER_VALUE)].map((entry) =>
    xdr.LedgerEntryChange.ledgerEntryCreated(entry))
  return xdr.TransactionMeta.v4(new xdr.TransactionMetaV4({
    ext: EXT, txChangesBefore: [], txChangesAfter: [], events: [], diagnosticEvents: [],
    operations: [new xdr.OperationMetaV2({ ext: EXT, changes: created, events: [NOTED] })],
    sorobanMeta: new xdr.SorobanTransactionMetaV2({ ext: xdr.SorobanTransactionMetaExt.v0(), returnValue }),
  }))
}

test('reads the changes and events of a meta with muxed contract addresses', () => {
  const meta = decodeMeta(written(metaOf(PLACEHOLDER_VALUE)), MARKET)
  assert.deepEqual(meta?.changes.crossBalances.get(TRADER.publicKey()), { trader: TRADER.publicKey(), before: 0n, after: 25_000_000n })
  const topics = [written(xdr.ScVal.scvSymbol('noted')), written(PLACEHOLDER_VALUE)]
  assert.deepEqual(meta?.events, [[MARKET, ...topics, written(xdr.ScVal.scvVec([PLACEHOLDER_VALUE]))].join(' ')], 'as the archive stores them')
  assert.equal(readReturnedOrderId(written(metaOf(PLACEHOLDER_VALUE))), null)
  assert.equal(decodeMeta(written(metaOf(PLACEHOLDER_VALUE), 6), MARKET), null, 'unread until the gateway is upgraded')
})

test('reads state changes and entries with muxed contract addresses', () => {
  const changes = [dataEntry(BALANCE_KEY, AMOUNT), dataEntry(xdr.ScVal.scvSymbol('Note'), PLACEHOLDER_VALUE)]
    .map((entry) => ({ beforeXdr: null, afterXdr: written(entry) }))
  assert.equal(decodeStateChanges(changes, MARKET)?.crossBalances.get(TRADER.publicKey())?.after, 25_000_000n)
  assert.deepEqual(contractDataValue(written(dataEntry(BALANCE_KEY, PLACEHOLDER_VALUE).data)), { type: 'address', value: W_ADDRESS })
  const instance = xdr.ScVal.scvContractInstance(new xdr.ScContractInstance({
    executable: xdr.ContractExecutable.contractExecutableStellarAsset(),
    storage: [new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol('Treasury'), val: PLACEHOLDER_VALUE })],
  }))
  const stored = instanceStorage(written(dataEntry(xdr.ScVal.scvLedgerKeyContractInstance(), instance).data))
  assert.deepEqual(stored?.get('Treasury'), { type: 'address', value: W_ADDRESS })
})

const diagnostic = (event: xdr.ContractEvent): string => written(new xdr.DiagnosticEvent({ inSuccessfulContractCall: true, event }))

test('finds the cause of a failed transfer to a muxed contract', () => {
  const error = xdr.ScVal.scvError(xdr.ScError.sceContract(10))
  const data = xdr.ScVal.scvVec([xdr.ScVal.scvString('balance is not sufficient'), PLACEHOLDER_VALUE])
  const events = [
    eventOf([xdr.ScVal.scvSymbol('error'), error], data, xdr.ContractEventType.diagnostic, TOKEN),
    eventOf([xdr.ScVal.scvSymbol('host_fn_failed'), error], xdr.ScVal.scvVoid(), xdr.ContractEventType.diagnostic, null),
  ].map(diagnostic)
  assert.deepEqual(findFailureCause(events).contractError, { code: 10, contract: TOKEN })
})

test('finds the undeclared entry beside a muxed contract address', () => {
  const error = xdr.ScVal.scvError(xdr.ScError.sceStorage(xdr.ScErrorCode.scecExceededLimit))
  const data = xdr.ScVal.scvVec([xdr.ScVal.scvString('outside of the footprint'), new Address(MARKET).toScVal(), BALANCE_KEY, PLACEHOLDER_VALUE])
  const event = diagnostic(eventOf([xdr.ScVal.scvSymbol('error'), error], data, xdr.ContractEventType.diagnostic, MARKET))
  assert.equal(findUndeclaredEntry(['', event]), accountEntryKey(MARKET, 'CrossMarginBalance', TRADER.publicKey()))
})

test('reads a simulated event with a muxed contract address', () => {
  assert.deepEqual(readSimulatedEvents([diagnostic(NOTED)], TOKEN)?.events, [{
    contract: MARKET, topics: [{ type: 'symbol', value: 'noted' }, { type: 'address', value: W_ADDRESS }],
    data: { type: 'vec', value: [{ type: 'address', value: W_ADDRESS }] },
  }])
})

test('the tag of an external executable stays in the footprint and is no entry of the exchange', () => {
  const tagXdr = TAG_KEY.toXdr('base64')
  const read = readFootprint(RESOURCES.toXdr('base64'))
  assert.deepEqual(read.readOnly, [tagXdr])
  assert.equal(readEntryKey(tagXdr), undefined)
  assert.equal(replaceFootprint(RESOURCES.toXdr('base64'), read, read.resources), RESOURCES.toXdr('base64'))
})

test('a key with a muxed contract address is no entry of the exchange', () => {
  const key = new xdr.LedgerKeyContractData({
    contract: new Address(MARKET).toScAddress(), key: xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('CrossMarginBalance'), PLACEHOLDER_VALUE]),
    durability: xdr.ContractDataDurability.persistent,
  })
  assert.equal(readEntryKey(written(xdr.LedgerKey.contractData(key))), undefined)
  assert.equal(readEntryKey(accountEntryKey(MARKET, 'CrossMarginBalance', TRADER.publicKey()))?.kind, 'data')
})

test('transaction data and authorization of a later protocol are newer, not an invalid response', () => {
  const data = Buffer.from(RESOURCES.toXdr())
  data.writeUInt32BE(23, data.indexOf(Buffer.from('00000016', 'hex')))
  assert.throws(() => readFootprint(data.toString('base64')), { name: 'NewerThanKnown', what: 'value type 23' })
  assert.throws(() => readFootprint(data.subarray(0, 8).toString('base64')), { name: 'MalformedResponse' })
})
