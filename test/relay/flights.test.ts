// The outcome of a submission, for every response that a node can return to a send and to a lookup (soroban-rpc 2.5 and 2.6).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { SUBMISSION_WAITERS_MAX, SUBMISSIONS_MAX } from '../../src/limits.ts'
import { createLedgerWatermarks } from '../../src/chain/rpc/ledger-watermarks.ts'
import type { LedgerWatermarks } from '../../src/chain/rpc/ledger-watermarks.ts'
import { describeHostError } from '../../src/trading/relay/error-advice.ts'
import { RESENDS_MAX } from '../../src/trading/relay/flights.ts'
import type { HostFailure, SubmitOutcome } from '../../src/trading/relay/outcomes.ts'
import type { Flights, SubmitOptions } from '../../src/trading/relay/flights.ts'
import type { SignedTransaction } from '../../src/chain/codec/transaction.ts'
import {
  applied, contractFailure, CONTRACTS, errorEvent, failed, LATEST_LEDGER, NOT_FOUND, rejectionResponse, resultXdr, sendResponse, signedTransaction, STRANGER,
  TRADER, TRAPPED_XDR,
} from './responses.ts'
import { createScriptedNode, pass, quiet } from './scripted-node.ts'
import type { ScriptedNode, ScriptedResponse, NodeResponse } from './scripted-node.ts'
import { flightsOf, outcomesOf } from './outcome-reader.ts'

const SIGNED = signedTransaction()
const POLL_TIMEOUT_MS = 30_000

const REQUESTER = { address: '192.0.2.1', key: 'nk_1' }

/** Submits as one of some requesters. */
function submit(
  flights: Flights, signed: SignedTransaction, { requester = REQUESTER, ...options }: Partial<SubmitOptions> & Pick<SubmitOptions, 'pollTimeoutMs'>,
): Promise<SubmitOutcome> {
  return flights.submit(signed, { ...options, requester })
}

interface Bench {
  readonly node: ScriptedNode
  readonly flights: Flights
  readonly ledgerWatermarks: LedgerWatermarks
}

function bench(): Bench {
  const node = createScriptedNode()
  const ledgerWatermarks = createLedgerWatermarks(node.clock)
  const flights = flightsOf(node, outcomesOf(node, ledgerWatermarks))
  return { node, flights, ledgerWatermarks }
}

/** The outcome for one caller, and the seconds until it arrived. */
async function outcome(
  send: ScriptedResponse | readonly ScriptedResponse[], lookups: readonly ScriptedResponse[], pollTimeoutMs = POLL_TIMEOUT_MS,
): Promise<{ submitted: SubmitOutcome; seconds: number; bench: Bench }> {
  const { node, flights, ledgerWatermarks } = bench()
  node.script('sendTransaction', ...[send].flat())
  node.script('getTransaction', ...lookups)
  const startMs = node.clock.nowMs()
  let submitted: SubmitOutcome | undefined
  void submit(flights, SIGNED, { pollTimeoutMs }).then((settled) => {
    submitted = settled
  })
  await quiet()
  for (let second = 0; second < 100 && submitted === undefined; second++) await pass(node.clock, 1)
  const seconds = (node.clock.nowMs() - startMs) / 1000
  assert.ok(submitted, 'no outcome')
  await quiet()
  assert.equal(node.clock.pendingTimers(), 0, 'no timer is left')
  return { submitted, seconds, bench: { node, flights, ledgerWatermarks } }
}

/** Evidence of one node of one. */
const EVIDENCE = { closeSec: null, confirmedBy: 1, nodes: 1 }
const SUCCESS: SubmitOutcome = { kind: 'success', ledger: LATEST_LEDGER + 1, ...EVIDENCE }
const rpcError = (code: number, message = ''): NodeResponse => ({ error: { code, message } })

/** 2.5: an accepted transaction is looked up immediately, then once a second. */
for (const status of ['PENDING', 'DUPLICATE']) {
  test(`polls after ${status} until the transaction is applied`, async () => {
    const { submitted, seconds, bench: { node } } = await outcome(sendResponse(SIGNED, status), [NOT_FOUND, NOT_FOUND, NOT_FOUND, applied()])
    assert.deepEqual(submitted, SUCCESS)
    assert.deepEqual([seconds, node.calls('sendTransaction'), node.calls('getTransaction')], [3, 1, 4])
  })

  test(`reports PENDING after ${status} when the poll times out`, async () => {
    const { submitted, seconds } = await outcome(sendResponse(SIGNED, status), [NOT_FOUND], 5_000)
    assert.deepEqual([submitted, seconds], [{ kind: 'pending' }, 5])
  })
}

