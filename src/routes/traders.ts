// GET /v1/traders/{address} and its PnL curve, and that of the caller: /v1/account/me/pnl. Not in the specification.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import { callerKey } from '../http/caller.ts'
import { validationFailure } from '../http/errors.ts'
import type { App } from '../http/app.ts'
import { operation } from '../http/operation.ts'
import { CACHE_PRIVATE, CACHE_REVALIDATE, indexHeaders, prepareResponse, sendResponse } from '../http/response.ts'
import { PNL_POINTS } from '../limits.ts'
import { countIntervals, intervalsBefore, readCloseTime, readPnlCurve } from '../projections/traders/pnl-curve.ts'
import { readTraderProfile } from '../projections/traders/traders.ts'
import { CANDLE_INTERVALS } from '../resources/candle.ts'
import type { CandleInterval } from '../resources/candle.ts'
import { EXAMPLE_TRADER, ref } from '../resources/fields.ts'
import { GapRange } from '../resources/gap-range.ts'
import { PnlPoint, TraderProfile } from '../resources/trader-profile.ts'
import type { Queryable } from '../store/store.ts'
import { EXAMPLE_TRADE } from './examples.ts'
import { serialiseBody, stateResponse } from './page-response.ts'
import { addressParameter, atLedgerParameter } from './parameters.ts'

const params = Type.Object({
  address: addressParameter('Account (G…) or contract (C…).'),
})

const EXAMPLE_PROFILE: TraderProfile = {
  address: EXAMPLE_TRADER, volume: '20000000000', volume24h: '500000000', volume14d: '20000000000', realizedPnl: '2667828', trades: 12, liquidations: 0,
  wins: 4, losses: 1, winRate: 0.8, openPositions: 2, openInterest: '1000000000', firstTradeAt: 1_783_339_200, lastTradeAt: 1_783_342_800,
  bestTrade: { ...EXAMPLE_TRADE, kind: 'close' }, worstTrade: null,
}

const getProfile = operation(
  {
    id: 'getTrader',
    tag: 'traders',
    summary: 'Get the profile of a trader',
    description: 'Returns lifetime results of an account: volumes, realised PnL, win rate, open positions, best and worst trade. Zeros if it never traded.',
    ok: ref(TraderProfile),
    example: EXAMPLE_PROFILE,
    headers: ['index'],
    errors: [400, 503],
  },
  { params },
)

const time = (description: string) => Type.Optional(Type.Unsafe<number>({ type: 'integer', minimum: 0, description }))

const querystring = Type.Object({
  interval: Type.Optional(Type.Unsafe<CandleInterval>({
    type: 'string', enum: [...CANDLE_INTERVALS], default: '1d', description: 'Interval of the points.',
  })),
  from: time(`Return only intervals that start at or after this time, Unix seconds. By default, the last ${PNL_POINTS.default} intervals.`),
  to: time('Return only intervals that start before this time, Unix seconds. By default, up to the current interval, or that of at_ledger.'),
  at_ledger: atLedgerParameter,
})

const EXAMPLE_POINT: PnlPoint = { ts: 1_783_296_000, realizedPnl: '2667828', fees: '250000', funding: '-1200', cumulative: '2419028' }

function curveOperation(id: string, tag: string, summary: string, own: { readonly requiresKey?: true }) {
  return {
    id,
    tag,
    summary,
    description:
      `Returns one point per interval, oldest first, at most ${PNL_POINTS.max}. realizedPnl is by price alone; cumulative is the running total of ` +
      'realizedPnl - fees - funding since the first point. Fees and funding are read from each transaction shortly after it is indexed: values that include ' +
      'an unknown one are null. `gaps` lists ledgers in the range whose events are missing.',
    ok: Type.Object({
      points: Type.Array(ref(PnlPoint), { description: 'Points, oldest first.' }),
      gaps: Type.Array(GapRange, { description: 'Missing ledgers in the range. Empty if none are missing.' }),
    }),
    example: { points: [EXAMPLE_POINT], gaps: [] },
    headers: ['index' as const],
    errors: [400 as const, '400 ledger_not_indexed' as const, 503 as const],
    ...own,
  }
}

const getCurve = operation(curveOperation('getTraderPnl', 'traders', 'Get the PnL curve of a trader', {}), { params, querystring })
const getOwnCurve = operation(curveOperation('getAccountPnl', 'account', 'Get your PnL curve', { requiresKey: true }), { querystring })

interface CurveQuery {
  readonly from?: number
  readonly to?: number
  readonly interval?: CandleInterval
  readonly at_ledger?: number
}

export function traderRoutes(app: App, { db, clock }: { readonly db: Queryable; readonly clock: Clock }): void {
  async function sendCurve(
    request: FastifyRequest, reply: FastifyReply, query: CurveQuery, trader: string, cacheControl: string,
  ): Promise<void> {
    const { interval = '1d', at_ledger: atLedger } = query
    const toSec = query.to ?? await nowOf(atLedger) + 1
    const fromSec = query.from ?? intervalsBefore(toSec, PNL_POINTS.default, interval)
    if (countIntervals({ interval, fromSec, toSec }) > PNL_POINTS.max) {
      throw validationFailure('querystring/from', `must be at most ${PNL_POINTS.max} intervals before to: choose a later from or a longer interval`)
    }
    const { points, gaps, head } = await readPnlCurve(db, { trader, interval, fromSec, toSec, atLedger })
    sendResponse(request, reply, stateResponse(serialiseBody(reply, { points, gaps }), head, cacheControl))
  }

  /** The time at which a curve ends: of the past state, or the present one. */
  async function nowOf(atLedger: number | undefined): Promise<number> {
    return (atLedger === undefined ? null : await readCloseTime(db, atLedger)) ?? nowSec(clock)
  }

  app.get('/v1/traders/:address', { schema: getProfile }, async (request, reply) => {
    const { profile, head } = await readTraderProfile(db, { trader: request.params.address, nowSec: nowSec(clock) })
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, profile), { 'cache-control': CACHE_REVALIDATE, ...indexHeaders(head) }))
  })

  app.get('/v1/traders/:address/pnl', { schema: getCurve, config: { readsMany: true } }, async (request, reply) => {
    await sendCurve(request, reply, request.query, request.params.address, CACHE_REVALIDATE)
  })

  app.get('/v1/account/me/pnl', { schema: getOwnCurve, config: { requiresKey: true, readsMany: true } }, async (request, reply) => {
    await sendCurve(request, reply, request.query, callerKey(request).owner, CACHE_PRIVATE)
  })
}
