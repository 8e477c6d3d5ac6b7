// GET /livez and GET /readyz: whether the process should be left alone, and whether it should be sent requests. Two questions, because a process that
// cannot serve now is not mended by ending it.

import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import { CACHE_NEVER, JSON_TYPE } from '../http/response.ts'
import type { App } from '../http/app.ts'
import { operation } from '../http/operation.ts'
import type { IndexSnapshotReader } from '../projections/index-snapshot.ts'
import { ref } from '../resources/fields.ts'
import { Alive, Ready } from '../resources/probe.ts'
import type { NotReady, NotReadyReason } from '../resources/probe.ts'

const getLiveness = operation(
  {
    id: 'getLiveness',
    tag: 'health',
    summary: 'Whether the process answers',
    description: 'Asks nobody. An orchestrator should end the process only when this fails. Exempt from the rate limit.',
    ok: ref(Alive),
    example: { status: 'alive' } satisfies Alive,
    errors: [],
    cacheable: false,
    rateLimited: false,
  },
  {},
)

const getReadiness = operation(
  {
    id: 'getReadiness',
    tag: 'health',
    summary: 'Whether requests should be sent here',
    description:
      'Ready means: the database answers, the last indexed ledger is not older than the operator allows, and the process is not about to end. ' +
      'Otherwise 503 with every reason. Exempt from the rate limit.',
    ok: ref(Ready),
    example: { status: 'ready' } satisfies Ready,
    errors: ['503 not_ready'],
    cacheable: false,
    rateLimited: false,
  },
  {},
)

export interface ProbesParts {
  readonly readIndex: IndexSnapshotReader
  readonly clock: Clock
  /** An index whose last ledger closed longer ago is not served to others. */
  readonly maxLedgerAgeSec: number
  /** True from when the end of the process was announced. */
  readonly isDraining: () => boolean
}

export function probesRoutes(app: App, parts: ProbesParts): void {
  app.get('/livez', { schema: getLiveness, config: { rateLimited: false } }, (_request, reply) => {
    reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify({ status: 'alive' } satisfies Alive))
  })

  app.get('/readyz', { schema: getReadiness, config: { rateLimited: false } }, async (_request, reply) => {
    const reasons = await rejectionReasons(parts)
    const body: Ready | NotReady = reasons.length === 0 ? { status: 'ready' } : { status: 'not_ready', reasons: [...reasons] }
    reply.code(reasons.length === 0 ? 200 : 503).header('cache-control', CACHE_NEVER)
    reply.type(JSON_TYPE).send(JSON.stringify(body))
  })
}

/** Why requests should go elsewhere; none when they may come. */
async function rejectionReasons({ readIndex, clock, maxLedgerAgeSec, isDraining }: ProbesParts): Promise<readonly NotReadyReason[]> {
  const { state, fresh: answered } = await readIndex()
  const draining: readonly NotReadyReason[] = isDraining() ? ['draining'] : []
  // What was known before the database went away says nothing of how old the index is now.
  if (!answered) return [...draining, 'database']
  const closeSec = state?.lastLedgerCloseTs ?? null
  if (closeSec === null) return [...draining, 'index_empty']
  return nowSec(clock) - closeSec > maxLedgerAgeSec ? [...draining, 'index_behind'] : draining
}
