// A page of rows as an answer: body, state of the index, and where the list goes on.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { defined } from '../base/assert.ts'
import { CACHE_ONE_SECOND, CACHE_PRIVATE, CACHE_REVALIDATE, indexHeaders, nextLink, prepareAnswer } from '../http/answer.ts'
import type { Answer } from '../http/answer.ts'
import type { Page } from '../projections/page.ts'

/** Serialises `body`, which holds the page's rows, through the route's response schema. */
export function pageAnswer(request: FastifyRequest, reply: FastifyReply, page: Page<unknown>, body: object): Answer {
  return answerOf(reply, page, body, { url: request.raw.url ?? '', cacheControl: CACHE_REVALIDATE })
}

/** The same for a page that is kept and handed to others: `url` says what was asked for, without what one client had in its own address. */
export function sharedPageAnswer(url: string, reply: FastifyReply, page: Page<unknown>, body: object): Answer {
  return answerOf(reply, page, body, { url, cacheControl: CACHE_ONE_SECOND })
}

/** The same for a page of an account's own; `url` is where the list goes on. */
export function ownPageAnswer(url: string, reply: FastifyReply, page: Page<unknown>, body: object): Answer {
  return answerOf(reply, page, body, { url, cacheControl: CACHE_PRIVATE })
}

function answerOf(reply: FastifyReply, page: Page<unknown>, body: object, how: { readonly url: string; readonly cacheControl: string }): Answer {
  return prepareAnswer(serialiseBody(reply, body), {
    'cache-control': how.cacheControl,
    ...indexHeaders(page.head),
    ...(page.next === null ? {} : nextLink(how.url, page.next)),
  })
}

/** The body of a 200 through the route's response schema: exactly the documented fields leave the house. */
export function serialiseBody(reply: FastifyReply, body: object): string {
  const serialise = defined(reply.getSerializationFunction('200', 'application/json'), 'the response schema of the route')
  return serialise(body as Record<string, unknown>)
}
