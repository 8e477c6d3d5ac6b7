// Submissions against a model network over an unreliable connection: whatever is sent, lost or repeated, no reported outcome is false.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import type { AsyncCommand } from 'fast-check'
import type { SubmitOutcome } from '../../src/trading/relay/outcomes.ts'
import type { Flights } from '../../src/trading/relay/flights.ts'
import { signedTransaction } from './responses.ts'
import { createScriptedNode, pass, quiet } from './scripted-node.ts'
import type { ScriptedNode, NodeResponse } from './scripted-node.ts'
import { createModelNetwork } from './model-network.ts'
import type { Envelope, ModelNetwork } from './model-network.ts'
import { flightsOf } from './outcome-reader.ts'

const RUNS = fuzzRuns(60)
const COMMANDS_MAX = 60
const REQUESTER = { address: '192.0.2.1', key: 'nk_1' }
/** The timeout of a send. */
const SEND_TIMEOUT_SEC = 10

/** Two competing envelopes per sequence number. */
const ENVELOPES: readonly Envelope[] = [0, 1].flatMap((account) =>
  [1, 2, 3].flatMap((sequence) => [0, 1].map((copy) => ({ signed: signedTransaction(account * 100 + sequence * 10 + copy), account, sequence }))))
const byXdr = new Map(ENVELOPES.map((envelope) => [envelope.signed.envelopeXdr, envelope]))

const SENDS = [
  'well', 'lost request', 'lost response', 'silent before', 'silent after', 'refused connection', 'too many', 'no room', 'torn', 'core error',
] as const
const LOOKUPS = ['well', 'fails', 'one behind', 'three behind'] as const

/** Behavior of the connection to the network now. */
interface Connection {
  send: (typeof SENDS)[number]
  lookup: (typeof LOOKUPS)[number]
}

/** An outcome, with the state of the network at that time. */
interface ReportedOutcome {
  readonly submitted: SubmitOutcome
  readonly isApplied: boolean
  readonly isQueued: boolean
  readonly acceptances: number
}

/** A caller, with the state of the network when it submitted and when it got its outcome. */
interface Caller {
  readonly envelope: Envelope
  readonly submittedAtMs: number
  readonly timeoutSec: number
  readonly acceptancesBefore: number
  readonly disconnect: AbortController
  /** True when the connection failed at any time while this caller waited, or one that it joined. */
  disturbed: boolean
  reported: ReportedOutcome | null
  disconnected: boolean
}

interface Real {
  readonly node: ScriptedNode
  readonly network: ModelNetwork
  readonly flights: Flights
  readonly connection: Connection
  readonly callers: Caller[]
  /** The time until which a send over a failing connection may still be in flight, although no caller waits for it any more. */
  readonly inFlightUntilMs: Map<Envelope, number>
  readonly seen: Map<string, number>
}

type Command = AsyncCommand<object, Real>

function command(name: string, run: (real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    async run(_model, real) {
      await run(real)
      await quiet()
      checkOutcomes(real)
    },
    toString: () => name,
  }
}

function submit(index: number, timeoutSec: number): Command {
  return command(`submit ${index} for ${timeoutSec} s`, async (real) => {
    const envelope = ENVELOPES[index]
    assert.ok(envelope)
    const { hash } = envelope.signed
    const caller: Caller = {
      envelope, timeoutSec, submittedAtMs: real.node.clock.nowMs(), acceptancesBefore: real.network.acceptances(hash), disconnect: new AbortController(),
      disturbed: isDisturbed(real.connection) || joinsDisturbed(real, envelope), reported: null, disconnected: false,
    }
    real.callers.push(caller)
    const { signal } = caller.disconnect
    void real.flights.submit(envelope.signed, { pollTimeoutMs: timeoutSec * 1_000, requester: REQUESTER, signal }).then((submitted) => {
      const { network } = real
      caller.reported = {
        submitted, isApplied: network.applied(hash) !== undefined, isQueued: network.isQueued(hash), acceptances: network.acceptances(hash),
      }
    })
  })
}

