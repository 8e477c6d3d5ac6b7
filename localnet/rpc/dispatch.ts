// The JSON-RPC door: the whole HTTP behaviour of a node as a function from a body to an answer. Sockets are in server.ts.

import type { Clock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import type { Chain } from '../chain.ts'
import type { Faults, Strike } from '../faults.ts'
import { callThroughFaults, isCallFault } from './call-faults.ts'
import type { FaultMemory } from './fault-effect.ts'
import type { Friendbot } from './friendbot.ts'
import type { HttpAnswer } from './http-answer.ts'
import { emptyAnswer, jsonAnswer, textAnswer } from './http-answer.ts'
import { isHttpFault, journeyThroughFaults } from './http-faults.ts'
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

export interface RpcDoorOptions {
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

export interface RpcDoor {
  /**
   * The answer to a POST of this body, faults included. Rejects with ConnectionCut when a fault cuts the connection; `signal` is the caller's
   * patience and ends the waiting of faults.
   */
  handle(body: string, signal?: AbortSignal): Promise<HttpAnswer>
  /** One call from inside the process, out of reach of the faults. Rejects with RpcError. */
  call(method: string, params?: unknown): Promise<unknown>
  readonly friendbot: Friendbot | null
  /** Tells getNetwork where friendbot is served; null when it no longer is. */
  announceFriendbot(url: string | null): void
}

/** Builds the door of a chain. */
export function createRpcDoor(options: RpcDoorOptions): RpcDoor {
  const { chain, faults, clock, log, extraMethods = {}, friendbot } = options
  const memory: FaultMemory = { lastEventsPage: undefined }
  const retentionLedgers = options.retentionLedgers ?? RETENTION_LEDGERS_DEFAULT
  let friendbotUrl: string | null = null

  async function run(method: string, params: unknown, strikes: readonly Strike[]): Promise<unknown> {
    const extra = Object.hasOwn(extraMethods, method) ? extraMethods[method] : undefined
    if (extra !== undefined) return runExtra(extra, paramsObject(params))
    const standard = METHODS.get(method)
    if (standard === undefined) throw new RpcError(RPC_CODES.methodNotFound, 'method not found', method)
    const context: MethodContext = { chain, history: chain.history, clock, friendbotUrl, retentionLedgers }
    const call = { method, context, params: paramsObject(params) }
    return callThroughFaults(strikes, call, memory, (changed) => standard(changed.context, changed.params))
  }

  async function answer(message: RpcMessage, strikes: readonly Strike[]): Promise<unknown> {
    if (message.kind === 'refused') return errorMessage(message.id, message.error)
    const id = message.kind === 'call' ? message.id : null
    try {
      return resultMessage(id, await run(message.method, message.params, strikes))
    } catch (error) {
      return errorMessage(id, asRpcError(error, message.method, log))
    }
  }

  async function answerAll(judged: readonly { message: RpcMessage; strikes: readonly Strike[] }[]): Promise<HttpAnswer> {
    const answers: unknown[] = []
    for (const { message, strikes } of judged) {
      const each = await answer(message, strikes.filter(isCallFault))
      if (message.kind !== 'notification') answers.push(each)
    }
    // A single answer travels alone, even when its call came in a batch of one: so does the real node.
    return answers.length === 0 ? emptyAnswer(204) : jsonAnswer(200, answers.length === 1 ? answers[0] : answers)
  }

  return {
    async handle(body, signal) {
      if (Buffer.byteLength(body) > REQUEST_BODY_MAX_BYTES) return bodyTooLarge()
      const messages = parseBody(body)
      if (messages === null) return textAnswer(500, 'invalid request value\n')
      const judged = messages.map((message) => {
        const standard = message.kind !== 'refused' && METHODS.has(message.method)
        return { message, strikes: standard ? faults.strike(message.method) : [] }
      })
      const httpStrikes = judged.flatMap(({ strikes }) => strikes.filter(isHttpFault))
      return journeyThroughFaults(httpStrikes, { answer: () => answerAll(judged), clock, signal })
    },
    async call(method, params) {
      try {
        return await run(method, params, [])
      } catch (error) {
        throw asRpcError(error, method, log)
      }
    },
    friendbot,
    announceFriendbot(url) {
      friendbotUrl = friendbot === null ? null : url
    },
  }
}

/** How the node answers a body over its limit: not in JSON-RPC. */
export function bodyTooLarge(): HttpAnswer {
  return textAnswer(500, 'http: request body too large\n')
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
