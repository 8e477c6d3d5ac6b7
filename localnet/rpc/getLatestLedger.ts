import type { MethodContext } from './method.ts'
import { protocolVersion } from './method.ts'

/** getLatestLedger (soroban-rpc, "getLatestLedger"): `headerXdr` is a LedgerHeader, `closeTime` is a string. */
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
