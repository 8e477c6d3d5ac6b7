// GET /v1/health. Without the database it serves the last known state of the index.

import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { App } from '../http/app.ts'
import { CACHE_NEVER, indexHeaders, JSON_TYPE } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import type { SharedCounts } from '../http/rate-limit.ts'
import type { IndexSnapshotReader } from '../projections/index-snapshot.ts'
import type { IndexState } from '../projections/index-state.ts'
import { ref } from '../resources/fields.ts'
import { Health } from '../resources/health.ts'
import type { Counting } from '../resources/health.ts'
import type { MarketStatus } from '../venue/market-status.ts'

interface HealthParts {
  readonly readIndex: IndexSnapshotReader
  readonly clock: Clock
  readonly version: string
  readonly deployment: CurrentDeployment
  readonly marketStatus: Pick<MarketStatus, 'pauseState'>
  /** Null if this instance counts alone. */
  readonly sharedCounts: SharedCounts | null
}

export function healthRoutes(app: App, parts: HealthParts): void {
  const { clock } = parts
  const startedAtMs = clock.elapsedMs()

  app.get('/v1/health', { schema: healthOperation(parts), config: { rateLimited: false } }, async (_request, reply) => {
    const [{ state }, pauseState] = await Promise.all([parts.readIndex(), parts.marketStatus.pauseState()])
    const body: Health = {
      status: 'ok',
      uptime: (clock.elapsedMs() - startedAtMs) / 1000,
      version: parts.version,
      network: parts.deployment.current.network,
      contracts: parts.deployment.current.sources,
      indexer: describe(state, clock),
      market: { pauseState },
      rateLimits: { counting: countingOf(parts.sharedCounts) },
    }
    reply.headers({ 'cache-control': CACHE_NEVER, ...indexHeaders({ ledger: state?.lastLedger ?? null, seq: state?.seq ?? 0 }) })
    reply.type(JSON_TYPE).send(JSON.stringify(body))
  })
}

function countingOf(sharedCounts: SharedCounts | null): Counting {
  if (sharedCounts === null) return 'process'
  return sharedCounts.available ? 'shared' : 'fallback'
}

function describe(state: IndexState | null, clock: Clock): Health['indexer'] {
  if (state === null) return NOTHING_INDEXED
  const closeTs = state.lastLedgerCloseTs
  return {
    lastLedger: state.lastLedger,
    lastUpdatedAt: state.lastUpdatedAt,
    ledgerAgeSeconds: closeTs === null ? null : Math.max(0, nowSec(clock) - closeTs),
    unknownEvents: state.unknownEvents,
    archived: state.archived,
    gaps: state.gaps,
    gapRanges: state.gapRanges,
    ledgersUntilLost: state.ledgersUntilLost,
    vaultCorrections: state.vaultCorrections,
    corrections: Object.values(state.corrections).reduce((sum, count) => sum + count, 0),
    marketFound: state.marketFound,
    compared: state.compared,
    rebuild: state.rebuild,
  }
}

const NOTHING_INDEXED: Health['indexer'] = {
  lastLedger: null, lastUpdatedAt: null, ledgerAgeSeconds: null, unknownEvents: null, archived: null, gaps: null, gapRanges: null,
  ledgersUntilLost: null, vaultCorrections: null, corrections: null, marketFound: null, compared: null, rebuild: null,
}

function healthOperation(parts: HealthParts) {
  return operation(
    {
      id: 'getHealth',
      tag: 'health',
      summary: 'Get the health of the gateway',
      description:
        'Returns the state of the gateway and its index, and the contract addresses. Addresses change when the exchange is redeployed, so read them from ' +
        'here. Exempt from the rate limit.',
      ok: ref(Health),
      example: {
        status: 'ok',
        uptime: 86_400.25,
        version: parts.version,
        network: 'testnet',
        contracts: EXAMPLE_CONTRACTS,
        indexer: {
          lastLedger: 1_234_567, lastUpdatedAt: 1_783_339_202_481, ledgerAgeSeconds: 3, unknownEvents: 0,
          archived: { order_placed: 9_120, position_opened: 4_211 }, gaps: 0, gapRanges: [], ledgersUntilLost: 120_958,
          vaultCorrections: 0, corrections: 0, marketFound: true,
          compared: {
            ledger: 1_234_560, comparedAt: 1_783_339_167_020, positions: 4_211, positionsMissing: 0, orders: 9_310, ordersMissing: 0,
            vaults: 12, vaultsMissing: 0, factoryBalance: '182672426343', vaultsTotal: '182672426343',
          },
          rebuild: null,
        },
        market: { pauseState: { supported: true, mode: 0, since: 1_787_791_938 } },
        rateLimits: { counting: 'process' },
      },
      headers: ['index'],
      errors: [],
      cacheable: false,
      rateLimited: false,
    },
    {},
  )
}

const EXAMPLE_CONTRACTS = {
  market: { address: 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC', source: 'manifest' },
  vault: { address: 'CBLVZZ557ALB342GBQIMC2E3IYXJ5AEL7XSVMPX36CVLKRDQGDH22UL6', source: 'manifest' },
  oracleShim: { address: 'CBY4YLPYEN5GMV4JMVZGCSU433SO5JTEGCS66GIT3EZOUG2CN2TWT6UK', source: 'manifest' },
  router: { address: 'CDH4CY3XMUZ7H73LC3WJYR3AG56U4MTIBMR2WHNORXDTWLLBOQII44S4', source: 'manifest' },
  usdcToken: { address: 'CA63EPM4EEXUVUANF6FQUJEJ37RWRYIXCARWFXYUMPP7RLZWFNLTVNR4', source: 'manifest' },
  lpToken: { address: 'CD7VRBXIDYP2C2F2AZZL242GY4PRDVDH2BG3LAN2ASXYUXCPHWQJTDP5', source: 'manifest' },
  vaultFactory: { address: 'CAZPVI2PLDQJGDDGULG7FSVNYO3B7BTWTTK5OWVH5SSWN7SJ4ZCBTVP5', source: 'manifest' },
  referral: { address: 'CCV5NWLGQTCRFFOTHJDQVFOOLAEUPQTWMPTNNHR2EU64BULV77W5GXEE', source: 'manifest' },
} as const
