// Referrals: codes and their owners, referred accounts, and rewards.

import type { ReferralBinding, ReferralClaim, ReferralTrade, Referrer } from '../../resources/referral.ts'
import { columns, outerJoined } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { insertRows, updateOnConflict } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import type { Epoch } from '../state/epochs.ts'
import { contractEpochSql, readContractEpoch } from '../state/contract-epochs.ts'
import { PRESENT_HEAD } from '../state/as-of.ts'
import { headOf, listLog, toSearchText } from '../log/log-list.ts'
import type { Head, Page } from '../log/page.ts'
import { bigOf, optionalBigOf, textOf } from '../log/payload.ts'

/** A referrer as the indexer processes it. */
interface ReferrerState {
  readonly referrer: string
  readonly code: string
  readonly createdAt: number
  referredCount: number
  totalVolumeGenerated: bigint
  totalEarned: bigint
  claimable: bigint
  /** Milliseconds. */
  updatedAt: number
}

/** Applies a page's events of the referral contract. */
export async function applyReferralEvents(tx: Writable, epoch: Epoch, events: readonly ArchivedEvent[]): Promise<void> {
  const decoded = events.filter((event) => event.contract === 'referral' && event.payload !== null)
  // The contract's own settings name no referrer.
  const referralEvents = decoded.filter((event) => typeof event.payload?.['referrer'] === 'string')
  const unbound = topicIn(decoded, 'unbound')
  if (referralEvents.length + unbound.length === 0) return
  const contractEpoch = await readContractEpoch(tx, epoch, 'referral')
  const referrers = await loadReferrers(tx, contractEpoch, [...new Set(referralEvents.map((event) => textOf(event, 'referrer')))])
  foldReferral(referralEvents, referrers)
  const contract_epoch = { all: contractEpoch }
  await insertRows(tx, idx.referrers, [...referrers.values()], {
    contract_epoch, referrer: 'referrer', code: 'code', created_at: 'createdAt', referred_count: 'referredCount',
    total_volume_generated: 'totalVolumeGenerated',
    total_earned: 'totalEarned', claimable: 'claimable', updated_at: 'updatedAt',
  }, UPDATE_REFERRERS)
  await deleteBindings(tx, contractEpoch, unbound)
  const logged = { ledger: 'ledger', ts: 'ledgerCloseTs', tx_hash: 'txHash' } as const
  const referrer = (event: ArchivedEvent): string => textOf(event, 'referrer')
  const referee = (event: ArchivedEvent): string => textOf(event, 'referee')
  await insertRows(tx, idx.referral_bindings, newBindings(decoded), {
    contract_epoch, referee, referrer, code: (event) => textOf(event, 'code'), bound_at: 'ledgerCloseTs', tx_hash: 'txHash',
  }, KEEP_BINDINGS)
  await insertRows(tx, idx.referral_trades, topicIn(referralEvents, 'trade_recorded'), {
    seq: 'seq', referee, referrer, original_fee: (event) => bigOf(event, 'originalFee'), discount: (event) => bigOf(event, 'discount'),
    payout: (event) => bigOf(event, 'payout'), ...logged, volume: (event) => optionalBigOf(event, 'volume'),
  })
  await insertRows(tx, idx.referral_claims, topicIn(referralEvents, 'claimed'), {
    seq: 'seq', referrer, amount: (event) => bigOf(event, 'amount'), ...logged,
  })
}

/** Applies events in log order to the referrers that they name. A referrer whose code is not in the archive is skipped. */
function foldReferral(events: readonly ArchivedEvent[], referrers: Map<string, ReferrerState>): void {
  for (const event of events) {
    const name = textOf(event, 'referrer')
    const ts = event.ledgerCloseTs
    if (event.topic === 'code_created' && !referrers.has(name)) {
      const zeros = { referredCount: 0, totalVolumeGenerated: 0n, totalEarned: 0n, claimable: 0n }
      referrers.set(name, { referrer: name, code: textOf(event, 'code'), createdAt: ts, ...zeros, updatedAt: 0 })
    }
    const referrer = referrers.get(name)
    if (referrer === undefined) continue
    referrer.updatedAt = ts * 1_000
    if (event.topic === 'referrer_set') referrer.referredCount += 1
    if (event.topic === 'claimed') referrer.claimable = 0n
    if (event.topic !== 'trade_recorded') continue
    // Generation 1 reports no volume and counts the fee.
    referrer.totalVolumeGenerated += optionalBigOf(event, 'volume') ?? bigOf(event, 'originalFee')
    referrer.totalEarned += bigOf(event, 'payout')
    referrer.claimable += bigOf(event, 'payout')
  }
}

/** The binding of each account that has one after these events. Only the first counts, until the account is unbound. */
function newBindings(events: readonly ArchivedEvent[]): readonly ArchivedEvent[] {
  const bindings = new Map<string, ArchivedEvent>()
  for (const event of events) {
    if (event.topic === 'unbound') bindings.delete(textOf(event, 'referee'))
    else if (event.topic === 'referrer_set' && !bindings.has(textOf(event, 'referee'))) bindings.set(textOf(event, 'referee'), event)
  }
  return [...bindings.values()]
}

function topicIn(events: readonly ArchivedEvent[], topic: string): readonly ArchivedEvent[] {
  return events.filter((event) => event.topic === topic)
}

