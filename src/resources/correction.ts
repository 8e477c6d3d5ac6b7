import { Type } from 'typebox'
import type { Static, TProperties, TUnsafe } from 'typebox'
import { address, amount, integerOrNull, logEpoch, logSeq, olderDeployment, seconds, textOrNull } from './fields.ts'

const KINDS = ['ended', 'changed', 'opened', 'interest'] as const

export type CorrectionKind = (typeof KINDS)[number]

const VALUES = Type.Object({
  trader: Type.Optional(address('Owner of the position.')),
  asset: Type.Optional(Type.String({ description: 'Asset symbol.', examples: ['BTC'] })),
  direction: Type.Optional(Type.Integer({ description: '0 is long, 1 is short.', examples: [0] })),
  size: Type.Optional(amount('Notional value in USDC, 7-decimal.', '500000000')),
  entryPrice: Type.Optional(amount('Entry price in USD, 7-decimal.', '1084215000000')),
  openedAt: Type.Optional(seconds('When the position was opened, Unix seconds.')),
  marginMode: Type.Optional(Type.Unsafe<'isolated' | 'cross' | null>({
    type: ['string', 'null'], description: 'isolated or cross. Null: unknown.', examples: ['isolated'],
  })),
  openInterestLong: Type.Optional(amount('For interest: long open interest of the asset in USDC, 7-decimal.')),
  openInterestShort: Type.Optional(amount('For interest: short open interest of the asset in USDC, 7-decimal.')),
} satisfies TProperties)

export type CorrectedValues = Static<typeof VALUES>

function values(description: string): TUnsafe<CorrectedValues | null> {
  return Type.Unsafe<CorrectedValues | null>({ ...Type.Object(VALUES.properties, { description }), type: ['object', 'null'] })
}

export const Correction = Type.Object(
  {
    seq: logSeq('Position of the correction in the log: the `seq` of its frame on the channel `corrections`.'),
    epoch: logEpoch,
    kind: Type.Unsafe<CorrectionKind>({
      type: 'string', enum: [...KINDS],
      description:
        'ended: the ledger no longer has the position. changed: it has other values. opened: no event reported the position. interest: the open interest ' +
        'of an asset differed.',
      examples: ['ended'],
    }),
    positionId: integerOrNull({ description: 'On-chain position id. Null for interest.', examples: [42] }),
    trader: textOrNull({ description: 'Owner of the position. Null for interest.' }),
    asset: textOrNull({ description: 'Asset symbol.', examples: ['BTC'] }),
    ledger: Type.Integer({ description: 'Ledger that the index was compared with.', examples: [1_234_567] }),
    correctedAt: Type.Integer({ description: 'Time of the correction, Unix milliseconds.', examples: [1_783_339_202_481] }),
    before: values('What the index had. Null for opened, and for corrections by versions that did not record it.'),
    after: values('What the ledger has. Null for ended.'),
    deployment: olderDeployment,
  },
  { $id: 'Correction', description: 'A difference between the index and the ledger that was corrected.' },
)

export type Correction = Static<typeof Correction>
