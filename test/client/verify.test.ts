// The client signs only what was requested: transactions from the gateway's own table pass, and every possible change is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Address, nativeToScVal, StrKey, xdr } from '@stellar/stellar-sdk'
import { expectedCall, OPERATIONS } from '../../client/src/calls.ts'
import type { ContractAddresses, TradeRequest } from '../../client/src/calls.ts'
import { RefusedToSign } from '../../client/src/errors.ts'
import { verifyTransaction } from '../../client/src/verify.ts'
import { toXdr } from '../../src/chain/codec/scval.ts'
import { ACTION_NAMES } from '../../src/exchange/actions.ts'
import type { CallArgument } from '../../src/exchange/contracts/call-arguments.ts'
import { findForm } from '../../src/exchange/contracts/call-forms.ts'
import { GENERATIONS } from '../../src/exchange/contracts/generations.ts'
import type { Generation } from '../../src/exchange/contracts/generations.ts'
import { OPERATION_NAMES } from '../../src/exchange/operations.ts'
import { callOf, definitionOf } from '../support/calls.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import { createWallet } from '../support/keys.ts'

const NOW_SEC = 1_783_339_200
const signer = createWallet('verifies').publicKey()
const contractOf = (byte: number): string => Address.contract(Buffer.alloc(32, byte)).toString()
const contracts: ContractAddresses = {
  market: contractOf(1), vault: contractOf(2), oracleShim: contractOf(3), router: contractOf(4), usdcToken: contractOf(5), lpToken: contractOf(6),
  vaultFactory: contractOf(7), referral: contractOf(8),
}
const OPEN = { op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' } as const

interface Prepared {
  readonly footprint: readonly xdr.LedgerKey[]
  readonly call: { readonly contract: string; readonly functionName: string; readonly args: readonly xdr.ScVal[] }
  readonly source: string
  readonly fee: number
  readonly sequence: bigint
  readonly minTime: bigint
  readonly maxTime: bigint
  readonly memo: xdr.Memo
  readonly auth: readonly xdr.SorobanAuthorizationEntry[]
  readonly operationSource: string | null
  readonly operations: number
  readonly signatures: number
}

const account = (address: string) => xdr.MuxedAccount.keyTypeEd25519(Address.fromString(address).toBuffer())

function invocation(call: Prepared['call'], subCalls: readonly xdr.SorobanAuthorizedInvocation[] = []): xdr.SorobanAuthorizedInvocation {
  const allowed = xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(invoked(call))
  return new xdr.SorobanAuthorizedInvocation({ function: allowed, subInvocations: [...subCalls] })
}

function invoked({ contract, functionName, args }: Prepared['call']): xdr.InvokeContractArgs {
  return new xdr.InvokeContractArgs({ contractAddress: new Address(contract).toScAddress(), functionName, args: [...args] })
}

function bySource(call: Prepared['call'], subCalls: readonly xdr.SorobanAuthorizedInvocation[] = []): xdr.SorobanAuthorizationEntry {
  const credentials = xdr.SorobanCredentials.sorobanCredentialsSourceAccount()
  return new xdr.SorobanAuthorizationEntry({ credentials, rootInvocation: invocation(call, subCalls) })
}

const transfer = (from: string, to: string, amount: bigint, token = contracts.usdcToken): xdr.SorobanAuthorizedInvocation => invocation({
  contract: token, functionName: 'transfer',
  args: [new Address(from).toScVal(), new Address(to).toScVal(), nativeToScVal(amount, { type: 'i128' })],
})

/** Returns what the gateway prepares for the request, from its own table. */
function prepared(request: TradeRequest, generation: Generation = '1'): Prepared {
  const { contract, functionName, args } = callOf(request, signer, { contracts, generation })
  const call = { contract: contracts[contract], functionName, args: args.map((one: CallArgument) => toXdr(one)) }
  return {
    call, source: signer, fee: 100_000, sequence: 7n, minTime: 0n, maxTime: BigInt(NOW_SEC + 300), memo: xdr.Memo.memoNone(), auth: [bySource(call)],
    operationSource: null, operations: 1, signatures: 0, footprint: [],
  }
}

function envelope({ call, source, fee, sequence, minTime, maxTime, memo, auth, operationSource, operations, signatures, footprint }: Prepared): string {
  const func = xdr.HostFunction.hostFunctionTypeInvokeContract(invoked(call))
  const body = xdr.OperationBody.invokeHostFunction(new xdr.InvokeHostFunctionOp({ hostFunction: func, auth: [...auth] }))
  const operation = new xdr.Operation({ sourceAccount: operationSource === null ? null : account(operationSource), body })
  const data = new xdr.SorobanTransactionData({
    ext: xdr.SorobanTransactionDataExt.v0(),
    resources: new xdr.SorobanResources({
      footprint: new xdr.LedgerFootprint({ readOnly: [...footprint], readWrite: [] }), instructions: 1, diskReadBytes: 2, writeBytes: 3,
    }),
    resourceFee: 4n,
  })
  const tx = new xdr.Transaction({
    sourceAccount: account(source), fee, seqNum: sequence, cond: xdr.Preconditions.precondTime(new xdr.TimeBounds({ minTime, maxTime })), memo,
    operations: Array.from({ length: operations }, () => operation), ext: xdr.TransactionExt.sorobanData(data),
  })
  const signature = new xdr.DecoratedSignature({ hint: Buffer.alloc(4), signature: Buffer.alloc(64) })
  const signed = new xdr.TransactionV1Envelope({ tx, signatures: Array.from({ length: signatures }, () => signature) })
  return xdr.TransactionEnvelope.envelopeTypeTx(signed).toXdr('base64')
}

function verify(request: TradeRequest, made: Prepared): ReturnType<typeof verifyTransaction> {
  return verifyTransaction(envelope(made), { request, signer, contracts, maxFeeStroops: 1_000_000, maxValiditySec: 600, nowMs: NOW_SEC * 1000 })
}

/** Asserts that signing is refused with a message that matches. */
function assertRefused(made: Prepared, message: RegExp, request: TradeRequest = OPEN): void {
  assert.throws(() => verify(request, made), (error: unknown) => {
    assert.ok(error instanceof RefusedToSign, String(error))
    assert.match(error.message, message)
    return true
  })
}

const digits = fc.bigInt({ min: 0n, max: 2n ** 126n }).map(String)
const id = fc.oneof(fc.integer({ min: 0, max: 2 ** 40 }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String))
const small = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const text = fc.string({ minLength: 1, maxLength: 16 })
const FIELDS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  asset: fc.constantFrom('BTC', 'ETH', 'HYPE'), collateral: digits, amount: digits, closeSize: digits, lpAmount: digits, shares: digits, triggerPrice: digits,
  limitPrice: digits, positionId: id, orderId: id, leverage: small, slippageToleranceBps: small, trailingPercentBps: small, vaultId: small,
  expirationLedger: small, name: text,
  code: text, direction: fc.constantFrom('Long', 'Short'), triggerCondition: fc.constantFrom('Above', 'Below'), paused: fc.boolean(),
  destination: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((key) => StrKey.encodeEd25519PublicKey(key)),
}

