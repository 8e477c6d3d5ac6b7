// A network reset while the indexer is not running, and an exchange with new contract addresses: what clients hold and read afterwards.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defined } from '../../src/base/assert.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import { LEADERBOARD_CACHE_MS } from '../../src/limits.ts'
import { createMetrics } from '../../src/observability/metrics.ts'
import type { EventRow } from '../../src/resources/event-row.ts'
import type { Health } from '../../src/resources/health.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import { samplesOf } from '../support/metrics.ts'
import { reconcileAll, readPositionsFromApi, readPositionsFromChain } from '../api/chain-views.ts'
import { followPages, nextPage } from '../support/pagination.ts'
import type { Row } from '../support/pagination.ts'
import type { StreamFrame } from '../support/stream-client.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

/** An append-only list: old rows stay in order below the new ones. */
interface History {
  readonly url: string
  readonly key: string
  /** All rows, newest first. */
  readonly rows: readonly Row[]
  /** The URL of the second page. */
  readonly next: string
  readonly first: number
}

const LISTS = [['/v1/events?limit=20', 'events'], ['/v1/trades?limit=2', 'trades']] as const

async function allRows(fixture: GatewayFixture, url: string, key: string): Promise<readonly Row[]> {
  return (await followPages(fixture, url, key)).flat()
}

async function readHistories(fixture: GatewayFixture): Promise<readonly History[]> {
  return await Promise.all(LISTS.map(async ([url, key]) => {
    const answer = await fixture.get<Record<string, readonly Row[]>>(url)
    return {
      url, key,
      rows: await allRows(fixture, url, key),
      next: defined(nextPage(answer.headers['link']), 'a second page'),
      first: defined(answer.body[key], key).length,
    }
  }))
}

/** Checks that old rows and old cursors are unchanged and no row is duplicated. Returns the new rows of each list. */
function withoutLabel({ deployment: _label, ...row }: Row): Row {
  return row
}

async function assertUnchanged(fixture: GatewayFixture, histories: readonly History[]): Promise<readonly (readonly Row[])[]> {
  return await Promise.all(histories.map(async ({ url, key, rows, next, first }) => {
    const now = await allRows(fixture, url, key)
    const added = now.slice(0, now.length - rows.length)
    assert.deepEqual(now.slice(added.length).map(withoutLabel), rows, `${key}: old rows are unchanged`)
    assert.deepEqual((await allRows(fixture, next, key)).map(withoutLabel), rows.slice(first), `${key}: an old cursor continues at its position`)
    const names = now.map(({ eventId, ...row }) => eventId ?? JSON.stringify(row))
    assert.equal(new Set(names).size, names.length, `${key}: no duplicates`)
    return added
  }))
}

/** Checks that the leaderboard is the sum of all openings and trades of all epochs. */
async function assertLeaderboard(fixture: GatewayFixture): Promise<void> {
  fixture.clock.advance(LEADERBOARD_CACHE_MS)
  const totals = new Map<string, { pnl: bigint; volume: bigint }>()
  const add = (trader: unknown, pnl: unknown, volume: unknown): void => {
    const { pnl: oldPnl, volume: oldVolume } = totals.get(String(trader)) ?? { pnl: 0n, volume: 0n }
    totals.set(String(trader), { pnl: oldPnl + BigInt(String(pnl)), volume: oldVolume + BigInt(String(volume)) })
  }
  for (const { payload } of await allRows(fixture, '/v1/events?limit=500&topic=position_opened', 'events')) {
    const { trader, size } = payload as Row
    add(trader, 0, size)
  }
  for (const { trader, kind, pnl, size } of await allRows(fixture, '/v1/trades?limit=200', 'trades')) if (kind === 'close') add(trader, pnl, size ?? 0)
  const board = await allRows(fixture, '/v1/leaderboard?limit=200', 'leaders')
  assert.ok(board.length > 3)
  const shown = new Map(board.map(({ trader, pnl, volume }) => [String(trader), { pnl: BigInt(String(pnl)), volume: BigInt(String(volume)) }]))
  assert.deepEqual(shown, totals)
}