function disconnectCaller(pick: number): Command {
  return command(`disconnect ${pick}`, async ({ callers }) => {
    const waiting = callers.filter(({ reported }) => reported === null)
    const caller = waiting[pick % Math.max(1, waiting.length)]
    if (caller === undefined) return
    caller.disconnected = true
    caller.disconnect.abort()
  })
}

function setConnection(connection: Partial<Connection>): Command {
  return command(`connection ${JSON.stringify(connection)}`, async (real) => {
    Object.assign(real.connection, connection)
    if (isDisturbed(real.connection)) for (const caller of real.callers) caller.disturbed ||= caller.reported === null
  })
}

const close = (applying: Parameters<ModelNetwork['close']>[0]): Command => command(`close ${applying}`, async ({ network }) => network.close(applying))
const wait = (seconds: number): Command => command(`wait ${seconds} s`, ({ node }) => pass(node.clock, seconds))

/** True when a new caller joins a send over a failing connection. */
function joinsDisturbed({ callers, inFlightUntilMs, node: { clock } }: Real, envelope: Envelope): boolean {
  return callers.some((other) => other.envelope === envelope && other.disturbed) || clock.nowMs() <= (inFlightUntilMs.get(envelope) ?? -1)
}

const isDisturbed = (connection: Connection): boolean => connection.send !== 'well' || connection.lookup !== 'well'

/** Checks every outcome against the state of the network when it was reported. */
function checkOutcomes({ callers, network, node, seen, inFlightUntilMs }: Real): void {
  for (const caller of callers) {
    const { reported, envelope: { signed: { hash } }, timeoutSec, submittedAtMs, acceptancesBefore } = caller
    if (reported === null) {
      const waitedSec = (node.clock.nowMs() - submittedAtMs) / 1_000
      assert.ok(waitedSec <= timeoutSec + SEND_TIMEOUT_SEC, `a caller with a timeout of ${timeoutSec} s has waited for ${waitedSec} s`)
      continue
    }
    const { submitted, isApplied, isQueued, acceptances } = reported
    if (caller.disconnected && caller.disturbed) inFlightUntilMs.set(caller.envelope, node.clock.nowMs() + SEND_TIMEOUT_SEC * 1_000)
    const truth = network.applied(hash)
    if (!caller.disconnected) seen.set(submitted.kind, (seen.get(submitted.kind) ?? 0) + 1)
    switch (submitted.kind) {
      case 'success':
        assert.deepEqual(truth, { ledger: submitted.ledger, succeeded: true })
        break
      case 'failed':
        assert.equal(truth?.succeeded, false)
        break
      case 'pending':
        assert.ok(acceptances > 0, 'PENDING although the network never accepted it')
        break
      case 'rejected':
        assert.ok(!isApplied && !isQueued, 'rejected although the network has it')
        break
      case 'notSent':
        assert.equal(acceptances, acceptancesBefore, 'not sent although the network accepted it')
        break
      case 'tryAgainLater':
        assert.ok(!isQueued || caller.disturbed, 'try again later although it is queued and the connection was fine')
        break
      default:
        assert.ok(caller.disconnected || caller.disturbed, 'unknown although the connection was fine')
    }
  }
  // Each outcome is checked once.
  for (let index = callers.length - 1; index >= 0; index--) if (callers[index]?.reported !== null) callers.splice(index, 1)
}

function createReal(seen: Map<string, number>): Real {
  const node = createScriptedNode()
  const network = createModelNetwork()
  const connection: Connection = { send: 'well', lookup: 'well' }
  const flights = flightsOf(node)
  node.script('sendTransaction', ({ transaction }) => {
    const envelope = byXdr.get(String(transaction))
    assert.ok(envelope, 'the sent envelope is the signed one')
    return sendThrough(connection.send, envelope, network)
  })
  node.script('getTransaction', ({ hash }) => {
    if (connection.lookup === 'fails') return { http: 503 }
    return network.lookUp(String(hash), { 'well': 0, 'one behind': 1, 'three behind': 3 }[connection.lookup])
  })
  return { node, network, flights, connection, callers: [], inFlightUntilMs: new Map(), seen }
}