test('reports the old result after TRY_AGAIN_LATER when the transaction was already applied', async () => {
  const { submitted, seconds } = await outcome(sendResponse(SIGNED, 'TRY_AGAIN_LATER'), [applied(950)])
  assert.deepEqual([submitted, seconds], [{ kind: 'success', ledger: 950, ...EVIDENCE }, 0])
})

test('reports TRY_AGAIN_LATER immediately when the hash is unknown', async () => {
  const { submitted, seconds, bench: { node } } = await outcome(sendResponse(SIGNED, 'TRY_AGAIN_LATER'), [NOT_FOUND])
  assert.deepEqual([submitted, seconds, node.calls('getTransaction')], [{ kind: 'tryAgainLater', fullQueue: 'network' }, 0, 1])
})

test('reports TRY_AGAIN_LATER after the poll timeout when lookups fail', async () => {
  const { submitted, seconds } = await outcome(sendResponse(SIGNED, 'TRY_AGAIN_LATER'), [{ http: 503 }], 4_000)
  assert.deepEqual([submitted, seconds], [{ kind: 'tryAgainLater', fullQueue: 'network' }, 4])
})

const REJECTIONS: readonly (readonly [code: string, result: xdr.TransactionResultResult])[] = [
  ['txTooEarly', xdr.TransactionResultResult.txTooEarly()],
  ['txTooLate', xdr.TransactionResultResult.txTooLate()],
  ['txMissingOperation', xdr.TransactionResultResult.txMissingOperation()],
  ['txBadSeq', xdr.TransactionResultResult.txBadSeq()],
  ['txBadAuth', xdr.TransactionResultResult.txBadAuth()],
  ['txInsufficientBalance', xdr.TransactionResultResult.txInsufficientBalance()],
  ['txNoAccount', xdr.TransactionResultResult.txNoAccount()],
  ['txInsufficientFee', xdr.TransactionResultResult.txInsufficientFee()],
  ['txBadAuthExtra', xdr.TransactionResultResult.txBadAuthExtra()],
  ['txInternalError', xdr.TransactionResultResult.txInternalError()],
  ['txNotSupported', xdr.TransactionResultResult.txNotSupported()],
  ['txBadSponsorship', xdr.TransactionResultResult.txBadSponsorship()],
  ['txBadMinSeqAgeOrGap', xdr.TransactionResultResult.txBadMinSeqAgeOrGap()],
  ['txMalformed', xdr.TransactionResultResult.txMalformed()],
  ['txSorobanInvalid', xdr.TransactionResultResult.txSorobanInvalid()],
  ['txFrozenKeyAccessed', xdr.TransactionResultResult.txFrozenKeyAccessed()],
  ['txFailed', xdr.TransactionResultResult.txFailed([xdr.OperationResult.opBadAuth()])],
]

for (const [code, result] of REJECTIONS) {
  test(`ERROR ${code}: rejects an unknown hash, and reports the old result of a known one`, async () => {
    const rejected = await outcome(rejectionResponse(SIGNED, result, 321n), [NOT_FOUND])
    assert.ok(rejected.submitted.kind === 'rejected')
    assert.deepEqual([rejected.submitted.result?.code, rejected.submitted.result?.feeCharged, rejected.seconds], [code, 321n, 0])
    assert.equal(rejected.submitted.contractError, null)
    assert.deepEqual((await outcome(rejectionResponse(SIGNED, result), [applied(900)])).submitted, { kind: 'success', ledger: 900, ...EVIDENCE })
  })
}

test('reports the host error of ERROR with diagnostics of stellar-core', async () => {
  const diagnosticEventsXdr = [errorEvent('error', xdr.ScError.sceStorage(xdr.ScErrorCode.scecExceededLimit), null)]
  const rejection = sendResponse(SIGNED, 'ERROR', { errorResultXdr: resultXdr(xdr.TransactionResultResult.txSorobanInvalid()), diagnosticEventsXdr })
  const { submitted } = await outcome(rejection, [NOT_FOUND])
  assert.ok(submitted.kind === 'rejected')
  assert.equal(submitted.contractError, null)
  assert.deepEqual([submitted.hostError, submitted.hostText], [{ type: 'storage', code: 'exceeded_limit' }, '[Error(Storage, ExceededLimit)]'])
})

