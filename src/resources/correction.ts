import { Type } from 'typebox'
import type { Static, TProperties, TUnsafe } from 'typebox'
import { address, amount, integerOrNull, logEpoch, logSeq, olderDeployment, seconds, textOrNull } from './fields.ts'

const KINDS = ['ended', 'changed', 'opened', 'interest', 'vault', 'event', 'epoch'] as const

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
  totalUsdc: Type.Optional(amount('For vault: USDC in the vault, 7-decimal.')),
  circulatingShares: Type.Optional(amount('For vault: circulating shares, 7-decimal.')),
  leaderShares: Type.Optional(amount('For vault: shares of the leader, 7-decimal.')),
  hwmNav: Type.Optional(amount('For vault: high-water mark of the value per share, 7-decimal.')),
  realizedPnl: Type.Optional(amount('For vault: realized PnL in USDC, 7-decimal.')),
  profitShareBps: Type.Optional(Type.Integer({ description: 'For vault: profit share of the leader, basis points.', examples: [1_000] })),
  paused: Type.Optional(Type.Boolean({ description: 'For vault: whether deposits and trades are paused.' })),
  contractId: Type.Optional(Type.String({ description: 'For event: contract that emitted the event.' })),
  topic: Type.Optional(Type.String({ description: 'For event: name of the event.', examples: ['funding_applied'] })),
  ledger: Type.Optional(Type.Integer({ description: 'For event: ledger of the event.', examples: [1_234_567] })),
  ledgerCloseTs: Type.Optional(seconds('For event: close time of its ledger, Unix seconds.')),
  txHash: Type.Optional(Type.String({ description: 'For event: hash of its transaction, lower-case hex.' })),
  payload: Type.Optional(Type.Unsafe<Readonly<Record<string, unknown>> | null>({
    type: ['object', 'null'], additionalProperties: true, description: 'For event: decoded fields. Null: it cannot be decoded.',
  })),
  topicsXdr: Type.Optional(Type.Array(Type.String(), { description: 'For event: its topics, base64 XDR.' })),
  valueXdr: Type.Optional(Type.String({ description: 'For event: its value, base64 XDR.' })),
  epoch: Type.Optional(Type.String({ description: 'For epoch: its name.', examples: ['667e41f1'] })),
  fromSeq: Type.Optional(Type.Integer({
    description: 'For epoch, after: the first seq that another row has now. Below it, rows kept their seqs. ' +
      'Absent: every row did.',
    examples: [1_042],
  })),
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
        'of an asset differed. vault: its figures differed from the factory. event: a verification added (before is null), replaced or removed ' +
        '(after is null) an event of the archive. epoch: a repair, the rebuild after it, or lost ledgers gave the epoch a new name; it follows the ' +
        'events that caused it.',
      examples: ['ended'],
    }),
    positionId: integerOrNull({ description: 'On-chain position id. Null for other kinds.', examples: [42] }),
    vaultId: integerOrNull({ description: 'On-chain vault id. Null for other kinds.', examples: [7] }),
    eventId: textOrNull({ description: 'Id of the event, as in `/v1/events`. Null for other kinds.' }),
    trader: textOrNull({ description: 'Owner of the position, or trader of the event. Null for other kinds.' }),
    asset: textOrNull({ description: 'Asset symbol. Null when the correction has none.', examples: ['BTC'] }),
    ledger: Type.Integer({ description: 'Ledger that the index was compared with.', examples: [1_234_567] }),
    correctedAt: Type.Integer({ description: 'Time of the correction, Unix milliseconds.', examples: [1_783_339_202_481] }),
    before: values('What the index had. Null for opened, for an event that was missing, and for corrections by versions that did not record it.'),
    after: values('What the network has. Null for ended, and for an event that was removed.'),
    deployment: olderDeployment,
  },
  { $id: 'Correction', description: 'A difference between the index and the ledger that was corrected.' },
)

export type Correction = Static<typeof Correction>
