import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount } from './fields.ts'

/** Specification, "Account volume". */
export const AccountVolume = Type.Object(
  {
    address: address('The requested account (G…) or contract (C…).'),
    volume14d: amount(
      'Notional traded in the past 14 × 86,400 seconds, in USDC, 7-decimal. Includes opens and matched closes, excludes liquidations.', '20000000000',
    ),
  },
  { $id: 'AccountVolume', description: 'Trading volume of an account over 14 days.' },
)

export type AccountVolume = Static<typeof AccountVolume>
