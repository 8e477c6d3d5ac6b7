// What a trader realized and paid in the minute in which a past state ends. The stored sum of that minute includes what came after the state.

import type { ArchivedEvent } from '../log/archived-event.ts'
import { readPositionEvent } from '../log/market-events.ts'
import { costChanges, foldTraderResults, resultChanges } from '../traders/trader-results.ts'
import type { FillCost, IntervalChange } from '../traders/trader-results.ts'
import { sql } from '../../store/sql.ts'
import type { Sql, Table } from '../../store/sql.ts'
import { idx } from '../../store/tables.ts'

type Digits = string | null

/** The rows of the minute up to the end of the state, as JSON. */
export interface MinuteRows {
  readonly start: number
  readonly events: readonly Pick<ArchivedEvent, 'seq' | 'topic' | 'ledger' | 'ledgerCloseTs' | 'txHash' | 'payload'>[]
  readonly trades: readonly {
    readonly seq: number
    /** Null together with the rest of the leg. */
    readonly asset: string | null
    readonly direction: number
    readonly size: string
    readonly entryPrice: string
    readonly closePrice: Digits
  }[]
  readonly fills: readonly (Pick<FillCost, 'seq' | 'ts' | 'kind'> & Readonly<Record<'price' | 'fee' | 'keeperReward' | 'penalty' | 'funding', Digits>>)[]
}

const SECONDS = 60

/**
 * SQL of `MinuteRows` in the last minute of the state `c`, which ends with `throughSeq`. The indexes of an account's rows are ordered by seq: the minute
 * begins after the last ledger that closed before it, of any epoch.
 */
export function rowsOfLastMinute(trader: Sql, throughSeq: Sql): Sql {
  const rowsOf = (table: Table, owner: 'account' | 'trader'): Sql =>
    sql`(select * from ${table} own where own.${owner} = ${trader} and own.seq > minute.after_seq and own.seq <= ${throughSeq} offset 0) r`
  return sql`(select jsonb_build_object('start', minute.start,
      'events', ${listOf(
        { seq: 'e.seq', topic: 'e.topic', ledger: 'e.ledger', ledgerCloseTs: 'e.ledger_close_ts', txHash: 'e.tx_hash', payload: 'e.payload' },
        // Without the limit the planner may scan the archive.
        sql`${rowsOf(idx.account_events, 'account')} cross join lateral (select * from ${idx.events} a where a.seq = r.seq limit 1) e
          join ${idx.epochs} p on p.number = e.epoch where e.contract_id = p.contracts->>'market' and e.payload->>'trader' = ${trader}`,
      )},
      'trades', ${listOf(
        {
          seq: 'r.seq', asset: 'r.asset', direction: 'r.direction', size: 'r.size::text', entryPrice: 'r.entry_price::text',
          closePrice: 'r.close_price::text',
        },
        rowsOf(idx.trades, 'trader'),
      )},
      'fills', ${listOf(
        {
          seq: 'r.seq', ts: 'r.ts', kind: 'r.kind', price: 'r.price::text', fee: 'r.fee::text', keeperReward: 'r.keeper_reward::text',
          penalty: 'r.penalty::text', funding: 'r.funding::text',
        },
        rowsOf(idx.position_fills, 'trader'),
      )})
    from (select own.start, coalesce(max(prior.last_seq), 0) as after_seq
      from (select c.last_ledger_close_ts / ${SECONDS} * ${SECONDS} as start) own left join ${idx.epochs} x on true
      left join lateral (select l.last_seq from ${idx.ledgers} l where l.epoch = x.number and l.close_ts < own.start
        order by l.close_ts desc, l.last_seq desc limit 1) prior on true
      group by own.start) minute)`
}

function listOf(members: Readonly<Record<string, string>>, from: Sql): Sql {
  const object = sql.join(Object.entries(members).map(([name, value]) => `'${name}', ${value}`), ', ')
  return sql`(select coalesce(jsonb_agg(jsonb_build_object(${object}) order by r.seq), '[]') from ${from})`
}

/** The changes that the rows of the minute make to the curve of this trader. */
export function changesOfMinute(trader: string, { start, events, trades, fills }: MinuteRows): readonly IntervalChange[] {
  const positionEvents = events.map((event) => readPositionEvent({ ...event, ...UNUSED, contract: 'market' })).filter((event) => event !== undefined)
  const closed = trades.map(({ seq, asset, direction, size, entryPrice, closePrice }) => ({
    seq, closePrice: bigOrNull(closePrice), leg: asset === null ? null : { asset, direction, size: BigInt(size), entryPrice: BigInt(entryPrice) },
  }))
  const costs = fills.map(({ seq, ts, kind, price, fee, keeperReward, penalty, funding }) => ({
    seq, trader, ts, kind, price: bigOrNull(price), fee: bigOrNull(fee), keeperReward: bigOrNull(keeperReward), penalty: bigOrNull(penalty),
    funding: bigOrNull(funding),
  }))
  return [...resultChanges(foldTraderResults(positionEvents, closed)), ...costChanges(costs, [])]
    .filter(({ ts }) => ts >= start && ts < start + SECONDS)
}

/** Members of an archived event that a position event does not have. */
const UNUSED = { eventId: '', contractId: '', topicsXdr: [], valueXdr: '', problem: null } as const

function bigOrNull(digits: Digits): bigint | null {
  return digits === null ? null : BigInt(digits)
}
