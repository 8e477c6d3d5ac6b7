// The only node lies for eight seconds. Afterwards the index equals that of an honest node. Pairs of lies: hostile-pairs.test.ts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestStore } from '../support/database.ts'
import { LIES } from './hostile-node.ts'
import { assertHonest, runWithLies } from './hostile-run.ts'
import type { HostileRun } from './hostile-run.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

let honest: HostileRun

before(async () => {
  honest = await runWithLies(store, [])
  assert.ok(honest.archive.length > 30)
})

test('there are 24 lies', () => {
  assert.equal(new Set(LIES.map(({ name }) => name)).size, 24)
})

for (const lie of LIES) {
  test(`${lie.name}: ${lie.undetectable === undefined ? 'changes nothing' : 'adds nothing'}, and no epoch begins`, async () => {
    const run = await runWithLies(store, [lie])
    assertHonest(run, honest, [lie])
    if (lie.undetectable !== undefined || lie.harmless !== undefined) return
    assert.ok(run.lyingResults.every((result) => result.kind !== 'indexed' || !result.advanced), 'nothing was written while the node lied')
  })
}

test('eight seconds of ledger numbers raised by 2e9 from the only node cause no reset and index no event twice', async () => {
  const lies = LIES.filter(({ name }) => name === 'ledger numbers raised by 2e9')
  const run = await runWithLies(store, lies)
  assert.deepEqual([run.epochs, run.gaps], [1, 0])
  assert.deepEqual(run.archive, honest.archive)
  assert.deepEqual(run.projections, honest.projections)
})

test('an honest node is preferred to a lying one, whose faults are counted by name and logged once', async () => {
  const faults: string[] = []
  const logged: unknown[] = []
  const observer = { called() {}, faulted: (endpoint: number, fault: string) => void faults.push(`${endpoint} ${fault}`) }
  const log = { debug() {}, info() {}, error() {}, warn: (fields: object, message: string) => void logged.push([message, fields]) }
  const lies = LIES.filter(({ name }) => name === 'a cursor that goes back')
  const run = await runWithLies(store, lies, { withHonestNode: true, observer, log })
  assertHonest(run, honest, lies)
  assert.ok(run.lyingResults.filter((result) => result.kind === 'indexed' && result.advanced).length >= 3, 'the index advanced while one node lied')
  assert.ok(faults.length > 0 && faults.every((fault) => fault === '0 bad_cursor'), faults.join())
  const reports = logged.filter((line) => JSON.stringify(line).includes('impossible data'))
  assert.deepEqual(reports, [['RPC node returned impossible data; other nodes are preferred for a while', { endpoint: 0, fault: 'bad_cursor' }]])
})

test('a node whose events are no XDR is charged, and the index continues with the events of the honest node', async () => {
  const faults: string[] = []
  const observer = { called() {}, faulted: (endpoint: number, fault: string) => void faults.push(`${endpoint} ${fault}`) }
  const lies = LIES.filter(({ name }) => name.endsWith('that are no XDR'))
  const run = await runWithLies(store, lies, { withHonestNode: true, observer })
  assertHonest(run, honest, lies)
  assert.ok(run.lyingResults.filter((result) => result.kind === 'indexed' && result.advanced).length >= 3, 'the index advanced while one node lied')
  assert.ok(faults.length > 0 && faults.every((fault) => fault === '0 bad_events'), faults.join())
})

test('a node that claims a later protocol does not stop the index while an honest node responds', async () => {
  const lies = LIES.filter(({ name }) => name === 'headers of a later protocol')
  const run = await runWithLies(store, lies, { withHonestNode: true })
  assertHonest(run, honest, lies)
  assert.ok(run.lyingResults.every(({ kind }) => kind !== 'outdated'), 'the index never stopped')
  assert.ok(run.lyingResults.filter((result) => result.kind === 'indexed' && result.advanced).length >= 3)
})
