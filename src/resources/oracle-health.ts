import { Type } from 'typebox'
import type { Static, TUnsafe } from 'typebox'
import { integerOrNull, textOrNull } from './fields.ts'

const ORACLE_STATUSES = ['ok', 'degraded', 'down'] as const

/** A report of the keeper: any JSON object. */
export type KeeperReport = Readonly<Record<string, unknown>>

const reportOrNull: TUnsafe<KeeperReport | null> = Type.Unsafe<KeeperReport | null>({
  type: ['object', 'null'], additionalProperties: true, examples: [{ round: 4217 }],
  description: 'The last report, as the keeper sent it. Null before the first.',
})

export const OracleHealth = Type.Object(
  {
    status: Type.Unsafe<(typeof ORACLE_STATUSES)[number]>({
      type: 'string',
      enum: [...ORACLE_STATUSES],
      description: 'down: every price is stale. degraded: a price or the keeper is stale, or no keeper is configured. ok: otherwise.',
      examples: ['ok'],
    }),
    onchain: Type.Object(
      {
        staleAfterSec: Type.Integer({
          description: 'Age above which the market rejects a price when a position is opened, seconds; 60 while it is unknown.', examples: [60],
        }),
        staleCount: Type.Integer({ description: 'Number of assets with a stale price.', examples: [0] }),
        assets: Type.Array(
          Type.Object({
            asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
            priceFloat: Type.Unsafe<number | null>({ type: ['number', 'null'], description: 'Last price in USD. Null if never read.', examples: [108_421.5] }),
            ageSec: integerOrNull({ description: 'Seconds since the price was attested.', examples: [4] }),
            stale: Type.Boolean({ description: 'True if the price is too old or unknown.', examples: [false] }),
            error: textOrNull({ description: 'Why the price cannot be read now. Null if it can.', examples: ['price_unreadable'] }),
          }),
          { description: 'Every asset, in listing order.' },
        ),
      },
      { description: 'Prices on the chain.' },
    ),
    keeper: Type.Object(
      {
        configured: Type.Boolean({ description: 'True if this gateway accepts heartbeats.', examples: [true] }),
        ageMs: integerOrNull({ description: 'Milliseconds since the last heartbeat. Null before the first.', examples: [1_250] }),
        stale: Type.Boolean({ description: 'True without a heartbeat in the last 120 seconds.', examples: [false] }),
        lastReport: reportOrNull,
      },
      { description: 'The program that publishes prices.' },
    ),
  },
  { $id: 'OracleHealth', description: 'Health of the prices and of their publisher.' },
)

export type OracleHealth = Static<typeof OracleHealth>

/** 503 response of GET /v1/oracle/health with `strict`. */
export const OracleUnhealthy = Type.Object(
  {
    error: Type.Literal('oracle_unhealthy'),
    message: Type.String({ description: 'Human-readable message.', examples: ['Every price is stale. The program that publishes prices must be restarted.'] }),
    ...OracleHealth.properties,
  },
  { $id: 'OracleUnhealthy', description: 'A price or the keeper is stale.' },
)

export type OracleUnhealthy = Static<typeof OracleUnhealthy>
