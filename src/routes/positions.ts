// GET /v1/positions/open.

import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import type { Page } from '../projections/log/page.ts'
import { listOpenPositions } from '../projections/positions/positions.ts'
import { listCreatedPositions } from '../projections/orders/created-entries.ts'
import { ref } from '../resources/fields.ts'
import { ListedPosition } from '../resources/open-position.ts'
import type { OpenPosition } from '../resources/open-position.ts'
import type { Queryable } from '../store/store.ts'
import type { AdlQueues } from '../markets/adl.ts'
import { EXAMPLE_POSITION } from './examples.ts'
import { pageResponse } from './page-response.ts'
import { atLedgerParameter, cursorParameter, listOf, traderParameter, trimTrader } from './parameters.ts'

const schema = operation(
  {
    id: 'listOpenPositions',
    tag: 'positions',
    summary: 'List open positions',
    description:
      'Returns open positions, newest first: up to 200 rows per page for all traders, or 500 for one trader. ' +
      'As of a ledger, `adlQuintile` is null.',
    ok: listOf('positions', ref(ListedPosition)),
    example: { positions: [{ ...EXAMPLE_POSITION, adlQuintile: 3 }] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed', 503],
  },
  { querystring: Type.Object({ trader: traderParameter, at_ledger: atLedgerParameter, cursor: cursorParameter }) },
)

/** Adds positions whose ledger is not indexed yet: submissions opened them, and their callers know of it already. */
function withCreated<Found extends Page<OpenPosition>>(page: Found, created: Awaited<ReturnType<typeof listCreatedPositions>>): Found {
  const newer = created.filter(({ ledger }) => ledger > (page.head.ledger ?? 0)).map(({ row }) => row)
  return newer.length === 0 ? page : { ...page, rows: [...newer, ...page.rows] }
}

const NO_QUINTILES: ReadonlyMap<number, number> = new Map()

export function positionsRoutes(app: App, parts: { readonly db: Queryable; readonly recentDb: Queryable; readonly adl: Pick<AdlQueues, 'quintiles'> }): void {
  app.get('/v1/positions/open', { schema, preValidation: trimTrader }, async (request, reply) => {
    const { trader, at_ledger: atLedger, cursor } = request.query
    const isPresent = trader !== undefined && atLedger === undefined && cursor === undefined
    const created = isPresent ? await listCreatedPositions(parts.recentDb, trader) : []
    const page = withCreated(await listOpenPositions(parts.db, { trader, atLedger, cursor }), created)
    const quintiles = atLedger !== undefined ? NO_QUINTILES : await parts.adl.quintiles([...new Set(page.rows.map(({ asset }) => asset))])
    const positions = page.rows.map((row) => ({ ...row, adlQuintile: quintiles.get(row.positionId) ?? null }))
    sendResponse(request, reply, pageResponse(request, reply, page, { positions }))
  })
}
