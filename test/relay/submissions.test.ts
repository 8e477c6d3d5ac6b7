// What becomes of a submission, for every answer that a node can give to a send and to a lookup (soroban-rpc 2.5 and 2.6).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { silentLog } from '../../src/base/log.ts'
import { SUBMISSION_WAITERS_MAX, SUBMISSIONS_MAX } from '../../src/limits.ts'
import { createContractErrors } from '../../src/relay/contract-errors.ts'
import { createLedgerWatermarks } from '../../src/chain/ledger-watermarks.ts'
import type { LedgerWatermarks } from '../../src/chain/ledger-watermarks.ts'
import { createSubmissions, RESENDS_MAX } from '../../src/relay/submissions.ts'
import type { SubmitOutcome } from '../../src/relay/outcomes.ts'
import type { Submissions } from '../../src/relay/submissions.ts'
import {
  applied, contractFailure, CONTRACTS, errorEvent, failed, LATEST_LEDGER, refuses, resultXdr, sends, signedTransaction, STRANGER, TRADER, TRAPPED_XDR,
  unknownYet,
} from './answers.ts'
import { createSayingNode, pass, quiet } from './node.ts'
import type { SayingNode, Says, Saying } from './node.ts'

const SIGNED = signedTransaction()
const POLL_TIMEOUT_MS = 30_000

interface Bench {
  readonly node: SayingNode
  readonly submissions: Submissions
  readonly ledgerWatermarks: LedgerWatermarks
}

function bench(): Bench {
  const node = createSayingNode()
  const ledgerWatermarks = createLedgerWatermarks(node.clock)
  const submissions = createSubmissions({
    rpc: node.rpc, clock: node.clock, log: silentLog, contractErrors: createContractErrors(CONTRACTS), ledgerWatermarks,
  })
  return { node, submissions, ledgerWatermarks }
}

/** What one caller gets, and when: seconds after it asked. */
async function outcome(
  send: Says | readonly Says[], lookups: readonly Says[], pollTimeoutMs = POLL_TIMEOUT_MS,
): Promise<{ submitted: SubmitOutcome; seconds: number; bench: Bench }> {
  const { node, submissions, ledgerWatermarks } = bench()
  node.script('sendTransaction', ...[send].flat())
  node.script('getTransaction', ...lookups)
  const startMs = node.clock.nowMs()
  let submitted: SubmitOutcome | undefined
  void submissions.submit(SIGNED, { pollTimeoutMs }).then((settled) => {
    submitted = settled
  })
  await quiet()
  for (let second = 0; second < 100 && submitted === undefined; second++) await pass(node.clock, 1)
  const seconds = (node.clock.nowMs() - startMs) / 1000
  assert.ok(submitted, 'nobody answered')
  await quiet()
  assert.equal(node.clock.pendingTimers(), 0, 'nothing goes on behind an answer')
  return { submitted, seconds, bench: { node, submissions, ledgerWatermarks } }
}

const SUCCESS: SubmitOutcome = { kind: 'success', ledger: LATEST_LEDGER + 1 }
const rpcError = (code: number, message = ''): Saying => ({ error: { code, message } })

/** 2.5: what was accepted is asked after each second, at once first. */
for (const status of ['PENDING', 'DUPLICATE']) {
  test(`${status}: asked after until it is there`, async () => {
    const { submitted, seconds, bench: { node } } = await outcome(sends(SIGNED, status), [unknownYet, unknownYet, unknownYet, applied()])
    assert.deepEqual(submitted, SUCCESS)
    assert.deepEqual([seconds, node.calls('sendTransaction'), node.calls('getTransaction')], [3, 1, 4])
  })

  test(`${status} and not final in time: PENDING`, async () => {
    const { submitted, seconds } = await outcome(sends(SIGNED, status), [unknownYet], 5_000)
    assert.deepEqual([submitted, seconds], [{ kind: 'pending' }, 5])
  })
}

