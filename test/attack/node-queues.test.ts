// No client can keep others from the nodes: addresses take turns while all permits for a method are taken.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_QUEUED_CALLS } from '../../src/chain/rpc/attempt.ts'
import { NOT_FOUND } from '../relay/responses.ts'
import { createScriptedNode, quiet } from '../relay/scripted-node.ts'
import type { NodeResponse } from '../relay/scripted-node.ts'

/** Permits for simulations at one node. */
const PERMITS = 8

test('a client that fills the queue for simulations does not delay another client or the gateway itself', async () => {
  const { rpc, script, calls } = createScriptedNode()
  const running: { readonly envelope: unknown; respond(response: NodeResponse): void }[] = []
  script('simulateTransaction', ({ transaction }) => new Promise((respond) => void running.push({ envelope: transaction, respond })))
  const simulate = (envelope: string, requester?: string): void => void rpc.simulateTransaction(envelope, { requester }).catch(() => {})
  for (let index = 0; index < PERMITS + MAX_QUEUED_CALLS; index++) simulate(`attack ${index}`, '192.0.2.66')
  await quiet()
  assert.equal(calls('simulateTransaction'), PERMITS)
  simulate('order of another client', '198.51.100.1')
  simulate('price of the gateway')
  await quiet()
  const started = running.length
  for (let turn = 0; turn < 4; turn++) {
    running[turn]?.respond({ error: { code: -32602, message: 'refused' } })
    await quiet()
  }
  const next = running.slice(started).map(({ envelope }) => envelope)
  assert.deepEqual(next.filter((envelope) => !String(envelope).startsWith('attack')), ['price of the gateway', 'order of another client'])
})

test('lookups of many transactions of one client leave turns for another one', async () => {
  const { rpc, script } = createScriptedNode()
  const hashes: unknown[] = []
  const gate = Promise.withResolvers<NodeResponse>()
  script('getTransaction', ({ hash }) => {
    hashes.push(hash)
    return gate.promise
  })
  const lookUp = (hash: string, requester: string): Promise<unknown> => rpc.getTransaction(hash.padStart(64, '0'), { requester })
  const attack = Array.from({ length: 100 }, (_each, index) => lookUp(index.toString(16), '192.0.2.66'))
  const honest = lookUp('abcdef', '198.51.100.1')
  await quiet()
  gate.resolve(NOT_FOUND)
  await honest
  assert.ok(hashes.length < 50, `answered after ${hashes.length} lookups`)
  await Promise.all(attack)
})
