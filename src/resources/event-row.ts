import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, seconds, txHash } from './fields.ts'

/** Specification, "Event row". */
export const EventRow = Type.Object(
  {
    eventId: Type.String({
      description: 'Unique id; rows are ordered by ledger, then event id, descending',
      examples: ['0005302424969216000-0000000003'],
    }),
    contractId: address('The emitting contract; may belong to an earlier deployment', 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'),
    topic: Type.String({ description: 'Event topic; empty for an event without one', examples: ['funding_applied'] }),
    ledger: Type.Integer({ description: 'Ledger sequence', examples: [1234567] }),
    ledgerCloseTs: seconds('Close time of the ledger, unix seconds'),
    txHash: txHash('The emitting transaction'),
    payload: Type.Optional(
      Type.Unknown({
        description: 'Decoded event body; its keys vary by topic. An event of unknown shape keeps its raw form.',
        examples: [{ topic: 'funding_applied', fundingRate: '1250', hoursElapsed: '1' }],
      }),
    ),
    insertedAt: Type.Optional(Type.Integer({ description: 'When the indexer wrote the row, milliseconds', examples: [1_783_339_202_481] })),
  },
  { $id: 'EventRow', description: 'A contract event from the archive' },
)

export type EventRow = Static<typeof EventRow>
