import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createVirtualClock } from '../base/clock.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import type { PreparedResponse } from '../http/response.ts'
import { prepareResponse } from '../http/response.ts'
import type { Head, Page } from '../projections/log/page.ts'
import { cachedResponse, pageResponse, privatePageResponse, sharedPageResponse, stateResponse } from './page-response.ts'
import { atParameter, trimTrader } from './parameters.ts'
import { createSnapshotResponse } from './price-response.ts'

const REPLY = { getSerializationFunction: () => JSON.stringify } as unknown as FastifyReply

function requestOf(url: string, headers: Readonly<Record<string, string>> = {}): FastifyRequest {
  return { raw: { url, headers } } as unknown as FastifyRequest
}

function pageOf(next: string | null, head: Head = { ledger: 7, seq: 9, epoch: 'e1' }): Page<unknown> {
  return { rows: [], next, head, gaps: [] }
}

test('a page names its state and the next page, with the other parameters of its URL', () => {
  const { text, headers } = pageResponse(requestOf('/v1/trades?limit=2&cursor=old'), REPLY, pageOf('new'), { trades: [] })
  assert.deepEqual(JSON.parse(text), { trades: [], hasMore: true, nextCursor: 'new' })
  const { etag: _etag, ...others } = headers
  assert.deepEqual(others, { 'cache-control': 'no-cache', 'x-ledger': '7', 'x-seq': '9', 'x-epoch': 'e1', link: '</v1/trades?limit=2&cursor=new>; rel="next"' })
  const last = pageResponse(requestOf('/v1/trades'), REPLY, pageOf(null, { ledger: null, seq: 0, epoch: null }), {})
  assert.deepEqual([JSON.parse(last.text), last.headers['link'], last.headers['x-ledger'], last.headers['x-epoch']],
    [{ hasMore: false, nextCursor: null }, undefined, '0', undefined])
  assert.equal(atParameter(undefined), '')
  assert.equal(atParameter(0), '&at_ledger=0')
})

test('only answers as of a past ledger that cannot change any more are kept by caches', () => {
  const policies = (asOf?: Head['asOf']): unknown => {
    const page = pageOf(null, { ledger: 7, seq: 9, epoch: 'e1', ...(asOf === undefined ? {} : { asOf }) })
    return [pageResponse(requestOf('/'), REPLY, page, {}), sharedPageResponse('/', REPLY, page, {}), privatePageResponse('/', REPLY, page, {})]
      .map(({ headers }) => headers['cache-control'])
  }
  assert.deepEqual(policies(), ['no-cache', 'public, max-age=1', 'private, no-cache'])
  assert.deepEqual(policies({ final: true }), ['public, max-age=3600', 'public, max-age=3600', 'private, max-age=3600'])
  assert.deepEqual(policies({ final: false }), ['no-cache', 'no-cache', 'private, no-cache'])
  assert.equal(stateResponse('{}', { ledger: 7, seq: 9, epoch: 'e1', asOf: { final: true } }, 'no-cache').headers['cache-control'], 'public, max-age=3600')
})

test('a cached response older than X-Min-Ledger is read again', async () => {
  const cache = createTtlCache<PreparedResponse>({ clock: createVirtualClock(0), ttlMs: 1_000, maxEntries: 2 })
  let ledger = 5
  const read = (minLedger?: number): Promise<PreparedResponse> | PreparedResponse =>
    cachedResponse(requestOf('/', minLedger === undefined ? {} : { 'x-min-ledger': String(minLedger) }), cache, {
      key: 'k', read: () => Promise.resolve(prepareResponse('{}', { 'x-ledger': String(ledger) })),
    })
  const ledgerOf = async (minLedger?: number): Promise<unknown> => (await read(minLedger)).headers['x-ledger']
  assert.equal(await ledgerOf(), '5')
  ledger = 6
  assert.deepEqual([await ledgerOf(), await ledgerOf(5), await ledgerOf(6), await ledgerOf()], ['5', '5', '6', '6'])
})

test('spaces around a trader are ignored, and a trader of spaces is none', () => {
  const trimmed = (query: Record<string, unknown>): unknown => {
    let isDone = false
    trimTrader({ query } as unknown as FastifyRequest, REPLY, () => (isDone = true))
    assert.ok(isDone)
    return query
  }
  assert.deepEqual([trimmed({ trader: ' G ' }), trimmed({ trader: '  ' }), trimmed({ trader: '' }), trimmed({})], [{ trader: 'G' }, {}, {}, {}])
})

test('the response of a price snapshot is serialised once, and says when a price is outdated', () => {
  let serialised = 0
  const respond = createSnapshotResponse<number>((_snapshot, other) => `${other} ${++serialised}`)
  const [fresh, outdated] = [false, true].map((anyOutdated) => ({ prices: new Map(), anyOutdated }))
  assert.ok(fresh !== undefined && outdated !== undefined)
  const first = respond(fresh, 1)
  assert.equal(respond(fresh, 1), first)
  assert.deepEqual([first.text, first.headers['x-stale'], first.headers['cache-control']], ['1 1', undefined, 'public, max-age=1'])
  assert.equal(respond(fresh, 2).text, '2 2')
  assert.deepEqual([respond(outdated, 2).text, respond(outdated, 2).headers['x-stale']], ['2 3', '1'])
})
