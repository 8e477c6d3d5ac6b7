import { Type } from 'typebox'
import type { Static } from 'typebox'

const ledgers = {
  epoch: Type.String({ description: 'Epoch of the ledgers. Ledger numbers repeat after a network reset.' }),
  fromLedger: Type.Integer({ description: 'First missing ledger.' }),
  toLedger: Type.Integer({ description: 'Last missing ledger.' }),
}

/** A range of missing ledgers, inclusive. */
export const GapRange = Type.Object(ledgers)

export const GAP_STATES = ['open', 'filled', 'unfillable'] as const

/** A missing range and its current state. */
export const NotedGap = Type.Object({
  ...ledgers,
  since: Type.Integer({ description: 'Time the gap was detected, Unix milliseconds.' }),
  state: Type.Unsafe<(typeof GAP_STATES)[number]>({
    type: 'string',
    enum: [...GAP_STATES],
    description:
      'open: the ledgers are missing. filled: the events were recovered from another source. unfillable: the ledgers are missing and no source has them.',
  }),
})

export type GapRange = Static<typeof GapRange>
export type NotedGap = Static<typeof NotedGap>
