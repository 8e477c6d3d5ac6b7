// Small views of the contracts that older ones do not have: the market's pause state, and profits that the pool could not pay.

import type { Clock } from '../base/clock.ts'
import { createRefreshedValue } from '../base/refreshed-value.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { readPauseState } from '../chain/views/market-entries.ts'
import type { MarketSummary } from '../chain/views/market-summary.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { readField } from '../chain/codec/structs.ts'
import { readView } from '../chain/views/contract-views.ts'
import { withTimeout } from '../chain/rpc/with-timeout.ts'
import { hasNewerView } from '../exchange/deployment.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { PAUSE_STATE_CACHE_MS, PAUSE_STATE_SERVED_MS, PAUSE_STATE_TIMEOUT_MS, SHORTFALL_CACHE_MS, VENUE_READ_TIMEOUT_MS } from '../limits.ts'
import type { PauseState } from '../resources/health.ts'
import type { Shortfall } from '../resources/shortfall.ts'

const [HALTED, FROZEN] = [1, 2]
const FREEZE_SEC = 259_200

/** The pause mode that applies: a freeze counts as a halt after three days. */
export function pauseModeAt({ pauseMode, pausedSinceSec }: Pick<MarketSummary, 'pauseMode' | 'pausedSinceSec'>, nowSec: number): number | null {
  return pauseMode === FROZEN && nowSec - pausedSinceSec >= FREEZE_SEC ? HALTED : pauseMode
}

/** Neither rejects: what cannot be read is not supported. */
export interface MarketStatus {
  pauseState(): Promise<PauseState>
  shortfall(address: string): Promise<Shortfall>
}

const MAX_CACHED_SHORTFALLS = 1_000
const UNKNOWN_PAUSE: PauseState = { supported: false, mode: null, since: null }

function unknownShortfall(address: string): Shortfall {
  return { address, owed: '0', reserve: '0', supported: false }
}

export function createMarketStatus(parts: {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly clock: Clock
}): MarketStatus {
  const { rpc, deployment, clock } = parts
  const pauses = createRefreshedValue<PauseState>({
    clock, freshMs: PAUSE_STATE_CACHE_MS, staleMs: PAUSE_STATE_SERVED_MS, servedMs: PAUSE_STATE_SERVED_MS, waitMs: PAUSE_STATE_TIMEOUT_MS,
    read: () => readPause(deployment.current.contracts.market),
  })
  const shortfalls = createTtlCache<Shortfall>({ clock, ttlMs: SHORTFALL_CACHE_MS, maxEntries: MAX_CACHED_SHORTFALLS })

  async function readPause(market: string): Promise<PauseState | null> {
    const view = { contract: market, functionName: 'get_pause_state', args: [] }
    return await orElse(null, VENUE_READ_TIMEOUT_MS, async (signal) => {
      const state = readPauseState((await readView(rpc, view, { signal })).value)
      return state === undefined ? null : { supported: true, ...state }
    })
  }

  async function readShortfall(vault: string, address: string): Promise<Shortfall> {
    const unknown = unknownShortfall(address)
    return await orElse(unknown, VENUE_READ_TIMEOUT_MS, async (signal) => {
      const [owed, reserve] = (await Promise.all([
        readView(rpc, { contract: vault, functionName: 'get_shortfall_owed', args: [{ type: 'address', value: address }] }, { signal }),
        readView(rpc, { contract: vault, functionName: 'get_shortfall_reserve', args: [] }, { signal }),
      ])).map(({ value }) => readField(value, 'i128'))
      return owed === undefined || reserve === undefined ? unknown : { address, owed: String(owed), reserve: String(reserve), supported: true }
    })
  }

  async function orElse<T>(fallback: T, limitMs: number, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withTimeout(clock, { limitMs, method: 'simulateTransaction' }, read)
    } catch (error) {
      if (error instanceof RpcFailure) return fallback
      throw error
    }
  }

  return {
    async pauseState() {
      const exchange = deployment.current
      if (!hasNewerView(exchange, 'market', 'get_pause_state', [])) return UNKNOWN_PAUSE
      return (await pauses.get(exchange.contracts.market))?.value ?? UNKNOWN_PAUSE
    },
    async shortfall(address) {
      const exchange = deployment.current
      const { vault } = exchange.contracts
      if (!hasNewerView(exchange, 'vault', 'get_shortfall_owed', ['address'])) return unknownShortfall(address)
      return await shortfalls.get(`${vault} ${address}`, () => readShortfall(vault, address))
    },
  }
}
