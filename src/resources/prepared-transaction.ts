import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address } from './fields.ts'

/** Specification, "Prepared transaction". */
export const PreparedTransaction = Type.Object(
  {
    op: Type.String({ description: 'The operation that was asked for', examples: ['open_position'] }),
    trader: address('The account that must sign: the one that owns the key'),
    xdr: Type.String({ description: 'Unsigned transaction envelope, base64. Sign it unchanged and submit it within 300 seconds' }),
    minResourceFee: Type.Optional(
      Type.String({ description: 'What the network charges at least for the resources, stroops; part of the transaction\'s fee', examples: ['94813'] }),
    ),
  },
  { $id: 'PreparedTransaction', description: 'A transaction that was built and simulated, ready to be signed' },
)

export type PreparedTransaction = Static<typeof PreparedTransaction>
