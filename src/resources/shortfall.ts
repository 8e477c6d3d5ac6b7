import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount } from './fields.ts'

export const Shortfall = Type.Object(
  {
    address: address('Account (G…) or contract (C…).'),
    owed: amount('Profit that the pool still owes the account, in USDC, 7-decimal. 0 if not supported.', '0'),
    reserve: amount('USDC that the pool has set aside for such profits of all accounts, 7-decimal. 0 if not supported.', '0'),
    supported: Type.Boolean({ description: 'False if the contracts have no such record, or it cannot be read now.', examples: [true] }),
  },
  { $id: 'Shortfall', description: 'Profit that the pool could not pay.' },
)

export type Shortfall = Static<typeof Shortfall>
