import type { FundingRow } from '../../resources/funding.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { LISTED } from '../log/events.ts'
import type { LogBounds } from '../log/log-list.ts'
import { listLog } from '../log/log-list.ts'
import type { Page } from '../log/page.ts'

export interface FundingFilter extends Pick<LogBounds, 'beforeTs'> {
  /** Only funding of this asset: its own and, if the exchange lists it, what all assets share. */
  readonly asset?: { readonly name: string; readonly isListed: boolean } | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** The shared funding of generation 1 names no asset. */
const ASSET = sql`coalesce(r.payload ->> 'asset', '')`

/** Every funding_applied of the market, newest first, across deployments. */
export async function listFunding(db: Queryable, { asset, ...filter }: FundingFilter): Promise<Page<FundingRow>> {
  const page = await listLog<FundingRow>(db, {
    ...filter,
    kind: 'funding',
    table: idx.events,
    ...(asset === undefined
      ? { equals: { topic: 'funding_applied' }, only: LISTED }
      : {
        equals: {}, oneOf: { expression: ASSET, values: asset.isListed ? [asset.name, ''] : [asset.name] },
        only: sql`r.topic = 'funding_applied' and ${LISTED}`,
      }),
    columns: {
      asset: `r.payload ->> 'asset'`,
      fundingRate: `r.payload ->> 'fundingRate'`, hoursElapsed: `r.payload ->> 'hoursElapsed'`, ledger: 'r.ledger', ts: 'r.ledger_close_ts',
      txHash: 'r.tx_hash',
    },
  })
  // An undecodable funding event has no rate; it is served by /v1/events only.
  return { ...page, rows: page.rows.filter(({ fundingRate }) => (fundingRate as string | null) !== null) }
}
