// Responses with a page of rows: body, index headers, and how the list continues.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { defined } from '../base/assert.ts'
import type { TtlCache } from '../base/ttl-cache.ts'
import {
  CACHE_AS_OF, CACHE_AS_OF_PRIVATE, CACHE_ONE_SECOND, CACHE_PRIVATE, CACHE_REVALIDATE, indexHeaders, nextLink, prepareResponse,
} from '../http/response.ts'
import type { PreparedResponse } from '../http/response.ts'
import { minLedgerOf } from '../http/min-ledger.ts'
import type { Head, Page } from '../projections/log/page.ts'
import { pageMembers } from '../resources/page-members.ts'

/** Serialises `body`, which contains the rows of the page, and the members that continue the list, with the response schema of the route. */
export function pageResponse(request: FastifyRequest, reply: FastifyReply, page: Page<unknown>, body: object): PreparedResponse {
  return responseOf(reply, page, body, { url: request.raw.url ?? '', cacheControl: CACHE_REVALIDATE })
}

/** For pages cached for several clients. `url` is the canonical URL of the request. */
export function sharedPageResponse(url: string, reply: FastifyReply, page: Page<unknown>, body: object): PreparedResponse {
  return responseOf(reply, page, body, { url, cacheControl: CACHE_ONE_SECOND })
}

/** For pages of one account. `url` is the URL that continues the list. */
export function privatePageResponse(url: string, reply: FastifyReply, page: Page<unknown>, body: object): PreparedResponse {
  return responseOf(reply, page, body, { url, cacheControl: CACHE_PRIVATE })
}

/** As of a past ledger that cannot change any more, caches may keep the answer; as of any other, they must revalidate it. */
function cacheControlOf({ asOf }: Head, present: string): string {
  if (asOf === undefined) return present
  if (present === CACHE_PRIVATE) return asOf.final ? CACHE_AS_OF_PRIVATE : CACHE_PRIVATE
  return asOf.final ? CACHE_AS_OF : CACHE_REVALIDATE
}

/** A body that was read from one state of the index. */
export function stateResponse(text: string, head: Head, cacheControl: string): PreparedResponse {
  return prepareResponse(text, { 'cache-control': cacheControlOf(head, cacheControl), ...indexHeaders(head) })
}

interface PageOptions {
  readonly url: string
  readonly cacheControl: string
}

function responseOf(reply: FastifyReply, page: Page<unknown>, body: object, options: PageOptions): PreparedResponse {
  return prepareResponse(serialiseBody(reply, { ...body, ...pageMembers(page.next) }), {
    'cache-control': cacheControlOf(page.head, options.cacheControl),
    ...indexHeaders(page.head),
    ...(page.next === null ? {} : nextLink(options.url, page.next)),
  })
}

/** Returns a cached response. If it is older than X-Min-Ledger, reads and caches a new one. */
export function cachedResponse(
  request: FastifyRequest,
  cache: TtlCache<PreparedResponse>,
  entry: { readonly key: string; readonly read: () => Promise<PreparedResponse> },
): PreparedResponse | Promise<PreparedResponse> {
  const response = cache.get(entry.key, entry.read)
  const ledger = minLedgerOf(request)
  if (ledger === 0) return response
  return Promise.resolve(response).then((found) => {
    if (Number(found.headers['x-ledger']) >= ledger) return found
    cache.delete(entry.key)
    // Any read in progress now started after that ledger was indexed.
    return cache.get(entry.key, entry.read)
  })
}

/** Serialises the body of a 200 response with the route's schema, which drops undocumented fields. */
export function serialiseBody(reply: FastifyReply, body: object): string {
  const serialise = defined(reply.getSerializationFunction('200', 'application/json'), 'the response schema of the route')
  return serialise(body as Record<string, unknown>)
}
