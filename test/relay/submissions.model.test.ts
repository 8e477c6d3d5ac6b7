// Submissions against a network that tells the truth over a way that does not: whatever is sent, lost, repeated and left, nobody is told what is not so.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import type { AsyncCommand } from 'fast-check'
import { silentLog } from '../../src/base/log.ts'
import { createContractErrors } from '../../src/relay/contract-errors.ts'
import { createLedgerWatermarks } from '../../src/chain/ledger-watermarks.ts'
import { createSubmissions } from '../../src/relay/submissions.ts'
import type { SubmitOutcome } from '../../src/relay/outcomes.ts'
import type { Submissions } from '../../src/relay/submissions.ts'
import { CONTRACTS, signedTransaction } from './answers.ts'
import { createSayingNode, pass, quiet } from './node.ts'
import type { SayingNode, Saying } from './node.ts'
import { createTinyNetwork } from './tiny-network.ts'
import type { Envelope, TinyNetwork } from './tiny-network.ts'

const RUNS = fuzzRuns(60)
const COMMANDS_MAX = 60
/** A send that is never answered is given up after this long. */
const SEND_TIMEOUT_SEC = 10

/** Two envelopes for each sequence number: whoever sends both wants only one. */
const ENVELOPES: readonly Envelope[] = [0, 1].flatMap((account) =>
  [1, 2, 3].flatMap((sequence) => [0, 1].map((copy) => ({ signed: signedTransaction(account * 100 + sequence * 10 + copy), account, sequence }))))
const byXdr = new Map(ENVELOPES.map((envelope) => [envelope.signed.envelopeXdr, envelope]))

const SENDS = [
  'well', 'lost before', 'lost after', 'silent before', 'silent after', 'refused connection', 'too many', 'no room', 'torn', 'turned away',
] as const
const LOOKUPS = ['well', 'fails', 'one behind', 'three behind'] as const

/** How the way to the network behaves now. */
interface Way {
  send: (typeof SENDS)[number]
  lookup: (typeof LOOKUPS)[number]
}

/** A caller, and how the world looked when it asked and when it was answered. */
interface Caller {
  readonly envelope: Envelope
  readonly askedMs: number
  readonly patienceSec: number
  readonly takenBefore: number
  readonly leaving: AbortController
  /** True when the way misbehaved at any time while this caller waited, or one that it joined. */
  troubled: boolean
  answer: { readonly submitted: SubmitOutcome; readonly atMs: number; readonly isApplied: boolean; readonly isQueued: boolean; readonly taken: number } | null
  left: boolean
}

interface Real {
  readonly node: SayingNode
  readonly network: TinyNetwork
  readonly submissions: Submissions
  readonly way: Way
  readonly callers: Caller[]
  /** Until when what was sent for an envelope over a bad way may still be on that way, although nobody waits for it any more. */
  readonly onBadWayUntilMs: Map<Envelope, number>
  readonly seen: Map<string, number>
}

type Command = AsyncCommand<object, Real>

function command(name: string, run: (real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    async run(_model, real) {
      await run(real)
      await quiet()
      judge(real)
    },
    toString: () => name,
  }
}

function submit(index: number, patienceSec: number): Command {
  return command(`submit ${index} for ${patienceSec} s`, async (real) => {
    const envelope = ENVELOPES[index]
    assert.ok(envelope)
    const { hash } = envelope.signed
    const caller: Caller = {
      envelope, patienceSec, askedMs: real.node.clock.nowMs(), takenBefore: real.network.taken(hash), leaving: new AbortController(),
      troubled: isTroubled(real.way) || joinsTrouble(real, envelope), answer: null, left: false,
    }
    real.callers.push(caller)
    const { signal } = caller.leaving
    void real.submissions.submit(envelope.signed, { pollTimeoutMs: patienceSec * 1_000, signal }).then((submitted) => {
      const { network, node: { clock } } = real
      caller.answer = {
        submitted, atMs: clock.nowMs(), isApplied: network.applied(hash) !== undefined, isQueued: network.isQueued(hash), taken: network.taken(hash),
      }
    })
  })
}