const REFERRER_COLUMNS = columns(idx.referrers, 'r', {
  referrer: 'referrer', code: 'code', createdAt: 'created_at', referredCount: 'referred_count', totalVolumeGenerated: 'total_volume_generated',
  totalEarned: 'total_earned', claimable: 'claimable', updatedAt: 'updated_at',
})

async function loadReferrers(tx: Queryable, contractEpoch: number, names: readonly string[]): Promise<Map<string, ReferrerState>> {
  const rows = await tx.query(
    sql`select ${REFERRER_COLUMNS} from ${idx.referrers} r where r.contract_epoch = $1 and r.referrer = any($2::text[])`,
    [contractEpoch, names],
  )
  return new Map(rows.map((row) => [row.referrer, {
    ...row, totalVolumeGenerated: BigInt(row.totalVolumeGenerated), totalEarned: BigInt(row.totalEarned), claimable: BigInt(row.claimable),
  }]))
}

const UPDATE_REFERRERS = updateOnConflict(idx.referrers, ['contract_epoch', 'referrer'], {
  replace: ['referred_count', 'total_volume_generated', 'total_earned', 'claimable', 'updated_at'],
})
const KEEP_BINDINGS = sql`on conflict (contract_epoch, referee) do nothing`

async function deleteBindings(tx: Writable, contractEpoch: number, events: readonly ArchivedEvent[]): Promise<void> {
  if (events.length === 0) return
  const referees = events.map((event) => textOf(event, 'referee'))
  await tx.run(sql`${sql.deleteFrom(idx.referral_bindings)} where contract_epoch = $1 and referee = any($2::text[])`, [contractEpoch, referees])
}

const CURRENT_CONTRACT_EPOCH = contractEpochSql('referral', sql`c.epoch`)

const FOUND_REFERRER = outerJoined(REFERRER_COLUMNS)
const FOUND_BINDING = outerJoined(columns(idx.referral_bindings, 'b', {
  referee: 'referee', boundReferrer: 'referrer', boundCode: 'code', boundAt: 'bound_at', txHash: 'tx_hash',
}))

/** The owner of a code; null when it is not taken (specification, "GET /v1/referral/lookup"). */
export async function findReferrer(db: Queryable, code: string): Promise<{ readonly referrer: Referrer | null; readonly head: Head }> {
  const rows = await db.query(
    sql`select ${PRESENT_HEAD}, ${FOUND_REFERRER}
     from ${idx.cursor} c left join ${idx.referrers} r on r.contract_epoch = ${CURRENT_CONTRACT_EPOCH} and r.code = $1`,
    [toSearchText(code)],
  )
  return { referrer: referrerOf(rows[0]), head: headOf(rows) }
}

/** The code that an address owns, and the code that it is bound to (specification, "GET /v1/referral/info"). */
export async function readReferral(
  db: Queryable,
  address: string,
): Promise<{ readonly self: Referrer | null; readonly binding: ReferralBinding | null; readonly head: Head }> {
  const rows = await db.query(
    sql`select ${PRESENT_HEAD}, ${FOUND_REFERRER}, ${FOUND_BINDING}
     from ${idx.cursor} c
     left join ${idx.referrers} r on r.contract_epoch = ${CURRENT_CONTRACT_EPOCH} and r.referrer = $1
     left join ${idx.referral_bindings} b on b.contract_epoch = ${CURRENT_CONTRACT_EPOCH} and b.referee = $1`,
    [toSearchText(address)],
  )
  const [row] = rows
  const binding = row === undefined || row.referee === null
    ? null
    : { referee: row.referee, referrer: row.boundReferrer, code: row.boundCode, boundAt: row.boundAt, txHash: row.txHash }
  return { self: referrerOf(row), binding, head: headOf(rows) }
}

function referrerOf(row: RowOf<typeof FOUND_REFERRER> | undefined): Referrer | null {
  if (row === undefined || row.referrer === null) return null
  const { referrer, code, createdAt, referredCount, totalVolumeGenerated, totalEarned, claimable, updatedAt } = row
  return { referrer, code, createdAt, referredCount, totalVolumeGenerated, totalEarned, claimable, updatedAt }
}

export interface ReferralFilter {
  readonly referrer: string
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Trades that paid a referrer, newest first, across deployments (specification, "GET /v1/referral/me/trades and /me/claims"). */
export async function listReferralTrades(db: Queryable, { referrer, limit, cursor }: ReferralFilter): Promise<Page<ReferralTrade>> {
  return await listLog<ReferralTrade>(db, {
    kind: 'referral-trades', table: idx.referral_trades, equals: { referrer }, limit, cursor,
    columns: {
      id: 'r.seq', referee: 'r.referee', referrer: 'r.referrer', originalFee: 'r.original_fee', discount: 'r.discount', payout: 'r.payout',
      volume: 'r.volume', ledger: 'r.ledger', ts: 'r.ts', txHash: 'r.tx_hash',
    },
  })
}

/** A referrer's claims, newest first, across deployments (specification, the same heading). */
export async function listReferralClaims(db: Queryable, { referrer, limit, cursor }: ReferralFilter): Promise<Page<ReferralClaim>> {
  return await listLog<ReferralClaim>(db, {
    kind: 'referral-claims', table: idx.referral_claims, equals: { referrer }, limit, cursor,
    columns: { id: 'r.seq', referrer: 'r.referrer', amount: 'r.amount', ledger: 'r.ledger', ts: 'r.ts', txHash: 'r.tx_hash' },
  })
}
