import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, logEpoch, logSeq, olderDeployment, seconds, txHash } from './fields.ts'

/** Specification, "Event row". */
export const EventRow = Type.Object(
  {
    eventId: Type.String({
      description: 'Unique id. Rows are sorted by ledger, then event id, descending.',
      examples: ['0005302424969216000-0000000003'],
    }),
    contractId: address('Contract that emitted the event. It can belong to an earlier deployment.', 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'),
    topic: Type.String({ description: 'Event topic. Empty if the event has none.', examples: ['funding_applied'] }),
    ledger: Type.Integer({ description: 'Ledger sequence number.', examples: [1234567] }),
    ledgerCloseTs: seconds('Close time of the ledger, Unix seconds.'),
    txHash: txHash('Transaction that emitted the event.'),
    payload: Type.Optional(
      Type.Unknown({
        description: 'Decoded event data. The keys depend on the topic. Events of unknown shape, or newer than this gateway, keep their raw form.',
        examples: [{ topic: 'funding_applied', fundingRate: '1250', hoursElapsed: '1' }],
      }),
    ),
    insertedAt: Type.Optional(Type.Integer({ description: 'Time the indexer stored the event, Unix milliseconds.', examples: [1_783_339_202_481] })),
    seq: logSeq('Position of the event in the log: the `seq` of its frame on the channel `events`.'),
    epoch: logEpoch,
    deployment: olderDeployment,
  },
  { $id: 'EventRow', description: 'An archived contract event.' },
)

export type EventRow = Static<typeof EventRow>
