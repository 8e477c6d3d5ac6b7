// The shares of trader vaults that the account of the API key holds. No endpoint lists them: they are the sum of its deposits and withdrawals.

import type { Answer, Client, EventRow } from '../../client/src/index.ts'
import type { VaultHolding } from './equity.ts'

const EVENTS_PER_PAGE = 500
const PAGES_MAX = 20
const VAULTS_MAX = 20

/** Null if they cannot be determined: the history is longer than what is read, or does not reach back to the first deposit. */
export async function readVaultHoldings(client: Client): Promise<Answer<readonly VaultHolding[] | null>> {
  const deposits = await readFlows(client, 'deposit')
  const withdrawals = await readFlows(client, 'withdraw')
  const shares = deposits.rows === null || withdrawals.rows === null ? null : sharesOf(deposits.rows, withdrawals.rows)
  if (shares === null || shares.size > VAULTS_MAX) return { ...withdrawals.answer, body: null }
  const holdings: VaultHolding[] = []
  for (const [vaultId, held] of shares) {
    const { name, totalUsdc, circulatingShares, openPositions } = (await client.getVault({ id: vaultId })).body
    holdings.push({ vaultId, name, shares: String(held), totalUsdc, circulatingShares, openPositions })
  }
  return { ...withdrawals.answer, body: holdings }
}

interface Flows {
  /** Null if there are more than are read. */
  readonly rows: readonly EventRow[] | null
  readonly answer: Answer<unknown>
}

async function readFlows(client: Client, topic: 'deposit' | 'withdraw'): Promise<Flows> {
  const rows: EventRow[] = []
  let cursor: string | null = null
  for (let page = 1; ; page++) {
    const answer = await client.listAccountEvents({ topic, limit: EVENTS_PER_PAGE, ...(cursor === null ? {} : { cursor }) })
    rows.push(...answer.body.events)
    cursor = answer.body.nextCursor
    if (cursor === null) return { rows, answer }
    if (page === PAGES_MAX) return { rows: null, answer }
  }
}

/** Shares by vault, without those that were all redeemed. Null if more was redeemed than bought: then the history is incomplete. */
export function sharesOf(deposits: readonly EventRow[], withdrawals: readonly EventRow[]): ReadonlyMap<number, bigint> | null {
  const sums = new Map<number, bigint>()
  const add = (rows: readonly EventRow[], sign: bigint): void => {
    for (const { payload } of rows) {
      const { vaultId, shares } = payload as { readonly vaultId?: unknown; readonly shares?: unknown }
      // Without a vault it is a deposit into the pool.
      if (typeof vaultId === 'number' && typeof shares === 'string') sums.set(vaultId, (sums.get(vaultId) ?? 0n) + sign * BigInt(shares))
    }
  }
  add(deposits, 1n)
  add(withdrawals, -1n)
  if ([...sums.values()].some((held) => held < 0n)) return null
  return new Map([...sums].filter(([, held]) => held > 0n))
}
