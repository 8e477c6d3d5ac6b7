// No requester can take the capacity for submissions: it shares what there is with those who come later.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Requester } from '../../src/base/fair-share.ts'
import type { SignedTransaction } from '../../src/chain/codec/transaction.ts'
import { SUBMISSION_WAITERS_MAX, SUBMISSIONS_MAX } from '../../src/limits.ts'
import type { SubmitOutcome } from '../../src/trading/relay/outcomes.ts'
import { NOT_FOUND, signedTransaction } from '../relay/responses.ts'
import { createScriptedNode, pass, quiet } from '../relay/scripted-node.ts'
import { flightsOf } from '../relay/outcome-reader.ts'

const ATTACKER_ADDRESS = '192.0.2.66'
const POLL_TIMEOUT_MS = 60_000
/** Few enough that the sends of one step never reach the bound on unanswered sends. */
const STEP = 32

interface Attempt {
  readonly signed: SignedTransaction
  outcome: SubmitOutcome | undefined
}

function createStage() {
  const node = createScriptedNode()
  const flights = flightsOf(node)
  const hashes = new Map<string, string>()
  node.script('sendTransaction', ({ transaction }) => ({ result: { status: 'PENDING', hash: hashes.get(String(transaction)), latestLedger: 1 } }))
  node.script('getTransaction', NOT_FOUND)
  let sequence = 0

  function submit(requester: Requester, signed?: SignedTransaction): Attempt {
    const attempt: Attempt = { signed: signed ?? signedTransaction(++sequence), outcome: undefined }
    hashes.set(attempt.signed.envelopeXdr, attempt.signed.hash)
    void flights.submit(attempt.signed, { requester, pollTimeoutMs: POLL_TIMEOUT_MS }).then((outcome) => (attempt.outcome = outcome))
    return attempt
  }

  return {
    node, flights, submit,
    async submitMany(count: number, requesterOf: (index: number) => Requester): Promise<readonly Attempt[]> {
      const attempts: Attempt[] = []
      for (let index = 0; index < count; index++) {
        attempts.push(submit(requesterOf(index)))
        if (index % STEP === STEP - 1) await quiet()
      }
      await quiet()
      return attempts
    },
    async close(): Promise<void> {
      flights.stop()
      await pass(node.clock, 61)
    },
  }
}

const waiting = (attempts: readonly Attempt[]): number => attempts.filter(({ outcome }) => outcome === undefined).length
const keyOf = (index: number): Requester => ({ address: ATTACKER_ADDRESS, key: `nk_${index % 20}` })
const honest = (index: number): Requester => ({ address: `198.51.100.${index}`, key: `nk_honest_${index}` })

test('one key that fills every slot gives way to others, down to its share', async () => {
  const stage = createStage()
  const attacker = await stage.submitMany(SUBMISSIONS_MAX + 50, () => keyOf(0))
  assert.equal(waiting(attacker), SUBMISSIONS_MAX, 'alone it may use everything')
  assert.deepEqual(attacker.at(-1)?.outcome, { kind: 'tryAgainLater', fullQueue: 'share' })
  const others = await stage.submitMany(100, (index) => honest(index % 10))
  assert.equal(waiting(others), 100, 'everyone else gets a slot')
  assert.equal(waiting(attacker), SUBMISSIONS_MAX - 100)
  const displaced = attacker.slice(SUBMISSIONS_MAX - 100, SUBMISSIONS_MAX)
  assert.ok(displaced.every(({ outcome }) => outcome?.kind === 'pending'), 'the newest got what is known: the network has them')
  const [first] = displaced
  assert.ok(first)
  stage.submit(keyOf(0), first.signed)
  await quiet()
  assert.equal(waiting(others), 100, 'asking again takes nothing from them')
  await stage.close()
})

test('many keys of one address do not take more than one key', async () => {
  const stage = createStage()
  const attacker = await stage.submitMany(SUBMISSIONS_MAX, keyOf)
  const others = await stage.submitMany(SUBMISSIONS_MAX / 2, () => honest(1))
  assert.equal(waiting(others), SUBMISSIONS_MAX / 2, 'one honest key gets half of the capacity')
  assert.equal(waiting(attacker), SUBMISSIONS_MAX / 2)
  const more = await stage.submitMany(1, () => honest(1))
  assert.deepEqual(more[0]?.outcome, { kind: 'tryAgainLater', fullQueue: 'share' })
  const neighbours = await stage.submitMany(5, (index) => ({ address: ATTACKER_ADDRESS, key: `nk_neighbour_${index}` }))
  assert.equal(waiting(neighbours), 5, 'another client at the same address gets a slot too')
  await stage.close()
})

test('sends without a response leave room for others', async () => {
  const stage = createStage()
  stage.node.script('sendTransaction', 'silence')
  const attacker = await stage.submitMany(SUBMISSIONS_MAX, keyOf)
  const others = await stage.submitMany(30, honest)
  assert.equal(waiting(others), 30)
  assert.equal(waiting(attacker), SUBMISSIONS_MAX / 2)
  await stage.close()
})

test('one key that waits on every permit for callers gives way to others', async () => {
  const stage = createStage()
  const [first] = await stage.submitMany(1, () => keyOf(0))
  const crowd = Array.from({ length: SUBMISSION_WAITERS_MAX - 1 }, () => stage.submit(keyOf(0), first?.signed))
  const others = await stage.submitMany(20, honest)
  assert.equal(waiting(others), 20)
  assert.equal(crowd.filter(({ outcome }) => outcome?.kind === 'pending').length, 20)
  await stage.close()
})
