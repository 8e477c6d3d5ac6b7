// Every answer carries x-request-id (specification, "Global conventions"): the client's own value when it is sane, else a new one.

import type { IncomingHttpHeaders } from 'node:http'
import type { Random } from '../base/random.ts'
import { REQUEST_ID_MAX_LENGTH } from '../limits.ts'

/** What may stand in a log line and in a header without quoting. */
const SANE = /^[A-Za-z0-9._:+/=@~-]+$/

/** Gives each request its id. */
export type RequestIds = (headers: IncomingHttpHeaders) => string

/** New ids are a prefix rolled once per process and a counter: unique, short, and cheap enough for every request. */
export function createRequestIds(random: Random): RequestIds {
  const prefix = Buffer.from(random.bytes(6)).toString('hex')
  let counter = 0
  return (headers) => {
    const own = headers['x-request-id']
    if (typeof own === 'string' && own.length <= REQUEST_ID_MAX_LENGTH && SANE.test(own)) return own
    counter += 1
    return `${prefix}-${counter.toString(36)}`
  }
}
