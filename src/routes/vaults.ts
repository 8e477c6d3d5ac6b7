// GET /v1/vaults, /v1/vaults/{id}, and /trades, /deposits, /withdraws and /fee-claims of a vault.

import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { App } from '../http/app.ts'
import { CACHE_ONE_SECOND, sendResponse } from '../http/response.ts'
import type { PreparedResponse } from '../http/response.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { HttpFailure } from '../http/errors.ts'
import { varyByMinLedger } from '../http/min-ledger.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS, VAULT_CACHE_MS } from '../limits.ts'
import { listVaultSamples } from '../projections/vaults/vault-history.ts'
import { listVaultFlows, listVaults, listVaultTrades, readVault } from '../projections/vaults/vaults.ts'
import type { ApyTerms } from '../projections/vaults/vault-figures.ts'
import type { VaultFlowKind } from '../projections/vaults/vaults-fold.ts'
import { ref } from '../resources/fields.ts'
import { TraderVault } from '../resources/trader-vault.ts'
import { VaultFlow, VaultSample, VaultTrade } from '../resources/vault-activity.ts'
import type { Queryable } from '../store/store.ts'
import { EXAMPLE_VAULT, EXAMPLE_VAULT_DEPOSIT, EXAMPLE_VAULT_FEE_CLAIM, EXAMPLE_VAULT_SAMPLE, EXAMPLE_VAULT_TRADE, EXAMPLE_VAULT_WITHDRAW } from './examples.ts'
import { cachedResponse, pageResponse, serialiseBody, sharedPageResponse, stateResponse } from './page-response.ts'
import { addressParameter, atLedgerParameter, atParameter, beforeTsParameter, cursorParameter, limitParameter, listOf } from './parameters.ts'
import type { ListKey } from './parameters.ts'

const TOTALS =
  'Totals are computed from factory events and re-read from the factory after each trade of the leader, because events do not report its outcome. totalUsdc ' +
  'excludes collateral in open positions, so an open position shows as a drawdown. Cached for 10 seconds: x-ledger is the ledger of the cached values, and ' +
  'X-Min-Ledger requests later ones.'

/** Vaults and first pages of the list, least recently used evicted first. */
const CACHE_MAX_ENTRIES = 1_000

const params = Type.Object({ id: Type.Unsafe<number>({ type: 'integer', minimum: 0, description: 'Vault id.', examples: [0] }) })

const leaderParameter = Type.Optional(addressParameter('Return only vaults of this leader (G…).'))

