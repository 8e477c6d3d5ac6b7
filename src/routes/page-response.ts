// A page of rows as an answer: body, state of the index, and where the list goes on.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { defined } from '../base/assert.ts'
import type { TtlCache } from '../base/ttl-cache.ts'
import { CACHE_ONE_SECOND, CACHE_PRIVATE, CACHE_REVALIDATE, indexHeaders, nextLink, prepareResponse } from '../http/response.ts'
import type { PreparedResponse } from '../http/response.ts'
import { minLedgerOf } from '../http/min-ledger.ts'
import type { Page } from '../projections/page.ts'

/** Serialises `body`, which holds the page's rows, through the route's response schema. */
export function pageResponse(request: FastifyRequest, reply: FastifyReply, page: Page<unknown>, body: object): PreparedResponse {
  return responseOf(reply, page, body, { url: request.raw.url ?? '', cacheControl: CACHE_REVALIDATE })
}

/** The same for a page that is kept and handed to others: `url` says what was asked for, without what one client had in its own address. */
export function sharedPageResponse(url: string, reply: FastifyReply, page: Page<unknown>, body: object): PreparedResponse {
  return responseOf(reply, page, body, { url, cacheControl: CACHE_ONE_SECOND })
}

/** The same for a page of an account's own; `url` is where the list goes on. */
export function privatePageResponse(url: string, reply: FastifyReply, page: Page<unknown>, body: object): PreparedResponse {
  return responseOf(reply, page, body, { url, cacheControl: CACHE_PRIVATE })
}

function responseOf(reply: FastifyReply, page: Page<unknown>, body: object, how: { readonly url: string; readonly cacheControl: string }): PreparedResponse {
  return prepareResponse(serialiseBody(reply, body), {
    'cache-control': how.cacheControl,
    ...indexHeaders(page.head),
    ...(page.next === null ? {} : nextLink(how.url, page.next)),
  })
}

/** An answer that is kept for a while, unless the request asks for a later ledger than it was read at: then it is read anew, and kept. */
export function cachedResponse(
  request: FastifyRequest,
  kept: TtlCache<PreparedResponse>,
  how: { readonly key: string; readonly read: () => Promise<PreparedResponse> },
): PreparedResponse | Promise<PreparedResponse> {
  const response = kept.get(how.key, how.read)
  const ledger = minLedgerOf(request)
  if (ledger === 0) return response
  return Promise.resolve(response).then((found) => {
    if (Number(found.headers['x-ledger']) >= ledger) return found
    kept.delete(how.key)
    // Whoever reads by now began when that ledger was indexed.
    return kept.get(how.key, how.read)
  })
}

/** The body of a 200 through the route's response schema: exactly the documented fields leave the house. */
export function serialiseBody(reply: FastifyReply, body: object): string {
  const serialise = defined(reply.getSerializationFunction('200', 'application/json'), 'the response schema of the route')
  return serialise(body as Record<string, unknown>)
}
