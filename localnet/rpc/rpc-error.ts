// What a method throws to answer with a JSON-RPC error (soroban-rpc, "Transport": error codes).

/** The codes that this node uses. */
export const RPC_CODES = {
  parseError: -32700,
  /** Also: outside the range of ledgers that are kept. */
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The method broke. */
  panic: -32003,
} as const

/** A JSON-RPC error: its code and message travel to the caller as they are. */
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

/** The caller's mistake, in a text of the specification. */
export function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message)
}

/** A parameter of the wrong type. */
export function wrongType(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, `invalid parameters: ${message}`)
}

/** A start or a cursor outside the ledgers that are kept. */
export function outsideRange(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, message)
}
