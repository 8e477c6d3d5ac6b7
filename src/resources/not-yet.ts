import { Type } from 'typebox'

/** 409 of reads that ask for a ledger with X-Min-Ledger. */
export const NotYet = Type.Object(
  {
    error: Type.Literal('not_yet'),
    ledger: Type.Integer({ minimum: 0, description: 'The last indexed ledger; 0 while nothing is indexed', examples: [1_234_567] }),
  },
  { $id: 'NotYet', description: 'The ledger of X-Min-Ledger was not indexed in time; ask again' },
)
