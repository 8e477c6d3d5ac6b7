import { nowSec } from '../../src/base/clock.ts'
import { HEALTHY_LATENCY_SEC } from './limits.ts'
import type { MethodContext } from './method.ts'
import { RPC_CODES, RpcError } from './rpc-error.ts'

/** getHealth (soroban-rpc, "getHealth"): all fields are numbers. A node whose last ledger is old returns an error, not another status. */
export function getHealth({ chain, history, clock, retentionLedgers }: MethodContext): unknown {
  const latest = history.latest()
  const oldest = history.oldest()
  const latencySec = nowSec(clock) + chain.clockOffsetSec - latest.closeTimeSec
  if (latencySec > HEALTHY_LATENCY_SEC) {
    const limit = durationText(HEALTHY_LATENCY_SEC)
    const message = `latency (${durationText(latencySec)}) since last known ledger closed is too high (>${limit})`
    throw new RpcError(RPC_CODES.internalError, message)
  }
  return {
    status: 'healthy',
    latestLedger: latest.sequence,
    latestLedgerCloseTime: latest.closeTimeSec,
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTime: oldest.closeTimeSec,
    ledgerRetentionWindow: retentionLedgers,
  }
}

/** Formats seconds as the node does: `45s`, `1m40s`, `1h0m5s`. */
export function durationText(totalSec: number): string {
  const hours = Math.floor(totalSec / 3600)
  const minutes = Math.floor((totalSec % 3600) / 60)
  const seconds = totalSec % 60
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}