function sendThrough(behaviour: Connection['send'], envelope: Envelope, network: ModelNetwork): NodeResponse {
  switch (behaviour) {
    case 'lost response':
    case 'silent after':
    case 'torn':
      network.receive(envelope)
      return behaviour === 'torn' ? { http: 200, body: '{"jsonrpc":"2.0","id' } : behaviour === 'silent after' ? 'silence' : { http: 504 }
    case 'lost request':
      return { broken: 'ECONNRESET' }
    case 'silent before':
      return 'silence'
    case 'refused connection':
      return { broken: 'ECONNREFUSED' }
    case 'too many':
      return { http: 429 }
    case 'no room':
      return { result: { status: 'TRY_AGAIN_LATER', hash: envelope.signed.hash, latestLedger: network.ledger() } }
    case 'core error':
      return { error: { code: -32603, message: 'invalid status from stellar-core' } }
    default:
      return network.receive(envelope)
  }
}

/** Repairs the connection and closes ledgers. Then submitting an envelope again reports its true outcome. */
async function settleDown(real: Real): Promise<void> {
  const { node, network, flights, connection } = real
  Object.assign(connection, { send: 'well', lookup: 'well' } satisfies Connection)
  for (let round = 0; round < 20; round++) {
    network.close('to succeed')
    await pass(node.clock, 6)
  }
  checkOutcomes(real)
  assert.deepEqual(real.callers, [], 'no caller waits forever')
  assert.equal(node.clock.pendingTimers(), 0, 'no timer is left')
  for (const { signed } of ENVELOPES) {
    const truth = network.applied(signed.hash)
    if (truth === undefined) continue
    const submitted = await flights.submit(signed, { pollTimeoutMs: 1_000, requester: REQUESTER })
    const ledger = submitted.kind === 'success' ? submitted.ledger : truth.ledger
    assert.deepEqual({ ledger, succeeded: submitted.kind !== 'failed' }, truth, 'the outcome of an applied transaction is always reported')
  }
}

const COMMANDS = [
  fc.tuple(fc.nat(ENVELOPES.length - 1), fc.constantFrom(1, 3, 10, 60)).map(([index, seconds]) => submit(index, seconds)),
  fc.tuple(fc.nat(3), fc.constantFrom(3, 30)).map(([index, seconds]) => submit(index, seconds)),
  fc.nat(5).map(disconnectCaller),
  fc.constantFrom(...SENDS).map((send) => setConnection({ send })),
  fc.constantFrom(...LOOKUPS).map((lookup) => setConnection({ lookup })),
  fc.constant(null).map(() => setConnection({ send: 'well', lookup: 'well' })),
  fc.constantFrom('nothing', 'to succeed', 'to succeed', 'to fail').map((applying) => close(applying as 'nothing')),
  fc.constantFrom(1, 2, 6, 15).map(wait),
]

test('property: every caller gets a true outcome in time, and submitting again reports the final outcome', async () => {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: COMMANDS_MAX, size: 'max' }), async (commands) => {
      const real = createReal(seen)
      await fc.asyncModelRun(() => ({ model: {}, real }), commands)
      await settleDown(real)
    }),
    { numRuns: RUNS },
  )
  // Ensures that the model reaches every outcome.
  for (const kind of ['success', 'failed', 'pending', 'rejected', 'tryAgainLater', 'notSent', 'unknown']) {
    assert.ok((seen.get(kind) ?? 0) > 0, `the outcome ${kind} never occurred (${[...seen].join(' ')})`)
  }
})
