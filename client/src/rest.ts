// Every endpoint as a method, and every list as an iterator.

import type { AccountEndpoints } from './account-endpoints.ts'
import { ENDPOINTS, LISTS } from './endpoint-table.ts'
import { UnexpectedAnswer } from './errors.ts'
import type { ExchangeEndpoints } from './exchange-endpoints.ts'
import type { Answer, Call, CallOptions, Http } from './http.ts'

/** Every endpoint of the gateway, under its name in the OpenAPI document. */
export interface Endpoints extends ExchangeEndpoints, AccountEndpoints {}

export type EndpointName = keyof typeof ENDPOINTS
/** The lists that go on page by page. */
export type ListName = keyof typeof LISTS

type InputOf<Name extends EndpointName> = Parameters<Endpoints[Name]>[0]
type AnswerOf<Name extends EndpointName> = Awaited<ReturnType<Endpoints[Name]>>
type RowOf<Name extends ListName> = AnswerOf<Name> extends Answer<infer Body>
  ? (typeof LISTS)[Name] extends keyof Body ? Body[(typeof LISTS)[Name]] extends readonly (infer Row)[] ? Row : never : never
  : never

/** Lists as iterators. Cursors are places in the log, so that nothing is lost or repeated while new rows arrive. */
export interface Lists {
  /** The pages of a list, from the first or from `input.cursor` on. Leaving the loop asks for no more. */
  pages<Name extends ListName>(name: Name, input?: InputOf<Name>, options?: CallOptions): AsyncIterableIterator<AnswerOf<Name>>
  /** The rows of a list, however many pages they take. */
  rows<Name extends ListName>(name: Name, input?: InputOf<Name>, options?: CallOptions): AsyncIterableIterator<RowOf<Name>>
}

/**
 * What may be done twice. Preparing keeps nothing, and a second challenge takes the place of the first. A signed transaction has one hash and one sequence
 * number, so that the network applies it once however often it is sent. Issuing a key uses up its challenge; revoking one is answered otherwise the second
 * time.
 */
const REPEATABLE: ReadonlySet<EndpointName> = new Set(['prepareOrder', 'prepareAction', 'requestKeyChallenge', 'submitTransaction'])
/** How much longer than the gateway may wait for a transaction its answer is waited for. */
const SUBMIT_PATIENCE_MS = 10_000
const SUBMIT_POLL_MS = 30_000

type Input = Readonly<Record<string, string | number | boolean | undefined>>
type Method = (input?: Input, options?: CallOptions) => Promise<Answer<unknown>>

export function createEndpoints(http: Http): Endpoints {
  const methods = (Object.entries(ENDPOINTS) as [EndpointName, string][]).map(([name, endpoint]): [string, Method] => {
    const [method = '', path = ''] = endpoint.split(' ')
    // That an instance is not ready is the answer, and no failure to ask again after.
    const isRepeatable = (method === 'GET' && name !== 'getReadiness') || REPEATABLE.has(name)
    return [name, (input = {}, options = {}) => {
      const how = name === 'submitTransaction' ? withSubmitTimeout(input, options) : options
      return http.call(callOf({ method, path, isRepeatable }, input), how)
    }]
  })
  return Object.fromEntries(methods) as unknown as Endpoints
}

/** The gateway answers a submission when it is final, or when the time that it was given is over. */
function withSubmitTimeout(input: Input, options: CallOptions): CallOptions {
  return { timeoutMs: Number(input['pollTimeoutMs'] ?? SUBMIT_POLL_MS) + SUBMIT_PATIENCE_MS, ...options }
}

function callOf({ method, path, isRepeatable }: Call, input: Input): Call {
  const used = new Set<string>()
  const filled = path.replaceAll(/\{(\w+)\}/g, (_part, name: string) => {
    used.add(name)
    return encodeURIComponent(String(input[name]))
  })
  if (method === 'POST') return { method, path: filled, isRepeatable, body: input }
  const query = Object.entries(input).flatMap(([name, value]) =>
    value === undefined || used.has(name) ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`])
  return { method, path: query.length === 0 ? filled : `${filled}?${query.join('&')}`, isRepeatable }
}

export function createLists(http: Http, endpoints: Endpoints): Lists {
  async function* pages<Name extends ListName>(name: Name, input?: InputOf<Name>, options?: CallOptions): AsyncIterableIterator<AnswerOf<Name>> {
    let answer = await (endpoints[name] as unknown as (input: unknown, options?: CallOptions) => Promise<Answer<unknown>>)(input, options)
    for (;;) {
      yield answer as AnswerOf<Name>
      const { next } = answer
      if (next === null) return
      answer = await http.call({ method: 'GET', path: next, isRepeatable: true }, options)
      if (answer.next === next) throw new UnexpectedAnswer(`${next}: the list does not go on`)
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
