import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount } from './fields.ts'

/** Specification, "Account volume". */
export const AccountVolume = Type.Object(
  {
    address: address('The account (G…) or contract (C…) that was asked for'),
    volume14d: amount('Traded notional of the last 14 x 86,400 seconds, 7-decimal USDC: opens and matched closes, no liquidations', '20000000000'),
  },
  { $id: 'AccountVolume', description: 'What an account has traded in fourteen days' },
)

export type AccountVolume = Static<typeof AccountVolume>
