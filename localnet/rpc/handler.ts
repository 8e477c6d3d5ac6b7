// The JSON-RPC door: the whole HTTP behaviour of a node as a function from a body to an answer. Sockets are in server.ts.

import type { Clock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import type { Chain } from '../chain.ts'
import type { Faults, TriggeredFault } from '../faults.ts'
import { callWithFaults, isCallFault } from './call-faults.ts'
import type { FaultState } from './fault-effect.ts'
import type { Friendbot } from './friendbot.ts'
import type { HttpResponse } from './http-response.ts'
import { emptyResponse, jsonResponse, textResponse } from './http-response.ts'
import { isHttpFault, respondWithFaults } from './http-faults.ts'
import { errorMessage, parseBody, resultMessage } from './json-rpc.ts'
import type { RpcMessage } from './json-rpc.ts'
import { REQUEST_BODY_MAX_BYTES, RETENTION_LEDGERS_DEFAULT } from './limits.ts'
import type { MethodContext } from './method.ts'
import { METHODS } from './methods.ts'
import { paramsObject } from './params.ts'
import type { Params } from './params.ts'
import { RPC_CODES, RpcError } from './rpc-error.ts'

/** A method beyond those of a real node. Its RangeError is answered as -32602 with the error's text. */
export type ExtraMethod = (params: Params) => Promise<unknown>

export interface RpcHandlerOptions {
  readonly chain: Chain
  readonly faults: Faults
  /** null: no friendbot is served, and getNetwork names none. */
  readonly friendbot: Friendbot | null
  readonly clock: Clock
  readonly log: Log
  readonly extraMethods?: Readonly<Record<string, ExtraMethod>>
  /** What getHealth tells of the chain's own retention. */
  readonly retentionLedgers?: number
}

export interface RpcHandler {
  /**
   * The answer to a POST of this body, faults included. Rejects with ConnectionCut when a fault cuts the connection; `signal` is the caller's
   * patience and ends the waiting of faults.
   */
  handle(body: string, signal?: AbortSignal): Promise<HttpResponse>
  /** One call from inside the process, out of reach of the faults. Rejects with RpcError. */
  call(method: string, params?: unknown): Promise<unknown>
  readonly friendbot: Friendbot | null
  /** Tells getNetwork where friendbot is served; null when it no longer is. */
  setFriendbotUrl(url: string | null): void
}

/** Builds the door of a chain. */
export function createRpcHandler(options: RpcHandlerOptions): RpcHandler {
  const { chain, faults, clock, log, extraMethods = {}, friendbot } = options
  const memory: FaultState = { lastEventsPage: undefined }
  const retentionLedgers = options.retentionLedgers ?? RETENTION_LEDGERS_DEFAULT
  let friendbotUrl: string | null = null

  async function run(method: string, params: unknown, triggered: readonly TriggeredFault[]): Promise<unknown> {
    const extra = Object.hasOwn(extraMethods, method) ? extraMethods[method] : undefined
    if (extra !== undefined) return runExtra(extra, paramsObject(params))
    const standard = METHODS.get(method)
    if (standard === undefined) throw new RpcError(RPC_CODES.methodNotFound, 'method not found', method)
    const context: MethodContext = { chain, history: chain.history, clock, friendbotUrl, retentionLedgers }
    const call = { method, context, params: paramsObject(params) }
    return callWithFaults(triggered, call, memory, (changed) => standard(changed.context, changed.params))
  }

  async function answer(message: RpcMessage, triggered: readonly TriggeredFault[]): Promise<unknown> {
    if (message.kind === 'refused') return errorMessage(message.id, message.error)
    const id = message.kind === 'call' ? message.id : null
    try {
      return resultMessage(id, await run(message.method, message.params, triggered))
    } catch (error) {
      return errorMessage(id, asRpcError(error, message.method, log))
    }
  }

  async function answerAll(judged: readonly { message: RpcMessage; triggered: readonly TriggeredFault[] }[]): Promise<HttpResponse> {
    const answers: unknown[] = []
    for (const { message, triggered } of judged) {
      const each = await answer(message, triggered.filter(isCallFault))
      if (message.kind !== 'notification') answers.push(each)
    }
    // A single answer travels alone, even when its call came in a batch of one: so does the real node.
    return answers.length === 0 ? emptyResponse(204) : jsonResponse(200, answers.length === 1 ? answers[0] : answers)
  }

  return {
    async handle(body, signal) {
      if (Buffer.byteLength(body) > REQUEST_BODY_MAX_BYTES) return bodyTooLarge()
      const messages = parseBody(body)
      if (messages === null) return textResponse(500, 'invalid request value\n')
      const judged = messages.map((message) => {
        const standard = message.kind !== 'refused' && METHODS.has(message.method)
        return { message, triggered: standard ? faults.trigger(message.method) : [] }
      })
      const httpFaults = judged.flatMap(({ triggered }) => triggered.filter(isHttpFault))
      return respondWithFaults(httpFaults, { respond: () => answerAll(judged), clock, signal })
    },
    async call(method, params) {
      try {
        return await run(method, params, [])
      } catch (error) {
        throw asRpcError(error, method, log)
      }
    },
    friendbot,
    setFriendbotUrl(url) {
      friendbotUrl = friendbot === null ? null : url
    },
  }
}

/** How the node answers a body over its limit: not in JSON-RPC. */
export function bodyTooLarge(): HttpResponse {
  return textResponse(500, 'http: request body too large\n')
}

async function runExtra(method: ExtraMethod, params: Params): Promise<unknown> {
  try {
    return await method(params)
  } catch (error) {
    if (error instanceof RangeError) throw new RpcError(RPC_CODES.invalidParams, error.message)
    throw error
  }
}

/** What no method meant to throw is a defect of this program: the operator gets the cause, the caller gets the node's word for a panic. */
function asRpcError(error: unknown, method: string, log: Log): RpcError {
  if (error instanceof RpcError) return error
  log.error({ method, error: String(error), stack: error instanceof Error ? error.stack : undefined }, 'an RPC method failed')
  return new RpcError(RPC_CODES.panic, 'panic in the method')
}
