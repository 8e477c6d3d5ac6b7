import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Keypair, SorobanDataBuilder, StrKey, Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { i128, u64, vec } from '../contracts/shared/host.ts'
import { accountKeyXdr, createClient } from './client.ts'
import { createIdentity } from './identity.ts'

const PASSPHRASE = 'Test SDF Network ; September 2015'
const CONTRACT = StrKey.encodeContract(new Uint8Array(32).fill(9))
const CALL = { contract: CONTRACT, functionName: 'poke', args: [i128(-5n), vec(u64(7n))] }
const VIEW = { sequence: 10, closeTimeSec: 1_800_000_000 }
const RESOURCE_FEE = 54_321n
const identity = createIdentity(PASSPHRASE, 'tester')

function accountXdr(seqNum: bigint): string {
  const accountId = xdr.PublicKey.publicKeyTypeEd25519(identity.publicKey)
  const account = new xdr.AccountEntry({
    accountId, balance: 1n, seqNum, numSubEntries: 0, inflationDest: null, flags: 0, homeDomain: '', thresholds: new Uint8Array([1, 0, 0, 0]), signers: [],
    ext: xdr.AccountEntryExt.v0(),
  })
  return xdr.LedgerEntryData.account(account).toXdr('base64')
}

function resultXdr(result: xdr.TransactionResultResult): string {
  return new xdr.TransactionResult({ feeCharged: 100n, result, ext: xdr.TransactionResultExt.v0() }).toXdr('base64')
}

/** A node with given responses: each is used once, the last one for all further calls. */
function createNode(script: Record<string, readonly (object | Error)[]>) {
  const calls: { method: string; params: Readonly<Record<string, unknown>> }[] = []
  const defaults: Record<string, readonly (object | Error)[]> = {
    getLedgerEntries: [{ entries: [{ key: accountKeyXdr(identity.address), xdr: accountXdr(41n) }] }],
    simulateTransaction: [
      { transactionData: new SorobanDataBuilder().setResourceFee(RESOURCE_FEE).build().toXdr('base64'), results: [{ auth: [], xdr: '' }] },
    ],
    sendTransaction: [{ status: 'PENDING', hash: '' }],
    getTransaction: [{ status: 'NOT_FOUND' }],
    ...script,
  }
  const used = new Map<string, number>()
  const client = createClient({
    identity,
    networkPassphrase: PASSPHRASE,
    async transport(method, params) {
      calls.push({ method, params })
      const responses = defaults[method] ?? []
      const index = used.get(method) ?? 0
      used.set(method, index + 1)
      const response = responses[Math.min(index, responses.length - 1)]
      if (response instanceof Error) throw response
      return response
    },
  })
  const sent = () => calls.filter((call) => call.method === 'sendTransaction').map((call) => String(call.params['transaction']))
  const count = (method: string) => calls.filter((call) => call.method === method).length
  return { client, sent, count }
}

function parse(envelope: string | undefined) {
  const transaction = TransactionBuilder.fromXdr(envelope ?? '', PASSPHRASE)
  assert('sequence' in transaction)
  return transaction
}

test('a sent call has the next sequence, the resource fee, a time limit by the ledger and a valid signature', async () => {
  const { client, sent } = createNode({})
  assert.deepEqual(await client.invoke(CALL, VIEW), { kind: 'sent' })
  const transaction = parse(sent()[0])
  assert.equal(transaction.sequence, '42')
  assert(transaction instanceof Transaction)
  const { ext } = transaction.tx
  assert(ext.type === 'sorobanData' && ext.sorobanData.resourceFee >= RESOURCE_FEE)
  assert.equal(transaction.fee, String(100n + ext.sorobanData.resourceFee))
  assert.deepEqual(transaction.timeBounds, { minTime: '0', maxTime: String(VIEW.closeTimeSec + 60) })
  const [signature] = transaction.signatures
  assert(signature !== undefined && Keypair.fromPublicKey(identity.address).verify(transaction.hash(), signature.signature))
})

test('sends one transaction at a time, and reads the sequence once while transactions succeed', async () => {
  const { client, sent, count } = createNode({ getTransaction: [{ status: 'NOT_FOUND' }, { status: 'SUCCESS', ledger: 12 }] })
  await client.invoke(CALL, VIEW)
  assert.equal((await client.invoke(CALL, VIEW)).kind, 'later')
  assert.deepEqual(await client.settle(VIEW), { kind: 'pending' })
  assert.deepEqual(await client.settle(VIEW), { kind: 'applied', ledger: 12 })
  assert.deepEqual(await client.settle(VIEW), { kind: 'idle' })
  await client.invoke(CALL, VIEW)
  assert.equal(parse(sent().at(-1)).sequence, '43')
  assert.equal(count('getLedgerEntries'), 1)
})

