// GET /livez and GET /readyz. Liveness and readiness are separate, because restarting a process does not fix an unavailable database.

import type { Clock } from '../base/clock.ts'
import { presentSec } from '../base/ledger-clock.ts'
import type { LedgerTime } from '../base/ledger-clock.ts'
import { CACHE_NEVER, JSON_TYPE } from '../http/response.ts'
import type { App } from '../http/app.ts'
import { excuse } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import type { Prices } from '../markets/prices.ts'
import type { IndexSnapshot, IndexSnapshotReader } from '../projections/state/index-snapshot.ts'
import { isStoppedByProtocol } from '../projections/state/index-state.ts'
import { ref } from '../resources/fields.ts'
import { Alive, Ready } from '../resources/probe.ts'
import type { NotReady, NotReadyReason, Warning } from '../resources/probe.ts'
import { warningsOf } from './warnings.ts'

const getLiveness = operation(
  {
    id: 'getLiveness',
    tag: 'health',
    summary: 'Check liveness',
    description:
      'Returns 200 if the process responds, without checking its dependencies. An orchestrator should restart the process only if this fails. Exempt from ' +
      'the rate limit.',
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
    summary: 'Check readiness',
    description:
      'Returns 200 if the database responds, the index and the prices are recent enough, and the process is not shutting down. Otherwise returns 503 with ' +
      'all reasons. Exempt from the rate limit.',
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
  readonly ledgerTime: LedgerTime
  /** The instance is not ready if the last indexed ledger is older. */
  readonly maxLedgerAgeSec: number
  readonly prices: Pick<Prices, 'ageMs' | 'unpublished'>
  /** The instance is not ready if it could not read any price for longer. */
  readonly maxPriceAgeSec: number
  /** True during shutdown. */
  readonly isDraining: () => boolean
}

export function probesRoutes(app: App, parts: ProbesParts): void {
  app.get('/livez', { schema: getLiveness, config: { rateLimited: false, anyHost: true } }, (_request, reply) => {
    reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify({ status: 'alive' } satisfies Alive))
  })

  app.get('/readyz', { schema: getReadiness, config: { rateLimited: false, anyHost: true } }, async (_request, reply) => {
    const snapshot = await parts.readIndex()
    const reasons = rejectionReasons(parts, snapshot)
    const noted = warningsOf(snapshot, parts).filter((warning) => !reasons.some((reason) => SAME_AS_REASON[warning] === reason))
    const warnings = noted.length === 0 ? {} : { warnings: noted }
    const body: Ready | NotReady = reasons.length === 0 ? { status: 'ready', ...warnings } : { ...notReady(reasons), ...warnings }
    // Anyone may ask as often as they like.
    excuse(reply)
    reply.code(reasons.length === 0 ? 200 : 503).header('cache-control', CACHE_NEVER)
    reply.type(JSON_TYPE).send(JSON.stringify(body))
  })
}

function notReady(reasons: readonly NotReadyReason[]): NotReady {
  const message = `Not ready: ${reasons.join(', ')}. Send requests to another instance.`
  return { error: 'not_ready', message, status: 'not_ready', reasons: [...reasons] }
}

/** Warnings that repeat a reason. */
const SAME_AS_REASON: Readonly<Partial<Record<Warning, NotReadyReason>>> = { database_unreachable: 'database', protocol_newer: 'protocol_newer' }

function rejectionReasons(parts: ProbesParts, snapshot: IndexSnapshot): readonly NotReadyReason[] {
  const draining = parts.isDraining() ? 'draining' as const : null
  const stopped = snapshot.state !== null && isStoppedByProtocol(snapshot.state) ? 'protocol_newer' as const : null
  return [draining, indexProblem(parts, snapshot), stopped, pricesProblem(parts)].filter((reason) => reason !== null)
}

function indexProblem({ clock, ledgerTime, maxLedgerAgeSec }: ProbesParts, { state, fresh }: IndexSnapshot): NotReadyReason | null {
  // Without the database the age of the index is unknown: another instance may be indexing.
  if (!fresh) return 'database'
  const closeSec = state?.lastLedgerCloseTs ?? null
  if (closeSec === null) return 'index_empty'
  return presentSec(clock, ledgerTime) - closeSec > maxLedgerAgeSec ? 'index_behind' : null
}

/** One asset that cannot be read does not make the instance unready: the others are served. */
function pricesProblem({ prices, maxPriceAgeSec }: ProbesParts): NotReadyReason | null {
  const ageMs = prices.ageMs()
  return ageMs === null || ageMs > maxPriceAgeSec * 1000 ? 'prices_stale' : null
}
