// The JSON-RPC handler: the HTTP behaviour of a node as a function from a request body to a response. The sockets are in server.ts.

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
import type { ReadKlines } from './klines.ts'
import type { MethodContext } from './method.ts'
import { METHODS } from './methods.ts'
import { paramsObject } from './params.ts'
import type { Params } from './params.ts'
import { RPC_CODES, RpcError } from './rpc-error.ts'

/** A method that real nodes do not have. A RangeError that it throws becomes error -32602 with the same message. */
export type ExtraMethod = (params: Params) => Promise<unknown>

export interface RpcHandlerOptions {
  readonly chain: Chain
  readonly faults: Faults
  /** null: no friendbot, also not in getNetwork. */
  readonly friendbot: Friendbot | null
  /** The outside market's candles; by default they are not served. */
  readonly klines?: ReadKlines
  readonly clock: Clock
  readonly log: Log
  readonly extraMethods?: Readonly<Record<string, ExtraMethod>>
  /** The retention window that getHealth reports. */
  readonly retentionLedgers?: number
}

export interface RpcHandler {
  /**
   * Responds to a POST of this body, faults included. Rejects with ConnectionCut when a fault cuts the connection. `signal` aborts when the client disconnects
   * and ends delays of faults. Without `mayControl`, a body that calls a method that real nodes do not have is rejected with 403, all of it.
   */
  handle(body: string, signal?: AbortSignal, mayControl?: boolean): Promise<HttpResponse>
  /** Calls a method in this process, without faults. Rejects with RpcError. */
  call(method: string, params?: unknown): Promise<unknown>
  readonly friendbot: Friendbot | null
  readonly klines: ReadKlines | null
  /** Sets the friendbot URL that getNetwork returns; null when it is not served anymore. */
  setFriendbotUrl(url: string | null): void
}

/** Builds the RPC handler of a chain. */
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

  async function respond(message: RpcMessage, triggered: readonly TriggeredFault[]): Promise<unknown> {
    if (message.kind === 'invalid') return errorMessage(message.id, message.error)
    const id = message.kind === 'call' ? message.id : null
    try {
      return resultMessage(id, await run(message.method, message.params, triggered))
    } catch (error) {
      return errorMessage(id, asRpcError(error, message.method, log))
    }
  }

  async function respondToAll(calls: readonly { message: RpcMessage; triggered: readonly TriggeredFault[] }[]): Promise<HttpResponse> {
    const responses: unknown[] = []
    for (const { message, triggered } of calls) {
      const response = await respond(message, triggered.filter(isCallFault))
      if (message.kind !== 'notification') responses.push(response)
    }
    // Like the real node, responds to a batch of one without an array.
    return responses.length === 0 ? emptyResponse(204) : jsonResponse(200, responses.length === 1 ? responses[0] : responses)
  }

  return {
    async handle(body, signal, mayControl = true) {
      if (Buffer.byteLength(body) > REQUEST_BODY_MAX_BYTES) return bodyTooLarge()
      const messages = parseBody(body)
      if (messages === null) return textResponse(500, 'invalid request value\n')
      if (!mayControl && messages.some((message) => message.kind !== 'invalid' && Object.hasOwn(extraMethods, message.method))) return foreignPage()
      const calls = messages.map((message) => {
        const standard = message.kind !== 'invalid' && METHODS.has(message.method)
        return { message, triggered: standard ? faults.trigger(message.method) : [] }
      })
      const httpFaults = calls.flatMap(({ triggered }) => triggered.filter(isHttpFault))
      return respondWithFaults(httpFaults, { respond: () => respondToAll(calls), clock, signal })
    },
    async call(method, params) {
      try {
        return await run(method, params, [])
      } catch (error) {
        throw asRpcError(error, method, log)
      }
    },
    friendbot,
    klines: options.klines ?? null,
    setFriendbotUrl(url) {
      friendbotUrl = friendbot === null ? null : url
    },
  }
}

/** The node's response to a body over its limit, which is not JSON-RPC. */
export function bodyTooLarge(): HttpResponse {
  return textResponse(500, 'http: request body too large\n')
}

/** The response to a web page that is not the gateway's. */
export function foreignPage(): HttpResponse {
  return textResponse(403, 'Web pages of this origin may not call local_ methods or friendbot.\n')
}

async function runExtra(method: ExtraMethod, params: Params): Promise<unknown> {
  try {
    return await method(params)
  } catch (error) {
    if (error instanceof RangeError) throw new RpcError(RPC_CODES.invalidParams, error.message)
    throw error
  }
}

/** An unexpected error is a bug in this program: it is logged, and the client gets the node's error for a panic. */
function asRpcError(error: unknown, method: string, log: Log): RpcError {
  if (error instanceof RpcError) return error
  log.error({ method, error: String(error), stack: error instanceof Error ? error.stack : undefined }, 'an RPC method failed')
  return new RpcError(RPC_CODES.panic, 'panic in the method')
}
