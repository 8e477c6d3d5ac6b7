// Responses of the liveness and readiness probes.

import { Type } from 'typebox'
import type { Static } from 'typebox'

export const Alive = Type.Object(
  { status: Type.Literal('alive') },
  { $id: 'Alive', description: 'The process is alive.' },
)

export type Alive = Static<typeof Alive>

/** Conditions for the operator to look at, in the same words everywhere. */
const WARNINGS = ['database_unreachable', 'database_full', 'database_read_only', 'clock_wrong', 'protocol_newer', 'prices_unpublished'] as const
export type Warning = (typeof WARNINGS)[number]

export function warningList(description: string) {
  return Type.Array(
    Type.Unsafe<Warning>({
      type: 'string',
      enum: [...WARNINGS],
      description:
        'database_unreachable, database_full, database_read_only: the database cannot be reached, its disk is full, or it refuses to write, as a standby ' +
        'does. clock_wrong: the clock of this machine differs from the ledger\'s time. protocol_newer: the network is newer than the gateway, which ' +
        'continues but does not understand everything. See `protocol` in /v1/health. prices_unpublished: the prices of some assets are older than the ' +
        'exchange accepts, because nobody publishes new ones. See GET /v1/oracle/health.',
    }),
    { description },
  )
}

export const Ready = Type.Object(
  {
    status: Type.Literal('ready'),
    warnings: Type.Optional(warningList('What the operator should look at, although reads work. Absent: nothing.')),
  },
  { $id: 'Ready', description: 'The instance accepts traffic.' },
)

export type Ready = Static<typeof Ready>

const NOT_READY_REASONS = ['draining', 'database', 'index_empty', 'index_behind', 'protocol_newer', 'prices_stale'] as const
export type NotReadyReason = (typeof NOT_READY_REASONS)[number]

/** 503 response of GET /readyz. */
export const NotReady = Type.Object(
  {
    error: Type.Literal('not_ready'),
    message: Type.String({ description: 'Human-readable message.', examples: ['Not ready: index_behind. Send requests to another instance.'] }),
    status: Type.Literal('not_ready'),
    reasons: Type.Array(
      Type.Unsafe<NotReadyReason>({
        type: 'string',
        enum: [...NOT_READY_REASONS],
        description:
          'draining: the process is shutting down. database: the database does not respond. index_empty: nothing is indexed yet. index_behind: the last ' +
          'indexed ledger is older than READY_MAX_LEDGER_AGE_SEC. protocol_newer: indexing stopped because the network is newer than the gateway. ' +
          'prices_stale: no price could be read for READY_MAX_PRICE_AGE_SEC.',
      }),
      { examples: [['index_behind']] },
    ),
    warnings: Type.Optional(warningList('What else the operator should look at. Absent: nothing.')),
  },
  { $id: 'NotReady', description: 'The instance does not accept traffic.' },
)

export type NotReady = Static<typeof NotReady>
