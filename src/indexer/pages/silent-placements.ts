// Finds the transactions that placed orders without any event, among those of the ledger that wrote their entry.

import { decodeMeta } from '../../chain/codec/entry-changes.ts'
import { NewerThanKnown } from '../../chain/codec/newer-than-known.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { EventsFrom, Rpc } from '../../chain/rpc/rpc.ts'
import type { ListedTransaction, TransactionsPage } from '../../chain/rpc/transactions-page.ts'
import type { OrderPlacement } from '../../projections/orders/order-placements.ts'
import { readEnvelope } from './envelope-hash.ts'

/** Transactions per page. A ledger has a few hundred on a busy network. */
const PAGE = 20
const PAGES_MAX = 25

/** An order whose placement is to be found. */
export interface SilentOrder {
  readonly orderId: number
  readonly trader: string
  /** Time of placement, Unix seconds. */
  readonly createdAt: number
  /** The ledger that wrote its entry last. An order that was not changed since was placed in it. */
  readonly ledger: number
}

type Placement = Omit<OrderPlacement, 'orderId' | 'seq'>

/** Null: the node does not have the transaction, or cannot list transactions. Throws RpcFailure when another attempt may find it. */
export async function findPlacement(
  rpc: Rpc, network: { readonly market: string; readonly passphrase: string }, order: SilentOrder, options: CallOptions,
): Promise<Placement | null> {
  try {
    let from: EventsFrom = { startLedger: order.ledger }
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page: TransactionsPage = await rpc.getTransactions({ from, limit: PAGE }, options)
      const own = page.transactions.filter(({ ledger }) => ledger === order.ledger)
      const found = own.find((transaction) => places(transaction, network, order))
      if (found !== undefined) return { ledger: order.ledger, ts: order.createdAt, txHash: found.txHash }
      if (own.length < PAGE) return null
      from = { cursor: page.cursor }
    }
    return null
  } catch (error) {
    if (error instanceof RpcFailure && !error.retryable) return null
    throw error
  }
}

function places(
  { isSuccess, txHash, envelopeXdr, metaXdr }: ListedTransaction, { market, passphrase }: { readonly market: string; readonly passphrase: string },
  { orderId, trader, createdAt }: SilentOrder,
): boolean {
  const change = isSuccess && metaXdr !== undefined ? decodeMeta(metaXdr, market)?.changes.orders.get(orderId) : undefined
  if (change === undefined || change.before !== null || change.after?.trader !== trader || change.after.created_at !== createdAt) return false
  const signed = envelopeXdr === undefined ? undefined : readEnvelope(envelopeXdr, txHash, passphrase)
  return signed !== undefined && !(signed instanceof NewerThanKnown)
}
