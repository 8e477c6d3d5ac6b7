import type { FastifyReply } from 'fastify'

/** Aborts when the client disconnects before the response is sent. The `close` event of the request fires too early: when the body has been read. */
export function clientDisconnected(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
