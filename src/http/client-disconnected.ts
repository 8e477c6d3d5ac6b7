// A caller that has gone away while its answer was being made.

import type { FastifyReply } from 'fastify'

/** Aborts when the connection ends before the answer is out. The request's own `close` would not do: it comes as soon as the body was read. */
export function clientDisconnected(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return gone.signal
}
