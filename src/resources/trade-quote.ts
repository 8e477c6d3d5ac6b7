import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amountOrNull } from './fields.ts'
import { bindingLimitOrNull } from './market-stats.ts'
import { TradePreview } from './trade-preview.ts'

/** Not in the specification. */
export const TradeQuote = Type.Object(
  {
    ...TradePreview.properties,
    headroom: amountOrNull('How much more can be opened in this direction, in USD, 7-decimal.', '1000000000000'),
    bindingLimit: bindingLimitOrNull('The limit that leaves the least room. Null while the headroom is unknown.'),
  },
  {
    $id: 'TradeQuote',
    description:
      'What an open would do at this ledger: the preview of a prepared transaction, and the headroom. Members that do not apply or are not known are null.',
  },
)

export type TradeQuote = Static<typeof TradeQuote>
