// The database fails, or the process dies, at each statement of a submission in turn.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSubmissions, OWNER } from './fixture.ts'

test('whichever statement the database fails at first, the submission ends as the network has it', async () => {
  for (let statement = 0; statement < 12; statement++) {
    await using fixture = await openSubmissions()
    const instance = fixture.start()
    await fixture.pass(1)
    const signed = fixture.sign(1)
    instance.database.failAfter = statement
    const { outcome } = await fixture.submit(instance, signed)
    assert.ok(['pending', 'unknown', 'success'].includes(outcome.kind), `${outcome.kind} after ${statement} statements`)
    await fixture.pass(5, 'nothing')
    instance.database.failAfter = Number.POSITIVE_INFINITY
    await fixture.pass(40)
    assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS', `after ${statement} statements`)
  }
})

test('a killed instance leaves every submission to the next one, at whichever statement it dies', async () => {
  for (let statement = 1; statement < 10; statement++) {
    await using fixture = await openSubmissions()
    const first = fixture.start()
    await fixture.pass(1)
    const signed = fixture.sign(1)
    first.database.failAfter = statement
    void first.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 2_000, requester: { address: 'a', key: 'k' } }).catch(() => {})
    await fixture.pass(2, 'nothing')
    first.kill()
    const second = fixture.start()
    await fixture.pass(40)
    const row = await fixture.row(second, signed.hash)
    const isStored = row !== undefined
    assert.ok(!isStored || row.status === 'SUCCESS', `${row?.status} after ${statement} statements`)
    if (fixture.chain.applied.has(signed.hash)) assert.equal(row?.status, 'SUCCESS')
  }
})
