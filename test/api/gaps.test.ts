// Ledgers that the node dropped before the indexer read them: how the API reports the gap (docs/decisions/gaps.md).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventRow } from '../../src/resources/event-row.ts'
import type { GapRange } from '../../src/resources/gap-range.ts'
import type { Health } from '../../src/resources/health.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import { END } from '../support/pagination.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

interface Events {
  readonly events: readonly EventRow[]
  readonly gaps: readonly GapRange[]
}

/** Ledgers that the node retains after dropping the others. */
const RETAINED = 10

/** Indexes two ranges and drops the ledgers between them. */
async function loseLedgers(fixture: GatewayFixture): Promise<GapRange> {
  await fixture.closeLedgers(30)
  await fixture.catchUp()
  const fromLedger = fixture.network.chain.history.latest().sequence + 1
  await fixture.closeLedgers(40)
  await fixture.control('local_fault', { name: 'retention_cut', ledgers: RETAINED })
  await fixture.catchUp()
  const toLedger = fixture.network.chain.history.latest().sequence - RETAINED
  await fixture.control('local_clearFaults')
  const { body } = await fixture.get<Health>('/v1/health')
  const [reported] = body.indexer.gapRanges ?? []
  return { epoch: reported?.epoch ?? '', fromLedger, toLedger }
}

test('reports lost ledgers in health and on exactly the pages of events they affect', async () => {
  await using fixture = await createGatewayFixture({ seed: 'gaps' })
  const initial = await fixture.get<Health>('/v1/health')
  assert.equal(initial.body.indexer.gapRanges, null)
  const gap = await loseLedgers(fixture)
  const { fromLedger, toLedger } = gap
  const { body } = await fixture.get<Health>('/v1/health')
  assert.equal(body.indexer.gaps, 1)
  assert.deepEqual(body.indexer.gapRanges, [{ ...gap, since: fixture.clock.nowMs(), state: 'open' }])

  const page = (query: string) => fixture.get<Events>(`/v1/events?${query}`).then((response) => response.body)
  const whole = await page('limit=500')
  assert.ok(whole.events.some(({ ledger }) => ledger < fromLedger) && whole.events.some(({ ledger }) => ledger > toLedger))
  assert.ok(whole.events.every(({ ledger }) => ledger < fromLedger || ledger > toLedger))
  assert.deepEqual(whole.gaps, [gap])
  assert.deepEqual((await page('limit=1')).gaps, [], 'the newest event is above the gap')
  assert.deepEqual((await page(`from_ledger=${toLedger + 1}`)).gaps, [])
  assert.deepEqual((await page(`from_ledger=${toLedger}`)).gaps, [gap])
  assert.deepEqual((await page(`to_ledger=${fromLedger - 1}`)).gaps, [])
  assert.deepEqual((await page(`to_ledger=${fromLedger}&limit=1`)).gaps, [gap], 'the gap is right above the page\'s newest row')
  assert.deepEqual((await page(`from_ledger=${fromLedger}&to_ledger=${toLedger}`)), { events: [], gaps: [gap], ...END }, 'the page reports the gap')
  const closedSec = fixture.network.chain.history.ledger(fromLedger - 1)?.closeTimeSec ?? 0
  assert.deepEqual((await page(`before_ts=${closedSec}`)).gaps, [])
  assert.deepEqual((await page(`before_ts=${closedSec + 1}`)).gaps, [])
  assert.deepEqual((await page(`before_ts=${closedSec + 2}`)).gaps, [gap])
})
