import { Type } from 'typebox'
import type { Static } from 'typebox'

const ledgers = {
  epoch: Type.String({ description: 'The epoch that the ledgers belong to: ledgers repeat after a reset of the network' }),
  fromLedger: Type.Integer({ description: 'The first of them' }),
  toLedger: Type.Integer({ description: 'The last of them' }),
}

/** Ledgers that were lost, inclusive on both ends. */
export const GapRange = Type.Object(ledgers)

export const GAP_STATES = ['open', 'filled', 'unfillable'] as const

/** The same, with what became of them. */
export const NotedGap = Type.Object({
  ...ledgers,
  since: Type.Integer({ description: 'When it was noticed, milliseconds' }),
  state: Type.Unsafe<(typeof GAP_STATES)[number]>({
    type: 'string',
    enum: [...GAP_STATES],
    description: 'open: missing; filled: read from elsewhere since, and in every list; unfillable: missing, and no source that was asked has these ledgers',
  }),
})

export type GapRange = Static<typeof GapRange>
export type NotedGap = Static<typeof NotedGap>
