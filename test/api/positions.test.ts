// GET /v1/positions/open.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeCursor } from '../../src/projections/log/page.ts'
import { storePositions } from '../../src/projections/positions/positions.ts'
import type { Position } from '../../src/projections/positions/positions.ts'
import type { OpenPosition } from '../../src/resources/open-position.ts'
import { END, assertForeignCursorsRejected, assertRejected, cursorIn, followPages, nextPage, rowsOf } from '../support/pagination.ts'
import type { Row } from '../support/pagination.ts'
import { closePosition, createChainTrader, applyInOneLedger, movePrice, readOpenPositionIds, openPosition } from '../support/traders.ts'
import type { ChainTrader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import type { ApiResponse } from '../support/keys.ts'

interface Positions {
  readonly positions: readonly OpenPosition[]
}

let fixture: GatewayFixture
let traders: readonly [ChainTrader, ChainTrader, ChainTrader]
let empty: ApiResponse<Positions>

async function list(query = ''): Promise<readonly OpenPosition[]> {
  const response = await fixture.get<Positions>(`/v1/positions/open?${query}`)
  assert.equal(response.status, 200, query)
  return response.body.positions
}

before(async () => {
  fixture = await createGatewayFixture({ seed: 'positions', traders: 0 })
  empty = await fixture.get<Positions>('/v1/positions/open')
  await fixture.closeLedgers(4)
  traders = [await createChainTrader(fixture, 'ada'), await createChainTrader(fixture, 'ben'), await createChainTrader(fixture, 'cleo')]
  for (const asset of ['BTC', 'HYPE', 'SOL']) {
    await applyInOneLedger(fixture, traders.map((trader, index) =>
      openPosition(trader, { asset, direction: asset === 'SOL' || index === 0 ? 0 : 1, collateral: 30 + index, leverage: 10 })))
  }
  await fixture.catchUp()
})
after(() => fixture[Symbol.asyncDispose]())

test('returns an empty list while nothing is indexed', () => {
  assert.deepEqual([empty.status, empty.body], [200, { positions: [], ...END }])
  assert.deepEqual([empty.headers['x-ledger'], empty.headers['x-seq'], empty.headers['link']], ['0', '0', undefined])
})

test('returns positions newest first, with exactly the specified fields, as in the opening events', async () => {
  const { body, headers } = await fixture.get<Positions>('/v1/positions/open')
  assert.deepEqual(Object.keys(body), ['positions', 'hasMore', 'nextCursor'])
  assert.equal(headers['cache-control'], 'no-cache')
  const opened = await rowsOf(fixture, '/v1/events?limit=500&topic=position_opened', 'events')
  assert.deepEqual(body.positions, opened.map(({ payload, ledgerCloseTs, txHash }) => {
    const { positionId, trader, asset, direction, size, entryPrice } = payload as Row
    return { positionId, trader, asset, direction, size, entryPrice, openedAt: ledgerCloseTs, openedTxHash: txHash, adlQuintile: null }
  }))
  for (const row of body.positions) {
    assert.deepEqual(Object.keys(row), ['positionId', 'trader', 'asset', 'direction', 'size', 'entryPrice', 'openedAt', 'openedTxHash', 'adlQuintile'])
  }
  assert.deepEqual(body.positions.map(({ openedAt }) => openedAt), body.positions.map(({ openedAt }) => openedAt).toSorted((a, b) => b - a))
  assert.equal(body.positions.length, 9)
})

test('lists the positions that the ledger has', async () => {
  for (const trader of traders) {
    assert.deepEqual((await list(`trader=${trader.address}`)).map(({ positionId }) => positionId), await readOpenPositionIds(fixture, trader))
  }
})

test('filters by trader and returns an empty list for a trader without positions', async () => {
  const all = await list()
  for (const { address } of traders) assert.deepEqual(await list(`trader=${address}`), all.filter(({ trader }) => trader === address))
  assert.deepEqual(await list(`trader=${'C'.repeat(56)}`), [])
  assert.deepEqual(await list(`trader=${traders[0].address.toLowerCase()}`), [])
})

test('rejects a trader that is not 56 characters or given twice; ignores limit', async () => {
  const { address } = traders[0]
  await assertRejected(fixture, '/v1/positions/open', [
    'trader=abc', `trader=${address}A`, `trader=${address}&trader=${address}`, `trader=${'%00'.repeat(56)}`,
  ])
  assert.deepEqual(await list('limit=1'), await list())
  assert.deepEqual(await list('limit=abc&before_ts=x'), await list())
})

test('removes closed and liquidated positions from the list', async () => {
  const [ada, ben] = traders
  const btc = (await list(`trader=${ada.address}`)).find(({ asset }) => asset === 'BTC')
  assert.ok(btc)
  await applyInOneLedger(fixture, [closePosition(ada, btc.positionId)])
  await movePrice(fixture, 'SOL', 80)
  await fixture.closeLedgers(6)
  await fixture.catchUp()
  const remaining = await list()
  assert.deepEqual(remaining.map(({ asset, trader }) => `${asset} ${traders.findIndex(({ address }) => address === trader)}`).toSorted(), [
    'BTC 1', 'BTC 2', 'HYPE 0', 'HYPE 1', 'HYPE 2',
  ])
  const closed = (await rowsOf(fixture, `/v1/trades?trader=${ben.address}`, 'trades')).map(({ kind, asset }) => [kind, asset])
  assert.deepEqual(closed, [['liquidation', 'SOL']])
})

test('a newly opened position is the first row of the next response', async () => {
  await applyInOneLedger(fixture, [openPosition(traders[1], { asset: 'LTC', direction: 1, collateral: 10, leverage: 1 })])
  await fixture.catchUp()
  const [first] = await list()
  assert.deepEqual([first?.asset, first?.trader, first?.direction, first?.size], ['LTC', traders[1].address, 1, first?.size])
  assert.equal(first?.openedAt, fixture.network.chain.history.latest().closeTimeSec)
})

/** Stores positions of one trader as the indexer does; opening hundreds on the network is too slow. */
async function seed(trader: string, count: number, from: number, state: Position['state'] = 'open'): Promise<void> {
  const positions = Array.from({ length: count }, (_, index): Position => ({
    positionId: from + index, trader, asset: 'BTC', direction: index % 2, size: 10n, entryPrice: 5n, openedSeq: from + index,
    openedAt: 1_900_000_000 + Math.floor(index / 7), openedTxHash: 'ab'.repeat(32), marginMode: null, state, sinceSeq: from + index,
  }))
  const [{ contractEpoch } = { contractEpoch: 0 }] =
    await fixture.store.read.query<{ contractEpoch: number }>('select max(contract_epoch) as "contractEpoch" from idx.epochs')
  await storePositions(fixture.store.write, contractEpoch, positions)
}

test('pages hold at most 200 rows of all traders or 500 of one, and every row once while positions open and close', async () => {
  const whale = 'G'.padEnd(56, 'W')
  await seed(whale, 700, 1_000_000)
  await seed('G'.padEnd(56, 'M'), 50, 2_000_000)
  for (const [query, cap] of [['', 200], [`trader=${whale}`, 500]] as const) {
    const first = await fixture.get<Positions>(`/v1/positions/open?${query}`)
    assert.equal(first.body.positions.length, cap)
    const second = await fixture.get<Positions>(nextPage(first.headers['link']) ?? '')
    assert.equal(second.body.positions.length, 200)
    let turns = 0
    const pages = await followPages(fixture, `/v1/positions/open?${query}`, 'positions', async () => {
      await seed('G'.padEnd(56, 'N'), 10, 3_000_000 + 10 * turns++)
      // Closes rows that earlier pages contained.
      await seed(whale, 30, 1_000_670, 'closed')
    })
    await seed(whale, 30, 1_000_670)
    const ids = pages.flat().map(({ positionId }) => Number(positionId))
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(ids.filter((id) => id >= 1_000_000 && id < 2_000_000), Array.from({ length: 700 }, (_, index) => 1_000_699 - index))
  }
})

test('accepts only the cursors of its own list', async () => {
  const own = cursorIn((await fixture.get('/v1/positions/open')).headers['link'])
  const foreign = [encodeCursor('trades', [5]), encodeCursor('events', [5]), encodeCursor('positions-open', ['a'])]
  await assertForeignCursorsRejected(fixture, '/v1/positions/open', own, foreign)
})
