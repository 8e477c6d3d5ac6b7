import { Type } from 'typebox'

/** 409 response of reads with X-Min-Ledger. */
export const NotYet = Type.Object(
  {
    error: Type.Literal('not_yet'),
    message: Type.String({
      description: 'Human-readable message.', examples: ['Ledger 1234568 is not indexed yet: the last indexed ledger is 1234567. Repeat the request.'],
    }),
    ledger: Type.Integer({ minimum: 0, description: 'Last indexed ledger. 0 if nothing is indexed.', examples: [1_234_567] }),
  },
  { $id: 'NotYet', description: 'The ledger in X-Min-Ledger was not indexed within 5 seconds.' },
)
