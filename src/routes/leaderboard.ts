// GET /v1/leaderboard, /v1/leaderboard/rank, /v1/leaderboard/totals.

import { Type } from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { App } from '../http/app.ts'
import { validationFailure } from '../http/errors.ts'
import { CACHE_ONE_SECOND, sendResponse } from '../http/response.ts'
import type { PreparedResponse } from '../http/response.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { varyByMinLedger } from '../http/min-ledger.ts'
import { operation } from '../http/operation.ts'
import { LEADERBOARD_CACHE_MS, LEADERBOARD_PERIOD_CACHE_MS, LEADERBOARD_RANKS_MAX, LEADERBOARD_SNAPSHOT_MAX_LENGTH, PAGE_LIMITS } from '../limits.ts'
import { listLeaders, listPeriodLeaders, readLeaderRank, readLeaderTotals } from '../projections/traders/leaders.ts'
import type { LeadersPage } from '../projections/traders/leaders.ts'
import { EXAMPLE_TRADER, ref } from '../resources/fields.ts'
import { LEADERBOARD_PERIODS_SEC, LEADERBOARD_SCOPES, LEADERBOARD_SORTS } from '../resources/leaderboard-entry.ts'
import type { LeaderboardPeriod, LeaderboardScope, LeaderboardSort } from '../resources/leaderboard-entry.ts'
import { Leaderboard, LeaderRank, LeaderTotals } from '../resources/leaderboard.ts'
import type { LeaderboardState } from '../resources/leaderboard.ts'
import type { Queryable } from '../store/store.ts'
import { EXAMPLE_LEADER } from './examples.ts'
import { cachedResponse, serialiseBody, sharedPageResponse, stateResponse } from './page-response.ts'
import { atLedgerParameter, atParameter, cursorParameter, limitParameter } from './parameters.ts'

/** Only first pages are cached: both sorts at every limit. */
const CACHE_MAX_ENTRIES = LEADERBOARD_SORTS.length * PAGE_LIMITS.leaderboard.max
const PERIODS_MAX_ENTRIES = LEADERBOARD_SORTS.length * Object.keys(LEADERBOARD_PERIODS_SEC).length

const sortParameter = Type.Optional(
  Type.Unsafe<LeaderboardSort>({ type: 'string', enum: [...LEADERBOARD_SORTS], default: 'pnl', description: 'Ranking criterion.' }),
)
const scopeParameter = Type.Optional(Type.Unsafe<LeaderboardScope>({
  type: 'string', enum: [...LEADERBOARD_SCOPES], description: 'Network of the ranking. By default the network of this gateway, the only one that it has.',
}))

const listOperation = operation(
  {
    id: 'listLeaders',
    tag: 'leaderboard',
    summary: 'List the leaderboard',
    description:
      'Returns traders ranked by lifetime profit or volume across all deployments, best first. Equal traders are ranked by the other figure, then by ' +
      'address. The first page is cached for 5 seconds. With `period`, traders are ranked by their results of that time, in one page that is cached for ' +
      '30 seconds: `total` is the number of traders who traded in it. A period longer than the history of the deployment is all of that history. ' +
      'Each row then has the margin that the trader put into positions.',
    ok: ref(Leaderboard),
    example: {
      sort: 'pnl', scope: 'testnet', network: 'testnet', state: 'ok', updatedAt: 1_783_339_200, total: 312, limit: 50, offset: 0,
      snapshot: 'testnet.pnl.1234567.312', snapshotChanged: false, leaders: [EXAMPLE_LEADER],
    },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed', 503],
  },
  {
    querystring: Type.Object({
      scope: scopeParameter,
      sort: sortParameter,
      period: Type.Optional(Type.Unsafe<LeaderboardPeriod>({
        type: 'string', enum: Object.keys(LEADERBOARD_PERIODS_SEC),
        description: 'Rank the results of the last day, 7 days or 30 days. Cannot be combined with at_ledger, offset or cursor.',
      })),
      at_ledger: atLedgerParameter,
      limit: limitParameter(PAGE_LIMITS.leaderboard),
      offset: Type.Optional(Type.Unsafe<number>({
        type: 'integer', minimum: 0, maximum: LEADERBOARD_RANKS_MAX, default: 0,
        description: 'Number of traders to skip. Continue with cursor beyond the maximum.',
      })),
      snapshot: Type.Optional(Type.String({ maxLength: LEADERBOARD_SNAPSHOT_MAX_LENGTH, description: 'The member snapshot of the first page.' })),
      cursor: cursorParameter,
    }),
  },
)