test('TRY_AGAIN_LATER for an envelope that was applied: its result, looked up', async () => {
  const { submitted, seconds } = await outcome(sends(SIGNED, 'TRY_AGAIN_LATER'), [applied(950)])
  assert.deepEqual([submitted, seconds], [{ kind: 'success', ledger: 950 }, 0])
})

test('TRY_AGAIN_LATER for one that nobody knows: later, at once', async () => {
  const { submitted, seconds, bench: { node } } = await outcome(sends(SIGNED, 'TRY_AGAIN_LATER'), [unknownYet])
  assert.deepEqual([submitted, seconds, node.calls('getTransaction')], [{ kind: 'tryAgainLater', fullQueue: 'network' }, 0, 1])
})

test('TRY_AGAIN_LATER while lookups fail: later, when the time is up', async () => {
  const { submitted, seconds } = await outcome(sends(SIGNED, 'TRY_AGAIN_LATER'), [{ http: 503 }], 4_000)
  assert.deepEqual([submitted, seconds], [{ kind: 'tryAgainLater', fullQueue: 'network' }, 4])
})

const REFUSALS: readonly (readonly [code: string, result: xdr.TransactionResultResult])[] = [
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

for (const [code, result] of REFUSALS) {
  test(`ERROR ${code}: rejected when nobody knows the hash, else its old result`, async () => {
    const rejected = await outcome(refuses(SIGNED, result, 321n), [unknownYet])
    assert.ok(rejected.submitted.kind === 'rejected')
    assert.deepEqual([rejected.submitted.result?.code, rejected.submitted.result?.feeCharged, rejected.seconds], [code, 321n, 0])
    assert.equal(rejected.submitted.contractError, null)
    assert.deepEqual((await outcome(refuses(SIGNED, result), [applied(900)])).submitted, { kind: 'success', ledger: 900 })
  })
}

test('ERROR with diagnostics of the core: still no contract\'s error', async () => {
  const diagnosticEventsXdr = [errorEvent('error', xdr.ScError.sceStorage(xdr.ScErrorCode.scecExceededLimit), null)]
  const refusal = sends(SIGNED, 'ERROR', { errorResultXdr: resultXdr(xdr.TransactionResultResult.txSorobanInvalid()), diagnosticEventsXdr })
  const { submitted } = await outcome(refusal, [unknownYet])
  assert.ok(submitted.kind === 'rejected')
  assert.equal(submitted.contractError, null)
})

test('ERROR without a result that can be read: rejected all the same', async () => {
  for (const errorResultXdr of [undefined, '', 'AAAA']) {
    const { submitted } = await outcome(sends(SIGNED, 'ERROR', { errorResultXdr }), [unknownYet])
    assert.deepEqual(submitted, { kind: 'rejected', result: null, contractError: null })
  }
})

test('a refusal is believed only once a node has looked that is as far as the one that refused', async () => {
  const behind: Saying = { result: { status: 'NOT_FOUND', latestLedger: LATEST_LEDGER - 1, ledger: 0 } }
  const applies = await outcome(refuses(SIGNED), [behind, behind, applied()])
  assert.deepEqual([applies.submitted, applies.seconds], [SUCCESS, 2])
  const rejects = await outcome(refuses(SIGNED), [behind, unknownYet])
  assert.deepEqual([rejects.submitted.kind, rejects.seconds], ['rejected', 1])
  const never = await outcome(refuses(SIGNED), [behind], 3_000)
  assert.deepEqual([never.submitted, never.seconds], [{ kind: 'unknown' }, 3])
})

test('a refusal that cannot be checked against the ledger is no rejection', async () => {
  const { submitted, seconds } = await outcome(refuses(SIGNED), [{ http: 502 }, rpcError(-32603), 'silence'], 20_000)
  assert.deepEqual([submitted, seconds], [{ kind: 'unknown' }, 20])
})

test('-32602: the node cannot read it, so it is rejected', async () => {
  for (const message of ['invalid_xdr', 'invalid_hash']) {
    const { submitted, bench: { node } } = await outcome(rpcError(-32602, message), [unknownYet])
    assert.deepEqual(submitted, { kind: 'rejected', result: null, contractError: null })
    assert.equal(node.calls('getTransaction'), 0)
  }
})

for (const words of ['invalid status from stellar-core', 'received exception from stellar-core']) {
  test(`-32603 "${words}": turned away, unless the ledger has it`, async () => {
    const nothing = await outcome(rpcError(-32603, words), [unknownYet])
    assert.deepEqual([nothing.submitted, nothing.seconds, nothing.bench.node.calls('sendTransaction')], [{ kind: 'unknown' }, 0, 1])
    assert.deepEqual((await outcome(rpcError(-32603, words), [applied()])).submitted, SUCCESS)
  })
}

const LOST: readonly (readonly [name: string, saying: Saying])[] = [
  ['-32603 could not submit', rpcError(-32603, 'could not submit transaction to stellar-core')],
  ['-32603 without words', rpcError(-32603)],
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
  ['a torn answer', { http: 200, body: '{"jsonrpc":"2.0","id":1,"resu' }],
  ['a reset connection', { broken: 'ECONNRESET' }],
  ['a status that nobody knows', sends(SIGNED, 'FILTERED')],
  ['the hash of another transaction', sends(signedTransaction(2), 'PENDING')],
]

for (const [name, saying] of LOST) {
  test(`${name}: the outcome is unknown, and never told as a rejection`, async () => {
    const found = await outcome(saying, [unknownYet, unknownYet, applied()])
    assert.deepEqual([found.submitted, found.seconds], [SUCCESS, 2])
    const never = await outcome(saying, [unknownYet], 60_000)
    assert.deepEqual([never.submitted, never.seconds], [{ kind: 'unknown' }, 60])
    assert.equal(never.bench.node.calls('sendTransaction'), 1 + RESENDS_MAX, 'the same bytes go out again a few times')
  })
}

test('no answer to the send: asked after once the send has timed out', async () => {
  const { submitted, seconds } = await outcome(['silence', sends(SIGNED, 'PENDING')], [unknownYet, applied()])
  assert.deepEqual([submitted, seconds], [SUCCESS, 11])
})

test('a lost send that is sent again and taken: PENDING when it is not final', async () => {
  for (const status of ['PENDING', 'DUPLICATE']) {
    const { submitted, bench: { node } } = await outcome([{ http: 504 }, sends(SIGNED, status)], [unknownYet], 20_000)
    assert.deepEqual(submitted, { kind: 'pending' })
    assert.equal(node.calls('sendTransaction'), 2)
  }
})

test('what is said to the second copy refuses nothing: the first may wait elsewhere', async () => {
  const noes: readonly Saying[] = [
    refuses(SIGNED), sends(SIGNED, 'TRY_AGAIN_LATER'), rpcError(-32602, 'invalid_xdr'), { broken: 'ECONNREFUSED' }, rpcError(-32603, 'invalid status'),
  ]
  for (const no of noes) {
    const never = await outcome([{ http: 504 }, no], [unknownYet], 12_000)
    assert.deepEqual([never.submitted, never.seconds], [{ kind: 'unknown' }, 12])
    const found = await outcome([{ http: 504 }, no], [unknownYet, unknownYet, unknownYet, unknownYet, unknownYet, unknownYet, unknownYet, applied()])
    assert.deepEqual([found.submitted, found.seconds], [SUCCESS, 7])
  }
})

const UNSENT: readonly (readonly [name: string, saying: Saying])[] = [
  ['a connection that never opened', { broken: 'ECONNREFUSED' }],
  ['a name that is not found', { broken: 'ENOTFOUND' }],
  ['429', { http: 429 }],
  ['-32098 queue full', rpcError(-32098)],
  ['-32601', rpcError(-32601)],
]

for (const [name, saying] of UNSENT) {
  test(`${name}: told at once, nothing is asked after`, async () => {
    const { submitted, seconds, bench: { node } } = await outcome(saying, [applied()])
    assert.deepEqual([submitted, seconds, node.calls('getTransaction')], [{ kind: 'notSent' }, 0, 0])
  })
}

const TRAP = xdr.ScError.sceWasmVm(xdr.ScErrorCode.scecInvalidAction)

/** 2.6: how a transaction failed. */
const FAILURES: readonly (readonly [name: string, diagnostics: readonly string[], error: { code: number; name: string } | null])[] = [
  ['by the market', contractFailure(22, CONTRACTS.market), { code: 22, name: 'InsufficientCollateral' }],
  ['by the liquidity vault', contractFailure(82, CONTRACTS.vault), { code: 82, name: 'OpenInterestCapExceeded' }],
  ['by the price shim', contractFailure(32, CONTRACTS.oracleShim), { code: 32, name: 'OracleUnavailable' }],
  ['by the router', contractFailure(3, CONTRACTS.router), { code: 3, name: 'Unauthorized' }],
  ['by the trader vaults', contractFailure(11, CONTRACTS.vaultFactory), { code: 11, name: 'LeaderMinimumViolated' }],
  ['by the referral contract', contractFailure(12, CONTRACTS.referral), { code: 12, name: 'SelfReferral' }],
  ['by the token, through the market', contractFailure(10, CONTRACTS.usdcToken), { code: 10, name: 'UnknownContractError' }],
  ['by the token with a number of the market\'s', contractFailure(4, CONTRACTS.usdcToken), { code: 4, name: 'UnknownContractError' }],
  ['by the deposit cap', contractFailure(43, CONTRACTS.vault), { code: 43, name: 'UnknownContractError' }],
  ['by a stranger', contractFailure(22, STRANGER), { code: 22, name: 'UnknownContractError' }],
  ['without whose error it is: the invoked contract\'s', [errorEvent('host_fn_failed', xdr.ScError.sceContract(30), null)], { code: 30, name: 'PriceStale' }],
  ['by a trap', [errorEvent('error', xdr.ScError.sceContract(4), CONTRACTS.market), errorEvent('host_fn_failed', TRAP, null)], null],
  ['by the budget', [errorEvent('host_fn_failed', xdr.ScError.sceBudget(xdr.ScErrorCode.scecExceededLimit), null)], null],
  ['by authorisation', [errorEvent('host_fn_failed', xdr.ScError.sceAuth(xdr.ScErrorCode.scecInvalidAction), null)], null],
  ['and nobody kept the diagnostics', [], null],
]

for (const [name, diagnostics, contractError] of FAILURES) {
  test(`FAILED ${name}`, async () => {
    const { submitted } = await outcome(sends(SIGNED, 'PENDING'), [unknownYet, failed(diagnostics)])
    assert.deepEqual(submitted, { kind: 'failed', contractError, resultXdr: TRAPPED_XDR })
  })
}

test('lookups that fail are asked again: an accepted transaction is found in the end, or PENDING', async () => {
  const troubles: readonly Saying[] = [{ http: 503 }, rpcError(-32603), { broken: 'ECONNREFUSED' }, { result: {} }]
  const found = await outcome(sends(SIGNED, 'PENDING'), [...troubles, applied()])
  assert.deepEqual([found.submitted, found.seconds], [SUCCESS, 4])
  const never = await outcome(sends(SIGNED, 'PENDING'), ['silence'], 10_000)
  assert.deepEqual([never.submitted, never.seconds], [{ kind: 'pending' }, 10])
})

test('what was applied is remembered of the account, so that its next preparation looks far enough', async () => {
  const { bench: { ledgerWatermarks } } = await outcome(sends(SIGNED, 'PENDING'), [applied(1_234)])
  assert.equal(ledgerWatermarks.get(TRADER.publicKey()), 1_234)
  const failing = await outcome(sends(SIGNED, 'PENDING'), [failed([], 1_235)])
  assert.equal(failing.bench.ledgerWatermarks.get(TRADER.publicKey()), 1_235)
})

test('many callers with one envelope: one send, one lookup a second, each with its own patience', async () => {
  const { node, submissions } = bench()
  node.script('sendTransaction', sends(SIGNED, 'PENDING'))
  node.script('getTransaction', ...Array.from({ length: 8 }, () => unknownYet), applied())
  const answers = new Map<number, SubmitOutcome>()
  for (let caller = 0; caller < 50; caller++) {
    void submissions.submit(SIGNED, { pollTimeoutMs: caller % 2 === 0 ? 3_000 : 30_000 }).then((submitted) => answers.set(caller, submitted))
  }
  await pass(node.clock, 3)
  assert.deepEqual([...new Set([...answers.values()].map(({ kind }) => kind)), answers.size], ['pending', 25])
  void submissions.submit(SIGNED, { pollTimeoutMs: 60_000 }).then((submitted) => answers.set(50, submitted))
  await pass(node.clock, 6)
  assert.equal(answers.size, 51)
  assert.deepEqual(answers.get(50), SUCCESS)
  assert.deepEqual(answers.get(1), SUCCESS)
  assert.deepEqual([node.calls('sendTransaction'), node.calls('getTransaction'), node.clock.pendingTimers()], [1, 9, 0])
})

test('who leaves is not waited for: the asking ends with the last one', async () => {
  const { node, submissions } = bench()
  node.script('sendTransaction', sends(SIGNED, 'PENDING'))
  node.script('getTransaction', unknownYet)
  const callers = [new AbortController(), new AbortController()]
  const waits = callers.map(({ signal }) => submissions.submit(SIGNED, { pollTimeoutMs: 60_000, signal }))
  await pass(node.clock, 2)
  callers[0]?.abort()
  await pass(node.clock, 2)
  assert.equal(node.calls('getTransaction'), 5)
  callers[1]?.abort()
  await pass(node.clock, 5)
  assert.deepEqual([node.calls('getTransaction'), node.clock.pendingTimers()], [5, 0])
  await Promise.all(waits)
  void submissions.submit(SIGNED, { pollTimeoutMs: 1_000 })
  await quiet()
  assert.equal(node.calls('sendTransaction'), 2, 'whoever comes later sends anew')
  await pass(node.clock, 2)
})

test('who leaves while it is sent lets it be sent, and nothing is asked after', async () => {
  const { node, submissions } = bench()
  const answer = Promise.withResolvers<Saying>()
  node.script('sendTransaction', answer.promise)
  const caller = new AbortController()
  const waiting = submissions.submit(SIGNED, { pollTimeoutMs: 60_000, signal: caller.signal })
  await quiet()
  caller.abort()
  await waiting
  answer.resolve(sends(SIGNED, 'PENDING'))
  await pass(node.clock, 3)
  assert.deepEqual([node.calls('sendTransaction'), node.calls('getTransaction'), node.clock.pendingTimers()], [1, 0, 0])
})

test('who left before it was sent sends nothing', async () => {
  const { node, submissions } = bench()
  await submissions.submit(SIGNED, { pollTimeoutMs: 60_000, signal: AbortSignal.abort() })
  assert.equal(node.calls('sendTransaction'), 0)
})

test('the same transaction with other signatures is another envelope: bad ones do not refuse good ones', async () => {
  const { node, submissions } = bench()
  const forged = { ...SIGNED, envelopeXdr: `${SIGNED.envelopeXdr.slice(0, -8)}AAAAAAA=` }
  const badAuth = refuses(SIGNED, xdr.TransactionResultResult.txBadAuth())
  node.script('sendTransaction', ({ transaction }) => (transaction === SIGNED.envelopeXdr ? sends(SIGNED, 'PENDING') : badAuth))
  node.script('getTransaction', unknownYet, unknownYet, unknownYet, applied())
  const [bad, good] = [submissions.submit(forged, { pollTimeoutMs: 9_000 }), submissions.submit(SIGNED, { pollTimeoutMs: 9_000 })]
  await pass(node.clock, 4)
  assert.equal((await bad).kind, 'rejected')
  assert.deepEqual(await good, SUCCESS)
})

test('the number of transactions that are waited for has a bound; beyond it nothing is sent', async () => {
  const { node, submissions } = bench()
  node.script('sendTransaction', ({ transaction }) => ({ result: { status: 'PENDING', hash: hashes.get(String(transaction)), latestLedger: 1 } }))
  node.script('getTransaction', unknownYet)
  const all = Array.from({ length: SUBMISSIONS_MAX + 1 }, (_each, index) => signedTransaction(index + 1))
  const hashes = new Map(all.map(({ envelopeXdr, hash }) => [envelopeXdr, hash]))
  const waits = all.map((signed) => submissions.submit(signed, { pollTimeoutMs: 2_000 }))
  assert.deepEqual(await waits.at(-1), { kind: 'tryAgainLater', fullQueue: 'gateway' })
  const [first] = all
  assert.ok(first)
  const joined = submissions.submit(first, { pollTimeoutMs: 2_000 })
  await pass(node.clock, 3)
  assert.deepEqual(await joined, { kind: 'pending' }, 'one that is waited for already takes no place')
  assert.equal(node.calls('sendTransaction'), SUBMISSIONS_MAX)
  await Promise.all(waits)
  assert.equal(node.clock.pendingTimers(), 0)
})

test('the number of callers has a bound too', async () => {
  const { node, submissions } = bench()
  node.script('sendTransaction', sends(SIGNED, 'PENDING'))
  node.script('getTransaction', unknownYet)
  const waits = Array.from({ length: SUBMISSION_WAITERS_MAX }, () => submissions.submit(SIGNED, { pollTimeoutMs: 1_000 }))
  assert.deepEqual(await submissions.submit(SIGNED, { pollTimeoutMs: 1_000 }), { kind: 'tryAgainLater', fullQueue: 'gateway' })
  await pass(node.clock, 2)
  await Promise.all(waits)
  const again = submissions.submit(SIGNED, { pollTimeoutMs: 1_000 })
  await pass(node.clock, 2)
  assert.deepEqual(await again, { kind: 'pending' }, 'places are given back')
})

test('when the gateway closes, those who wait are told what is known, and nothing new is sent', async () => {
  const { node, submissions } = bench()
  const [accepted, lost, sending] = [signedTransaction(1), signedTransaction(2), signedTransaction(3)]
  const answer = Promise.withResolvers<Saying>()
  node.script('sendTransaction', sends(accepted, 'PENDING'), { http: 504 }, answer.promise)
  node.script('getTransaction', unknownYet)
  const waits = [accepted, lost, sending].map((signed) => submissions.submit(signed, { pollTimeoutMs: 60_000 }))
  await pass(node.clock, 1)
  submissions.stop()
  assert.deepEqual([await waits[0], await waits[1]], [{ kind: 'pending' }, { kind: 'unknown' }])
  assert.deepEqual(await submissions.submit(signedTransaction(4), { pollTimeoutMs: 1_000 }), { kind: 'tryAgainLater', fullQueue: 'gateway' })
  answer.resolve(sends(sending, 'PENDING'))
  assert.deepEqual(await waits[2], { kind: 'pending' })
  assert.deepEqual([node.calls('sendTransaction'), node.clock.pendingTimers()], [3, 0])
})
