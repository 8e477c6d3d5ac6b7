// The search for the transaction of an order without an event ends, whatever a node returns. That it finds them: test/api/order-history.test.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { EventsFrom, Rpc } from '../../chain/rpc/rpc.ts'
import type { ListedTransaction } from '../../chain/rpc/transactions-page.ts'
import { findPlacement } from './silent-placements.ts'

const ORDER = { orderId: 7, trader: 'GTRADER', createdAt: 1_783_339_200, ledger: 500 }
const NETWORK = { market: 'CMARKET', passphrase: 'test' }

const transaction = (ledger: number): ListedTransaction => ({ txHash: 'aa', ledger, isSuccess: false })

/** Asks a node whose pages have these ledgers' transactions, none of which placed the order. Resolves with the placement and where each page began. */
async function search(pageOf: (page: number) => readonly number[]): Promise<{ placement: unknown; from: readonly EventsFrom[] }> {
  const from: EventsFrom[] = []
  const rpc: Pick<Rpc, 'getTransactions'> = {
    async getTransactions(request) {
      from.push(request.from)
      return { transactions: pageOf(from.length).map(transaction), cursor: `after page ${from.length}`, latestLedger: 600 }
    },
  }
  return { placement: await findPlacement(rpc as Rpc, NETWORK, ORDER, {}), from }
}

test('reads the pages of the ledger one after the other, and no page behind it', async () => {
  const whole = Array.from({ length: 20 }, () => 500)
  const { placement, from } = await search((page) => (page < 3 ? whole : [...whole.slice(1), 501]))
  assert.deepEqual([placement, from], [null, [{ startLedger: 500 }, { cursor: 'after page 1' }, { cursor: 'after page 2' }]])
})

test('reads 25 pages at most, so that a node that repeats a ledger without end does not keep the indexer', async () => {
  const { placement, from } = await search(() => Array.from({ length: 20 }, () => 500))
  assert.deepEqual([placement, from.length], [null, 25])
})

test('a node without the ledger or the method means an unknown placement; a failure that another attempt may avoid is thrown', async () => {
  for (const retryable of [false, true]) {
    const failure = new RpcFailure({ method: 'getTransactions', kind: 'rpc', retryable })
    const rpc: Pick<Rpc, 'getTransactions'> = { getTransactions: () => Promise.reject(failure) }
    const placement = findPlacement(rpc as Rpc, NETWORK, ORDER, {})
    if (retryable) await assert.rejects(placement, failure)
    else assert.equal(await placement, null)
  }
})
