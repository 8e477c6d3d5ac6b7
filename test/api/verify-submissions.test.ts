// A verification compares the final states of submissions with the archive and the nodes, corrects those that are false, and reports them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { summarizeVerification } from '../../src/indexer/repair/task-command.ts'
import { requestVerify } from '../../src/indexer/repair/verify.ts'
import { readTask } from '../../src/projections/repair/tasks.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { createTrader } from '../support/traders.ts'

const OPEN: OperationRequest = { op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' }
const NODES = ['http://node-0', 'http://node-1', 'http://node-2']
const ROUNDS = 60

/** Verifies, while the driver of submissions runs. */
async function verify({ indexer, gateway, store, clock, idle }: GatewayFixture): Promise<void> {
  await requestVerify(store.write, clock.nowMs())
  const stop = new AbortController()
  const driving = gateway.submissions.run(stop.signal)
  for (let round = 0; round < ROUNDS && (await readTask(store.read, 'verify'))?.state !== 'done'; round++) {
    await indexer.verify()
    await indexer.rebuild()
    await idle()
    clock.advance(1_000)
  }
  stop.abort()
  await driving
  await indexer.numberSubmissions()
}

test('final states that contradict the archive or the nodes are corrected, pushed and reported', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, seed: 'verify submissions', rpcUrls: NODES })
  await fixture.closeLedgers(3)
  const trader = await createTrader(fixture, 'verified')
  const hashes: string[] = []
  for (const isPaused of [false, false, true]) {
    const signed = await trader.signed(OPEN)
    if (isPaused) await fixture.control('local_admin', { contract: 'market', function: 'pause', args: [] })
    hashes.push(String((await trader.submit(signed)).body['hash']))
    if (isPaused) await fixture.control('local_admin', { contract: 'market', function: 'unpause', args: [] })
  }
  await fixture.closeLedgers(2)
  await fixture.catchUp()
  const states = async (): Promise<readonly unknown[]> => {
    const rows = await fixture.store.read.query<{ hash: string; status: string }>('select hash, status from tx.submissions')
    return hashes.map((hash) => rows.find((row) => row.hash === hash)?.status)
  }
  const truth = ['SUCCESS', 'SUCCESS', 'FAILED']
  assert.deepEqual(await states(), truth)

  await fixture.store.write.query(`update tx.submissions set status = 'FAILED', is_indexed = true where hash = $1`, [hashes[1] ?? ''])
  await fixture.store.write.query(`update tx.submissions set status = 'SUCCESS', is_indexed = true where hash = $1`, [hashes[2] ?? ''])
  await verify(fixture)
  assert.deepEqual(await states(), truth)
  const progress = (await readTask(fixture.store.read, 'verify'))?.progress
  assert.ok(progress !== undefined)
  const { same, corrected, unverifiable, waiting } = progress.submissions ?? {}
  assert.deepEqual([same, corrected, unverifiable, waiting], [1, 2, 0, 0])
  assert.ok(summarizeVerification(progress).includes('  Submissions:    1 final states hold, 2 corrected, 0 not confirmed by enough nodes'))
  const pushed = await fixture.store.read.query<{ status: string }>(
    `select row ->> 'status' as status from tx.submission_changes where hash = $1 and seq is not null order by seq`, [hashes[2] ?? ''],
  )
  assert.equal(pushed.at(-1)?.status, 'FAILED')

  await verify(fixture)
  const again = (await readTask(fixture.store.read, 'verify'))?.progress.submissions
  assert.deepEqual([again?.same, again?.corrected], [3, 0])
})

test('nothing is corrected on the word of one node of three', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, seed: 'verify with a liar', rpcUrls: NODES })
  await fixture.closeLedgers(3)
  const trader = await createTrader(fixture, 'verified')
  const signed = await trader.signed(OPEN)
  await fixture.control('local_admin', { contract: 'market', function: 'pause', args: [] })
  const hash = String((await trader.submit(signed)).body['hash'])
  await fixture.closeLedgers(2)
  await fixture.catchUp()
  fixture.rpc.lies.set('http://node-0', (method, result) => (
    method === 'getTransaction' ? { ...result, status: 'NOT_FOUND', envelopeXdr: undefined, resultXdr: undefined, resultMetaXdr: undefined } : result
  ))
  await verify(fixture)
  assert.deepEqual(await fixture.store.read.query('select status from tx.submissions where hash = $1', [hash]), [{ status: 'FAILED' }])
  const submissions = (await readTask(fixture.store.read, 'verify'))?.progress.submissions
  assert.deepEqual([submissions?.same, submissions?.corrected], [1, 0])
})
