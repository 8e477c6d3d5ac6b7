// The places of positions in the queues of auto-deleveraging. Pure.

import type { AdlQueue } from '../../client/src/index.ts'

export interface AdlPlace {
  readonly rank: number
  /** Number of positions in the queue. */
  readonly of: number
  /** 1 is closed first. */
  readonly quintile: number
}

/** By position id. */
export function adlPlaces(queues: readonly Pick<AdlQueue, 'rows'>[]): ReadonlyMap<number, AdlPlace> {
  return new Map(queues.flatMap(({ rows }) => rows.map(({ positionId, rank, quintile }) => [positionId, { rank, quintile, of: rows.length }] as const)))
}
