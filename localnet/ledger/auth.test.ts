import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizeEntry, type Keypair, Operation, scValToNative, SorobanDataBuilder, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { address, symbol, u32, type Val, vec } from '../contracts/shared/host.ts'
import type { TransactionRecord } from '../history.ts'
import { toScVal } from '../scval.ts'
import { ALICE, BOB, CALLER, COUNTER, FORWARDERS, PASSPHRASE, startTestChain, type TestChain, testKeypair, UNFUNDED } from './test-chain.ts'

type Entry = xdr.SorobanAuthorizationEntry

/** A call that BOB sends and pays for, with the authorization entries and data from its simulation. */
interface Proposal {
  readonly contract: string
  readonly name: string
  readonly args: readonly Val[]
  readonly entries: readonly Entry[]
  readonly data: xdr.SorobanTransactionData
}

const alice = address(ALICE.publicKey())
const bob = address(BOB.publicKey())

function propose(testChain: TestChain, contract: string, name: string, args: readonly Val[], params: Record<string, unknown> = {}): Proposal {
  const simulation = testChain.simulate(testChain.call(contract, name, args, { source: BOB }), params)
  assert.equal(simulation['error'], undefined)
  const [result] = simulation['results'] as { auth: string[] }[]
  const entries = (result?.auth ?? []).map((text) => xdr.SorobanAuthorizationEntry.fromXdr(text, 'base64'))
  return { contract, name, args, entries, data: xdr.SorobanTransactionData.fromXdr(String(simulation['transactionData']), 'base64') }
}

/** BOB sends the call with these authorization entries. */
function apply(testChain: TestChain, proposal: Proposal, auth: readonly Entry[]): TransactionRecord {
  const { contract, name, args } = proposal
  const operation = Operation.invokeContractFunction({ contract, function: name, args: args.map(toScVal), auth: [...auth] })
  // With several signers, verifying costs more than recording. These resources are enough for all tests.
  const { instructions, diskReadBytes, writeBytes } = proposal.data.resources
  const sorobanData = new SorobanDataBuilder(proposal.data.toXdr('base64')).setResources(instructions + 2_000_000, diskReadBytes, writeBytes)
    .setResourceFee(proposal.data.resourceFee + 100_000n).build()
  const plain = testChain.build(operation, { source: BOB })
  const transaction = TransactionBuilder.cloneFrom(plain, { fee: '100', networkPassphrase: PASSPHRASE, sorobanData }).build()
  transaction.sign(BOB)
  return testChain.apply(transaction)
}

/** SUCCESS, or the failure with the host's message: `sceAuth scecInvalidAction: …`. */
function outcomeOf(record: TransactionRecord): string {
  if (record.status === 'SUCCESS') return record.status
  const events = record.diagnosticEventsXdr.map((text) => xdr.DiagnosticEvent.fromXdr(text, 'base64').event.body.v0)
  const failure = events.find(({ topics: [name] }) => name?.type === 'scvSymbol' && name.sym.toString() === 'host_fn_failed')?.topics[1]
  assert(failure?.type === 'scvError' && failure.error.type !== 'sceContract')
  const error = failure.toXdr('base64')
  const data = events.find(({ topics: [name, reason] }) => {
    return name?.type === 'scvSymbol' && name.sym.toString() === 'error' && reason?.toXdr('base64') === error
  })?.data
  const message = data?.type === 'scvVec' ? data.vec?.[0] : data
  return `${failure.error.type} ${failure.error.code.name}: ${message === undefined ? '' : String(scValToNative(message))}`
}

const signed = (testChain: TestChain, entry: Entry | undefined, key: Keypair, ledgers = 100): Promise<Entry> => {
  assert(entry !== undefined)
  return authorizeEntry(entry, key, testChain.chain.history.latest().sequence + ledgers, PASSPHRASE)
}

const INVALID_ACTION = 'sceAuth scecInvalidAction'
const UNAUTHORIZED = `${INVALID_ACTION}: Unauthorized function call for address`

test('the source account authorizes calls by signing the transaction', () => {
  using testChain = startTestChain()
  const proposal = propose(testChain, COUNTER, 'increment', [bob])
  assert.deepEqual(proposal.entries.map(({ credentials }) => credentials.type), ['sorobanCredentialsSourceAccount'])
  assert.equal(outcomeOf(apply(testChain, proposal, proposal.entries)), 'SUCCESS')
  assert.equal(outcomeOf(apply(testChain, proposal, [])), UNAUTHORIZED)
})

test('a recorded entry is unsigned: void signature, no expiration, a new nonce each time', () => {
  using testChain = startTestChain()
  const nonces = [1, 2].map(() => {
    const [entry] = propose(testChain, COUNTER, 'increment', [alice]).entries
    assert(entry?.credentials.type === 'sorobanCredentialsAddress')
    const { nonce, signature, signatureExpirationLedger } = entry.credentials.address
    assert.deepEqual([signature.type, signatureExpirationLedger], ['scvVoid', 0])
    return nonce
  })
  assert.notEqual(nonces[0], nonces[1])
  const [upgraded] = propose(testChain, COUNTER, 'increment', [alice], { useUpgradedAuth: true }).entries
  assert.equal(upgraded?.credentials.type, 'sorobanCredentialsAddressV2')
})

