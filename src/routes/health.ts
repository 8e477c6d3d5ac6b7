// GET /v1/health. Without the database it serves the last known state of the index.

import type { Clock } from '../base/clock.ts'
import { presentSec } from '../base/ledger-clock.ts'
import type { LedgerTime } from '../base/ledger-clock.ts'
import { KNOWN_PROTOCOL } from '../base/protocol.ts'
import { CONTRACT_ALIASES, CONTRACT_KEYS } from '../exchange/contracts/contracts.ts'
import type { ContractAddresses, ContractKey } from '../exchange/contracts/contracts.ts'
import { UNKNOWN_INTERFACES } from '../exchange/contracts/contract-interface.ts'
import { createDeployment } from '../exchange/deployment.ts'
import type { ContractSources, CurrentDeployment, Deployment } from '../exchange/deployment.ts'
import type { App } from '../http/app.ts'
import { CACHE_NEVER, indexHeaders, JSON_TYPE } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import type { SharedCounts } from '../http/rate-limit.ts'
import type { Prices } from '../markets/prices.ts'
import type { IndexSnapshotReader } from '../projections/state/index-snapshot.ts'
import type { IndexState } from '../projections/state/index-state.ts'
import { ref } from '../resources/fields.ts'
import { EXAMPLE_WASM_HASH, Health } from '../resources/health.ts'
import type { Counting, HealthContracts } from '../resources/health.ts'
import type { MarketStatus } from '../markets/market-status.ts'
import { warningsOf } from './warnings.ts'

interface HealthParts {
  readonly readIndex: IndexSnapshotReader
  readonly clock: Clock
  readonly ledgerTime: LedgerTime
  readonly prices: Pick<Prices, 'unpublished'>
  readonly version: string
  readonly deployment: CurrentDeployment
  readonly marketStatus: Pick<MarketStatus, 'pauseState'>
  readonly nodes: () => Health['nodes']
  /** Null if this instance counts alone. */
  readonly sharedCounts: SharedCounts | null
}

export function healthRoutes(app: App, parts: HealthParts): void {
  const { clock } = parts
  const startedAtMs = clock.elapsedMs()

  app.get('/v1/health', { schema: healthOperation(parts), config: { rateLimited: false } }, async (_request, reply) => {
    const [snapshot, pauseState] = await Promise.all([parts.readIndex(), parts.marketStatus.pauseState()])
    const { state } = snapshot
    const deployment = parts.deployment.current
    const warnings = warningsOf(snapshot, parts)
    const body: Health = {
      status: warnings.length === 0 ? 'ok' : 'degraded',
      warnings,
      uptime: (clock.elapsedMs() - startedAtMs) / 1000,
      version: parts.version,
      network: deployment.network,
      passphrase: deployment.passphrase,
      deployment: { name: deployment.name, since: deployment.since },
      contracts: contractsOf(deployment),
      protocol: { network: state?.protocol ?? null, known: KNOWN_PROTOCOL, unknown: state?.newerForms.map(({ what }) => what) ?? [] },
      indexer: describe(state, presentSec(clock, parts.ledgerTime)),
      market: { pauseState },
      nodes: parts.nodes(),
      rateLimits: { counting: countingOf(parts.sharedCounts) },
    }
    reply.headers({ 'cache-control': CACHE_NEVER, ...indexHeaders({ ledger: state?.lastLedger ?? null, seq: state?.seq ?? 0, epoch: state?.epoch ?? null }) })
    reply.type(JSON_TYPE).send(JSON.stringify(body))
  })
}

function contractsOf({ sources, interfaces }: Deployment): HealthContracts {
  const describeContract = (key: ContractKey): HealthContracts[ContractKey] => {
    const { generation = null, wasmHash = null, sinceLedger = null, notUnderstood = [] } = interfaces[key] ?? {}
    return { ...sources[key], generation, wasmHash, sinceLedger, notUnderstood: [...notUnderstood] }
  }
  const named = CONTRACT_KEYS.map((key) => [key, describeContract(key)])
  const aliases = Object.entries(CONTRACT_ALIASES).map(([alias, key]) => [alias, describeContract(key)])
  return Object.fromEntries([...named, ...aliases]) as HealthContracts
}