/** Any request of an operation. Finds the operation's fields by the errors of `expectedCall`. */
function requests(op: TradeRequest['op']): fc.Arbitrary<TradeRequest> {
  const fields: string[] = []
  for (;;) {
    try {
      expectedCall({ op, ...Object.fromEntries(fields.map((field) => [field, sample(field)])) } as unknown as TradeRequest, signer, contracts)
      const drawn = Object.fromEntries(fields.map((field) => [field, FIELDS[field] ?? fc.constant(null)]))
      return fc.record({ op: fc.constant(op), ...drawn }) as unknown as fc.Arbitrary<TradeRequest>
    } catch (error) {
      const missing = / needs (\w+)$/.exec((error as Error).message)?.[1]
      assert.ok(missing !== undefined, String(error))
      fields.push(missing)
    }
  }
}

function sample(field: string): unknown {
  return { asset: 'BTC', direction: 'Long', triggerCondition: 'Above', paused: true, name: 'n', code: 'code', destination: signer }[field] ?? 1
}

test('the client has a call for each of the gateway\'s operations', () => {
  assert.deepEqual([...OPERATIONS].toSorted(), [...OPERATION_NAMES, ...ACTION_NAMES].toSorted())
})

for (const op of OPERATIONS) {
  test(`property: ${op}: the gateway's transaction is accepted, and refused with any argument changed`, () => {
    const generations = GENERATIONS.filter((generation) => findForm(definitionOf(op), { generation, accepts: null }) !== undefined)
    fc.assert(fc.property(requests(op), fc.nat(20), fc.constantFrom(...generations), (request, at, generation) => {
      const made = prepared(request, generation)
      assert.equal(verify(request, made).call.functionName, made.call.functionName)
      const args = made.call.args.with(at % made.call.args.length, nativeToScVal(4_294_967_295n, { type: 'u64' }))
      const call = { ...made.call, args }
      assertRefused({ ...made, call, auth: [] }, /argument \d+ is u64/, request)
      assertRefused({ ...made, auth: [bySource(call)] }, /authorized argument/, request)
      assertRefused({ ...made, call: { ...made.call, args: made.call.args.slice(1) } }, /number of arguments/, request)
      assertRefused({ ...made, call: { ...made.call, contract: contractOf(9) } }, /contract is/, request)
      assertRefused({ ...made, call: { ...made.call, functionName: 'transfer_from' } }, /function is/, request)
    }), { numRuns: fuzzRuns(20) })
  })
}