test('a failed simulation sends nothing and returns the contract code of its first line', async () => {
  const texts = [
    'HostError: Error(Contract, #30)\n\nEvent log (newest first):\n',
    'HostError: Error(Auth, InvalidAction)\n\nEvent log:\n 0: topics:[error, Error(Contract, #110)]',
  ]
  const { client, sent } = createNode({ simulateTransaction: texts.map((error) => ({ error })) })
  assert.deepEqual(await client.invoke(CALL, VIEW), { kind: 'refused', code: 30, reason: 'HostError: Error(Contract, #30)' })
  assert.deepEqual(await client.invoke(CALL, VIEW), { kind: 'refused', code: null, reason: 'HostError: Error(Auth, InvalidAction)' })
  assert.deepEqual(sent(), [])
})

test('reads the sequence again after a wrong one', async () => {
  const badSeq = { status: 'ERROR', errorResultXdr: resultXdr(xdr.TransactionResultResult.txBadSeq()) }
  const entries = [41n, 77n].map((seq) => ({ entries: [{ key: accountKeyXdr(identity.address), xdr: accountXdr(seq) }] }))
  const { client, sent } = createNode({ sendTransaction: [badSeq, { status: 'PENDING' }], getLedgerEntries: entries })
  assert.deepEqual(await client.invoke(CALL, VIEW), { kind: 'later', reason: 'txBadSeq' })
  assert.deepEqual(await client.invoke(CALL, VIEW), { kind: 'sent' })
  assert.deepEqual(sent().map((envelope) => parse(envelope).sequence), ['42', '78'])
})

test('looks up a transaction after a lost response or TRY_AGAIN_LATER, and sends it again unchanged', async () => {
  const { client, sent } = createNode({
    sendTransaction: [new Error('connection lost'), { status: 'TRY_AGAIN_LATER' }, { status: 'DUPLICATE' }],
    getTransaction: [{ status: 'NOT_FOUND' }, { status: 'NOT_FOUND' }, { status: 'SUCCESS', ledger: 13 }],
  })
  assert.deepEqual(await client.invoke(CALL, VIEW), { kind: 'sent' })
  assert.deepEqual(await client.settle(VIEW), { kind: 'pending' })
  assert.deepEqual(await client.settle(VIEW), { kind: 'pending' })
  assert.deepEqual(await client.settle(VIEW), { kind: 'applied', ledger: 13 })
  assert.equal(new Set(sent()).size, 1)
  assert.equal(sent().length, 3)
})

test('a transaction past its time limit has failed, and the sequence is read again', async () => {
  const { client, count } = createNode({})
  await client.invoke(CALL, VIEW)
  const settled = await client.settle({ sequence: 99, closeTimeSec: VIEW.closeTimeSec + 61 })
  assert.equal(settled.kind, 'failed')
  await client.invoke(CALL, VIEW)
  assert.equal(count('getLedgerEntries'), 2)
})

test('a named footprint is reused for calls with other arguments once two simulations agree, until one fails', async () => {
  const failed = { status: 'FAILED', resultXdr: resultXdr(xdr.TransactionResultResult.txFailed([])), diagnosticEventsXdr: [] }
  const { client, sent, count } = createNode({ getTransaction: [{ status: 'SUCCESS', ledger: 11 }, { status: 'SUCCESS', ledger: 12 }, failed] })
  const options = { footprintName: 'pokes' }
  for (let call = 0; call < 2; call++) {
    await client.invoke(CALL, VIEW, options)
    await client.settle(VIEW)
  }
  await client.invoke({ ...CALL, args: [i128(6n)] }, VIEW, options)
  assert.equal(count('simulateTransaction'), 2)
  const [operation] = parse(sent()[2]).operations
  assert(operation?.type === 'invokeHostFunction' && operation.auth?.length === 1)
  assert.equal(operation.auth[0]?.credentials.type, 'sorobanCredentialsSourceAccount')
  assert.deepEqual(await client.settle(VIEW), { kind: 'failed', code: null, reason: 'txFailed', isOutdated: false })
  await client.invoke(CALL, VIEW, options)
  assert.equal(count('simulateTransaction'), 3)
})

test('returns `later` for an account that does not exist', async () => {
  const { client, count } = createNode({ getLedgerEntries: [{ entries: null }] })
  assert.deepEqual(await client.invoke(CALL, VIEW), { kind: 'later', reason: 'the account does not exist' })
  assert.equal(count('simulateTransaction'), 0)
})
