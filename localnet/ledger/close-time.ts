// The close times of ledgers. Only headers of protocol 30 and later have milliseconds; everything else has whole seconds.

import { MILLISECONDS_SINCE } from '../../src/base/protocol.ts'

/**
 * The close time of the ledger after one that closed in `previousSec`: the ledger's clock, but not before the next second, so that time passes also when
 * ledgers close in quick succession.
 */
export function nextCloseTimeMs(clockMs: number, previousSec: number, protocol: number): number {
  const ms = Math.max((previousSec + 1) * 1_000, Math.floor(clockMs))
  return protocol < MILLISECONDS_SINCE ? ms - (ms % 1_000) : ms
}
