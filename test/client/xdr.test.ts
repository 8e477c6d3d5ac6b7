// The client's XDR and addresses, compared with the Stellar SDK.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Account, Address, nativeToScVal, Operation, StrKey, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { Keypair } from '@stellar/stellar-sdk'
import { fromBase64, toHex } from '../../client/src/bytes.ts'
import { challengeTransaction, readCallTransaction, signedEnvelope, TESTNET_PASSPHRASE, transactionHash, unsignedEnvelope } from '../../client/src/envelope.ts'
import { secretSigner, signTransaction } from '../../client/src/signer.ts'
import { decodeStrKey, encodeStrKey } from '../../client/src/strkey.ts'
import { createReader, MalformedXdr, readValue } from '../../client/src/xdr.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import { createWallet } from '../support/keys.ts'

const key = fc.uint8Array({ minLength: 32, maxLength: 32 })

test('property: addresses and secrets are encoded like the SDK\'s and decoded back', () => {
  fc.assert(fc.property(key, (bytes) => {
    const texts = { account: StrKey.encodeEd25519PublicKey(bytes), contract: StrKey.encodeContract(bytes), secret: StrKey.encodeEd25519SecretSeed(bytes) }
    for (const kind of ['account', 'contract', 'secret'] as const) {
      assert.equal(encodeStrKey(kind, bytes), texts[kind])
      assert.deepEqual(decodeStrKey(kind, texts[kind]), bytes)
    }
    assert.throws(() => decodeStrKey('account', texts.contract), TypeError)
  }), { numRuns: fuzzRuns(100) })
})

test('property: a secret with a changed letter is rejected, and the error does not repeat it', () => {
  const secret = createWallet('a secret').secret()
  fc.assert(fc.property(fc.nat(55), fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567189 =ä'.split('')), (at, letter) => {
    const changed = secret.slice(0, at) + letter + secret.slice(at + 1)
    if (changed === secret) return
    assert.throws(() => decodeStrKey('secret', changed), (error: Error) => error instanceof TypeError && !error.message.includes(changed.slice(1, 50)))
  }), { numRuns: fuzzRuns(300) })
})

/** Signed integers use one bit for the sign. */
const INTEGERS = [['u64', 64n, 0n], ['i64', 63n, 1n], ['u128', 128n, 0n], ['i128', 127n, 1n], ['u256', 256n, 0n], ['i256', 255n, 1n]] as const

const EXECUTABLES = [
  xdr.ContractExecutable.contractExecutableWasm(Buffer.alloc(32, 1)), xdr.ContractExecutable.contractExecutableStellarAsset(),
  xdr.ContractExecutable.contractExecutableExternalRef(
    new xdr.ContractExecutableExternalRef({ executableOwner: Address.contract(Buffer.alloc(32, 2)).toScAddress(), tag: 'exchange-v2' }),
  ),
]

