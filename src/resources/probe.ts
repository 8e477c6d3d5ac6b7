// What probes of an orchestrator or a load balancer are answered.

import { Type } from 'typebox'
import type { Static } from 'typebox'

export const Alive = Type.Object(
  { status: Type.Literal('alive') },
  { $id: 'Alive', description: 'The process answers' },
)

export type Alive = Static<typeof Alive>

export const Ready = Type.Object(
  { status: Type.Literal('ready') },
  { $id: 'Ready', description: 'Requests may be sent here' },
)

export type Ready = Static<typeof Ready>

/** Why requests should go elsewhere. */
export const NOT_READY_REASONS = ['draining', 'database', 'index_empty', 'index_behind'] as const
export type NotReadyReason = (typeof NOT_READY_REASONS)[number]

/** 503 of GET /readyz. */
export const NotReady = Type.Object(
  {
    status: Type.Literal('not_ready'),
    reasons: Type.Array(
      Type.Unsafe<NotReadyReason>({
        type: 'string',
        enum: [...NOT_READY_REASONS],
        description:
          'draining: the process is about to end; database: it does not answer; index_empty: nothing is indexed yet; index_behind: the last indexed ledger ' +
          'closed longer ago than is configured',
      }),
      { examples: [['index_behind']] },
    ),
  },
  { $id: 'NotReady', description: 'Requests should go elsewhere for now' },
)

export type NotReady = Static<typeof NotReady>
