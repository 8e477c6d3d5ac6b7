// An account's entries, and its orders on builds that count them but list no ids.

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Keypair } from '@stellar/stellar-sdk'
import { testContracts } from '../../test/index/history.ts'
import { numberedKey } from '../chain/views/market-entries.ts'
import type { LedgerEntriesResponse } from '../chain/rpc/responses.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { NO_IDS, readAccount } from './entries.ts'

const CONTRACTS = testContracts(1)
const SOURCE = { contracts: CONTRACTS, generation: '2.3', tokens: { usdc: null, lp: null } } as const
const OWNER = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 7)).publicKey()
const UNREADABLE = 'AAAA'

/** The orders of an account that should have orders 7 and 8, on a ledger with these entries of orders. */
async function ordersOn(stored: Readonly<Record<number, string>>): Promise<unknown> {
  const entries = Object.entries(stored).map(([id, dataXdr]) => (
    { keyXdr: numberedKey(CONTRACTS.market, 'Order', Number(id)), dataXdr, lastModifiedLedger: 1, liveUntilLedger: 9 }))
  const rpc: Pick<Rpc, 'getLedgerEntries'> = { getLedgerEntries: (): Promise<LedgerEntriesResponse> => Promise.resolve({ entries, latestLedger: 5 }) }
  const { entries: account } = await readAccount(rpc as Rpc, OWNER, SOURCE, { expected: { ...NO_IDS, orders: [8, 7] }, call: {} })
  assert.ok(account !== undefined)
  return account.orders
}

test('orders that no longer exist are not among those of the account', async () => {
  assert.deepEqual(await ordersOn({}), [])
})

test('the orders of an account are unknown when one of them cannot be read', async () => {
  assert.equal(await ordersOn({ 7: UNREADABLE }), undefined)
})
