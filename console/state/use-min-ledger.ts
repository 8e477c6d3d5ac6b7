// Reads after a transaction: from an index that has its ledger, instead of a cache from before.

import type { CallOptions } from '../../client/src/index.ts'
import { useEffect, useRef } from 'preact/hooks'
import type { Sender } from '../trade/send.ts'

/** Options for reads. Calls `onSent` after each transaction that one of the senders has finished. */
export function useMinLedger(senders: readonly Sender[], onSent: () => void): () => CallOptions {
  const latest = useRef(0)
  for (const { sending } of senders) {
    if (sending.value.kind === 'done') latest.current = Math.max(latest.current, sending.value.traded.ledger)
  }
  useEffect(() => {
    if (latest.current > 0) onSent()
  }, [latest.current])
  return () => (latest.current === 0 ? {} : { minLedger: latest.current })
}
