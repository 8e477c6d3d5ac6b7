import { Type } from 'typebox'
import type { Static, TUnsafe } from 'typebox'
import { amount, amountOrNull, integerOrNull } from './fields.ts'
import { DAY_RANGE } from './market.ts'

/** The limit that leaves the least room, in the order in which the vault checks them. */
const BINDING_LIMITS = ['aggregate', 'side', 'skew', 'liquidity', 'maxPosition'] as const

export type BindingLimit = (typeof BINDING_LIMITS)[number]

function binding<Name extends BindingLimit>(names: readonly Name[], description: string): TUnsafe<Name> {
  return Type.Unsafe<Name>({ type: 'string', enum: [...names], description, examples: [names[0]] })
}

export function bindingLimitOrNull(description: string): TUnsafe<BindingLimit | null> {
  return Type.Unsafe<BindingLimit | null>({ type: ['string', 'null'], enum: [...BINDING_LIMITS, null], description, examples: ['side'] })
}

const LIMIT = 'The limit that leaves the least room: all reserved payouts, one side of the asset, its skew, the USDC in the pool, or the size of one position.'

export const MarketCapacity = Type.Object(
  {
    headroomLong: amount('Size that can still be opened long, in USDC, 7-decimal.', '2487500000000'),
    headroomShort: amount('Size that can still be opened short, in USDC, 7-decimal.', '2491000000000'),
    bindingLong: binding(BINDING_LIMITS, `${LIMIT} For longs.`),
    bindingShort: binding(BINDING_LIMITS, `${LIMIT} For shorts.`),
    oiLong: amount('Open interest of longs in the contract, in USDC, 7-decimal.', '12500000000'),
    oiShort: amount('Open interest of shorts in the contract, in USDC, 7-decimal.', '9000000000'),
    netSkew: amount('Longs minus shorts in USDC, 7-decimal. Can be negative.', '3500000000'),
    sideCap: amount('Maximum open interest of one side in USDC, 7-decimal.', '2500000000000'),
    skewCap: amountOrNull('Maximum skew in USDC, 7-decimal. Null where the contracts have no such limit.', '1500000000000'),
    assetCapBps: Type.Integer({ description: 'Cap of one side as a share of aum, basis points.', examples: [2500] }),
    capAbs: amount('Absolute cap of one side in USDC, 7-decimal. 0: none.', '0'),
    skewCapBps: integerOrNull({
      description: 'Cap of the skew as a share of aum, basis points. Null where the contracts have no such limit.', examples: [1500],
    }),
    maxPositionSize: amountOrNull('Maximum size of one position in USDC, 7-decimal. Null if unknown.', '1000000000000'),
    maxLeverage: integerOrNull({ description: 'Maximum leverage. Null if unknown.', examples: [10] }),
  },
  { $id: 'MarketCapacity', description: 'What can still be opened on one asset. Absent while the contracts cannot be read.' },
)

export type MarketCapacity = Static<typeof MarketCapacity>

/** Specification, "Market stats row": one per supported asset, zeros without data. */
export const MarketStats = Type.Object(
  {
    asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
    openInterestLong: amount('Open interest of longs in USDC, 7-decimal.', '12500000000'),
    openInterestShort: amount('Open interest of shorts in USDC, 7-decimal.', '9000000000'),
    openInterestNet: amount('Long minus short open interest in USDC, 7-decimal. Can be negative.', '3500000000'),
    openPositions: Type.Integer({ description: 'Number of open positions.', examples: [7] }),
    volume24h: amount('Notional of opens, closes and liquidations in the past 24 hours, in USDC, 7-decimal.', '48000000000'),
    ...DAY_RANGE,
    capacity: Type.Optional(Type.Unsafe<MarketCapacity>({ $ref: 'MarketCapacity#' })),
  },
  { $id: 'MarketStats', description: 'Open interest and volume of one asset.' },
)

export type MarketStats = Static<typeof MarketStats>

export const PoolCapacity = Type.Object(
  {
    aum: amount('Assets under management of the pool in USDC, 7-decimal.', '10000000000000'),
    reservedPayout: amount('USDC reserved for payouts of open positions, 7-decimal.', '21500000000'),
    usdcBalance: amount('USDC token balance of the pool contract, 7-decimal.', '10000000000000'),
    shortfallReserve: amount('USDC set aside for profits that could not be paid, 7-decimal. 0 where the contracts have none.', '0'),
    reserveCapBps: Type.Integer({ description: 'Maximum reserved payouts as a share of aum, basis points.', examples: [7000] }),
    reserveCap: amount('Maximum reserved payouts in USDC, 7-decimal.', '7000000000000'),
    aggregateHeadroom: amount('Size that can still be opened in all markets together, in USDC, 7-decimal.', '6978500000000'),
    aggregateBinding: binding(['aggregate', 'liquidity'], 'Which of the two limits leaves less room.'),
    asOfLedger: integerOrNull({ description: 'Ledger that the values were read from.', examples: [1_234_567] }),
    ts: Type.Integer({ description: 'Time the values were read, Unix milliseconds.', examples: [1_783_339_202_481] }),
    stale: Type.Boolean({ description: 'True if the contracts cannot be read now: these are the last values, at most 35 seconds old.', examples: [false] }),
  },
  { $id: 'PoolCapacity', description: 'What the pool can still take on. Absent while the contracts cannot be read.' },
)

export type PoolCapacity = Static<typeof PoolCapacity>

export const Solvency = Type.Object(
  {
    cumulativeBadDebtCovered: amount('Bad debt that the buffer of the pool covered, in USDC, 7-decimal.', '0'),
    cumulativeBadDebtLpAbsorbed: amount('Bad debt that liquidity providers bear, in USDC, 7-decimal.', '0'),
    badDebtEvents: Type.Integer({ description: 'Number of losses that an account could not pay.', examples: [0] }),
  },
  { $id: 'Solvency', description: 'Losses that accounts could not pay, since the current contracts were deployed.' },
)

export type Solvency = Static<typeof Solvency>
