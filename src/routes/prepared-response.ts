import type { FastifyReply, FastifyRequest } from 'fastify'
import { CACHE_NEVER, JSON_TYPE } from '../http/response.ts'
import { clientDisconnected } from '../http/client-disconnected.ts'
import { HttpFailure } from '../http/errors.ts'
import { SimulationFailed } from '../relay/prepare.ts'
import type { Prepare, PrepareRequest } from '../relay/prepare.ts'
import { requesterOf } from '../http/requester.ts'

/** Prepares a transaction and sends it. Stops if the client disconnects. Throws 400 `simulation_failed` if the simulation fails. */
export async function sendPrepared(
  request: FastifyRequest, reply: FastifyReply, parts: { readonly prepare: Prepare; readonly call: PrepareRequest },
): Promise<void> {
  const disconnected = clientDisconnected(reply)
  try {
    const prepared = await parts.prepare(parts.call, { signal: disconnected, requester: requesterOf(request).address })
    reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify(prepared))
  } catch (error) {
    if (disconnected.aborted) reply.hijack()
    else throw error instanceof SimulationFailed ? toHttpFailure(error) : error
  }
}

function toHttpFailure({ message, contractError }: SimulationFailed): HttpFailure {
  return new HttpFailure({ status: 400, body: { error: 'simulation_failed', message, contractError } })
}
