import { Type } from 'typebox'
import type { Static } from 'typebox'
import { TIMES_IN_FORCE } from '../limits.ts'
import { amount, amountOrNull, integerOrNull, textOrNull } from './fields.ts'

const INSTRUMENT_ORDER_TYPES = ['market', 'limit', 'stop_limit', 'stop_loss', 'take_profit', 'trailing_stop'] as const
export type InstrumentOrderType = (typeof INSTRUMENT_ORDER_TYPES)[number]

const listOfNames = <Name extends string>(names: readonly Name[], description: string) =>
  Type.Array(Type.Unsafe<Name>({ type: 'string', enum: [...names] }), { description, examples: [[...names]] })

export const Instrument = Type.Object(
  {
    symbol: Type.String({ description: 'Symbol of the market.', examples: ['BTC'] }),
    base: Type.String({ description: 'What is traded.', examples: ['BTC'] }),
    quote: Type.String({ description: 'What it is priced in.', examples: ['USDC'] }),
    settlement: Type.String({ description: 'What profits and losses are paid in.', examples: ['USDC'] }),
    kind: Type.Literal('perpetual', { description: 'Kind of contract.' }),
    priceDecimals: Type.Integer({ description: 'Decimals of prices, amounts and sizes in this API.', examples: [7] }),
    displayDecimals: Type.Integer({
      description: 'Decimals with which people expect to see a price now: six significant digits, at least 2 decimals. 7 while the price is unknown.',
      examples: [2],
    }),
    tickSize: amount('Smallest step of a price that the contracts accept, 7-decimal.', '1'),
    amountStep: amount('Smallest step of an amount that the contracts accept, 7-decimal.', '1'),
    contractSize: amount('Size of one contract in the base currency, 7-decimal.', '10000000'),
    minCollateral: amountOrNull('Minimum collateral of a position in USDC, 7-decimal.', '100000000'),
    minNotional: amountOrNull('Minimum size in USDC, 7-decimal: the minimum collateral at leverage 1.', '100000000'),
    maxNotional: amountOrNull('Maximum size in USDC, 7-decimal.', '1000000000000'),
    maxLeverage: textOrNull({ description: 'Maximum leverage, digits. Null also for an asset that cannot be traded.', examples: ['10'] }),
    leverageStep: Type.String({ description: 'Step of the leverage, digits.', examples: ['1'] }),
    initialMarginBps: integerOrNull({ description: 'Initial margin, basis points of the size. Null where the contracts have none.', examples: [400] }),
    maintenanceMarginBps: integerOrNull({ description: 'Maintenance margin, basis points of the size. Null where the contracts have none.', examples: [200] }),
    liquidationPenaltyBps: integerOrNull({ description: 'Penalty of a liquidation, basis points of the size. Null where the contracts have none.',
      examples: [100] }),
    feeTiers: Type.Array(
      Type.Object({
        volume14d: amount('14-day volume at which the tier starts, in USDC, 7-decimal.', '0'),
        makerDeciBps: Type.Integer({ description: 'Fee for executed limit orders, tenths of a basis point of the size.', examples: [20] }),
        takerDeciBps: Type.Integer({ description: 'Fee for market orders, tenths of a basis point of the size.', examples: [50] }),
      }),
      { description: 'Fee tiers by 14-day volume. Empty if they could not be read.' },
    ),
    keeperFee: Type.Object(
      {
        base: amountOrNull('Fixed part in USDC, 7-decimal.', '0'),
        deciBps: integerOrNull({ description: 'Share of the size, tenths of a basis point.', examples: [10] }),
      },
      { description: 'What the keeper that executes an order is paid.' },
    ),
    fundingIntervalSec: Type.Integer({ description: 'Seconds between two funding payments.', examples: [3_600] }),
    marginModes: listOfNames(['isolated', 'cross'], 'Margin modes of positions.'),
    positionMode: Type.Literal('hedged', { description: 'hedged: an account can be long and short at the same time.' }),
    orderTypes: listOfNames(INSTRUMENT_ORDER_TYPES, 'Orders that the deployed contracts take.'),
    timeInForce: Type.Array(
      Type.Object({
        name: Type.Unsafe<(typeof TIMES_IN_FORCE)[number]>({ type: 'string', enum: [...TIMES_IN_FORCE], description: 'Name.', examples: ['gtc'] }),
        value: Type.Integer({ description: 'The contracts\' number, as in `timeInForce` of a request.', examples: [0] }),
      }),
      { description: 'Times in force of limit orders.' },
    ),
    canReduce: Type.Boolean({ description: 'True if a part of a position can be closed.', examples: [true] }),
    clientIdMaxLength: Type.Integer({ description: 'Maximum length of a clientId.', examples: [64] }),
    open: Type.Boolean({ description: 'True if positions can be opened now.', examples: [true] }),
  },
  { $id: 'Instrument', description: 'What a program needs to know about a market before it trades. Values that could not be read are null.' },
)

export type Instrument = Static<typeof Instrument>

/** A price and a size. */
const level = Type.Unsafe<readonly [price: string, size: string]>({
  type: 'array', items: { type: 'string', pattern: '^[0-9]+$' }, minItems: 2, maxItems: 2, description: 'Price in USD and size in USDC, 7-decimal.',
})

export const Book = Type.Object(
  {
    asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
    bids: Type.Array(level, { maxItems: 1, description: 'At what price a short can be opened, and how much. Empty if there is no room, or it is unknown.' }),
    asks: Type.Array(level, { maxItems: 1, description: 'At what price a long can be opened, and how much. Empty if there is no room, or it is unknown.' }),
    ledger: Type.Integer({ description: 'Ledger that the figures are of.', examples: [1_234_567] }),
    synthetic: Type.Literal(true, { description: 'Always true: trades are made against the pool, and there are no orders of others.' }),
  },
  { $id: 'Book', description: 'An order book of one level per side around the oracle price, for programs that need one.' },
)

export type Book = Static<typeof Book>