/** The ids in events with this topic. */
function idsOf(rows: readonly Row[], topic: string, key: string): ReadonlySet<unknown> {
  return new Set((rows as unknown as readonly EventRow[]).filter((row) => row.topic === topic).map(({ payload }) => (payload as Row)[key]))
}

/** An address without a contract. */
const NO_CONTRACT = 'CADQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQP5KR'

const isGap = ({ type }: StreamFrame): boolean => type === 'gap'
const vaultsOf = (fixture: GatewayFixture): Promise<readonly Row[]> => allRows(fixture, '/v1/vaults?limit=200', 'vaults')
const indexer = async (fixture: GatewayFixture): Promise<Health['indexer']> => (await fixture.get<Health>('/v1/health')).body.indexer

test('a reset network with the same ids on lower ledgers neither mixes nor loses data', async () => {
  await using fixture = await createGatewayFixture({ seed: 'reset', listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(90)
  await reconcileAll(fixture)
  const client = await connect()
  const hello = await client.frame(() => true)
  client.send({ op: 'subscribe', channels: ['events'] })
  await client.settle()
  const histories = await readHistories(fixture)
  const oldVaults = await vaultsOf(fixture)
  const wasOpen = await readPositionsFromApi(fixture)
  const lastLedger = fixture.network.chain.history.latest().sequence

  await fixture.control('local_reset')
  await fixture.closeLedgers(60)
  assert.ok(fixture.network.chain.history.latest().sequence < lastLedger, 'its ledger numbers are lower')
  await fixture.catchUp()
  await fixture.gateway.stream.publishCommitted()
  await client.settle()

  const [events = [], trades = []] = await assertUnchanged(fixture, histories)
  const [before] = histories
  const old = defined(before, 'the events of before').rows
  const chainIds = new Set(old.map(({ eventId }) => String(eventId)))
  assert.ok(events.some(({ eventId }) => chainIds.has(String(eventId).replace(/-[0-9a-f]+$/, ''))), 'event ids of the chain repeat')
  for (const [topic, key] of [['position_opened', 'positionId'], ['order_placed', 'orderId'], ['vault_created', 'vaultId']] as const) {
    const known = idsOf(old, topic, key)
    assert.ok([...idsOf(events, topic, key)].some((id) => known.has(id)), `${key} repeats`)
  }
  assert.ok(trades.length > 0)
  const opened = idsOf(events, 'position_opened', 'positionId')
  assert.ok(trades.every(({ positionId }) => opened.has(positionId)), 'a trade belongs to a position of its own network')
  assert.ok(trades.filter(({ kind }) => kind === 'close').every(({ asset }) => asset !== null))

  assert.ok(wasOpen.length > 0)
  assert.deepEqual(await readPositionsFromApi(fixture), await readPositionsFromChain(fixture), 'only what is open on the ledger')
  const vaults = await vaultsOf(fixture)
  assert.deepEqual(new Set(vaults.map(({ id }) => id)), idsOf(events, 'vault_created', 'vaultId'))
  assert.equal(vaults.length, new Set(vaults.map(({ id }) => id)).size)
  assert.ok(oldVaults.length > 0 && vaults.every((vault) => Number(vault['createdAt']) > Number(oldVaults[0]?.['createdAt'])))
  await assertLeaderboard(fixture)
  fixture.clock.advance(600_000)
  assert.equal(await reconcileAll(fixture), 0)
  const { compared, marketFound, gaps } = await indexer(fixture)
  assert.deepEqual([compared?.positionsMissing, compared?.ordersMissing, compared?.vaultsMissing, marketFound, gaps], [0, 0, 0, true, 0])

  const [gap, ...more] = client.frames.filter(isGap)
  assert.deepEqual([gap?.['reason'], more.length], ['epoch', 0])
  assert.equal(client.of('events').length, events.length, 'all events of the new network were delivered')
  const from = client.frames.length
  client.send({ op: 'subscribe', channels: ['events'], since: hello['head'], epoch: hello['epoch'] })
  assert.equal((await client.frame(isGap, from))['reason'], 'epoch')
  const unnamed = await fixture.connect()
  const oldSeq = Number(hello['head']) - 1
  unnamed.send({ op: 'subscribe', channels: ['events'], since: oldSeq })
  const { reason, since } = await unnamed.frame((frame) => isGap(frame) || frame.channel === 'events')
  assert.deepEqual([reason, since], ['epoch', oldSeq], 'the old network\'s events are not replayed as if the current epoch had them')
  const whole = await fixture.connect()
  whole.send({ op: 'subscribe', channels: ['events'], since: 0 })
  const first = await whole.frame((frame) => isGap(frame) || frame.channel === 'events')
  assert.ok(Number(first.seq) <= oldSeq, '0 is the beginning of the whole log')
})

test('a new market address removes its positions, keeps history and vaults, and begins an epoch', async () => {
  await using fixture = await createGatewayFixture({ seed: 'moved', listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(90)
  const { contracts } = fixture.network
  const client = await connect()
  const hello = await client.frame(() => true)
  const head = hello['head']
  await client.close()
  const histories = await readHistories(fixture)
  const vaults = await vaultsOf(fixture)
  assert.ok((await readPositionsFromApi(fixture)).length > 0 && vaults.length > 0)

  await fixture.restartWithContracts({ ...contracts, market: contracts.oracleShim })
  await fixture.catchUp()
  const added = await assertUnchanged(fixture, histories)
  assert.deepEqual(added.map((rows) => rows.length), [0, 0])
  assert.deepEqual(await readPositionsFromApi(fixture), [], 'positions of the old market are not open in the new one')
  assert.deepEqual(await vaultsOf(fixture), vaults)
  await assertLeaderboard(fixture)
  const resumed = await connect()
  const now = await resumed.frame(() => true)
  assert.equal(now['head'], head)
  assert.notEqual(now['epoch'], hello['epoch'])
  resumed.send({ op: 'subscribe', channels: ['events'], since: head, epoch: hello['epoch'] })
  assert.equal((await resumed.frame(isGap))['reason'], 'epoch')
  await resumed.close()

  await fixture.restartWithContracts(contracts)
  await publishLedgers(30)
  assert.deepEqual(await readPositionsFromApi(fixture), await readPositionsFromChain(fixture), 'the old market continues at its last state')
  assert.ok((await assertUnchanged(fixture, histories)).every((rows) => rows.length > 0))
  await assertLeaderboard(fixture)
  assert.equal(await reconcileAll(fixture), 0)
  assert.equal((await indexer(fixture)).compared?.positionsMissing, 0)
})

test('reports a missing market contract in health and metrics', async () => {
  const metrics = createMetrics({ clock: createVirtualClock(0), runtime: false })
  const isFound = async (): Promise<number | undefined> => samplesOf(await metrics.text()).get('gateway_index_market_found')
  await using fixture = await createGatewayFixture({ seed: 'no market', metrics, listen: true })
  const { publishLedgers } = fixture
  await publishLedgers(20)
  await reconcileAll(fixture)
  assert.deepEqual([(await indexer(fixture)).marketFound, await isFound()], [true, 1])
  const { contracts } = fixture.network
  await fixture.restartWithContracts({ ...contracts, market: NO_CONTRACT })
  await fixture.catchUp()
  assert.equal(await fixture.indexer.compare(), null)
  fixture.clock.advance(1_000)
  assert.deepEqual([(await indexer(fixture)).marketFound, await isFound()], [false, 0])
  assert.deepEqual(await readPositionsFromApi(fixture), [])

  await fixture.restartWithContracts(contracts)
  await fixture.catchUp()
  await reconcileAll(fixture)
  assert.equal((await indexer(fixture)).marketFound, true)
  assert.deepEqual(await readPositionsFromApi(fixture), await readPositionsFromChain(fixture))
})
