// X-Min-Ledger: delays a response until the index has reached a ledger (docs/decisions/read-your-writes.md). Routes opt in with their schema.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Requester } from '../base/fair-share.ts'
import { clientDisconnected } from './client-disconnected.ts'
import { HttpFailure } from './errors.ts'
import { excludeWait } from './observe.ts'
import { requesterOf } from './requester.ts'

const HEADER = 'x-min-ledger'

/** The `headers` schema of routes that support X-Min-Ledger. */
export const MIN_LEDGER_HEADERS = {
  type: 'object',
  properties: {
    [HEADER]: {
      type: 'string',
      pattern: '^(0|[1-9][0-9]{0,9})$',
      format: 'u32',
      description:
        'Waits up to 5 seconds until this ledger is indexed, so that the response includes the effects of a transaction in that ledger. Returns 409 if it is ' +
        'not indexed by then.',
      examples: ['1234567'],
    },
  },
} as const

/** Waits until `ledger` is indexed or the wait times out. Resolves with the last indexed ledger. Requesters share the number of concurrent waits. */
export type WaitUntilIndexed = (ledger: number, requester: Requester, signal: AbortSignal) => Promise<number>

/** Adds the wait to every route whose schema has the header, after all checks that may reject the request. */
export function supportMinLedger(app: FastifyInstance, waitUntilIndexed: WaitUntilIndexed): void {
  async function wait(request: FastifyRequest, reply: FastifyReply): Promise<Error | undefined> {
    const ledger = minLedgerOf(request)
    const beganMs = reply.elapsedTime
    try {
      const last = ledger === 0 ? 0 : await waitUntilIndexed(ledger, requesterOf(request), clientDisconnected(reply))
      return last >= ledger ? undefined : notYet(ledger, last)
    } catch (error) {
      return error as Error
    } finally {
      excludeWait(reply, reply.elapsedTime - beganMs)
    }
  }

  const hook = (request: FastifyRequest, reply: FastifyReply, proceed: (error?: Error) => void): void => {
    if (request.raw.headers[HEADER] === undefined) proceed()
    else void wait(request, reply).then(proceed)
  }

  app.addHook('onRoute', (route) => {
    if (route.schema?.headers !== MIN_LEDGER_HEADERS) return
    const earlier = route.preHandler === undefined ? [] : [route.preHandler].flat()
    // Fastify derives HEAD routes from GET routes, which already have the hook.
    if (!earlier.includes(hook)) route.preHandler = [hook, ...earlier]
  })
}

function notYet(ledger: number, last: number): HttpFailure {
  const message = `Ledger ${ledger} is not indexed yet: the last indexed ledger is ${last}. Repeat the request.`
  return new HttpFailure({ status: 409, body: { error: 'not_yet', message, ledger: last } })
}

/** The value of X-Min-Ledger, or 0 if absent. Call it only after validation. */
export function minLedgerOf(request: FastifyRequest): number {
  const text = request.raw.headers[HEADER]
  return typeof text === 'string' ? Number(text) : 0
}

/** Keeps shared caches from serving a cached response to a request for a later ledger. */
export function varyByMinLedger(reply: FastifyReply): void {
  const before = reply.getHeader('vary')
  reply.header('vary', before === undefined ? 'X-Min-Ledger' : `${String(before)}, X-Min-Ledger`)
}
