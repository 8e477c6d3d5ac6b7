// Successful responses: body, weak etag and 304, cache policy, and the state of the index that the body was read from.

import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Tier } from './caller.ts'
import type { Outcome } from './rate-limit.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** For live values that are recomputed every few seconds. */
export const CACHE_ONE_SECOND = 'public, max-age=1'
/** For lists: caches may store them but must revalidate. The etag makes that cheap. */
export const CACHE_REVALIDATE = 'no-cache'
/** For lists of one account: as CACHE_REVALIDATE, but not in shared caches. */
export const CACHE_PRIVATE = 'private, no-cache'
/** For answers as of a past ledger. Only a repair of the archive, or a fact that is learned late, changes them. */
export const CACHE_AS_OF = 'public, max-age=3600'
export const CACHE_AS_OF_PRIVATE = 'private, max-age=3600'
export const CACHE_NEVER = 'no-store'

/** On every response. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const

/** On every response to a request that is counted. */
export function rateLimitHeaders(tier: Tier, { bucket, remaining, resetSec }: Outcome): Readonly<Record<string, string>> {
  const left = String(remaining)
  return {
    'x-ratelimit-tier': tier, 'x-ratelimit-remaining': left,
    'ratelimit-limit': String(bucket.limit), 'ratelimit-remaining': left, 'ratelimit-reset': String(resetSec),
  }
}

/** A response that is serialised once and sent many times. */
export interface PreparedResponse {
  /** A string, because Node writes it together with the headers in one call. That measured 10 % faster than a buffer. */
  readonly text: string
  readonly type: string
  readonly etag: string
  /** The value of content-length. */
  readonly length: string
  /** All headers except content-type and content-length, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/** A weak etag, because the content may be sent in several encodings. */
export function etagOf(content: string | Uint8Array): string {
  return `W/"${hash('sha1', content, 'base64url')}"`
}

export function prepareResponse(text: string, headers: Readonly<Record<string, string>>, type: string = JSON_TYPE): PreparedResponse {
  const etag = etagOf(text)
  return { text, type, etag, length: String(Buffer.byteLength(text)), headers: { ...headers, etag } }
}

/** Sends a prepared response, or 304 if the client already has it. */
export function sendResponse(request: FastifyRequest, reply: FastifyReply, response: PreparedResponse): void {
  reply.headers(response.headers)
  const ifNoneMatch = request.raw.headers['if-none-match']
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, response.etag)) {
    reply.code(304).send()
    return
  }
  reply.header('content-type', response.type).send(response.text)
}

/** Weak comparison, as If-None-Match requires: `*`, or a list of tags with or without `W/`. */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const opaque = etag.slice('W/'.length)
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === opaque)
}

/** The state of the index that a response was read from. */
export interface IndexHead {
  readonly ledger: number | null
  readonly seq: number
  /** Null if nothing is indexed. */
  readonly epoch: string | null
}

/** `x-ledger` is the last indexed ledger, `x-seq` the last sequence number of the log, and `x-epoch` its epoch. If nothing is indexed: 0, 0 and no epoch. */
export function indexHeaders(head: IndexHead): Readonly<Record<string, string>> {
  return { 'x-ledger': String(head.ledger ?? 0), 'x-seq': String(head.seq), ...(head.epoch === null ? {} : { 'x-epoch': head.epoch }) }
}

/** Link to the next page: the same URL with `cursor` set. Relative, so that it works behind any proxy. */
export function nextLink(url: string, cursor: string): Readonly<Record<string, string>> {
  const mark = url.indexOf('?')
  const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1))
  query.set('cursor', cursor)
  return { link: `<${mark === -1 ? url : url.slice(0, mark)}?${query.toString()}>; rel="next"` }
}
