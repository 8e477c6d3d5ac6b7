// What POST /v1/orders/prepare and POST /v1/actions/prepare have in common.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CallFields } from '../exchange/call-arguments.ts'
import { encodeCall, findForm, findUnsupportedField, typesOf } from '../exchange/call-forms.ts'
import type { CallDefinition } from '../exchange/call-forms.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { callerKey } from '../http/caller.ts'
import { clientDisconnected } from '../http/client-disconnected.ts'
import { HttpFailure } from '../http/errors.ts'
import { requesterOf } from '../http/requester.ts'
import { CACHE_NEVER, JSON_TYPE } from '../http/response.ts'
import { SimulationFailed } from '../relay/prepare.ts'
import type { Prepare, PrepareRequest } from '../relay/prepare.ts'
import { requireSupportedAsset } from './known-asset.ts'

export interface PreparingParts {
  readonly prepare: Prepare
  readonly deployment: CurrentDeployment
}

interface PreparedCall extends PreparingParts {
  /** The request's body. */
  readonly fields: Partial<CallFields> & { readonly op: string }
  readonly definition: CallDefinition
}

/** Prepares a transaction and sends it. Stops if the client disconnects. Throws 400 `simulation_failed` if the simulation fails. */
export async function sendPrepared(request: FastifyRequest, reply: FastifyReply, parts: PreparedCall): Promise<void> {
  requireSupportedAsset(parts.deployment.current.assets, parts.fields)
  const call = callOf(parts, callerKey(request).owner)
  const disconnected = clientDisconnected(reply)
  try {
    const prepared = await parts.prepare(call, { signal: disconnected, requester: requesterOf(request).address })
    reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify(prepared))
  } catch (error) {
    if (disconnected.aborted) reply.hijack()
    else throw error instanceof SimulationFailed ? toHttpFailure(error) : error
  }
}

/** The call in the form that the deployed contract accepts. Throws `unsupported_by_deployment` if it cannot do what the request says. */
function callOf({ fields, definition, deployment }: PreparedCall, trader: string): PrepareRequest {
  const { contracts, targetOf } = deployment.current
  const form = findForm(definition, targetOf(definition.contract))
  if (form === undefined) throw new HttpFailure({ status: 503, body: { error: UNSUPPORTED, op: fields.op, expected: signatureOf(definition), found: null } })
  const field = findUnsupportedField(definition, form, fields)
  if (field !== undefined) throw new HttpFailure({ status: 400, body: { error: UNSUPPORTED, field } })
  return { op: fields.op, trader, ...encodeCall(definition, form, { fields, signer: trader, contracts }) }
}

const UNSUPPORTED = 'unsupported_by_deployment'

function signatureOf({ functionName, forms: [newest] }: CallDefinition): string {
  return `${functionName}(${newest === undefined ? '' : typesOf(newest).join(', ')})`
}

function toHttpFailure({ message, contractError }: SimulationFailed): HttpFailure {
  return new HttpFailure({ status: 400, body: { error: 'simulation_failed', message, contractError } })
}
