// The shares of trader vaults that the account of the API key holds. The gateway reads them from the ledger for vaults that it is given: all of them where they
// are few, else those of the account's deposits and those that it leads.

import type { Answer, Client, EventRow, TraderVault } from '../../client/src/index.ts'
import type { VaultHolding } from './equity.ts'

const VAULTS_PER_PAGE = 200
/** Limit of one request. */
const VAULTS_PER_READ = 20
/** Vaults of one account. Beyond, its shares count as unknown. */
const VAULTS_MAX = 60
const EVENTS_PER_PAGE = 500
const PAGES_MAX = 20

interface HoldingsFilter {
  readonly owner: string
  /** A ledger that is indexed: the list of vaults is cached, and may lack a new one. Null if not known. */
  readonly indexedLedger: number | null
}

/** Null if the account may have shares in more vaults than are read. */
export async function readVaultHoldings(client: Client, { owner, indexedLedger }: HoldingsFilter): Promise<Answer<readonly VaultHolding[] | null>> {
  const all = await client.listVaults({ limit: VAULTS_PER_PAGE }, indexedLedger === null ? {} : { minLedger: indexedLedger })
  const { vaults, hasMore } = all.body
  const isAll = !hasMore && vaults.length <= VAULTS_MAX
  const ids = isAll ? vaults.map(({ id }) => id) : await findVaults(client, owner)
  if (ids === null || ids.length > VAULTS_MAX) return { ...all, body: null }
  const holdings: VaultHolding[] = []
  for (let start = 0; start < ids.length; start += VAULTS_PER_READ) {
    const { body } = await client.getAccountHoldings({ vaults: ids.slice(start, start + VAULTS_PER_READ).join(',') })
    for (const { vaultId, shares, fullValue } of body.vaults) {
      if (shares === '0') continue
      const vault = vaults.find(({ id }) => id === vaultId) ?? (await client.getVault({ id: vaultId })).body
      holdings.push(toHolding(vault, shares, fullValue))
    }
  }
  return { ...all, body: holdings }
}

function toHolding({ id, name, totalUsdc, circulatingShares, openPositions }: TraderVault, shares: string | null, fullValue: string | null): VaultHolding {
  return { vaultId: id, name, shares, fullValue, totalUsdc, circulatingShares, openPositions }
}

/** Null if the account has more deposits than are read. */
async function findVaults(client: Client, owner: string): Promise<readonly number[] | null> {
  const ids = new Set((await client.listVaults({ leader: owner, limit: VAULTS_PER_PAGE })).body.vaults.map(({ id }) => id))
  let pages = 0
  for await (const { body } of client.pages('listAccountEvents', { topic: 'deposit', limit: EVENTS_PER_PAGE })) {
    if (++pages > PAGES_MAX) return null
    for (const id of vaultsOf(body.events)) ids.add(id)
  }
  return [...ids]
}

/** A deposit without a vault is one into the pool. */
function vaultsOf(events: readonly EventRow[]): readonly number[] {
  return events.flatMap(({ payload }) => {
    const { vaultId } = payload as { readonly vaultId?: unknown }
    return typeof vaultId === 'number' ? [vaultId] : []
  })
}
