// X-Min-Ledger: answers from the index that are of this ledger or a later one (docs/decisions/read-your-writes.md). Routes take it by their schema.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientDisconnected } from './client-disconnected.ts'
import { HttpFailure } from './errors.ts'

const HEADER = 'x-min-ledger'

/** The part of a route's schema by which it takes the header. */
export const MIN_LEDGER_HEADERS = {
  type: 'object',
  properties: {
    [HEADER]: {
      type: 'string',
      pattern: '^(0|[1-9][0-9]{0,9})$',
      format: 'u32',
      description:
        'Waits up to 5 seconds until this ledger is indexed, so that the answer holds what a transaction of that ledger did; 409 when it is not indexed by ' +
        'then',
      examples: ['1234567'],
    },
  },
} as const

/** Waits until a ledger is indexed or cannot be waited for any longer; resolves with the last indexed one. `caller` is what the caller is counted by. */
export type WaitUntilIndexed = (ledger: number, caller: string, signal: AbortSignal) => Promise<number>

/** Makes every route whose schema takes the header wait for it, behind everything that may refuse the request. */
export function supportMinLedger(app: FastifyInstance, untilIndexed: WaitUntilIndexed): void {
  async function wait(request: FastifyRequest, reply: FastifyReply): Promise<Error | undefined> {
    const ledger = minLedgerOf(request)
    try {
      const last = ledger === 0 ? 0 : await untilIndexed(ledger, request.caller.bucket, clientDisconnected(reply))
      return last >= ledger ? undefined : new HttpFailure({ status: 409, body: { error: 'not_yet', ledger: last } })
    } catch (error) {
      return error as Error
    }
  }

  const hook = (request: FastifyRequest, reply: FastifyReply, proceed: (error?: Error) => void): void => {
    if (request.raw.headers[HEADER] === undefined) proceed()
    else void wait(request, reply).then(proceed)
  }

  app.addHook('onRoute', (route) => {
    if (route.schema?.headers !== MIN_LEDGER_HEADERS) return
    const earlier = route.preHandler === undefined ? [] : [route.preHandler].flat()
    // The route of HEAD is made from that of GET, which has it already.
    if (!earlier.includes(hook)) route.preHandler = [hook, ...earlier]
  })
}

/** The ledger that a request asks for at least; 0 when it asks for none. To be called behind validation. */
export function minLedgerOf(request: FastifyRequest): number {
  const text = request.raw.headers[HEADER]
  return typeof text === 'string' ? Number(text) : 0
}

/** Keeps caches from handing an answer that they may keep to somebody who asks for a later one. */
export function varyByMinLedger(reply: FastifyReply): void {
  const before = reply.getHeader('vary')
  reply.header('vary', before === undefined ? 'X-Min-Ledger' : `${String(before)}, X-Min-Ledger`)
}
