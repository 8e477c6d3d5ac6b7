// Every endpoint as a method, and every list as an iterator.

import { UnexpectedAnswer } from './errors.ts'
import { ENDPOINTS, LISTS } from './generated/endpoint-table.ts'
import type { operations } from './generated/openapi.ts'
import type { Answer, Call, CallOptions, Http } from './http.ts'

export type EndpointName = keyof typeof ENDPOINTS
/** The lists that continue page by page. */
export type ListName = keyof typeof LISTS

/** Parameters of the path or of the query; `unknown`, which an intersection drops, for an endpoint that takes none. */
type Taken<Parameters> = [NonNullable<Parameters>] extends [never] ? unknown : NonNullable<Parameters>
type Fields<Parameters> = unknown extends Parameters ? Readonly<Record<string, never>> : { readonly [Name in keyof Parameters]: Parameters[Name] }
type InputOf<Name extends EndpointName> = operations[Name] extends { readonly requestBody: { readonly content: { readonly 'application/json': infer Body } } }
  ? Body & Taken<operations[Name]['parameters']['path']>
  : Fields<Taken<operations[Name]['parameters']['path']> & Taken<operations[Name]['parameters']['query']>>

interface Ok<Body> {
  readonly content: { readonly 'application/json': Body }
}
type Bytes = { readonly 'application/gzip': unknown } | { readonly 'application/octet-stream': unknown }
type BodyOf<Name extends EndpointName> =
  operations[Name]['responses'] extends { readonly 200: { readonly content: Bytes } } ? Uint8Array :
  operations[Name]['responses'] extends { readonly 200: { readonly content: { readonly 'text/plain': string } } } ? string :
  operations[Name]['responses'] extends { readonly 200: Ok<infer Body> } | { readonly 201: Ok<infer Body> } ? Body : never
type AnswerOf<Name extends EndpointName> = Answer<BodyOf<Name>>
type RowOf<Name extends ListName> = (typeof LISTS)[Name] extends keyof BodyOf<Name>
  ? BodyOf<Name>[(typeof LISTS)[Name]] extends readonly (infer Row)[] ? Row : never : never

/**
 * Every endpoint of the gateway, under its name in the OpenAPI document. Parameters of the path and of the query, or the body, are the fields of `input`, which
 * may be left out when none of them is required.
 */
export type Endpoints = {
  readonly [Name in keyof operations]: Readonly<Record<string, never>> extends InputOf<Name>
    ? (input?: InputOf<Name>, options?: CallOptions) => Promise<AnswerOf<Name>>
    : (input: InputOf<Name>, options?: CallOptions) => Promise<AnswerOf<Name>>
}

/** Lists as iterators. Cursors are positions in the log, so no row is lost or repeated while new rows arrive. */
export interface Lists {
  /** The pages of a list, from the first or from `input.cursor`. No page is requested after the loop ends. */
  pages<Name extends ListName>(name: Name, input?: InputOf<Name>, options?: CallOptions): AsyncIterableIterator<AnswerOf<Name>>
  /** The rows of a list, across pages. */
  rows<Name extends ListName>(name: Name, input?: InputOf<Name>, options?: CallOptions): AsyncIterableIterator<RowOf<Name>>
}

/**
 * POST endpoints that are safe to retry. Preparing stores nothing, and a second challenge replaces the first. A signed transaction has one hash and one
 * sequence number, so the network applies it once. Issuing a key consumes its challenge, and revoking a key twice gives a different response, so neither is
 * retried.
 */
const RETRYABLE_POSTS: ReadonlySet<EndpointName> = new Set(['prepareOrder', 'prepareAction', 'requestKeyChallenge', 'submitTransaction'])
/** Added to the time that the gateway may wait for a transaction. */
const SUBMIT_MARGIN_MS = 10_000
const SUBMIT_POLL_MS = 30_000

type Input = Readonly<Record<string, string | number | boolean | undefined>>
type Method = (input?: Input, options?: CallOptions) => Promise<Answer<unknown>>

export function createEndpoints(http: Http): Endpoints {
  const methods = (Object.entries(ENDPOINTS) as [EndpointName, string][]).map(([name, endpoint]): [string, Method] => {
    const [method = '', path = ''] = endpoint.split(' ')
    // A 503 of getReadiness is its result, not a failure to retry.
    const isRepeatable = (method === 'GET' && name !== 'getReadiness') || RETRYABLE_POSTS.has(name)
    return [name, (input = {}, options = {}) =>
      http.call(toCall({ method, path, isRepeatable }, input), name === 'submitTransaction' ? withSubmitTimeout(input, options) : options)]
  })
  return Object.fromEntries(methods) as unknown as Endpoints
}

/** The gateway responds to a submission when it is final, or when `pollTimeoutMs` is over. */
function withSubmitTimeout(input: Input, options: CallOptions): CallOptions {
  return { timeoutMs: Number(input['pollTimeoutMs'] ?? SUBMIT_POLL_MS) + SUBMIT_MARGIN_MS, ...options }
}

function toCall({ method, path: template, isRepeatable }: Call, input: Input): Call {
  const used = new Set<string>()
  const path = template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    used.add(name)
    return encodeURIComponent(String(input[name]))
  })
  const fields = Object.entries(input).filter(([name]) => !used.has(name))
  if (method === 'POST') return { method, path, isRepeatable, body: Object.fromEntries(fields) }
  const query = fields.flatMap(([name, value]) => (value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`]))
  return { method, path: query.length === 0 ? path : `${path}?${query.join('&')}`, isRepeatable }
}

export function createLists(endpoints: Endpoints): Lists {
  async function* pages<Name extends ListName>(name: Name, input?: InputOf<Name>, options?: CallOptions): AsyncIterableIterator<AnswerOf<Name>> {
    const read = endpoints[name] as unknown as (input: Input, options?: CallOptions) => Promise<AnswerOf<Name>>
    // A cursor also says how many rows to skip.
    const { offset, ...filters } = (input ?? {}) as Input
    let cursor: string | undefined
    for (;;) {
      const page = await read(cursor === undefined ? { ...filters, offset } : { ...filters, cursor }, options)
      const next = nextCursorOf(page)
      if (next !== null && next === cursor) throw new UnexpectedAnswer(`${name}: the next page is this same page.`)
      yield page
      if (next === null) return
      cursor = next
    }
  }
  return {
    pages,
    async *rows<Name extends ListName>(name: Name, input?: InputOf<Name>, options?: CallOptions): AsyncIterableIterator<RowOf<Name>> {
      for await (const page of pages(name, input, options)) {
        yield* (page.body as unknown as Readonly<Record<string, readonly RowOf<Name>[]>>)[LISTS[name]] ?? []
      }
    },
  }
}

/** Gateways of earlier versions have the cursor in the Link header only. */
function nextCursorOf({ body, next }: Answer<unknown>): string | null {
  const { nextCursor } = body as { readonly nextCursor?: unknown }
  if (typeof nextCursor === 'string' || nextCursor === null) return nextCursor
  return next === null ? null : new URLSearchParams(next.slice(next.indexOf('?'))).get('cursor')
}