const value = fc.letrec<{ value: xdr.ScVal }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 },
    fc.boolean().map((one) => xdr.ScVal.scvBool(one)),
    fc.constant(xdr.ScVal.scvVoid()),
    fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((one) => nativeToScVal(one, { type: 'u32' })),
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((one) => nativeToScVal(one, { type: 'i32' })),
    ...INTEGERS.map(([type, bits, signed]) =>
      fc.bigInt({ min: signed * -(2n ** bits), max: 2n ** bits - 1n }).map((one) => nativeToScVal(one, { type }))),
    fc.string({ unit: 'binary', maxLength: 20 }).map((one) => nativeToScVal(one, { type: 'string' })),
    fc.string({ unit: fc.constantFrom(...'abcXYZ_019'.split('')), maxLength: 32 }).map((one) => nativeToScVal(one, { type: 'symbol' })),
    fc.uint8Array({ maxLength: 9 }).map((one) => nativeToScVal(Buffer.from(one))),
    key.map((one) => Address.contract(Buffer.from(one)).toScVal()),
    key.map((one) => Address.account(Buffer.from(one)).toScVal()),
    key.map((one) => Address.liquidityPool(Buffer.from(one)).toScVal()),
    key.map((one) => Address.claimableBalance(Buffer.from([0, ...one])).toScVal()),
    fc.tuple(key, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })).map(([ed25519, id]) =>
      xdr.ScVal.scvAddress(xdr.ScAddress.scAddressTypeMuxedAccount(new xdr.MuxedEd25519Account({ id, ed25519 })))),
    fc.uint8Array({ maxLength: 9 }).map((one) => xdr.ScVal.scvExecutableTag(one)),
    fc.constantFrom(
      xdr.ScVal.scvError(xdr.ScError.sceContract(7)), xdr.ScVal.scvError(xdr.ScError.sceStorage(xdr.ScErrorCode.scecExceededLimit)),
      xdr.ScVal.scvLedgerKeyContractInstance(), xdr.ScVal.scvLedgerKeyNonce(new xdr.ScNonceKey({ nonce: -5n })),
    ),
    fc.tuple(fc.constantFrom(...EXECUTABLES), fc.option(tie('value'))).map(([executable, stored]) => xdr.ScVal.scvContractInstance(
      new xdr.ScContractInstance({ executable, storage: stored === null ? null : [new xdr.ScMapEntry({ key: stored, val: stored })] }))),
    fc.array(tie('value'), { maxLength: 3 }).map((list) => xdr.ScVal.scvVec(list)),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 2 }).map((map) =>
      xdr.ScVal.scvMap(map.map(([from, to]) => new xdr.ScMapEntry({ key: from, val: to })))),
  ),
})).value

/** The value as the SDK decodes it; undefined for types that the client does not compare. */
function expected(of: xdr.ScVal): unknown {
  const read: Readonly<Record<string, (one: never) => unknown>> = {
    scvBool: ({ b }: { b: boolean }) => b,
    scvU32: ({ u32 }: { u32: number }) => u32,
    scvI32: ({ i32 }: { i32: number }) => i32,
    scvString: ({ str }: { str: { toString(): string } }) => String(str),
    scvSymbol: ({ sym }: { sym: { toString(): string } }) => String(sym),
    scvAddress: () => Address.fromScVal(of).toString(),
  }
  return read[of.type]?.(of as never)
}

test('property: contract values are read to their end', () => {
  fc.assert(fc.property(value, (one) => {
    const reader = createReader(Uint8Array.from(one.toXdr()))
    const read = readValue(reader)
    assert.equal(reader.remaining(), 0)
    const want = expected(one)
    if (want !== undefined) assert.equal(read.value, want)
  }), { numRuns: fuzzRuns(300) })
})

const valueOf = (hex: string) => readValue(createReader(Uint8Array.from(Buffer.from(hex, 'hex'))))

test('a muxed contract address is read as W…, and types of later protocols are newer than the client', () => {
  const muxed = '00000012000000050020000000000001ab27b729d9cc4cb1c00960700446924159e9298d0f952aee3d55408b8e0b1b71'
  assert.deepEqual(valueOf(muxed), { type: 'address', value: 'WCVSPNZJ3HGEZMOABFQHABCGSJAVT2JJRUHZKKXOHVKUBC4OBMNXCABAAAAAAAAAAGQOA' })
  assert.throws(() => valueOf('00000017'), { name: 'MalformedXdr', message: 'value type 23 is newer than this client' })
  assert.throws(() => valueOf('0000001200000006'), { message: 'address type 6 is newer than this client' })
  assert.throws(() => valueOf('0000001300000003'), { message: 'executable type 3 is newer than this client' })
  assert.throws(() => valueOf('00001700'), { message: 'unsupported value type 5888' })
})

test('property: arbitrary bytes are rejected with MalformedXdr', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    try {
      readValue(createReader(bytes))
    } catch (error) {
      assert.ok(error instanceof MalformedXdr || error instanceof RangeError, String(error))
    }
  }), { numRuns: fuzzRuns(1_000) })
  const deep = Uint8Array.from({ length: 50_000 }, (_none, at) => ([0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 1] as const)[at % 12] ?? 0)
  assert.throws(() => readValue(createReader(deep)), MalformedXdr)
})

