// An account's shares of the liquidity pool and of trader vaults, from the contracts' entries at one ledger. The full value of a vault comes from a view.

import type { Clock } from '../base/clock.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { amountText } from '../base/fixed-point.ts'
import { readEntrySnapshot } from '../chain/views/entry-snapshot.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import { contractDataKey, contractDataValue, instanceKey, instanceStorage } from '../chain/codec/ledger-keys.ts'
import type { CallOptions } from '../chain/rpc/rpc-request.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { ScArgument, ScValue } from '../chain/codec/scval.ts'
import { readField } from '../chain/codec/structs.ts'
import type { FieldType, FieldValue } from '../chain/codec/structs.ts'
import { viewOrNull } from '../chain/views/contract-views.ts'
import { withTimeout } from '../chain/rpc/with-timeout.ts'
import { hasNewerView } from '../exchange/deployment.ts'
import type { CurrentDeployment, Deployment } from '../exchange/deployment.ts'
import { isAtLeast } from '../exchange/contracts/generations.ts'
import { ACCOUNT_READ_TIMEOUT_MS, VAULT_VALUE_CACHE_MS } from '../limits.ts'
import type { AccountHoldings, VaultHolding } from '../resources/account-holdings.ts'

/** Rejects with RpcFailure when the ledger cannot be read. */
export type ReadHoldings = (owner: string, vaultIds: readonly number[], requester: string) => Promise<AccountHoldings>

interface HoldingsParts {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly clock: Clock
}

/** The default that the contract applies until its administrator sets another. */
const DEFAULT_COOLDOWN_SEC = 1_800
const MAX_CACHED_VAULTS = 1_000

export function createHoldingsReader({ rpc, deployment, clock }: HoldingsParts): ReadHoldings {
  const values = createTtlCache<{ readonly value: bigint | null }>({ clock, ttlMs: VAULT_VALUE_CACHE_MS, maxEntries: MAX_CACHED_VAULTS })

  async function fullValue(exchange: Deployment, vaultId: number, call: CallOptions): Promise<bigint | null> {
    const contract = exchange.contracts.vaultFactory
    if (!hasNewerView(exchange, 'vaultFactory', 'get_full_nav', ['u32'])) return null
    const found = await values.get(`${contract} ${vaultId}`, async () => {
      // The view fails while the price of a position is unknown.
      const result = await viewOrNull(rpc, { contract, functionName: 'get_full_nav', args: [{ type: 'u32', value: vaultId }] }, call)
      return { value: readField(result?.value, 'i128') ?? null }
    })
    return found.value
  }

  async function read(owner: string, vaultIds: readonly number[], call: CallOptions): Promise<AccountHoldings> {
    const exchange = deployment.current
    const keys = keysOf(exchange, owner, vaultIds)
    const [snapshot, fullValues] = await Promise.all([
      readEntrySnapshot(rpc, [keys.pool, keys.lastDeposit, keys.deposited, ...keys.shares], call),
      Promise.all(vaultIds.map((vaultId) => fullValue(exchange, vaultId, call))),
    ])
    if (snapshot === undefined) {
      throw new RpcFailure({ method: 'getLedgerEntries', kind: 'malformed', retryable: true, detail: 'a ledger closed between the entries' })
    }
    const { entries } = snapshot
    const vaults = vaultIds.map((vaultId, index): VaultHolding => ({
      vaultId, shares: amountText(sharesIn(entries.get(keys.shares[index] ?? ''))), fullValue: amountText(fullValues[index] ?? null),
    }))
    const second = isAtLeast(exchange.targetOf('vault').generation, '2.0')
    return { owner, ledger: snapshot.ledger, pool: second ? poolTerms(entries, keys) : FIRST_GENERATION, vaults }
  }

  return (owner, vaultIds, requester) => withTimeout(clock, { limitMs: ACCOUNT_READ_TIMEOUT_MS, method: 'getLedgerEntries' },
    (signal) => read(owner, vaultIds, { signal, requester }))
}

const FIRST_GENERATION: AccountHoldings['pool'] = { withdrawCooldownSec: 0, lastDepositTs: null, withdrawableAt: null, depositCap: null, deposited: null }

interface Keys {
  readonly pool: string
  readonly lastDeposit: string
  readonly deposited: string
  /** By vault. */
  readonly shares: readonly string[]
}

function keysOf({ contracts: { vault, vaultFactory } }: Deployment, owner: string, vaultIds: readonly number[]): Keys {
  const account: ScArgument = { type: 'address', value: owner }
  const entryKey = (contract: string, name: string, ...args: readonly ScArgument[]): string =>
    contractDataKey(contract, { type: 'vec', value: [{ type: 'symbol', value: name }, ...args] })
  return {
    pool: instanceKey(vault),
    lastDeposit: entryKey(vault, 'LastDepositTs', account),
    deposited: entryKey(vault, 'Deposited', account),
    shares: vaultIds.map((vaultId) => entryKey(vaultFactory, 'Shares', { type: 'u32', value: vaultId }, account)),
  }
}

/** An account without an entry has no shares. */
function sharesIn(entry: string | undefined): bigint | null {
  return entry === undefined ? 0n : readField(contractDataValue(entry), 'i128') ?? null
}

function poolTerms(entries: ReadonlyMap<string, string>, keys: Keys): AccountHoldings['pool'] {
  const instance = entries.get(keys.pool)
  const storage = instance === undefined ? undefined : instanceStorage(instance)
  const cooldown = setting(storage, 'WithdrawCooldownSecs', 'count', DEFAULT_COOLDOWN_SEC)
  const cap = setting(storage, 'DepositCap', 'i128', 0n)
  const last = entries.get(keys.lastDeposit)
  const lastDepositTs = last === undefined ? null : readField(contractDataValue(last), 'count') ?? null
  const deposited = entries.get(keys.deposited)
  return {
    withdrawCooldownSec: cooldown,
    lastDepositTs,
    withdrawableAt: lastDepositTs === null || cooldown === null ? null : lastDepositTs + cooldown,
    depositCap: cap === null || cap === 0n ? null : amountText(cap),
    deposited: deposited === undefined ? '0' : amountText(readField(contractDataValue(deposited), 'i128') ?? null),
  }
}

/** A setting in the instance's storage; `fallback` until it is set; null if unreadable. */
function setting<Type extends FieldType>(
  storage: ReadonlyMap<string, ScValue> | undefined, name: string, type: Type, fallback: FieldValue<Type>,
): FieldValue<Type> | null {
  if (storage === undefined) return null
  const stored = storage.get(name)
  return stored === undefined ? fallback : readField(stored, type) ?? null
}
