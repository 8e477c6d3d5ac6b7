// GET /v1/leaderboard.

import { Type } from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import type { PreparedResponse } from '../http/response.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { varyByMinLedger } from '../http/min-ledger.ts'
import { operation } from '../http/operation.ts'
import { LEADERBOARD_CACHE_MS, PAGE_LIMITS } from '../limits.ts'
import { listLeaders } from '../projections/leaders.ts'
import { ref } from '../resources/fields.ts'
import { LEADERBOARD_SORTS, LeaderboardEntry } from '../resources/leaderboard-entry.ts'
import type { LeaderboardSort } from '../resources/leaderboard-entry.ts'
import type { Queryable } from '../store/store.ts'
import { EXAMPLE_LEADER } from './examples.ts'
import { cachedResponse, sharedPageResponse } from './page-response.ts'
import { cursorParameter, limitParameter } from './parameters.ts'

/** Only first pages are cached: both sorts at every limit. */
const CACHE_MAX_ENTRIES = LEADERBOARD_SORTS.length * PAGE_LIMITS.leaderboard.max

const sortBy = Type.Unsafe<LeaderboardSort>({ type: 'string', enum: [...LEADERBOARD_SORTS], default: 'pnl', description: 'Ranking criterion.' })

const schema = operation(
  {
    id: 'listLeaders',
    tag: 'leaderboard',
    summary: 'List the leaderboard',
    description: 'Returns traders ranked by lifetime profit or volume across all deployments, best first. The first page is cached for 5 seconds.',
    ok: Type.Object({ sort: sortBy, leaders: Type.Array(ref(LeaderboardEntry), { description: 'Traders, best first.' }) }),
    example: { sort: 'pnl', leaders: [EXAMPLE_LEADER] },
    headers: ['index', 'next'],
    errors: [400, 503],
  },
  { querystring: Type.Object({ sort: Type.Optional(sortBy), limit: limitParameter(PAGE_LIMITS.leaderboard), cursor: cursorParameter }) },
)

export function leaderboardRoutes(app: App, parts: { readonly db: Queryable; readonly clock: Clock }): void {
  const firstPages = createTtlCache<PreparedResponse>({ clock: parts.clock, ttlMs: LEADERBOARD_CACHE_MS, maxEntries: CACHE_MAX_ENTRIES })

  app.get('/v1/leaderboard', { schema }, (request, reply) => {
    const { sort = 'pnl', limit = PAGE_LIMITS.leaderboard.default, cursor } = request.query
    const read = async (): Promise<PreparedResponse> => {
      const page = await listLeaders(parts.db, { sort, limit, cursor })
      return sharedPageResponse(`/v1/leaderboard?sort=${sort}&limit=${limit}`, reply, page, { sort, leaders: page.rows })
    }
    varyByMinLedger(reply)
    const response = cursor === undefined ? cachedResponse(request, firstPages, { key: `${sort} ${limit}`, read }) : read()
    if (response instanceof Promise) return response.then((computed) => sendResponse(request, reply, computed))
    return sendResponse(request, reply, response)
  })
}
