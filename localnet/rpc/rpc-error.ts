// JSON-RPC errors (soroban-rpc, "Transport": error codes).

/** The codes that this node uses. */
export const RPC_CODES = {
  parseError: -32700,
  /** Also for a start or cursor outside the retained ledgers. */
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The method failed unexpectedly. */
  panic: -32003,
} as const

/** Thrown by methods. The response contains its code, message and data. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Invalid params, with a message of the specification. */
export function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message)
}

/** A parameter of the wrong type. */
export function wrongType(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, `invalid parameters: ${message}`)
}

/** A start or cursor outside the retained ledgers. */
export function outsideRange(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, message)
}