test('rejects after ERROR without a readable result', async () => {
  for (const errorResultXdr of [undefined, '', 'AAAA']) {
    const { submitted } = await outcome(sendResponse(SIGNED, 'ERROR', { errorResultXdr }), [NOT_FOUND])
    assert.deepEqual(submitted, { kind: 'rejected', result: null, contractError: null, hostError: null, hostText: null })
  }
})

test('reports a rejection only after a lookup on a node that is not behind the rejecting one', async () => {
  const lagging: NodeResponse = { result: { status: 'NOT_FOUND', latestLedger: LATEST_LEDGER - 1, ledger: 0 } }
  const applies = await outcome(rejectionResponse(SIGNED), [lagging, lagging, applied()])
  assert.deepEqual([applies.submitted, applies.seconds], [SUCCESS, 2])
  const rejects = await outcome(rejectionResponse(SIGNED), [lagging, NOT_FOUND])
  assert.deepEqual([rejects.submitted.kind, rejects.seconds], ['rejected', 1])
  const never = await outcome(rejectionResponse(SIGNED), [lagging], 3_000)
  assert.deepEqual([never.submitted, never.seconds], [{ kind: 'unknown' }, 3])
})

test('reports an unknown outcome for a rejection that no lookup confirms', async () => {
  const { submitted, seconds } = await outcome(rejectionResponse(SIGNED), [{ http: 502 }, rpcError(-32603), 'silence'], 20_000)
  assert.deepEqual([submitted, seconds], [{ kind: 'unknown' }, 20])
})

test('rejects after -32602, which means that the node cannot decode the envelope', async () => {
  for (const message of ['invalid_xdr', 'invalid_hash']) {
    const { submitted, bench: { node } } = await outcome(rpcError(-32602, message), [NOT_FOUND])
    assert.deepEqual(submitted, { kind: 'rejected', result: null, contractError: null, hostError: null, hostText: null })
    assert.equal(node.calls('getTransaction'), 0)
  }
})

for (const words of ['invalid status from stellar-core', 'received exception from stellar-core']) {
  test(`-32603 "${words}": reports an unknown outcome unless the transaction was applied`, async () => {
    const nothing = await outcome(rpcError(-32603, words), [NOT_FOUND])
    assert.deepEqual([nothing.submitted, nothing.seconds, nothing.bench.node.calls('sendTransaction')], [{ kind: 'unknown' }, 0, 1])
    assert.deepEqual((await outcome(rpcError(-32603, words), [applied()])).submitted, SUCCESS)
  })
}

const UNCONFIRMED: readonly (readonly [name: string, response: NodeResponse])[] = [
  ['-32603 could not submit', rpcError(-32603, 'could not submit transaction to stellar-core')],
  ['-32603 without a message', rpcError(-32603)],
  ['-32001 took too long', rpcError(-32001, 'request exceeded processing limit threshold')],
  ['-32003 panic', rpcError(-32003)],
  ['-32096 deadline', rpcError(-32096)],
  ['-32097 cancelled', rpcError(-32097)],
  ['504', { http: 504 }],
  ['503', { http: 503 }],
  ['502', { http: 502 }],
  ['500', { http: 500 }],
  ['204', { http: 204 }],
  ['HTML with 200', { http: 200, body: '<html></html>' }],
  ['a truncated response', { http: 200, body: '{"jsonrpc":"2.0","id":1,"resu' }],
  ['a reset connection', { broken: 'ECONNRESET' }],
  ['an unknown status', sendResponse(SIGNED, 'FILTERED')],
  ['the hash of another transaction', sendResponse(signedTransaction(2), 'PENDING')],
]

for (const [name, response] of UNCONFIRMED) {
  test(`${name}: the outcome is unknown, never a rejection`, async () => {
    const found = await outcome(response, [NOT_FOUND, NOT_FOUND, applied()])
    assert.deepEqual([found.submitted, found.seconds], [SUCCESS, 2])
    const never = await outcome(response, [NOT_FOUND], 60_000)
    assert.deepEqual([never.submitted, never.seconds], [{ kind: 'unknown' }, 60])
    assert.equal(never.bench.node.calls('sendTransaction'), 1 + RESENDS_MAX, 'the same bytes are sent again a few times')
  })
}

test('polls after the send has timed out', async () => {
  const { submitted, seconds } = await outcome(['silence', sendResponse(SIGNED, 'PENDING')], [NOT_FOUND, applied()])
  assert.deepEqual([submitted, seconds], [SUCCESS, 11])
})

