// The common part of POST /v1/orders/prepare and POST /v1/actions/prepare.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { createCache } from '../base/cache.ts'
import type { Log } from '../base/log.ts'
import type { CallFields } from '../exchange/contracts/call-arguments.ts'
import { encodeCall, findForm, findUnsupportedField, typesOf } from '../exchange/contracts/call-forms.ts'
import type { CallDefinition } from '../exchange/contracts/call-forms.ts'
import { declaredSignature } from '../exchange/contracts/contract-interface.ts'
import type { ContractKey } from '../exchange/contracts/contracts.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { callerKey } from '../http/caller.ts'
import { clientDisconnected } from '../http/client-disconnected.ts'
import { HttpFailure, validationFailure } from '../http/errors.ts'
import type { RequestedCall } from '../http/key-rules.ts'
import { requesterOf } from '../http/requester.ts'
import { CACHE_NEVER, JSON_TYPE } from '../http/response.ts'
import { SimulationFailed } from '../trading/relay/prepare.ts'
import type { Prepare, PrepareRequest } from '../trading/relay/prepare.ts'
import type { PreparedTransaction } from '../resources/prepared-transaction.ts'
import type { RecordPrepared, RequireFreeClientId } from '../trading/preparations.ts'
import { isEntry } from './entry-caps.ts'
import type { EntryCaps } from './entry-caps.ts'
import { requireSupportedAsset } from './known-asset.ts'

export interface PreparingParts {
  readonly prepare: Prepare
  readonly recordPrepared: RecordPrepared
  readonly requireFreeClientId: RequireFreeClientId
  readonly deployment: CurrentDeployment
  readonly reportRefusal: RefusalReport
  readonly caps: EntryCaps
}

/** The call that the body of a prepare request asks for. */
export function preparedCall(body: unknown): RequestedCall {
  const { op, asset, leverage } = body as PreparedCall['fields']
  return { op, signer: null, isEntry: isEntry({ op }), ...(asset === undefined ? {} : { asset }), ...(leverage === undefined ? {} : { leverage }) }
}

/** A call that the deployed contract does not accept. */
interface Refusal {
  readonly op: string
  readonly contract: ContractKey
  /** Null while the code of the contract is unknown. */
  readonly wasmHash: string | null
  readonly expected: string
  readonly found: string | null
}

export type RefusalReport = (refusal: Refusal) => void

/** More combinations of operation and code than a process meets. */
const REPORTED_MAX = 1_000

/** Logs each operation once for each code that does not accept it. */
export function createRefusalReport(log: Log): RefusalReport {
  const reported = createCache<string, true>(REPORTED_MAX)
  return (refusal) => {
    const key = `${refusal.op} ${refusal.wasmHash}`
    if (reported.has(key)) return
    reported.set(key, true)
    log.warn({ ...refusal }, 'the deployed contract does not accept the arguments of this operation, so it is refused')
  }
}

interface PreparedCall extends PreparingParts {
  /** The request's body. */
  readonly fields: Partial<CallFields> & { readonly op: string; readonly clientId?: string }
  readonly definition: CallDefinition
}

/** Prepares a transaction and sends it. Stops if the client disconnects. Throws 400 `simulation_failed` if the simulation fails. */
export async function sendPrepared(request: FastifyRequest, reply: FastifyReply, parts: PreparedCall): Promise<void> {
  requireSupportedAsset(parts.deployment.current.assets, parts.fields)
  const key = callerKey(request)
  await parts.caps.check(key, parts.fields)
  const call = callOf(parts, key.owner)
  const disconnected = clientDisconnected(reply)
  try {
    const prepared = await parts.prepare(call, { signal: disconnected, requester: requesterOf(request).address })
    const { hash, op, clientId, expiresAt } = prepared
    const isStored = await parts.recordPrepared({ hash, owner: call.trader, op, clientId, expiresAt })
    await parts.caps.reserve(key, parts.fields, { hash, innerHash: null, expiresAtMs: expiresAt * 1_000 })
    const body: PreparedTransaction = isStored ? prepared : { ...prepared, clientId: null, stored: false }
    reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify(body))
  } catch (error) {
    if (disconnected.aborted) {
      reply.hijack()
      return
    }
    if (!(error instanceof SimulationFailed)) throw error
    // A repeated request can fail because the first one did what it asks for: the position is closed already.
    if (call.clientId !== null) await parts.requireFreeClientId(call.trader, call.clientId)
    throw toHttpFailure(error)
  }
}

/** The call in the form that the deployed contract accepts. Throws `unsupported_by_deployment` if it cannot do what the request says. */
function callOf({ fields, definition, deployment, reportRefusal }: PreparedCall, trader: string): PrepareRequest {
  const { contracts, interfaces, targetOf } = deployment.current
  const form = findForm(definition, targetOf(definition.contract))
  if (form === undefined) {
    const declared = interfaces[definition.contract]
    const refusal = { op: fields.op, expected: signatureOf(definition), found: declaredSignature(declared, definition.functionName) }
    reportRefusal({ ...refusal, contract: definition.contract, wasmHash: declared?.wasmHash ?? null })
    throw new HttpFailure({ status: 503, body: { error: UNSUPPORTED, message: UNSUPPORTED_OPERATION, ...refusal }, isCallersDoing: true })
  }
  const field = findUnsupportedField(definition, form, fields)
  if (field !== undefined) throw new HttpFailure({ status: 400, body: { error: UNSUPPORTED,
    message: `The contracts of this deployment do not take ${field}. Leave it out.`, field } })
  const encode = (values: Partial<CallFields>): ReturnType<typeof encodeCall> => encodeCall(definition, form, { fields: values, signer: trader, contracts })
  const { slippageBps } = fields
  if (slippageBps !== undefined && BigInt(fields.acceptablePrice ?? 0) !== 0n) {
    throw validationFailure('body/slippageBps', 'must not be combined with acceptablePrice')
  }
  return {
    op: fields.op, trader, clientId: fields.clientId ?? null, ...encode(fields),
    priceBound: slippageBps === undefined ? null : { slippageBps, argsWith: (price) => encode({ ...fields, acceptablePrice: String(price) }).args },
  }
}

const UNSUPPORTED = 'unsupported_by_deployment'
const UNSUPPORTED_OPERATION = 'The contracts of this deployment cannot do this operation. GET /v1/health shows what is deployed.'

function signatureOf({ functionName, forms: [newest] }: CallDefinition): string {
  return `${functionName}(${newest === undefined ? '' : typesOf(newest).join(', ')})`
}

function toHttpFailure({ message, contractError }: SimulationFailed): HttpFailure {
  return new HttpFailure({ status: 400, body: { error: 'simulation_failed', message, contractError } })
}
