import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address } from './fields.ts'

/** Specification, "Prepared transaction". */
export const PreparedTransaction = Type.Object(
  {
    op: Type.String({ description: 'Requested operation.', examples: ['open_position'] }),
    trader: address('Account that must sign: the owner of the key.'),
    xdr: Type.String({ description: 'Unsigned transaction envelope, base64 XDR. Sign it unchanged and submit it within 300 seconds.' }),
    minResourceFee: Type.Optional(
      Type.String({ description: 'Minimum resource fee of the network in stroops. Included in the transaction fee.', examples: ['94813'] }),
    ),
  },
  { $id: 'PreparedTransaction', description: 'An unsigned transaction that passed simulation.' },
)

export type PreparedTransaction = Static<typeof PreparedTransaction>