test('reports PENDING when a resend is accepted and the poll times out', async () => {
  for (const status of ['PENDING', 'DUPLICATE']) {
    const { submitted, bench: { node } } = await outcome([{ http: 504 }, sendResponse(SIGNED, status)], [NOT_FOUND], 20_000)
    assert.deepEqual(submitted, { kind: 'pending' })
    assert.equal(node.calls('sendTransaction'), 2)
  }
})

test('sends an accepted transaction again when no node knows it any more, as after a reset of the network', async () => {
  const unknown = Array<ScriptedResponse>(20).fill(NOT_FOUND)
  const { submitted, seconds, bench: { node } } = await outcome([sendResponse(SIGNED, 'PENDING')], [...unknown, applied()], 60_000)
  assert.deepEqual([submitted, seconds, node.calls('sendTransaction')], [SUCCESS, 20, 2])
  const lost = await outcome([sendResponse(SIGNED, 'PENDING'), rejectionResponse(SIGNED)], [NOT_FOUND], 60_000)
  assert.deepEqual([lost.submitted, lost.bench.node.calls('sendTransaction')], [{ kind: 'pending' }, 1 + RESENDS_MAX])
})

test('ignores a rejection of a resend, because the first copy may be queued at another node', async () => {
  const rejections: readonly NodeResponse[] = [
    rejectionResponse(SIGNED), sendResponse(SIGNED, 'TRY_AGAIN_LATER'), rpcError(-32602, 'invalid_xdr'), rpcError(-32603, 'invalid status'),
    { broken: 'ECONNREFUSED' },
  ]
  for (const rejection of rejections) {
    const never = await outcome([{ http: 504 }, rejection], [NOT_FOUND], 12_000)
    assert.deepEqual([never.submitted, never.seconds], [{ kind: 'unknown' }, 12])
    const lookups = [...Array.from({ length: 7 }, () => NOT_FOUND), applied()]
    const found = await outcome([{ http: 504 }, rejection], lookups)
    assert.deepEqual([found.submitted, found.seconds], [SUCCESS, 7])
  }
})

const NOT_SENT: readonly (readonly [name: string, response: NodeResponse])[] = [
  ['a refused connection', { broken: 'ECONNREFUSED' }],
  ['an unknown host name', { broken: 'ENOTFOUND' }],
  ['429', { http: 429 }],
  ['-32098 queue full', rpcError(-32098)],
  ['-32601', rpcError(-32601)],
]

for (const [name, response] of NOT_SENT) {
  test(`${name}: reports immediately that nothing was sent, without a lookup`, async () => {
    const { submitted, seconds, bench: { node } } = await outcome(response, [applied()])
    assert.deepEqual([submitted, seconds, node.calls('getTransaction')], [{ kind: 'notSent' }, 0, 0])
  })
}

const TRAP = xdr.ScError.sceWasmVm(xdr.ScErrorCode.scecInvalidAction)

