// Headers that a request may have once. Node takes the first of several, other servers the last one: a proxy and the gateway must not see different requests.

import type { FastifyInstance } from 'fastify'
import { validationFailure } from './errors.ts'

const SINGLE_HEADERS = ['host', 'authorization'] as const

/** Rejects requests that repeat one of these headers with 400, and closes their connection: what follows may be meant as a part of such a request. */
export function rejectRepeatedHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const repeated = repeatedHeader(request.raw.rawHeaders)
    if (repeated === undefined) {
      done()
      return
    }
    reply.header('connection', 'close')
    done(validationFailure(`headers/${repeated}`, 'must be given once'))
  })
}

/** The first of these headers that a request has more than once. */
export function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  return SINGLE_HEADERS.find((header) => countHeader(rawHeaders, header) > 1)
}

/** `rawHeaders` has names and values in turn, as received. */
function countHeader(rawHeaders: readonly string[], header: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === header.length && name.toLowerCase() === header) count += 1
  }
  return count
}