const traderG = Type.String({ pattern: '^G[A-Z2-7]{55}$', description: 'Account (G…).', examples: [EXAMPLE_TRADER] })

const rankOperation = operation(
  {
    id: 'getLeaderRank',
    tag: 'leaderboard',
    summary: 'Get the rank of a trader',
    description:
      `Returns the place of a trader in the leaderboard. Places beyond ${LEADERBOARD_RANKS_MAX} are not counted: then the rank is null, and the entry is not.`,
    ok: ref(LeaderRank),
    example: {
      trader: EXAMPLE_TRADER, sort: 'pnl', scope: 'testnet', network: 'testnet', state: 'ok', rank: 1, total: 312, snapshot: 'testnet.pnl.1234567.312',
      updatedAt: 1_783_339_200, entry: EXAMPLE_LEADER,
    },
    headers: ['index'],
    errors: [400, '400 ledger_not_indexed', 503],
  },
  { querystring: Type.Object({ trader: traderG, scope: scopeParameter, sort: sortParameter, at_ledger: atLedgerParameter }) },
)

const totalsOperation = operation(
  {
    id: 'getLeaderTotals',
    tag: 'leaderboard',
    summary: 'Get the totals of all traders',
    description: 'Returns the number of traders, and their lifetime volume and trades across all deployments.',
    ok: ref(LeaderTotals),
    example: { scope: 'testnet', network: 'testnet', state: 'ok', updatedAt: 1_783_339_200, traders: 312, volume: '48000000000', trades: 9_120 },
    headers: ['index'],
    errors: [400, '400 ledger_not_indexed', 503],
  },
  { querystring: Type.Object({ scope: scopeParameter, at_ledger: atLedgerParameter }) },
)

/** Name of the public network in GET /v1/health. */
const PUBLIC_NETWORK = 'pubnet'

export interface LeaderboardParts {
  readonly db: Queryable
  /** For the default pages, which most callers share. */
  readonly sharedDb: Queryable
  readonly clock: Clock
  readonly deployment: CurrentDeployment
}

