// JSON-RPC 2.0: parses request bodies and builds responses (soroban-rpc, "Transport").

import { BATCH_CALLS_MAX } from './limits.ts'
import { RPC_CODES, RpcError } from './rpc-error.ts'

/** The id of a call; null when it is unknown. */
export type RpcId = string | number | null

/** A parsed message. A call without an id, or with the id null, is a notification. */
export type RpcMessage =
  | { readonly kind: 'call'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'invalid'; readonly id: RpcId; readonly error: RpcError }

const KNOWN_FIELDS = new Set(['jsonrpc', 'id', 'method', 'params'])

/** The messages of a body; null when it is not JSON. The node does not respond to that in JSON-RPC. */
export function parseBody(body: string): readonly RpcMessage[] | null {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return null
  }
  if (!Array.isArray(value)) return [parseMessage(value)]
  if (value.length > BATCH_CALLS_MAX) return [invalidMessage(null, RPC_CODES.invalidRequest, `a batch holds at most ${BATCH_CALLS_MAX} calls`)]
  return value.map(parseMessage)
}

/** A success response. It has no `error` key, because some clients treat the key's presence as a failure. */
export function resultMessage(id: RpcId, result: unknown): unknown {
  return { jsonrpc: '2.0', id, result: result ?? null }
}

export function errorMessage(id: RpcId, error: RpcError): unknown {
  const data = error.data === undefined ? {} : { data: error.data }
  return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message, ...data } }
}

function parseMessage(value: unknown): RpcMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalidMessage(null, RPC_CODES.parseError, 'request is not a JSON object')
  }
  const fields = value as Readonly<Record<string, unknown>>
  const { id = null, method, params = null } = fields
  if (!isId(id)) return invalidMessage(null, RPC_CODES.invalidRequest, 'invalid request ID')
  if (fields['jsonrpc'] !== '2.0') return invalidMessage(id, RPC_CODES.invalidRequest, 'invalid version marker')
  if (method !== undefined && typeof method !== 'string') return invalidMessage(id, RPC_CODES.parseError, 'invalid method name')
  if (method === undefined || method === '') return invalidMessage(id, RPC_CODES.invalidRequest, 'empty method name')
  if (typeof params !== 'object') return invalidMessage(id, RPC_CODES.invalidRequest, 'parameters must be array or object')
  const extra = Object.keys(fields).filter((name) => !KNOWN_FIELDS.has(name))
  if (extra.length > 0) return invalidMessage(id, RPC_CODES.invalidRequest, 'extra fields in request', extra)
  return id === null ? { kind: 'notification', method, params } : { kind: 'call', id, method, params }
}

function isId(id: unknown): id is RpcId {
  return id === null || typeof id === 'string' || typeof id === 'number'
}

function invalidMessage(id: RpcId, code: number, message: string, data?: unknown): RpcMessage {
  return { kind: 'invalid', id, error: new RpcError(code, message, data) }
}
