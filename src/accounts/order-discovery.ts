// Finds the pending orders of an account in a market that has no list of their ids (from build 2.3 on).

import type { Log } from '../base/log.ts'
import { numberedKey, readOrderState, readU64, singleKey } from '../chain/views/market-entries.ts'
import type { CallOptions } from '../chain/rpc/rpc-request.ts'
import { ENTRY_KEYS_MAX } from '../chain/rpc/rpc.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { ACCOUNT_ENTRIES_MAX } from '../limits.ts'

/** The ids of the account's pending orders by the index, at most `limit`. */
export type ListOrderIds = (owner: string, limit: number) => Promise<readonly number[]>

/** Looks up ids in one place. Rejects with RpcFailure when it is the network. */
export type OrderSource = (owner: string, call: CallOptions) => Promise<readonly number[]>

/** The newest orders of the market that are looked at. The index is at most this many orders late. */
const NEWEST_ORDERS_MAX = 5 * ENTRY_KEYS_MAX

/** Creates the sources of orders, the cheapest first. */
export function createOrderSources(parts: {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly log: Log
  readonly listOrderIds: ListOrderIds
}): readonly OrderSource[] {
  const { rpc, deployment, log, listOrderIds } = parts

  async function indexed(owner: string): Promise<readonly number[]> {
    try {
      return await listOrderIds(owner, ACCOUNT_ENTRIES_MAX)
    } catch (error) {
      // The account can be read without the index.
      log.debug({ err: error }, 'could not list the orders of an account')
      return []
    }
  }

  async function newest(owner: string, call: CallOptions): Promise<readonly number[]> {
    const { market } = deployment.current.contracts
    const { entries: [counter] } = await rpc.getLedgerEntries([singleKey(market, 'OrderCounter')], call)
    const last = counter === undefined ? 0 : readU64(counter.dataXdr) ?? 0
    const first = Math.max(1, last - NEWEST_ORDERS_MAX + 1)
    const ids = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    const batches: (readonly number[])[] = []
    for (let start = 0; start < ids.length; start += ENTRY_KEYS_MAX) batches.push(ids.slice(start, start + ENTRY_KEYS_MAX))
    const responses = await Promise.all(batches.map((batch) => rpc.getLedgerEntries(batch.map((id) => numberedKey(market, 'Order', id)), call)))
    const orders = responses.flatMap(({ entries }) => entries.map(({ dataXdr }) => readOrderState(dataXdr)))
    return orders.flatMap((order) => (order !== undefined && order.status === 'pending' && order.trader === owner ? [order.orderId] : []))
  }

  return [indexed, newest]
}