const list = operation(
  {
    id: 'listVaults',
    tag: 'vaults',
    summary: 'List trader vaults',
    description: `Returns trader vaults, newest first. ${TOTALS} Only the first page is cached.`,
    ok: listOf('vaults', ref(TraderVault)),
    example: { vaults: [EXAMPLE_VAULT] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed', 503],
  },
  {
    querystring: Type.Object({
      leader: leaderParameter, at_ledger: atLedgerParameter, limit: limitParameter(PAGE_LIMITS.vaults), cursor: cursorParameter,
    }),
  },
)

const get = operation(
  {
    id: 'getVault',
    tag: 'vaults',
    summary: 'Get a trader vault',
    description: `Returns one trader vault. ${TOTALS}`,
    ok: ref(TraderVault),
    example: EXAMPLE_VAULT,
    headers: ['index'],
    errors: [400, '400 ledger_not_indexed', '404 vault_not_found', 503],
  },
  { params, querystring: Type.Object({ at_ledger: atLedgerParameter }) },
)

function activity(id: string, key: ListKey, summary: string, row: TSchema, example: object) {
  return operation(
    {
      id,
      tag: 'vaults',
      summary,
      description: 'Newest first. Empty if the vault does not exist.',
      ok: listOf(key, row),
      example: { [key]: [example] },
      headers: ['index', 'next'],
      errors: [400, '400 ledger_not_indexed', 503],
    },
    {
      params,
      querystring: Type.Object({
        before_ts: beforeTsParameter, at_ledger: atLedgerParameter, limit: limitParameter(PAGE_LIMITS.vaults), cursor: cursorParameter,
      }),
    },
  )
}

const trades = activity('listVaultTrades', 'trades', 'List trades of a vault', ref(VaultTrade), EXAMPLE_VAULT_TRADE)

const history = operation(
  {
    id: 'listVaultHistory',
    tag: 'vaults',
    summary: 'List the history of a vault',
    description:
      'Returns share price, value and deposits over time, newest first: at most one sample per five minutes. The vault is read from its factory after each ' +
      'trade of the leader and every five minutes. Intervals in which it could not be read are missing; their deposits count in the next sample. Empty if ' +
      'the vault does not exist. With at_ledger, an interval that was read again after that ledger is missing too.',
    ok: listOf('samples', ref(VaultSample)),
    example: { samples: [EXAMPLE_VAULT_SAMPLE] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed', 503],
  },
  {
    params,
    querystring: Type.Object({
      before_ts: beforeTsParameter, at_ledger: atLedgerParameter, limit: limitParameter(PAGE_LIMITS.vaultHistory), cursor: cursorParameter,
    }),
  },
)

const FLOWS = [
  { path: 'deposits', kind: 'deposit', id: 'listVaultDeposits', key: 'deposits', summary: 'List deposits into a vault', example: EXAMPLE_VAULT_DEPOSIT },
  {
    path: 'withdraws', kind: 'withdraw', id: 'listVaultWithdraws', key: 'withdraws', summary: 'List withdrawals from a vault',
    example: EXAMPLE_VAULT_WITHDRAW,
  },
  {
    path: 'fee-claims', kind: 'fee_claim', id: 'listVaultFeeClaims', key: 'feeClaims', summary: 'List fee claims of a vault leader',
    example: EXAMPLE_VAULT_FEE_CLAIM,
  },
] as const satisfies readonly { path: string; kind: VaultFlowKind; id: string; key: ListKey; summary: string; example: object }[]

export interface VaultsParts {
  readonly db: Queryable
  /** For the default list, which most callers share. */
  readonly sharedDb: Queryable
  readonly clock: Clock
  readonly deployment: CurrentDeployment
}

export function vaultsRoutes(app: App, parts: VaultsParts): void {
  const { db, sharedDb, clock, deployment } = parts

  function apyTerms(): ApyTerms {
    const { interfaces, generation } = deployment.current
    return { nowSec: nowSec(clock), signedApy: (interfaces.vaultFactory?.generation ?? generation) !== '1' }
  }

  const firstPages = createTtlCache<PreparedResponse>({ clock, ttlMs: VAULT_CACHE_MS, maxEntries: CACHE_MAX_ENTRIES })
  const vaults = createTtlCache<PreparedResponse>({ clock, ttlMs: VAULT_CACHE_MS, maxEntries: CACHE_MAX_ENTRIES })

  app.get('/v1/vaults', { schema: list }, async (request, reply) => {
    const { leader, at_ledger: atLedger, limit = PAGE_LIMITS.vaults.default, cursor } = request.query
    const url = `/v1/vaults?limit=${limit}${leader === undefined ? '' : `&leader=${encodeURIComponent(leader)}`}${atParameter(atLedger)}`
    const read = async (from: Queryable): Promise<PreparedResponse> => {
      const page = await listVaults(from, { leader, limit, cursor, atLedger, ...apyTerms() })
      return sharedPageResponse(url, reply, page, { vaults: page.rows })
    }
    varyByMinLedger(reply)
    const isFirst = cursor === undefined && atLedger === undefined
    const from = leader === undefined && limit === PAGE_LIMITS.vaults.default ? sharedDb : db
    sendResponse(request, reply, await (isFirst ? cachedResponse(request, firstPages, { key: url, read: () => read(from) }) : read(db)))
  })

  app.get('/v1/vaults/:id', { schema: get }, async (request, reply) => {
    const { id } = request.params
    const { at_ledger: atLedger } = request.query
    const read = async (): Promise<PreparedResponse> => {
      const { vault, head } = await readVault(db, { id, atLedger, ...apyTerms() })
      if (vault === null) throw new HttpFailure({ status: 404, body: { error: 'vault_not_found',
        message: 'No vault has this id. GET /v1/vaults lists them.', id } })
      return stateResponse(serialiseBody(reply, vault), head, CACHE_ONE_SECOND)
    }
    varyByMinLedger(reply)
    sendResponse(request, reply, await (atLedger === undefined ? cachedResponse(request, vaults, { key: String(id), read }) : read()))
  })

  app.get('/v1/vaults/:id/trades', { schema: trades }, async (request, reply) => {
    const { limit = PAGE_LIMITS.vaults.default, before_ts, at_ledger: atLedger, cursor } = request.query
    const page = await listVaultTrades(db, { id: request.params.id, limit, beforeTs: before_ts, atLedger, cursor })
    sendResponse(request, reply, pageResponse(request, reply, page, { trades: page.rows }))
  })

  app.get('/v1/vaults/:id/history', { schema: history }, async (request, reply) => {
    const { limit = PAGE_LIMITS.vaultHistory.default, before_ts, at_ledger: atLedger, cursor } = request.query
    const page = await listVaultSamples(db, { id: request.params.id, limit, beforeTs: before_ts, atLedger, cursor })
    sendResponse(request, reply, pageResponse(request, reply, page, { samples: page.rows }))
  })

  for (const { path, kind, id: operationId, key, summary, example } of FLOWS) {
    const schema = activity(operationId, key, summary, ref(VaultFlow), example)
    app.get(`/v1/vaults/:id/${path}`, { schema }, async (request, reply) => {
      const { limit = PAGE_LIMITS.vaults.default, before_ts, at_ledger: atLedger, cursor } = request.query
      const page = await listVaultFlows(db, kind, { id: request.params.id, limit, beforeTs: before_ts, atLedger, cursor })
      sendResponse(request, reply, pageResponse(request, reply, page, { [key]: page.rows }))
    })
  }
}