export function leaderboardRoutes(app: App, parts: LeaderboardParts): void {
  const { db, sharedDb, deployment } = parts
  const firstPages = createTtlCache<PreparedResponse>({ clock: parts.clock, ttlMs: LEADERBOARD_CACHE_MS, maxEntries: CACHE_MAX_ENTRIES })
  const periods = createTtlCache<LeadersPage>({ clock: parts.clock, ttlMs: LEADERBOARD_PERIOD_CACHE_MS, maxEntries: PERIODS_MAX_ENTRIES })

  /** One read serves every limit. */
  async function readPeriod(sort: LeaderboardSort, period: LeaderboardPeriod, limit: number): Promise<LeadersPage> {
    const periodSec = LEADERBOARD_PERIODS_SEC[period]
    const page = await periods.get(`${sort} ${period}`, () => listPeriodLeaders(db, { sort, periodSec, limit: PAGE_LIMITS.leaderboard.max }))
    return { ...page, rows: page.rows.slice(0, limit) }
  }

  app.get('/v1/leaderboard', { schema: listOperation }, (request, reply) => {
    const { sort = 'pnl', limit = PAGE_LIMITS.leaderboard.default, offset = 0, snapshot, cursor, scope, at_ledger: atLedger } = request.query
    const { requested, network, isOwn } = scopeOf(deployment, scope)
    const { period } = request.query
    if (period !== undefined && (cursor !== undefined || offset > 0 || atLedger !== undefined)) {
      throw validationFailure('querystring/period', 'cannot be combined with at_ledger, offset or cursor')
    }
    if (cursor !== undefined && offset > 0) throw validationFailure('querystring/offset', 'cannot be combined with cursor')
    const read = async (from: Queryable): Promise<PreparedResponse> => {
      const found = period === undefined ? await listLeaders(from, { sort, limit, offset, cursor, atLedger }) : await readPeriod(sort, period, limit)
      const page = isOwn ? found : withoutTraders(found)
      const current = snapshotOf(requested, sort, page)
      const body = {
        sort, scope: requested, network, state: stateOf(isOwn, page.total), updatedAt: page.updatedAt, total: page.total, limit, offset: page.offset,
        snapshot: current, snapshotChanged: snapshot !== undefined && snapshot !== current, leaders: page.rows,
      }
      return sharedPageResponse(`/v1/leaderboard?sort=${sort}&limit=${limit}${atParameter(atLedger)}`, reply, page, body)
    }
    varyByMinLedger(reply)
    const isFirst = cursor === undefined && offset === 0 && snapshot === undefined && atLedger === undefined && period === undefined && isOwn
    const from = limit === PAGE_LIMITS.leaderboard.default ? sharedDb : db
    const response = isFirst ? cachedResponse(request, firstPages, { key: `${sort} ${limit}`, read: () => read(from) }) : read(db)
    if (response instanceof Promise) return response.then((computed) => sendResponse(request, reply, computed))
    return sendResponse(request, reply, response)
  })

  app.get('/v1/leaderboard/rank', { schema: rankOperation }, async (request, reply) => {
    const { trader, sort = 'pnl', scope, at_ledger: atLedger } = request.query
    const { requested, network, isOwn } = scopeOf(deployment, scope)
    const found = await readLeaderRank(db, { trader, sort, atLedger })
    const [traders, entry] = isOwn ? [found.total, found.entry] : [0, null]
    const body = {
      trader, sort, scope: requested, network, state: stateOf(isOwn, traders), rank: entry?.rank ?? null, total: traders,
      snapshot: snapshotOf(requested, sort, { ...found, total: traders }), updatedAt: isOwn ? found.updatedAt : null, entry,
    }
    sendResponse(request, reply, stateResponse(serialiseBody(reply, body), found.head, CACHE_ONE_SECOND))
  })

  app.get('/v1/leaderboard/totals', { schema: totalsOperation }, async (request, reply) => {
    const { requested, network, isOwn } = scopeOf(deployment, request.query.scope)
    const found = await readLeaderTotals(db, { atLedger: request.query.at_ledger })
    const { traders, volume, trades, updatedAt: at } = isOwn ? found : { traders: 0, volume: '0', trades: 0, updatedAt: null }
    const body = { scope: requested, network, state: stateOf(isOwn, traders), updatedAt: at, traders, volume, trades }
    sendResponse(request, reply, stateResponse(serialiseBody(reply, body), found.head, CACHE_ONE_SECOND))
  })
}

/** Returns the requested ranking, and whether it is the gateway's own. */
function scopeOf(deployment: CurrentDeployment, given: LeaderboardScope | undefined) {
  const { network } = deployment.current
  const own: LeaderboardScope = network === PUBLIC_NETWORK ? 'mainnet' : 'testnet'
  const requested = given ?? own
  return { requested, network, isOwn: requested === own }
}

function stateOf(isOwn: boolean, traders: number): LeaderboardState {
  if (!isOwn) return 'not_indexed_here'
  return traders === 0 ? 'empty' : 'ok'
}

function withoutTraders(page: LeadersPage): LeadersPage {
  return { ...page, rows: [], next: null, total: 0, updatedAt: null }
}

/** Identifies the state of a ranking. Any ledger may change it. */
function snapshotOf(requested: LeaderboardScope, sort: LeaderboardSort, { head, total: traders }: Pick<LeadersPage, 'head' | 'total'>): string {
  return `${requested}.${sort}.${head.ledger ?? 0}.${traders}`
}
