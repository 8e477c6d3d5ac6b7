// GET /v1/account/me/ledger and /v1/traders/{address}/ledger. Not in the specification.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { callerKey } from '../http/caller.ts'
import type { App } from '../http/app.ts'
import { operation } from '../http/operation.ts'
import { sendResponse } from '../http/response.ts'
import { PAGE_LIMITS } from '../limits.ts'
import { listCashLedger } from '../projections/cash/cash-ledger.ts'
import { CASH_KINDS, CashMovement } from '../resources/cash-movement.ts'
import type { CashKind } from '../resources/cash-movement.ts'
import { EXAMPLE_TX_HASH, ref } from '../resources/fields.ts'
import { GapRange } from '../resources/gap-range.ts'
import type { Queryable } from '../store/store.ts'
import { pageResponse, privatePageResponse } from './page-response.ts'
import { addressParameter, atLedgerParameter, beforeTsParameter, cursorParameter, limitParameter } from './parameters.ts'

const params = Type.Object({
  address: addressParameter('Account (G…) or contract (C…).'),
})

const querystring = Type.Object({
  kind: Type.Optional(Type.Unsafe<CashKind>({ type: 'string', enum: [...CASH_KINDS], description: 'Return only movements of this kind.' })),
  before_ts: beforeTsParameter,
  at_ledger: atLedgerParameter,
  limit: limitParameter(PAGE_LIMITS.cashLedger),
  cursor: cursorParameter,
})

const EXAMPLE_MOVEMENT: CashMovement = {
  seq: 4_217, kind: 'close', amount: '52667828', balanceOf: 'wallet', positionId: 42, orderId: null, vaultId: null, fee: '0', funding: '-1200', pnl: '2667828',
  ledger: 1_234_567, ts: 1_783_342_800, txHash: EXAMPLE_TX_HASH,
}

function ledgerOperation(id: string, tag: string, summary: string, own: { readonly requiresKey?: true }) {
  return {
    id,
    tag,
    summary,
    description:
      'Returns the USDC movements between an account and the exchange, newest first. Rows of the wallet add up to what its USDC balance gained through the ' +
      'exchange, rows of the cross balance to its change, to the stroop. Wallet rows are exact at once. Cross rows, and kinds that no event reports, are ' +
      'read from each transaction shortly after it is indexed: until then the amount is null and the kind may be other. `gaps` lists ledgers in the range of ' +
      'the page whose movements are missing.',
    ok: Type.Object({
      ledger: Type.Array(ref(CashMovement), { description: 'Movements, newest first.' }),
      gaps: Type.Array(GapRange, { description: 'Missing ledgers in the range of this page. Empty if none are missing.' }),
    }),
    example: { ledger: [EXAMPLE_MOVEMENT], gaps: [] },
    headers: ['index' as const, 'next' as const],
    errors: [400 as const, '400 ledger_not_indexed' as const, 503 as const],
    ...own,
  }
}

const listOfTrader = operation(ledgerOperation('listTraderLedger', 'traders', 'List the USDC movements of a trader', {}), { params, querystring })
const listOwn = operation(ledgerOperation('listAccountLedger', 'account', 'List your USDC movements', { requiresKey: true }), { querystring })

interface Query {
  readonly kind?: CashKind
  readonly before_ts?: number
  readonly at_ledger?: number
  readonly limit?: number
  readonly cursor?: string
}

export function cashLedgerRoutes(app: App, { db }: { readonly db: Queryable }): void {
  async function send(request: FastifyRequest, reply: FastifyReply, account: string, query: Query, isPrivate: boolean): Promise<void> {
    const { kind, before_ts, at_ledger: atLedger, limit = PAGE_LIMITS.cashLedger.default, cursor } = query
    const page = await listCashLedger(db, { account, kind, beforeTs: before_ts, atLedger, limit, cursor })
    const body = { ledger: page.rows, gaps: page.gaps }
    sendResponse(request, reply, isPrivate ? privatePageResponse(request.raw.url ?? '', reply, page, body) : pageResponse(request, reply, page, body))
  }

  app.get('/v1/traders/:address/ledger', { schema: listOfTrader }, (request, reply) => send(request, reply, request.params.address, request.query, false))

  app.get('/v1/account/me/ledger', { schema: listOwn, config: { requiresKey: true } }, (request, reply) =>
    send(request, reply, callerKey(request).owner, request.query, true))
}
