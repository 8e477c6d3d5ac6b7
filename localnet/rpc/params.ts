// Reads the params of a call: an object. Unknown fields are ignored, and `null` counts as absent.

import { RPC_CODES, RpcError, wrongType } from './rpc-error.ts'

/** The unvalidated params of a call. */
export type Params = Readonly<Record<string, unknown>>

const U32_MAX = 4_294_967_295

/** The params as an object, empty when absent or `null`. Throws RpcError for anything else. */
export function paramsObject(params: unknown): Params {
  if (params === undefined || params === null) return {}
  if (Array.isArray(params)) throw wrongType('positional arrays are not accepted, params must be an object')
  if (typeof params !== 'object') throw new RpcError(RPC_CODES.invalidRequest, 'parameters must be array or object')
  return params as Params
}

/** A nested object; undefined when it is absent. Throws RpcError. */
export function optionalObject(params: Params, name: string): Params | undefined {
  const value = params[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(`${name} must be an object`)
  return value as Params
}

/** An unsigned 32-bit integer; 0 when it is absent, as on the real node. Throws RpcError. */
export function optionalU32(params: Params, name: string): number {
  const value = params[name]
  if (value === undefined || value === null) return 0
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > U32_MAX) {
    throw wrongType(`${name} must be an integer from 0 to ${U32_MAX}`)
  }
  return value
}

/** A string; undefined when it is absent. Throws RpcError. */
export function optionalString(params: Params, name: string): string | undefined {
  const value = params[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw wrongType(`${name} must be a string`)
  return value
}

/** An array; empty when it is absent. Throws RpcError. */
export function optionalArray(params: Params, name: string): readonly unknown[] {
  const value = params[name]
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw wrongType(`${name} must be an array`)
  return value as readonly unknown[]
}

/** An array of strings; empty when it is absent. Throws RpcError. */
export function optionalStrings(params: Params, name: string): readonly string[] {
  return optionalArray(params, name).map((value, index) => {
    if (typeof value !== 'string') throw wrongType(`${name}[${index}] must be a string`)
    return value
  })
}

/** Rejects every `xdrFormat` but `base64`. The real node also supports `json`. */
export function requireBase64(params: Params): void {
  const format = optionalString(params, 'xdrFormat')
  if (format === undefined || format === '' || format === 'base64') return
  if (format === 'json') {
    throw new RpcError(RPC_CODES.invalidParams, "the local network does not support xdrFormat 'json', use 'base64'")
  }
  throw new RpcError(RPC_CODES.invalidParams, `got '${format}': expected base64, json for optional 'xdrFormat'`)
}
