// Past versions of open positions, for reads as of a ledger. The present version of a position is its row of idx.positions.

import { columns } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { InterestStep } from '../markets/interest-versions.ts'
import type { Position, PositionState } from './positions.ts'

/** A position while it was open and unchanged: from `fromSeq` up to, not including, `toSeq`. */
export interface PositionVersion extends Omit<Position, 'state' | 'sinceSeq' | 'marginMode'> {
  readonly fromSeq: number
  readonly toSeq: number
  readonly crossLiquidated: boolean
}

/** The changes of one event or correction: the position from there on, its version until then, and the open interest. */
export interface PositionStep {
  readonly position: Position
  /** Null when the position was not open. */
  readonly ended: PositionVersion | null
  readonly interest: readonly InterestStep[]
}

/** Replaces `before`, undefined when it was not known, by `next` in `state` from `seq` on. */
export function stepPosition(before: Position | undefined, next: Omit<Position, 'state' | 'sinceSeq'>, state: PositionState, seq: number): PositionStep {
  const position = { ...next, state, sinceSeq: seq }
  const wasOpen = before?.state === 'open'
  return {
    position,
    ended: wasOpen ? { ...before, fromSeq: before.sinceSeq, toSeq: seq, crossLiquidated: state === 'cross_liquidated' } : null,
    interest: [...(wasOpen ? [interestOf(before, seq, -1)] : []), ...(state === 'open' ? [interestOf(position, seq, 1)] : [])],
  }
}

/** The open interest that a position adds or removes. */
function interestOf({ asset, direction, size }: Pick<Position, 'asset' | 'direction' | 'size'>, seq: number, sign: 1 | -1): InterestStep {
  const change = sign === 1 ? size : -size
  return { seq, asset, long: direction === 0 ? change : 0n, short: direction === 0 ? 0n : change, positions: sign }
}

export async function insertPositionVersions(tx: Writable, contractEpoch: number, versions: readonly PositionVersion[]): Promise<void> {
  await insertRows(tx, idx.position_versions, versions, {
    contract_epoch: { all: contractEpoch }, position_id: 'positionId', from_seq: 'fromSeq', to_seq: 'toSeq', trader: 'trader', asset: 'asset',
    direction: 'direction', size: 'size', entry_price: 'entryPrice', opened_seq: 'openedSeq', opened_at: 'openedAt', opened_tx_hash: 'openedTxHash',
    cross_liquidated: 'crossLiquidated',
  })
}

const ENDED = columns(idx.position_versions, 'v', { fromSeq: 'from_seq', toSeq: 'to_seq', size: 'size', crossLiquidated: 'cross_liquidated' })

/**
 * Undoes the cross liquidations of a position that turned out to be isolated: each of its versions lasts until the next one, or until the event that
 * ended it. Returns the position, open again when nothing else ended it, and the open interest that was missing.
 */
export async function undoCrossLiquidations(
  tx: Writable, contractEpoch: number, position: Position,
): Promise<{ readonly position: Position; readonly missing: readonly { readonly step: InterestStep; readonly untilSeq: number | null }[] }> {
  const versions = await tx.query(
    sql`select ${ENDED} from ${idx.position_versions} v where v.contract_epoch = $1 and v.position_id = $2::bigint order by v.from_seq`,
    [contractEpoch, position.positionId],
  )
  const missing: { step: InterestStep; untilSeq: number | null }[] = []
  let result = position
  for (const [index, version] of versions.entries()) {
    if (!version.crossLiquidated) continue
    const isLast = index === versions.length - 1
    const untilSeq = versions[index + 1]?.fromSeq ?? (position.state === 'cross_liquidated' ? null : position.sinceSeq)
    missing.push({ step: interestOf({ ...position, size: BigInt(version.size) }, version.toSeq, 1), untilSeq })
    if (isLast && untilSeq === null) {
      result = { ...position, state: 'open', sinceSeq: version.fromSeq }
      await tx.run(sql`${sql.deleteFrom(idx.position_versions)} where contract_epoch = $1 and position_id = $2::bigint and from_seq = $3::bigint`, [
        contractEpoch, position.positionId, version.fromSeq,
      ])
    } else {
      await tx.run(
        sql`${sql.update(idx.position_versions)} set to_seq = $4::bigint, cross_liquidated = false
         where contract_epoch = $1 and position_id = $2::bigint and from_seq = $3::bigint`,
        [contractEpoch, position.positionId, version.fromSeq, untilSeq],
      )
    }
  }
  return { position: result, missing }
}