test('a bound of the request is refused where the transaction leaves it out', () => {
  const unbounded = prepared(OPEN, '1')
  assert.ok(verify(OPEN, unbounded))
  assert.ok(verify({ ...OPEN, acceptablePrice: '0' }, unbounded))
  assertRefused(unbounded, /number of arguments is 5, expected 6/, { ...OPEN, acceptablePrice: '1' })
  const bounded = { ...OPEN, acceptablePrice: '7' } as const
  assert.ok(verify(bounded, prepared(bounded, '2.0')))
  assertRefused(prepared(OPEN, '2.0'), /argument 6 is i128 "0", expected i128 "7"/, bounded)
  assertRefused(prepared(bounded, '2.0'), /argument 6 is i128 "7", expected i128 "0"/)
})

test('the time in force and the reduce-only flag are verified', () => {
  const order = {
    op: 'place_limit_order', asset: 'BTC', direction: 'Long', collateral: '1', leverage: 2, triggerPrice: '3', triggerCondition: 'Below',
    slippageToleranceBps: 4,
  } as const
  const postOnly = { ...order, timeInForce: 2, reduceOnly: true } as const
  assert.ok(verify(postOnly, prepared(postOnly)))
  assertRefused(prepared(order), /argument 9 is u32 0, expected u32 258/, postOnly)
  assert.throws(() => verify({ ...order, timeInForce: 3 }, prepared(order)), TypeError)
})

test('everything around the call is verified', () => {
  const made = prepared(OPEN)
  const other = createWallet('another account').publicKey()
  assertRefused({ ...made, source: other }, /source account/)
  assertRefused({ ...made, operationSource: other }, /operation source is/)
  assert.equal(verify(OPEN, { ...made, operationSource: signer }).source, signer)
  assertRefused({ ...made, fee: 1_000_001 }, /fee is 1000001, expected at most 1000000 stroops/)
  assertRefused({ ...made, maxTime: 0n }, /expiry is missing/)
  assertRefused({ ...made, maxTime: BigInt(NOW_SEC + 601) }, /expiry is 601 s from now/)
  assertRefused({ ...made, minTime: 1n }, /minimum time/)
  assertRefused({ ...made, sequence: 0n }, /sequence number/)
  assertRefused({ ...made, memo: xdr.Memo.memoText('x') }, /memo type/)
  assertRefused({ ...made, operations: 2 }, /operation count/)
  assertRefused({ ...made, operations: 0 }, /operation count/)
  assertRefused({ ...made, signatures: 1 }, /signature count/)
})

test('authorized transfers may move the order\'s cost to the exchange, and nothing else', () => {
  const made = prepared(OPEN)
  const cost = BigInt(OPEN.collateral)
  const withSubCalls = (...subCalls: xdr.SorobanAuthorizedInvocation[]): Prepared => ({ ...made, auth: [bySource(made.call, subCalls)] })
  assert.ok(verify(OPEN, withSubCalls(transfer(signer, contracts.market, cost))))
  assert.ok(verify(OPEN, withSubCalls(transfer(signer, contracts.market, cost - 1n), transfer(signer, contracts.vault, 1n))))
  const other = createWallet('another account').publicKey()
  for (const [why, subCall] of Object.entries({
    'more than the cost': transfer(signer, contracts.market, cost + 1n),
    'to another account': transfer(signer, other, 1n),
    'another token': transfer(signer, contracts.market, 1n, contracts.lpToken),
    'a negative amount': transfer(signer, contracts.market, -1n),
    'another function': invocation({ ...made.call, functionName: 'approve' }),
  })) {
    // A negative amount would make room for a larger one.
    const subCalls = why === 'a negative amount' ? [subCall, transfer(signer, contracts.market, cost + 1n)] : [subCall]
    assert.throws(() => verify(OPEN, withSubCalls(...subCalls)), RefusedToSign, why)
  }
  assertRefused(withSubCalls(transfer(signer, contracts.market, cost), transfer(signer, contracts.market, 1n)), /authorized sub-call/)
  const close = { op: 'close_position', positionId: 1 } as const
  const closing = prepared(close)
  assertRefused({ ...closing, auth: [bySource(closing.call, [transfer(signer, contracts.market, 1n)])] }, /expected nothing/, close)
  assertRefused({ ...made, auth: [bySource(made.call), bySource(made.call)] }, /number of authorizations/)
  const byAddress = new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(new xdr.SorobanAddressCredentials({
      address: new Address(signer).toScAddress(), nonce: 1n, signatureExpirationLedger: 9, signature: xdr.ScVal.scvVoid(),
    })),
    rootInvocation: invocation(made.call),
  })
  assertRefused({ ...made, auth: [byAddress] }, /authorization credential type is 1, .* this client signs transactions, not authorization entries/)
  const { credentials, rootInvocation } = byAddress
  assert.ok(credentials.type === 'sorobanCredentialsAddress')
  const upgraded = [
    xdr.SorobanCredentials.sorobanCredentialsAddressV2(credentials.address),
    xdr.SorobanCredentials.sorobanCredentialsAddressWithDelegates(
      new xdr.SorobanAddressCredentialsWithDelegates({ addressCredentials: credentials.address, delegates: [] }),
    ),
  ]
  for (const each of upgraded) {
    const auth = [new xdr.SorobanAuthorizationEntry({ credentials: each, rootInvocation })]
    assertRefused({ ...made, auth }, /credential type is [23], .* signs transactions/)
  }
})

