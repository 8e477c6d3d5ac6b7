// Health and probes.

import type { Clock } from '../base/clock.ts'
import type { LedgerTime } from '../base/ledger-clock.ts'
import type { Log } from '../base/log.ts'
import type { Agreement } from '../chain/rpc/agreement.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { App } from '../http/app.ts'
import type { SharedCounts } from '../http/rate-limit.ts'
import { READY_MAX_LEDGER_AGE_SEC, READY_MAX_PRICE_AGE_SEC } from '../limits.ts'
import type { Prices } from '../markets/prices.ts'
import { createIndexSnapshotReader } from '../projections/state/index-snapshot.ts'
import type { Health } from '../resources/health.ts'
import { healthRoutes } from '../routes/health.ts'
import { probesRoutes } from '../routes/probes.ts'
import type { Store } from '../store/store.ts'
import type { MarketStatus } from '../markets/market-status.ts'

export interface StatusParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Of the gateway. */
  readonly version: string
  readonly deployment: CurrentDeployment
  readonly rpc: Pick<Rpc, 'endpoints'>
  readonly agreement: Pick<Agreement, 'view'>
  readonly sharedCounts: SharedCounts | null
  readonly isDraining: () => boolean
  readonly prices: Prices
  readonly marketStatus: MarketStatus
  readonly ledgerTime: LedgerTime
  readonly readyMaxLedgerAgeSec?: number
  readonly readyMaxPriceAgeSec?: number
}

export function statusRoutes(app: App, parts: StatusParts): void {
  const { clock, version, deployment, rpc, agreement, sharedCounts, isDraining, prices, marketStatus, ledgerTime } = parts
  const readIndex = createIndexSnapshotReader(parts)
  const nodes = (): Health['nodes'] => ({ configured: rpc.endpoints, believed: agreement.view() })
  healthRoutes(app, { readIndex, clock, ledgerTime, prices, version, deployment, nodes, sharedCounts, marketStatus })
  probesRoutes(app, {
    readIndex, clock, ledgerTime, isDraining, prices,
    maxLedgerAgeSec: parts.readyMaxLedgerAgeSec ?? READY_MAX_LEDGER_AGE_SEC,
    maxPriceAgeSec: parts.readyMaxPriceAgeSec ?? READY_MAX_PRICE_AGE_SEC,
  })
}
