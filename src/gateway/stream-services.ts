// Connects the stream to keys, positions, orders and prices.

import type { CheckpointSigner } from '../routes/page-log.ts'
import type { AccountRequest, Accounts } from '../accounts/accounts.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import type { Keys } from '../keys/keys.ts'
import { scopesOf } from '../keys/restrictions.ts'
import type { OrderWarnings } from '../markets/order-warnings.ts'
import type { Prices } from '../markets/prices.ts'
import { listOpenPositions } from '../projections/positions/positions.ts'
import { readsFor } from '../store/caller-reads.ts'
import type { Queryable } from '../store/store.ts'
import type { StreamOptions } from '../stream/stream.ts'

/** Reasons that a client of the stream learns as they are. */
const LOGIN_FAILURES = ['unknown', 'key_expired', 'address_not_allowed'] as const

/** Returns the functions of other parts that the stream calls. */
export function streamServices(
  parts: {
    readonly keys: Keys; readonly db: Queryable; readonly prices: Prices; readonly accounts: Accounts; readonly orderWarnings: OrderWarnings
    readonly checkpoints: CheckpointSigner
  },
): StreamOptions['services'] {
  const { keys, db, prices, accounts, orderWarnings, checkpoints } = parts
  return {
    async login(keyId, secret, client) {
      const found = await keys.authenticate(`Bearer ${keyId}:${secret}`, null, client)
      // A login serves the account's own data.
      if (typeof found === 'object') return scopesOf(found.restrictions).includes('read') ? found : 'scope_missing'
      return LOGIN_FAILURES.find((failure) => failure === found) ?? 'invalid_credentials'
    },
    async readAccount(owner, address) {
      const { head, rows } = await listOpenPositions(readsFor(db, { address, owner }), { trader: owner })
      // Read positions first. Orders read before `head` could include one whose execution is already in the log; the client would never see it end.
      return { seq: head.seq, positions: rows, orders: await restingOrders(accounts, { owner, fromLedger: head.ledger ?? 0, requester: address }) }
    },
    async readPrices() {
      const snapshot = prices.cachedSnapshot() ?? (await prices.snapshot())
      return [...snapshot.prices.values()].filter(({ outdated }) => !outdated).map(({ price }) => price)
    },
    currentPrice: (asset) => prices.current(asset)?.price,
    onPrices: prices.subscribe,
    signCheckpoint: checkpoints.sign,
    loginState: keys.loginState,
    warnOrder: orderWarnings.addKnown,
  }
}

/** Open orders at `fromLedger` or later. Null if the network is unavailable. */
async function restingOrders(accounts: Accounts, { owner, fromLedger, requester }: Required<AccountRequest>): Promise<readonly object[] | null> {
  try {
    return (await accounts.openOrders({ owner, fromLedger, requester })).orders
  } catch (error) {
    if (error instanceof RpcFailure) return null
    throw error
  }
}
