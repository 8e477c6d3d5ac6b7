// The type of a JSON-RPC method, and its context.

import type { Clock } from '../../src/base/clock.ts'
import type { Chain } from '../chain.ts'
import type { History } from '../history.ts'
import type { Params } from './params.ts'

/** The parts that a method may use. */
export interface MethodContext {
  readonly chain: Chain
  /** The chain's history, or a faulty view of it. */
  readonly history: History
  readonly clock: Clock
  /** null without a served friendbot. */
  readonly friendbotUrl: string | null
  /** The number of retained ledgers. */
  readonly retentionLedgers: number
}

/** A JSON-RPC method. Returns the result as JSON; throws RpcError. */
export type RpcMethod = (context: MethodContext, params: Params) => unknown

/** The protocol version of the latest ledger. */
export function protocolVersion(history: History): number {
  return history.latest().protocol
}