/** 2.6: failures of a transaction. */
const FAILURES: readonly (readonly [name: string, diagnostics: readonly string[], error: { code: number; name: string } | null, message: RegExp])[] = [
  ['by the market', contractFailure(22, CONTRACTS.market), { code: 22, name: 'InsufficientCollateral' }, /10 USDC minimum.* \[Error\(Contract, #22\)\]$/],
  ['by the liquidity vault', contractFailure(82, CONTRACTS.vault), { code: 82, name: 'OpenInterestCapExceeded' }, / \[Error\(Contract, #82\)\]$/],
  ['by the price shim', contractFailure(32, CONTRACTS.oracleShim), { code: 32, name: 'OracleUnavailable' }, / \[Error\(Contract, #32\)\]$/],
  ['by the router', contractFailure(3, CONTRACTS.router), { code: 3, name: 'Unauthorized' }, / \[Error\(Contract, #3\)\]$/],
  ['by the trader vaults', contractFailure(11, CONTRACTS.vaultFactory), { code: 11, name: 'LeaderMinimumViolated' }, / \[Error\(Contract, #11\)\]$/],
  ['by the referral contract', contractFailure(12, CONTRACTS.referral), { code: 12, name: 'SelfReferral' }, / \[Error\(Contract, #12\)\]$/],
  ['by the token, through the market', contractFailure(10, CONTRACTS.usdcToken), { code: 10, name: 'UnknownContractError' }, /balance is too low/],
  ['by the token with a number of the market\'s', contractFailure(4, CONTRACTS.usdcToken), { code: 4, name: 'UnknownContractError' }, /error 4\./],
  ['by the deposit cap', contractFailure(43, CONTRACTS.vault), { code: 43, name: 'UnknownContractError' }, / \[Error\(Contract, #43\)\]$/],
  ['by a stranger', contractFailure(22, STRANGER), { code: 22, name: 'UnknownContractError' }, /a contract rejected the call with error 22\./],
  [
    'by an unnamed contract, so the invoked one', [errorEvent('host_fn_failed', xdr.ScError.sceContract(30), null)], { code: 30, name: 'PriceStale' },
    /older than 60 seconds/,
  ],
  ['by a trap', [errorEvent('error', xdr.ScError.sceContract(4), CONTRACTS.market), errorEvent('host_fn_failed', TRAP, null)], null, /WasmVm, InvalidAction/],
  ['by the budget', [errorEvent('host_fn_failed', xdr.ScError.sceBudget(xdr.ScErrorCode.scecExceededLimit), null)], null, /Prepare a new transaction\. \[/],
  ['by the footprint', [errorEvent('host_fn_failed', xdr.ScError.sceStorage(xdr.ScErrorCode.scecExceededLimit), null)], null, /the state has changed/],
  ['by authorisation', [errorEvent('host_fn_failed', xdr.ScError.sceAuth(xdr.ScErrorCode.scecInvalidAction), null)], null, /not authorized/],
  ['without diagnostics', [], null, /no contract error.*cause\.$/],
]

const HOST_ERRORS: Readonly<Record<string, { readonly type: string; readonly code: string }>> = {
  'by a trap': { type: 'wasm_vm', code: 'invalid_action' },
  'by the budget': { type: 'budget', code: 'exceeded_limit' },
  'by the footprint': { type: 'storage', code: 'exceeded_limit' },
  'by authorisation': { type: 'auth', code: 'invalid_action' },
}

for (const [name, diagnostics, contractError, expected] of FAILURES) {
  test(`FAILED ${name}`, async () => {
    const { submitted } = await outcome(sendResponse(SIGNED, 'PENDING'), [NOT_FOUND, failed(diagnostics)])
    assert.ok(submitted.kind === 'failed')
    const { message, ledger: _ledger, ...rest } = submitted
    const errors = { contractError, hostError: HOST_ERRORS[name] ?? null, txResultCode: 'txFailed', resultXdr: TRAPPED_XDR }
    assert.deepEqual(rest, { kind: 'failed', ...EVIDENCE, ...errors })
    assert.match(message, /^Transaction failed: [a-z]/)
    assert.match(message, expected)
  })
}

test('failures of the host are reported, for later transactions to declare more, and those of a contract are not', async () => {
  const node = createScriptedNode()
  const reported: HostFailure[] = []
  const outcomes = outcomesOf(node, createLedgerWatermarks(node.clock), (failure) => reported.push(failure))
  const storage = [errorEvent('error', xdr.ScError.sceStorage(xdr.ScErrorCode.scecExceededLimit), null)]
  node.script('getTransaction', applied(), failed(contractFailure(22, CONTRACTS.market)), failed(storage))
  for (let lookUps = 0; lookUps < 3; lookUps++) await outcomes.lookUp(SIGNED, REQUESTER, { signal: new AbortController().signal })
  const described = reported.map(({ hash, diagnosticEventsXdr, hostError }) => [hash, diagnosticEventsXdr, describeHostError(hostError)])
  assert.deepEqual(described, [[SIGNED.hash, storage, { type: 'storage', code: 'exceeded_limit' }]])
})

test('FAILED for exceeded resources without diagnostics is a host error', async () => {
  const exceeded = xdr.OperationResultTr.invokeHostFunction(xdr.InvokeHostFunctionResult.invokeHostFunctionResourceLimitExceeded())
  const failure = resultXdr(xdr.TransactionResultResult.txFailed([xdr.OperationResult.opInner(exceeded)]))
  const { submitted } = await outcome(sendResponse(SIGNED, 'PENDING'), [failed([], { result: failure })])
  assert.ok(submitted.kind === 'failed')
  assert.deepEqual([submitted.contractError, submitted.hostError], [null, { type: 'budget', code: 'exceeded_limit' }])
  // Diagnostics say more than the result.
  const explained = await outcome(sendResponse(SIGNED, 'PENDING'), [failed(contractFailure(22, CONTRACTS.market), { result: failure })])
  assert.ok(explained.submitted.kind === 'failed')
  assert.deepEqual([explained.submitted.contractError?.code, explained.submitted.hostError], [22, null])
})

test('reports an unknown outcome when a lookup fails in a way that nobody expected', async () => {
  const node = createScriptedNode()
  node.script('sendTransaction', sendResponse(SIGNED, 'PENDING'))
  const outcomes = { ...outcomesOf(node, createLedgerWatermarks(node.clock)), lookUp: () => Promise.reject(new TypeError('a defect')) }
  const flights = flightsOf(node, outcomes)
  assert.deepEqual(await submit(flights, SIGNED, { pollTimeoutMs: 60_000 }), { kind: 'unknown' })
  assert.deepEqual([flights.stats(), node.clock.pendingTimers()], [{ inFlight: 0, waiters: 0 }, 0])
})

test('repeats failed lookups until the transaction is found or the poll times out', async () => {
  const failures: readonly NodeResponse[] = [{ http: 503 }, rpcError(-32603), { broken: 'ECONNREFUSED' }, { result: {} }]
  const found = await outcome(sendResponse(SIGNED, 'PENDING'), [...failures, applied()])
  assert.deepEqual([found.submitted, found.seconds], [SUCCESS, 4])
  const never = await outcome(sendResponse(SIGNED, 'PENDING'), ['silence'], 10_000)
  assert.deepEqual([never.submitted, never.seconds], [{ kind: 'pending' }, 10])
})

test('records the ledger of an applied transaction for the account\'s next preparation', async () => {
  const { bench: { ledgerWatermarks } } = await outcome(sendResponse(SIGNED, 'PENDING'), [applied(1_234)])
  assert.equal(ledgerWatermarks.get(TRADER.publicKey()), 1_234)
  const failing = await outcome(sendResponse(SIGNED, 'PENDING'), [failed([], { ledger: 1_235 })])
  assert.equal(failing.bench.ledgerWatermarks.get(TRADER.publicKey()), 1_235)
})

test('callers with the same envelope share one send and one lookup a second, each with its own timeout', async () => {
  const { node, flights } = bench()
  node.script('sendTransaction', sendResponse(SIGNED, 'PENDING'))
  node.script('getTransaction', ...Array.from({ length: 8 }, () => NOT_FOUND), applied())
  const outcomes = new Map<number, SubmitOutcome>()
  for (let caller = 0; caller < 50; caller++) {
    void submit(flights, SIGNED, { pollTimeoutMs: caller % 2 === 0 ? 3_000 : 30_000 }).then((submitted) => outcomes.set(caller, submitted))
  }
  for (let step = 0; step < 3; step++) {
    await quiet()
    node.clock.advance(333)
  }
  await quiet()
  assert.equal(node.calls('getTransaction'), 1, 'the next lookup is due after a second')
  await pass(node.clock, 3)
  assert.deepEqual([...new Set([...outcomes.values()].map(({ kind }) => kind)), outcomes.size], ['pending', 25])
  void submit(flights, SIGNED, { pollTimeoutMs: 60_000 }).then((submitted) => outcomes.set(50, submitted))
  await pass(node.clock, 6)
  assert.equal(outcomes.size, 51)
  assert.deepEqual(outcomes.get(50), SUCCESS)
  assert.deepEqual(outcomes.get(1), SUCCESS)
  assert.deepEqual([node.calls('sendTransaction'), node.calls('getTransaction'), node.clock.pendingTimers()], [1, 9, 0])
})

test('the driver takes no step of an envelope that callers wait for, and one of any other: it looks it up, and sends it again when that is due', async () => {
  const { node, flights } = bench()
  const other = signedTransaction(2)
  node.script('sendTransaction', sendResponse(SIGNED, 'PENDING'))
  node.script('getTransaction', NOT_FOUND)
  const waiting = submit(flights, SIGNED, { pollTimeoutMs: 5_000 })
  await quiet()
  const drive = (signed: SignedTransaction, ageMs: number): ReturnType<Flights['drive']> => flights.drive(signed, {
    sent: { kind: 'accepted' }, sends: 1, sentAtMs: node.clock.elapsedMs() - ageMs, requester: REQUESTER, signal: new AbortController().signal,
  })
  assert.deepEqual([await drive(SIGNED, 60_000), node.calls('sendTransaction'), node.calls('getTransaction')], [{}, 1, 1])
  assert.deepEqual([await drive(other, 14_999), node.calls('sendTransaction'), node.calls('getTransaction')], [{}, 1, 2])
  node.script('sendTransaction', sendResponse(other, 'PENDING'))
  assert.deepEqual((await drive(other, 15_000)).resent?.isAccepted, true)
  assert.deepEqual([node.calls('sendTransaction'), node.calls('getTransaction')], [2, 3])
  await pass(node.clock, 6)
  assert.deepEqual(await waiting, { kind: 'pending' })
})

test('stops polling when the last caller disconnects', async () => {
  const { node, flights } = bench()
  node.script('sendTransaction', sendResponse(SIGNED, 'PENDING'))
  node.script('getTransaction', NOT_FOUND)
  const callers = [new AbortController(), new AbortController()]
  const waits = callers.map(({ signal }) => submit(flights, SIGNED, { pollTimeoutMs: 60_000, signal }))
  await pass(node.clock, 2)
  callers[0]?.abort()
  await pass(node.clock, 2)
  assert.equal(node.calls('getTransaction'), 5)
  callers[1]?.abort()
  await pass(node.clock, 5)
  assert.deepEqual([node.calls('getTransaction'), node.clock.pendingTimers()], [5, 0])
  await Promise.all(waits)
  void submit(flights, SIGNED, { pollTimeoutMs: 1_000 })
  await quiet()
  assert.equal(node.calls('sendTransaction'), 2, 'a later call sends again')
  await pass(node.clock, 2)
})

test('completes a send whose callers have disconnected, without a lookup', async () => {
  const { node, flights } = bench()
  const response = Promise.withResolvers<NodeResponse>()
  node.script('sendTransaction', response.promise)
  const caller = new AbortController()
  const waiting = submit(flights, SIGNED, { pollTimeoutMs: 60_000, signal: caller.signal })
  await quiet()
  caller.abort()
  await pass(node.clock, 1)
  response.resolve(sendResponse(SIGNED, 'PENDING'))
  assert.deepEqual(await waiting, { kind: 'pending' })
  await pass(node.clock, 3)
  assert.deepEqual([node.calls('sendTransaction'), node.calls('getTransaction'), node.clock.pendingTimers()], [1, 0, 0])
})

test('finds out that a transaction was refused, although its caller has disconnected', async () => {
  for (const when of ['during the send', 'during the lookup']) {
    const { node, flights } = bench()
    const [sending, lookingUp] = [Promise.withResolvers<NodeResponse>(), Promise.withResolvers<NodeResponse>()]
    node.script('sendTransaction', sending.promise)
    node.script('getTransaction', lookingUp.promise)
    const caller = new AbortController()
    const waiting = submit(flights, SIGNED, { pollTimeoutMs: 60_000, signal: caller.signal })
    await quiet()
    if (when === 'during the send') caller.abort()
    sending.resolve(rejectionResponse(SIGNED))
    await quiet()
    caller.abort()
    lookingUp.resolve(NOT_FOUND)
    assert.equal((await waiting).kind, 'rejected', when)
    assert.equal(node.clock.pendingTimers(), 0)
  }
})

test('runs what comes before the send once the caller is admitted, and sends nothing when that has an outcome', async () => {
  const { node, flights } = bench()
  node.script('sendTransaction', sendResponse(SIGNED, 'PENDING'))
  node.script('getTransaction', applied())
  const order: string[] = []
  const before = (result?: SubmitOutcome) => async (): Promise<SubmitOutcome | undefined> => {
    order.push(`before, ${flights.stats().inFlight} in flight`)
    return result
  }
  const known = await submit(flights, SIGNED, { pollTimeoutMs: 1_000, beforeSend: before({ kind: 'pending' }) })
  assert.deepEqual([known, flights.stats(), node.calls('sendTransaction')], [{ kind: 'pending' }, { inFlight: 0, waiters: 0 }, 0])
  const onSent = (): void => void order.push('sent')
  assert.deepEqual(await submit(flights, SIGNED, { pollTimeoutMs: 1_000, beforeSend: before(), onSent }), SUCCESS)
  assert.deepEqual(order, ['before, 1 in flight', 'before, 1 in flight', 'sent'])
  const failing = submit(flights, SIGNED, { pollTimeoutMs: 1_000, beforeSend: () => Promise.reject(new Error('refused')) })
  await assert.rejects(failing, /refused/)
  assert.deepEqual([flights.stats(), node.clock.pendingTimers()], [{ inFlight: 0, waiters: 0 }, 0])
})

test('sends nothing for a caller that has already disconnected', async () => {
  const { node, flights } = bench()
  await submit(flights, SIGNED, { pollTimeoutMs: 60_000, signal: AbortSignal.abort() })
  assert.equal(node.calls('sendTransaction'), 0)
})

test('treats other signatures as another envelope: a bad one does not reject a good one', async () => {
  const { node, flights } = bench()
  const forged = { ...SIGNED, envelopeXdr: `${SIGNED.envelopeXdr.slice(0, -8)}AAAAAAA=` }
  const badAuth = rejectionResponse(SIGNED, xdr.TransactionResultResult.txBadAuth())
  node.script('sendTransaction', ({ transaction }) => (transaction === SIGNED.envelopeXdr ? sendResponse(SIGNED, 'PENDING') : badAuth))
  node.script('getTransaction', NOT_FOUND, NOT_FOUND, NOT_FOUND, applied())
  const [bad, good] = [submit(flights, forged, { pollTimeoutMs: 9_000 }), submit(flights, SIGNED, { pollTimeoutMs: 9_000 })]
  await pass(node.clock, 4)
  assert.equal((await bad).kind, 'rejected')
  assert.deepEqual(await good, SUCCESS)
})

test('limits the number of transactions in flight and sends nothing beyond the limit', async () => {
  const { node, flights } = bench()
  node.script('sendTransaction', ({ transaction }) => ({ result: { status: 'PENDING', hash: hashes.get(String(transaction)), latestLedger: 1 } }))
  node.script('getTransaction', NOT_FOUND)
  const all = Array.from({ length: SUBMISSIONS_MAX + 1 }, (_each, index) => signedTransaction(index + 1))
  const hashes = new Map(all.map(({ envelopeXdr, hash }) => [envelopeXdr, hash]))
  const waits: Promise<SubmitOutcome>[] = []
  for (const signed of all) {
    waits.push(submit(flights, signed, { pollTimeoutMs: 2_000 }))
    // Sends that have not been answered count separately.
    if (waits.length % (SUBMISSIONS_MAX / 4) === 0) await quiet()
  }
  assert.deepEqual(await waits.at(-1), { kind: 'tryAgainLater', fullQueue: 'share' })
  const [first] = all
  assert.ok(first)
  const joined = submit(flights, first, { pollTimeoutMs: 2_000 })
  await pass(node.clock, 3)
  assert.deepEqual(await joined, { kind: 'pending' }, 'another caller of a transaction in flight needs no permit')
  assert.equal(node.calls('sendTransaction'), SUBMISSIONS_MAX)
  await Promise.all(waits)
  assert.equal(node.clock.pendingTimers(), 0)
})

test('limits the number of callers', async () => {
  const { node, flights } = bench()
  node.script('sendTransaction', sendResponse(SIGNED, 'PENDING'))
  node.script('getTransaction', NOT_FOUND)
  const waits = Array.from({ length: SUBMISSION_WAITERS_MAX }, () => submit(flights, SIGNED, { pollTimeoutMs: 1_000 }))
  assert.deepEqual(await submit(flights, SIGNED, { pollTimeoutMs: 1_000 }), { kind: 'tryAgainLater', fullQueue: 'share' })
  await pass(node.clock, 2)
  await Promise.all(waits)
  const again = submit(flights, SIGNED, { pollTimeoutMs: 1_000 })
  await pass(node.clock, 2)
  assert.deepEqual(await again, { kind: 'pending' }, 'permits are released')
})

test('reports the known state to all callers at shutdown and sends nothing more', async () => {
  const { node, flights } = bench()
  const [accepted, lost, sending] = [signedTransaction(1), signedTransaction(2), signedTransaction(3)]
  const response = Promise.withResolvers<NodeResponse>()
  node.script('sendTransaction', sendResponse(accepted, 'PENDING'), { http: 504 }, response.promise)
  node.script('getTransaction', NOT_FOUND)
  const waits = [accepted, lost, sending].map((signed) => submit(flights, signed, { pollTimeoutMs: 60_000 }))
  await pass(node.clock, 1)
  flights.stop()
  assert.deepEqual([await waits[0], await waits[1]], [{ kind: 'pending' }, { kind: 'unknown' }])
  assert.deepEqual(await submit(flights, signedTransaction(4), { pollTimeoutMs: 1_000 }), { kind: 'tryAgainLater', fullQueue: 'gateway' })
  response.resolve(sendResponse(sending, 'PENDING'))
  assert.deepEqual(await waits[2], { kind: 'pending' })
  assert.deepEqual([node.calls('sendTransaction'), node.clock.pendingTimers()], [3, 0])
})
