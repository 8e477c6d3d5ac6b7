// Samples of trader vaults. Their values are read from the factory, because no event reports the outcome of a trade; deposits come from its events.

import { ONE_E7 } from '../../base/fixed-point.ts'
import type { VaultSample } from '../../resources/vault-activity.ts'
import { columns, expression } from '../../store/columns.ts'
import { insertRows, updateOnConflict } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Param, Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import type { AsOf } from '../state/as-of.ts'
import { stateSource } from '../state/as-of.ts'
import { contractEpochSql, readContractEpoch } from '../state/contract-epochs.ts'
import type { Epoch } from '../state/epochs.ts'
import { clampToSafeInteger, readPage, seqFromCursor } from '../log/log-list.ts'
import type { Page } from '../log/page.ts'
import { encodeCursor } from '../log/page.ts'
import { bigOf, numberOf } from '../log/payload.ts'
import { flowsSince, sampleBounds, sampleTime } from '../markets/pool-samples.ts'
import type { FlowSum } from '../markets/pool-samples.ts'
import type { VaultFigures } from './vault-state.ts'

export interface VaultSamplesFilter extends AsOf {
  readonly id: number
  /** Exclusive, unix seconds. */
  readonly beforeTs?: number | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Samples of a vault of the current factory, newest first. As of a ledger, those that were read from it or earlier ones before it closed. */
export async function listVaultSamples(db: Queryable, { id, beforeTs, atLedger, limit, cursor }: VaultSamplesFilter): Promise<Page<VaultSample>> {
  const kind = `vault-samples-${id}`
  const bounds = [...(beforeTs === undefined ? [] : [clampToSafeInteger(beforeTs)]), ...(cursor === undefined ? [] : [seqFromCursor(kind, cursor)])]
  const own = 'contract_epoch = s.contract_epoch and vault_id = s.vault_id'
  const before = sql`(select max(p.time) from (select contract_epoch, vault_id, time from ${idx.vault_samples}) p where ${own} and p.time < s.time)`
  const params: Param[] = [limit + 1, clampToSafeInteger(id), Math.min(Number.MAX_SAFE_INTEGER, ...bounds)]
  const state = stateSource({ atLedger }, (value) => sql`$${params.push(value)}`)
  const { readBy, later } = sampleBounds(state)
  const flowsAfter = (flow: 'deposit' | 'withdraw'): Sql => later((after, through) => sql`select coalesce(sum(v.amount), 0) from ${idx.vault_flows} v
      where v.contract_epoch = s.contract_epoch and v.vault_id = s.vault_id and v.kind = '${flow}' and v.seq > ${after} and v.seq <= ${through}`)
  const sample = columns(idx.vault_samples, 's', {
    seq: 'time', time: 'time', ledger: 'ledger', totalUsdc: 'total_usdc', circulatingShares: 'circulating_shares', hwmNav: 'hwm_nav',
    deposits: expression<string>(sql`f.deposits - ${flowsAfter('deposit')}`),
    withdrawals: expression<string>(sql`f.withdrawals - ${flowsAfter('withdraw')}`),
  })
  return await readPage(
    db,
    {
      state,
      page: sql`select ${sample}
        from (select * from ${idx.vault_samples} r where r.contract_epoch = ${contractEpochSql('vaultFactory', sql`c.epoch`)} and r.vault_id = $2::bigint
          and r.time < $3::bigint ${readBy} order by r.time desc limit $1::int) s
        cross join lateral (${flowsSince(sql`(select * from ${idx.vault_flow_sums} where ${own}) f`, before, sql`s.time`)}) f`,
      params,
      limit,
      cursorOf: ({ seq }) => encodeCursor(kind, [seq]),
    },
    ({ time, ledger, totalUsdc, circulatingShares, hwmNav, deposits, withdrawals }) => {
      const sharePrice = String(sharePriceOf(BigInt(totalUsdc), BigInt(circulatingShares)))
      return { time, ledger, sharePrice, totalUsdc, circulatingShares, hwmNav, deposits, withdrawals }
    },
  )
}

function sharePriceOf(totalUsdc: bigint, shares: bigint): bigint {
  return shares <= 0n ? ONE_E7 : (totalUsdc * ONE_E7) / shares
}

/** Stores the figures of a vault as the sample of this interval; the last reading counts. */
export async function insertVaultSample(
  tx: Writable, contractEpoch: number, read: Readonly<VaultFigures> & { readonly vaultId: number; readonly ledger: number }, nowMs: number,
): Promise<void> {
  await insertRows(tx, idx.vault_samples, [read], {
    contract_epoch: { all: contractEpoch }, vault_id: 'vaultId', time: { all: sampleTime(Math.floor(nowMs / 1_000)) }, ledger: 'ledger',
    total_usdc: 'totalUsdc',
    circulating_shares: 'circulatingShares', hwm_nav: 'hwmNav',
  }, LAST_READING_COUNTS)
}

const LAST_READING_COUNTS = updateOnConflict(idx.vault_samples, ['contract_epoch', 'vault_id', 'time'], {
  replace: ['ledger', 'total_usdc', 'circulating_shares', 'hwm_nav'],
})

/** Adds a page's deposits into and withdrawals from trader vaults. */
export async function applyVaultFlowSums(tx: Writable, epoch: Epoch, events: readonly ArchivedEvent[]): Promise<void> {
  const sums = new Map<string, FlowSum & { readonly vaultId: number; readonly time: number }>()
  for (const event of events) {
    if (event.contract !== 'vaultFactory' || event.payload === null || (event.topic !== 'deposit' && event.topic !== 'withdraw')) continue
    const [vaultId, time] = [numberOf(event, 'vaultId'), sampleTime(event.ledgerCloseTs)]
    const sum = sums.get(`${vaultId} ${time}`) ?? { vaultId, time, deposits: 0n, withdrawals: 0n }
    sums.set(`${vaultId} ${time}`, sum)
    if (event.topic === 'deposit') sum.deposits += bigOf(event, 'amount')
    else sum.withdrawals += bigOf(event, 'usdcOut')
  }
  if (sums.size === 0) return
  await insertRows(tx, idx.vault_flow_sums, [...sums.values()], {
    contract_epoch: { all: await readContractEpoch(tx, epoch, 'vaultFactory') }, vault_id: 'vaultId', time: 'time',
    deposits: 'deposits', withdrawals: 'withdrawals',
  }, ADD_FLOWS)
}

const ADD_FLOWS = updateOnConflict(idx.vault_flow_sums, ['contract_epoch', 'vault_id', 'time'], { add: ['deposits', 'withdrawals'] })
