// What the settlement of transactions needs besides their events: changed entries, where positions were opened, the build of the market, and the growth of
// funding. Fills and the account ledger read the same facts, so that they agree.

import type { OpenedPosition, SettlementInput } from '../../exchange/settlement/position-changes.ts'
import type { Generation } from '../../exchange/contracts/generations.ts'
import { toGeneration } from '../../exchange/contracts/generations.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { Payload } from '../log/archived-event.ts'
import { arraysOf } from '../array-params.ts'
import { chainEventId, readOwnVersions, versionAt } from '../state/contract-versions.ts'
import type { Position } from './positions.ts'
import { loadPositions } from './positions.ts'
import { readTransactionEffects } from '../log/stored-effects.ts'

/** An event of a transaction that is to be settled. */
interface SettledEvent {
  readonly seq: number
  readonly eventId: string
  readonly contractId: string
  readonly topic: string
  readonly payload: Payload | null
}

/** The events of one transaction, in log order. */
export interface SettledTransaction {
  readonly txHash: string
  readonly market: string
  readonly events: readonly SettledEvent[]
}

export type SettlementFacts = Required<Pick<SettlementInput, 'changes' | 'generation' | 'opened' | 'fundingGrowth'>>

export interface TransactionFacts extends SettlementFacts {
  /** True when the changes were read already. They may be unknown then too. */
  readonly isRead: boolean
}

/** The facts of each transaction, in their order. `known` holds positions that need not be read. */
export async function readSettlementFacts(
  tx: Queryable, contractEpoch: number, transactions: readonly SettledTransaction[], known: ReadonlyMap<number, Position> = new Map(),
): Promise<readonly TransactionFacts[]> {
  const [effects, generationAt] = await Promise.all([
    readTransactionEffects(tx, contractEpoch, transactions.map(({ txHash }) => txHash)),
    readGenerations(tx, contractEpoch, [...new Set(transactions.map(({ market }) => market))]),
  ])
  const idsOf = transactions.map(({ txHash, events }) => {
    const named = events.map(({ payload }) => payload?.['positionId']).filter((id) => typeof id === 'number')
    return [...named, ...(effects.get(txHash)?.changes.positions.keys() ?? [])]
  })
  const ids = [...new Set(idsOf.flat())].filter((id) => !known.has(id))
  const positions = await loadPositions(tx, contractEpoch, { ids, openOf: [] })
  const opened = new Map<number, OpenedPosition & Position>([...known, ...positions.map((position) => [position.positionId, position] as const)])
  const growths = await readGrowths(tx, contractEpoch, transactions.map((transaction, index) => ({ transaction, ids: idsOf[index] ?? [] })), opened)
  return transactions.map((transaction, index) => {
    const [first] = transaction.events
    return {
      isRead: effects.has(transaction.txHash),
      changes: effects.get(transaction.txHash)?.changes ?? null,
      generation: first === undefined ? null : generationAt(transaction.market, first.eventId),
      opened,
      fundingGrowth: growths[index] ?? new Map(),
    }
  })
}

type GenerationAt = (market: string, eventId: string) => Generation | null

async function readGenerations(tx: Queryable, contractEpoch: number, markets: readonly string[]): Promise<GenerationAt> {
  const versions = Map.groupBy(await readOwnVersions(tx, contractEpoch, markets), ({ address }) => address)
  return (market, eventId) => toGeneration(versionAt(versions.get(market) ?? [], chainEventId(eventId))?.generation ?? null)
}

/** The liquidations that may be of generation 1. Those of generation 2 report what they took, and more than one event reports it. */
const LIQUIDATIONS: ReadonlySet<string> = new Set(['position_liquidated', 'cross_liq'])

interface GrowthRequest {
  /** Of its transaction. */
  readonly index: number
  readonly positionId: number
  readonly market: string
  readonly openedSeq: number
  readonly seq: number
}

/** Sums what was applied since the open: at most one event per hour. Positions that were open during a gap have no growth. */
async function readGrowths(
  tx: Queryable, contractEpoch: number, transactions: readonly { readonly transaction: SettledTransaction; readonly ids: readonly number[] }[],
  opened: ReadonlyMap<number, Position>,
): Promise<readonly ReadonlyMap<number, bigint>[]> {
  const growths = transactions.map(() => new Map<number, bigint>())
  const requests = transactions.flatMap(({ transaction: { events, market }, ids }, index): GrowthRequest[] => {
    const liquidation = events.find(({ contractId, topic }) => contractId === market && LIQUIDATIONS.has(topic))
    if (liquidation === undefined || events.some(({ topic }) => topic === 'liq_refund')) return []
    return [...new Set(ids)].flatMap((positionId): GrowthRequest[] => {
      const position = opened.get(positionId)
      // A position without its opening event was noticed at some later time.
      if (position === undefined || position.openedTxHash === null) return []
      return [{ index, positionId, market, openedSeq: position.openedSeq, seq: liquidation.seq }]
    })
  })
  if (requests.length === 0) return growths
  const rows = await tx.query<{ index: number; positionId: number; growth: string | null }>(
    sql`select w.index, w.position_id as "positionId", applied.growth::text as growth
     from unnest($2::int[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[]) w (index, position_id, market, opened_seq, seq)
     cross join lateral (
       select coalesce(sum((f.payload->>'fundingRate')::numeric * (f.payload->>'hoursElapsed')::numeric), 0) as growth, count(*) as events,
         count(f.payload->>'fundingRate') filter (where f.payload->>'asset' is null) as known
       from ${idx.events} f where f.topic = 'funding_applied' and f.contract_id = w.market and not f.is_transfer and f.seq > w.opened_seq and f.seq < w.seq
     ) applied
     where applied.known = applied.events and not exists (
       select 1 from ${idx.gaps} g join ${idx.epochs} e on e.number = g.epoch
       where e.contract_epoch = $1 and g.state <> 'filled' and g.last_seq > w.opened_seq and g.first_seq < w.seq)`,
    [contractEpoch, ...arraysOf(requests, { index: 'integer', positionId: 'bigint', market: 'text', openedSeq: 'bigint', seq: 'bigint' })],
  )
  for (const { index, positionId, growth } of rows) growths[index]?.set(positionId, BigInt(growth ?? 0))
  return growths
}