for (const useUpgradedAuth of [false, true]) {
  test(`another account can send a call that the address signed${useUpgradedAuth ? ', with addressV2 credentials' : ''}`, async () => {
    using testChain = startTestChain()
    const proposal = propose(testChain, COUNTER, 'increment', [alice], { useUpgradedAuth })
    const entry = await signed(testChain, proposal.entries[0], ALICE)
    assert.equal(outcomeOf(apply(testChain, proposal, [entry])), 'SUCCESS')
    assert.equal(outcomeOf(apply(testChain, proposal, [entry])), 'sceAuth scecExistingValue: nonce already exists for address')
  })
}

test('enforcing an entry costs as much as recording it', async () => {
  using testChain = startTestChain()
  const proposal = propose(testChain, COUNTER, 'increment', [alice])
  const record = apply(testChain, proposal, [await signed(testChain, proposal.entries[0], ALICE)])
  const events = record.diagnosticEventsXdr.map((text) => xdr.DiagnosticEvent.fromXdr(text, 'base64').event.body.v0)
  const used = events.find(({ topics: [, name] }) => name?.type === 'scvSymbol' && name.sym.toString() === 'cpu_insn')?.data
  assert(used?.type === 'scvU64')
  assert.equal(Math.ceil(Number(used.u64) * 1.04), proposal.data.resources.instructions)
})

test('rejects an entry that is unsigned, signed for another network or of a missing account', async () => {
  using testChain = startTestChain()
  const proposal = propose(testChain, COUNTER, 'increment', [alice])
  const [entry] = proposal.entries
  assert(entry !== undefined)
  assert.equal(outcomeOf(apply(testChain, proposal, [entry])), 'sceAuth scecInvalidInput: signature has expired', 'the expiration ledger is still 0')
  const until = testChain.chain.history.latest().sequence + 100
  const foreign = await authorizeEntry(entry, ALICE, until, 'Another network')
  assert.equal(outcomeOf(apply(testChain, proposal, [foreign])), `${INVALID_ACTION}: failed account authentication with error`)
  const elsewhere = propose(testChain, COUNTER, 'increment', [address(UNFUNDED.publicKey())])
  const nobodys = await signed(testChain, elsewhere.entries[0], UNFUNDED)
  assert.equal(outcomeOf(apply(testChain, elsewhere, [nobodys])), `${INVALID_ACTION}: failed account authentication with error`, 'no such account')
})

test('an entry is valid up to its expiration ledger, which may not exceed the maximum TTL', async () => {
  using testChain = startTestChain()
  const proposal = propose(testChain, COUNTER, 'increment', [alice])
  const lastMoment = await signed(testChain, proposal.entries[0], ALICE, 1)
  assert.equal(outcomeOf(apply(testChain, proposal, [lastMoment])), 'SUCCESS')
  const again = propose(testChain, COUNTER, 'increment', [alice])
  const late = await signed(testChain, again.entries[0], ALICE, 1)
  testChain.close()
  assert.equal(outcomeOf(apply(testChain, again, [late])), 'sceAuth scecInvalidInput: signature has expired')
  const far = await signed(testChain, again.entries[0], ALICE, 4_000_000)
  assert.equal(outcomeOf(apply(testChain, again, [far])), 'sceAuth scecInvalidInput: signature expiration is too late')
})

test('an entry authorizes one call with its arguments and its sub-invocations', async () => {
  using testChain = startTestChain()
  const proposal = propose(testChain, CALLER, 'forward_signed', [alice, address(COUNTER)])
  const [entry] = proposal.entries
  assert(entry !== undefined)
  assert.equal(entry.rootInvocation.subInvocations.length, 1)
  const without = new xdr.SorobanAuthorizedInvocation({ function: entry.rootInvocation.function, subInvocations: [] })
  const shortened = await signed(testChain, new xdr.SorobanAuthorizationEntry({ credentials: entry.credentials, rootInvocation: without }), ALICE)
  assert.equal(outcomeOf(apply(testChain, proposal, [shortened])), UNAUTHORIZED)
  const other = propose(testChain, COUNTER, 'increment', [alice])
  assert.equal(outcomeOf(apply(testChain, proposal, [await signed(testChain, other.entries[0], ALICE)])), UNAUTHORIZED)
  assert.equal(outcomeOf(apply(testChain, proposal, [await signed(testChain, entry, ALICE)])), 'SUCCESS')
})

test('a failed call does not consume the authorization', async () => {
  using testChain = startTestChain()
  const proposal = propose(testChain, COUNTER, 'increment', [alice])
  const entry = await signed(testChain, proposal.entries[0], ALICE)
  const { footprint } = proposal.data.resources
  const narrow = new SorobanDataBuilder(proposal.data.toXdr('base64')).setReadWrite(footprint.readWrite.slice(0, 1)).build()
  assert.equal(apply(testChain, { ...proposal, data: narrow }, [entry]).status, 'FAILED')
  assert.equal(outcomeOf(apply(testChain, proposal, [entry])), 'SUCCESS')
})

