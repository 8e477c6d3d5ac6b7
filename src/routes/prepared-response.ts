// A prepared transaction as an answer, or why the network would refuse it.

import type { FastifyReply } from 'fastify'
import { CACHE_NEVER, JSON_TYPE } from '../http/response.ts'
import { clientDisconnected } from '../http/client-disconnected.ts'
import { HttpFailure } from '../http/errors.ts'
import { SimulationFailed } from '../relay/prepare.ts'
import type { PreparedTransaction } from '../resources/prepared-transaction.ts'

/** Prepares for as long as the caller is there, and answers. A call that the network would refuse is 400 `simulation_failed`. */
export async function sendPrepared(reply: FastifyReply, prepare: (disconnected: AbortSignal) => Promise<PreparedTransaction>): Promise<void> {
  const disconnected = clientDisconnected(reply)
  try {
    const prepared = await prepare(disconnected)
    reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify(prepared))
  } catch (error) {
    // Nobody is there to be answered.
    if (disconnected.aborted) reply.hijack()
    else throw error instanceof SimulationFailed ? refusalOf(error) : error
  }
}

function refusalOf({ message, contractError }: SimulationFailed): HttpFailure {
  return new HttpFailure({ status: 400, body: { error: 'simulation_failed', message, contractError } })
}