function countingOf(sharedCounts: SharedCounts | null): Counting {
  if (sharedCounts === null) return 'process'
  return sharedCounts.available ? 'shared' : 'fallback'
}

function describe(state: IndexState | null, nowSec: number): Health['indexer'] {
  if (state === null) return NOTHING_INDEXED
  const closeTs = state.lastLedgerCloseTs
  return {
    lastLedger: state.lastLedger,
    lastUpdatedAt: state.lastUpdatedAt,
    ledgerAgeSeconds: closeTs === null ? null : Math.max(0, nowSec - closeTs),
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
        warnings: [],
        uptime: 86_400.25,
        version: parts.version,
        network: 'testnet',
        passphrase: 'Test SDF Network ; September 2015',
        deployment: { name: 'testnet-2026-07-06', since: '2026-07-06' },
        contracts: EXAMPLE_CONTRACTS,
        protocol: { network: 30, known: KNOWN_PROTOCOL, unknown: [] },
        indexer: {
          lastLedger: 1_234_567, lastUpdatedAt: 1_783_339_202_481, ledgerAgeSeconds: 3, unknownEvents: 0,
          archived: { order_placed: 9_120, position_opened: 4_211 }, gaps: 0, gapRanges: [], ledgersUntilLost: 120_958,
          vaultCorrections: 0, corrections: 0, marketFound: true,
          compared: {
            ledger: 1_234_560, comparedAt: 1_783_339_167_020, positions: 4_211, positionsMissing: 0, orders: 9_310, ordersMissing: 0,
            vaults: 12, vaultsMissing: 0, openPositionsDrift: 0, openOrdersDrift: 0, factoryBalance: '182672426343', vaultsTotal: '182672426343',
          },
          rebuild: null,
        },
        market: { pauseState: { supported: true, mode: 0, since: 1_787_791_938 } },
        nodes: {
          configured: 3,
          believed: {
            prices: { agreeing: 2, asked: 2, atMs: 1_783_339_202_481 }, outcomes: { agreeing: 2, asked: 2, atMs: 1_783_339_190_112 },
            fees: { agreeing: 2, asked: 3, atMs: 1_783_339_201_020 }, accounts: null,
          },
        },
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

const EXAMPLE_ADDRESSES = {
  market: 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC',
  vault: 'CBLVZZ557ALB342GBQIMC2E3IYXJ5AEL7XSVMPX36CVLKRDQGDH22UL6',
  oracleShim: 'CBY4YLPYEN5GMV4JMVZGCSU433SO5JTEGCS66GIT3EZOUG2CN2TWT6UK',
  router: 'CDH4CY3XMUZ7H73LC3WJYR3AG56U4MTIBMR2WHNORXDTWLLBOQII44S4',
  usdcToken: 'CA63EPM4EEXUVUANF6FQUJEJ37RWRYIXCARWFXYUMPP7RLZWFNLTVNR4',
  lpToken: 'CD7VRBXIDYP2C2F2AZZL242GY4PRDVDH2BG3LAN2ASXYUXCPHWQJTDP5',
  vaultFactory: 'CAZPVI2PLDQJGDDGULG7FSVNYO3B7BTWTTK5OWVH5SSWN7SJ4ZCBTVP5',
  referral: 'CCV5NWLGQTCRFFOTHJDQVFOOLAEUPQTWMPTNNHR2EU64BULV77W5GXEE',
} as const satisfies ContractAddresses

const EXAMPLE_CONTRACTS = contractsOf(
  createDeployment(
    {
      name: 'example', since: null, network: 'testnet', passphrase: '', generation: '1', assets: [],
      contracts: Object.fromEntries(CONTRACT_KEYS.map((key) => [key, { address: EXAMPLE_ADDRESSES[key], source: 'manifest' }])) as ContractSources,
    },
    { ...UNKNOWN_INTERFACES, market: { wasmHash: EXAMPLE_WASM_HASH, sinceLedger: 1_200_345, generation: '1', spec: null, notUnderstood: [] } },
  ),
)
