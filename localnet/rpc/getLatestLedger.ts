import type { MethodContext } from './method.ts'
import { protocolVersion } from './method.ts'

/** getLatestLedger (soroban-rpc, "getLatestLedger"): `headerXdr` is a LedgerHeader here, and `closeTime` a text. */
export function getLatestLedger({ history }: MethodContext): unknown {
  const latest = history.latest()
  return {
    id: latest.hash,
    protocolVersion: protocolVersion(history),
    sequence: latest.sequence,
    closeTime: String(latest.closeTimeSec),
    headerXdr: latest.headerXdr,
    metadataXdr: latest.metadataXdr,
  }
}
