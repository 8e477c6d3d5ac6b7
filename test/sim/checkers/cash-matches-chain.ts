// Checker: the rows of the cash ledger of each account sum to what the asset contract moved between the account and the exchange.

import assert from 'node:assert/strict'
import { EVENT_CONTRACT_KEYS } from '../../../src/exchange/contracts/contracts.ts'
import { decodeEvent, UNKNOWN_INTERFACE } from '../../../src/indexer/pages/decode.ts'
import type { Queryable } from '../../../src/store/store.ts'
import type { LocalNetwork } from '../../../localnet/start.ts'
import { contractDataKey, contractDataValue } from '../../../localnet/actors/exchange-state.ts'
import { address } from '../../../localnet/contracts/shared/host.ts'
import { asI128, storageKey } from '../../../localnet/contracts/shared/values.ts'

interface Sum {
  readonly account: string
  readonly balanceOf: 'wallet' | 'cross'
  readonly amount: string
  /** Rows with an amount that is not known yet. */
  readonly unknown: number
}

const SUMS = `select account, balance_of as "balanceOf", coalesce(sum(amount), 0)::text as amount, (count(*) filter (where amount is null))::int as unknown
  from idx.cash_ledger group by account, balance_of`

/** For a chain that was never reset. Returns the numbers of compared balances. */
export async function checkCashMatchesChain(db: Queryable, network: LocalNetwork): Promise<{ readonly wallets: number; readonly crossBalances: number }> {
  const sums = await db.query<Sum>(SUMS)
  const wallets = readWallets(network)
  const indexed = new Map(sums.filter(({ balanceOf }) => balanceOf === 'wallet').map(({ account, amount }) => [account, BigInt(amount)]))
  for (const account of new Set([...wallets.keys(), ...indexed.keys()])) {
    assert.equal(indexed.get(account) ?? 0n, wallets.get(account) ?? 0n, `the cash ledger of the wallet ${account}`)
  }
  let crossBalances = 0
  for (const { account, amount, unknown } of sums.filter(({ balanceOf }) => balanceOf === 'cross')) {
    if (unknown > 0) continue
    assert.equal(BigInt(amount), await readCrossBalance(network, account), `the cash ledger of the cross balance of ${account}`)
    crossBalances += 1
  }
  return { wallets: wallets.size, crossBalances }
}

/** Returns the amounts that the asset contract moved between the exchange and each account since the first ledger. */
function readWallets({ chain, contracts }: LocalNetwork): ReadonlyMap<string, bigint> {
  const exchange = new Set(EVENT_CONTRACT_KEYS.map((key) => contracts[key]).concat(contracts.router))
  const untilLedger = chain.history.latest().sequence + 1
  const moved = new Map<string, bigint>()
  const add = (account: string, amount: bigint): void => {
    if (!exchange.has(account)) moved.set(account, (moved.get(account) ?? 0n) + amount)
  }
  for (const event of chain.history.events({ afterId: null, fromLedger: 0, untilLedger, contractIds: [contracts.usdcToken] })) {
    const { topic, payload } = decodeEvent('usdcToken', event.topics, event.value, UNKNOWN_INTERFACE)
    if (!event.successful || topic !== 'transfer' || payload === null) continue
    const { from, to, amount } = payload as unknown as { from: string; to: string; amount: string }
    if (exchange.has(from) === exchange.has(to)) continue
    add(from, -BigInt(amount))
    add(to, BigInt(amount))
  }
  return moved
}

async function readCrossBalance({ rpc, contracts }: LocalNetwork, account: string): Promise<bigint> {
  const keys = [contractDataKey(contracts.market, storageKey('CrossMarginBalance', address(account)))]
  const { entries } = (await rpc.call('getLedgerEntries', { keys })) as { entries: readonly { xdr: string }[] }
  const [entry] = entries
  return entry === undefined ? 0n : asI128(contractDataValue(entry.xdr))
}
