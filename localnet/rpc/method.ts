// What every method of the door is given, and what it looks like.

import { xdr } from '@stellar/stellar-sdk'
import type { Clock } from '../../src/base/clock.ts'
import type { Chain } from '../chain.ts'
import type { History } from '../history.ts'
import type { Params } from './params.ts'

/** The node as a method sees it. */
export interface MethodContext {
  readonly chain: Chain
  /** The past as it is to be served: the chain's own, or what a fault makes of it. */
  readonly history: History
  readonly clock: Clock
  /** Where getNetwork sends those who need funds; null when nothing serves it. */
  readonly friendbotUrl: string | null
  /** How many ledgers the chain keeps. */
  readonly retentionLedgers: number
}

/** A JSON-RPC method: its result as it goes over the wire, or a thrown RpcError. */
export type RpcMethod = (context: MethodContext, params: Params) => unknown

/** The protocol version that the last ledger closed under. */
export function protocolVersion(history: History): number {
  return xdr.LedgerHeader.fromXdr(history.latest().headerXdr, 'base64').ledgerVersion
}