test('an account with several signers needs enough of them for the medium threshold', async () => {
  using testChain = startTestChain()
  const second = testKeypair(6)
  const options = Operation.setOptions({ signer: { ed25519PublicKey: second.publicKey(), weight: 1 }, medThreshold: 2, highThreshold: 2 })
  testChain.apply(testChain.signed(options))
  const proposal = propose(testChain, COUNTER, 'increment', [alice])
  const [one, other] = [await signed(testChain, proposal.entries[0], ALICE), await signed(testChain, proposal.entries[0], second)]
  assert.equal(outcomeOf(apply(testChain, proposal, [one])), `${INVALID_ACTION}: failed account authentication with error`)
  assert.equal(outcomeOf(apply(testChain, proposal, [together(one, other)])), 'SUCCESS')
})

/** Both signatures in one entry, in the order of their keys. */
function together(...entries: readonly Entry[]): Entry {
  const [first] = entries
  assert(first?.credentials.type === 'sorobanCredentialsAddress')
  const signatures = entries.flatMap(({ credentials }) => {
    assert(credentials.type === 'sorobanCredentialsAddress' && credentials.address.signature.type === 'scvVec')
    return credentials.address.signature.vec ?? []
  })
  const sorted = signatures.toSorted((a, b) => Buffer.compare(Buffer.from(a.toXdr()), Buffer.from(b.toXdr())))
  const { address: of, nonce, signatureExpirationLedger } = first.credentials.address
  const credentials = new xdr.SorobanAddressCredentials({ address: of, nonce, signatureExpirationLedger, signature: xdr.ScVal.scvVec(sorted) })
  return new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(credentials), rootInvocation: first.rootInvocation,
  })
}

test('a contract authorizes its own direct calls', () => {
  using testChain = startTestChain()
  const proposal = propose(testChain, CALLER, 'increment_as_self', [address(COUNTER)])
  assert.deepEqual(proposal.entries, [])
  assert.equal(outcomeOf(apply(testChain, proposal, [])), 'SUCCESS')
})

test('a contract can authorize deeper calls in advance, each once; a failed call does not consume the grant', () => {
  using testChain = startTestChain()
  const args = (agreements: number, calls: number): Val[] => [vec(...FORWARDERS.map(address)), address(COUNTER), u32(agreements), u32(calls)]
  const proposal = propose(testChain, CALLER, 'authorize_ahead', args(2, 2))
  assert.deepEqual(proposal.entries, [], 'contracts need no signature')
  assert.equal(outcomeOf(apply(testChain, proposal, [])), 'SUCCESS')
  for (const [agreements, calls] of [[0, 1], [1, 2]] as const) {
    const refused = testChain.simulate(testChain.call(CALLER, 'authorize_ahead', args(agreements, calls), { source: BOB }))
    assert.match(String(refused['error']), /^HostError: Error\(Auth, InvalidAction\)/, `${agreements} agreements`)
  }
})

test('a contract that catches a failed require_auth still traps', () => {
  using testChain = startTestChain()
  const proposal = propose(testChain, CALLER, 'ignore_auth_failure', [bob])
  assert.match(outcomeOf(apply(testChain, proposal, [])), /^sceAuth scecInvalidAction/)
})

test('recording rejects authorization below the outermost call unless allowed; enforcing accepts it', async () => {
  using testChain = startTestChain()
  const args = [address(COUNTER), symbol('increment'), vec(alice)]
  const refused = testChain.simulate(testChain.call(CALLER, 'forward', args, { source: BOB }))
  assert.match(String(refused['error']), /^HostError: Error\(Auth, InvalidAction\)\n/)
  const proposal = propose(testChain, CALLER, 'forward', args, { authMode: 'record_allow_nonroot' })
  assert.equal(outcomeOf(apply(testChain, proposal, [await signed(testChain, proposal.entries[0], ALICE)])), 'SUCCESS')
})

test('a consumed nonce is stored until the entry expires', async () => {
  using testChain = startTestChain()
  const proposal = propose(testChain, COUNTER, 'increment', [alice])
  apply(testChain, proposal, [await signed(testChain, proposal.entries[0], ALICE, 3)])
  const [entry] = proposal.entries
  assert(entry?.credentials.type === 'sorobanCredentialsAddress')
  const keys = proposal.data.resources.footprint.readWrite.filter((key) => key.type === 'contractData' && key.contractData.key.type === 'scvLedgerKeyNonce')
  const storedNonces = (): number => testChain.chain.entries(keys.map((key) => key.toXdr('base64'))).length
  assert.deepEqual([keys.length, storedNonces()], [1, 1])
  testChain.closeMany(2)
  assert.equal(storedNonces(), 1)
  testChain.close()
  assert.equal(storedNonces(), 0)
})
