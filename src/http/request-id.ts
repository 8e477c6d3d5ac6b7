// Every response carries x-request-id (specification, "Global conventions"): the value sent by the client if it is valid, otherwise a new one.

import type { IncomingHttpHeaders } from 'node:http'
import type { Random } from '../base/random.ts'
import { REQUEST_ID_MAX_LENGTH } from '../limits.ts'

/** Characters that need no quoting in a log line or a header. */
const VALID = /^[A-Za-z0-9._:+/=@~-]+$/

export type RequestIds = (headers: IncomingHttpHeaders) => string

/** A new id is a random prefix per process and a counter: unique, short and cheap. */
export function createRequestIds(random: Random): RequestIds {
  const prefix = Buffer.from(random.bytes(6)).toString('hex')
  let counter = 0
  return (headers) => {
    const clientId = headers['x-request-id']
    if (typeof clientId === 'string' && clientId.length <= REQUEST_ID_MAX_LENGTH && VALID.test(clientId)) return clientId
    counter += 1
    return `${prefix}-${counter.toString(36)}`
  }
}