function leave(pick: number): Command {
  return command(`leave ${pick}`, async ({ callers }) => {
    const waiting = callers.filter(({ answer }) => answer === null)
    const caller = waiting[pick % Math.max(1, waiting.length)]
    if (caller === undefined) return
    caller.left = true
    caller.leaving.abort()
  })
}

function misbehave(way: Partial<Way>): Command {
  return command(`way ${JSON.stringify(way)}`, async (real) => {
    Object.assign(real.way, way)
    if (isTroubled(real.way)) for (const caller of real.callers) caller.troubled ||= caller.answer === null
  })
}

const close = (taking: Parameters<TinyNetwork['close']>[0]): Command => command(`close ${taking}`, async ({ network }) => network.close(taking))
const wait = (seconds: number): Command => command(`wait ${seconds} s`, ({ node }) => pass(node.clock, seconds))

/** True when a caller of now joins what was sent over a bad way. */
function joinsTrouble({ callers, onBadWayUntilMs, node: { clock } }: Real, envelope: Envelope): boolean {
  return callers.some((other) => other.envelope === envelope && other.troubled) || clock.nowMs() <= (onBadWayUntilMs.get(envelope) ?? -1)
}

const isTroubled = (way: Way): boolean => way.send !== 'well' || way.lookup !== 'well'

/** Holds every answer against the truth at the moment it was given. */
function judge({ callers, network, node, seen, onBadWayUntilMs }: Real): void {
  for (const caller of callers) {
    const { answer, envelope: { signed: { hash } }, patienceSec, askedMs, takenBefore } = caller
    if (answer === null) {
      const waitedSec = (node.clock.nowMs() - askedMs) / 1_000
      assert.ok(waitedSec <= patienceSec + SEND_TIMEOUT_SEC, `a caller with ${patienceSec} s waits for ${waitedSec} s`)
      continue
    }
    const { submitted, isApplied, isQueued, taken } = answer
    if (caller.left && caller.troubled) onBadWayUntilMs.set(caller.envelope, node.clock.nowMs() + SEND_TIMEOUT_SEC * 1_000)
    const truth = network.applied(hash)
    if (!caller.left) seen.set(submitted.kind, (seen.get(submitted.kind) ?? 0) + 1)
    switch (submitted.kind) {
      case 'success':
        assert.deepEqual(truth, { ledger: submitted.ledger, succeeded: true })
        break
      case 'failed':
        assert.equal(truth?.succeeded, false)
        break
      case 'pending':
        assert.ok(taken > 0, 'PENDING although the network never said that it had it')
        break
      case 'rejected':
        assert.ok(!isApplied && !isQueued, 'rejected although the network has it')
        break
      case 'notSent':
        assert.equal(taken, takenBefore, 'unsent although the network took it')
        break
      case 'tryAgainLater':
        assert.ok(!isQueued || caller.troubled, 'to be sent later although it waits already, and nothing was in the way')
        break
      default:
        assert.ok(caller.left || caller.troubled, 'unknown although nothing was in the way')
    }
  }
  // Judged once.
  for (let index = callers.length - 1; index >= 0; index--) if (callers[index]?.answer !== null) callers.splice(index, 1)
}

function createReal(seen: Map<string, number>): Real {
  const node = createSayingNode()
  const network = createTinyNetwork()
  const way: Way = { send: 'well', lookup: 'well' }
  const submissions = createSubmissions({
    rpc: node.rpc, clock: node.clock, log: silentLog, contractErrors: createContractErrors(CONTRACTS), ledgerWatermarks: createLedgerWatermarks(node.clock),
  })
  node.script('sendTransaction', ({ transaction }) => {
    const envelope = byXdr.get(String(transaction))
    assert.ok(envelope, 'what is sent is what was signed')
    return sendThrough(way.send, envelope, network)
  })
  node.script('getTransaction', ({ hash }) => {
    if (way.lookup === 'fails') return { http: 503 }
    return network.lookUp(String(hash), { 'well': 0, 'one behind': 1, 'three behind': 3 }[way.lookup])
  })
  return { node, network, submissions, way, callers: [], onBadWayUntilMs: new Map(), seen }
}