function callBy(wallet: Keypair, args: xdr.ScVal[]) {
  const data = new xdr.SorobanTransactionData({
    ext: xdr.SorobanTransactionDataExt.v0(),
    resources: new xdr.SorobanResources({
      footprint: new xdr.LedgerFootprint({
        readOnly: [xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: xdr.PublicKey.publicKeyTypeEd25519(wallet.rawPublicKey()) }))],
        readWrite: [],
      }),
      instructions: 1, diskReadBytes: 2, writeBytes: 3,
    }),
    resourceFee: 4n,
  })
  const call = new xdr.InvokeContractArgs({ contractAddress: Address.contract(Buffer.alloc(32, 7)).toScAddress(), functionName: 'f', args })
  const transaction = new TransactionBuilder(new Account(wallet.publicKey(), '41'), { fee: '100', networkPassphrase: TESTNET_PASSPHRASE })
    .addOperation(Operation.invokeHostFunction({ func: xdr.HostFunction.hostFunctionTypeInvokeContract(call), auth: [] }))
    .setTimebounds(0, 1_783_339_500)
    .setSorobanData(data)
    .build()
  return transaction
}

test('property: hashes and signatures equal the SDK\'s', async () => {
  const wallet = createWallet('signs')
  const signer = await secretSigner(wallet.secret())
  assert.equal(signer.address, wallet.publicKey())
  // The SDK refuses balances and pools as arguments of their own.
  const argument = value.map((one) => xdr.ScVal.scvVec([one]))
  await fc.assert(fc.asyncProperty(fc.array(argument, { maxLength: 4 }), async (args) => {
    const transaction = callBy(wallet, args)
    const unsigned = transaction.toXdr()
    const read = readCallTransaction(unsigned)
    assert.equal(toHex(await transactionHash(read.bytes, TESTNET_PASSPHRASE)), Buffer.from(transaction.hash()).toString('hex'))
    assert.equal(unsignedEnvelope(read.bytes), unsigned)
    assert.deepEqual([read.source, read.sequence, read.maxTime], [wallet.publicKey(), 42n, 1_783_339_500n])
    assert.deepEqual([read.call.functionName, read.call.args.length], ['f', args.length])
    transaction.sign(wallet)
    assert.equal((await signTransaction(signer, read.bytes, TESTNET_PASSPHRASE)).signedXdr, transaction.toXdr())
  }), { numRuns: fuzzRuns(50) })
})

test('the challenge transaction equals the SDK\'s', async () => {
  const wallet = createWallet('proves')
  const challenge = Uint8Array.from({ length: 32 }, (_none, at) => at)
  const transaction = new TransactionBuilder(new Account(wallet.publicKey(), '-1'), { fee: '0', networkPassphrase: TESTNET_PASSPHRASE })
    .addOperation(Operation.manageData({ name: 'key', value: Buffer.from(challenge), source: wallet.publicKey() }))
    .setTimeout(0)
    .build()
  const bytes = challengeTransaction(wallet.publicKey(), challenge)
  assert.equal(unsignedEnvelope(bytes), transaction.toXdr())
  transaction.sign(wallet)
  const hash = await transactionHash(bytes, TESTNET_PASSPHRASE)
  assert.equal(signedEnvelope(bytes, wallet.publicKey(), wallet.sign(Buffer.from(hash))), transaction.toXdr())
})

test('a wallet that returns another transaction is refused', async () => {
  const wallet = createWallet('in a browser')
  const [mine, other] = [callBy(wallet, []), callBy(wallet, [nativeToScVal(1, { type: 'u32' })])]
  mine.sign(wallet)
  other.sign(wallet)
  const { bytes } = readCallTransaction(callBy(wallet, []).toXdr())
  const signing = (signedXdr: string) => signTransaction({ address: wallet.publicKey(), signTransaction: () => signedXdr }, bytes, TESTNET_PASSPHRASE)
  assert.equal((await signing(mine.toXdr())).signedXdr, mine.toXdr())
  await assert.rejects(signing(other.toXdr()), /that the wallet signed/)
  await assert.rejects(signing('no base64'), /that the wallet signed/)
  assert.throws(() => fromBase64('AA='))
})