const dataKey = (key: xdr.ScVal): xdr.LedgerKey => xdr.LedgerKey.contractData(new xdr.LedgerKeyContractData({
  contract: new Address(contracts.market).toScAddress(), key, durability: xdr.ContractDataDurability.persistent,
}))

test('signs when the footprint has the keys of an external executable, its tag in any bytes', () => {
  const footprint = [
    dataKey(xdr.ScVal.scvLedgerKeyContractInstance()), dataKey(xdr.ScVal.scvExecutableTag(Uint8Array.of(0xff, 1))), dataKey(xdr.ScVal.scvExecutableTag('v2')),
    xdr.LedgerKey.contractCode(new xdr.LedgerKeyContractCode({ hash: Buffer.alloc(32, 3) })),
  ]
  const made = prepared(OPEN)
  assert.deepEqual(verify(OPEN, { ...made, footprint }).call, verify(OPEN, made).call)
})

test('refuses what a later protocol added and says that the client is older', () => {
  const made = prepared(OPEN)
  const terms = { request: OPEN, signer, contracts, maxFeeStroops: 1_000_000, maxValiditySec: 600, nowMs: NOW_SEC * 1000 }
  const marketCall = `0000000000000001${'01'.repeat(32)}`
  const later: readonly (readonly [from: string, to: string, what: RegExp])[] = [
    ['0000001600000002', '0000001700000002', /value type 23 is newer than this client/],
    [`0000000100000000${marketCall}`, `0000000100000004${marketCall}`, /authorization credential type 4 is newer than this client/],
  ]
  for (const [from, to, what] of later) {
    const hex = Buffer.from(envelope({ ...made, footprint: [dataKey(xdr.ScVal.scvExecutableTag('v2'))] }), 'base64').toString('hex')
    const changed = Buffer.from(hex.replace(from, to), 'hex').toString('base64')
    assert.throws(() => verifyTransaction(changed, terms), (error) => error instanceof RefusedToSign && what.test(error.message), String(what))
  }
})

test('property: a changed byte is refused unless it affects only resources, fee, sequence or validity', () => {
  const made = prepared(OPEN)
  const bytes = Buffer.from(envelope(made), 'base64')
  const good = verify(OPEN, made)
  fc.assert(fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ change
    try {
      const terms = { request: OPEN, signer, contracts, maxFeeStroops: 1_000_000, maxValiditySec: 600, nowMs: NOW_SEC * 1000 }
      const tx = verifyTransaction(changed.toString('base64'), terms)
      assert.deepEqual([tx.call, tx.source, tx.authorizations], [good.call, good.source, good.authorizations])
    } catch (error) {
      assert.ok(error instanceof RefusedToSign, String(error))
    }
  }), { numRuns: fuzzRuns(1_000) })
})

test('an invalid request throws TypeError', () => {
  const wrong = [{ op: 'constructor' }, { collateral: '1.5' }, { direction: 'long' }, { direction: 'toString' }, { leverage: undefined }, { amount: '1' }]
  for (const part of wrong) assert.throws(() => expectedCall({ ...OPEN, ...part } as unknown as TradeRequest, signer, contracts), TypeError)
})