function sendThrough(behaviour: Way['send'], envelope: Envelope, network: TinyNetwork): Saying {
  switch (behaviour) {
    case 'lost after':
    case 'silent after':
    case 'torn':
      network.receive(envelope)
      return behaviour === 'torn' ? { http: 200, body: '{"jsonrpc":"2.0","id' } : behaviour === 'silent after' ? 'silence' : { http: 504 }
    case 'lost before':
      return { broken: 'ECONNRESET' }
    case 'silent before':
      return 'silence'
    case 'refused connection':
      return { broken: 'ECONNREFUSED' }
    case 'too many':
      return { http: 429 }
    case 'no room':
      return { result: { status: 'TRY_AGAIN_LATER', hash: envelope.signed.hash, latestLedger: network.ledger() } }
    case 'turned away':
      return { error: { code: -32603, message: 'invalid status from stellar-core' } }
    default:
      return network.receive(envelope)
  }
}

/** In the end the way is good and ledgers take what they are given: then each envelope's story can be learnt by sending it again. */
async function settleDown(real: Real): Promise<void> {
  const { node, network, submissions, way } = real
  Object.assign(way, { send: 'well', lookup: 'well' } satisfies Way)
  for (let round = 0; round < 20; round++) {
    network.close('to succeed')
    await pass(node.clock, 6)
  }
  judge(real)
  assert.deepEqual(real.callers, [], 'nobody waits for ever')
  assert.equal(node.clock.pendingTimers(), 0, 'nothing goes on behind the answers')
  for (const { signed } of ENVELOPES) {
    const truth = network.applied(signed.hash)
    if (truth === undefined) continue
    const submitted = await submissions.submit(signed, { pollTimeoutMs: 1_000 })
    const told = submitted.kind === 'success' ? { ledger: submitted.ledger, succeeded: true } : { ledger: truth.ledger, succeeded: submitted.kind !== 'failed' }
    assert.deepEqual(told, truth, 'what was applied is told for ever')
  }
}

const COMMANDS = [
  fc.tuple(fc.nat(ENVELOPES.length - 1), fc.constantFrom(1, 3, 10, 60)).map(([index, seconds]) => submit(index, seconds)),
  fc.tuple(fc.nat(3), fc.constantFrom(3, 30)).map(([index, seconds]) => submit(index, seconds)),
  fc.nat(5).map(leave),
  fc.constantFrom(...SENDS).map((send) => misbehave({ send })),
  fc.constantFrom(...LOOKUPS).map((lookup) => misbehave({ lookup })),
  fc.constant(null).map(() => misbehave({ send: 'well', lookup: 'well' })),
  fc.constantFrom('nothing', 'to succeed', 'to succeed', 'to fail').map((taking) => close(taking as 'nothing')),
  fc.constantFrom(1, 2, 6, 15).map(wait),
]

test('property: nobody is told what is not so, everybody is told something in time, and sending again tells the truth', async () => {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: COMMANDS_MAX, size: 'max' }), async (commands) => {
      const real = createReal(seen)
      await fc.asyncModelRun(() => ({ model: {}, real }), commands)
      await settleDown(real)
    }),
    { numRuns: RUNS },
  )
  // A model that never gets anywhere would agree with everything.
  for (const kind of ['success', 'failed', 'pending', 'rejected', 'tryAgainLater', 'notSent', 'unknown']) {
    assert.ok((seen.get(kind) ?? 0) > 0, `nobody was ever told ${kind} (${[...seen].join(' ')})`)
  }
})
