// A reset of the local network may give its contracts new addresses or another generation. No manifest describes it, so the gateway reads them repeatedly.

import type { Clock } from '../base/clock.ts'
import type { Declared } from './declaration.ts'

const LOCAL_FOLLOW_INTERVAL_MS = 2_000

export interface FollowLocalOptions {
  /** Reads what the local network reports. Rejects while it cannot be reached. */
  readonly read: () => Promise<Declared>
  /** The deployment that is served at first. */
  readonly initial: Declared
  readonly clock: Clock
  readonly onChange: (next: Declared) => void
}

/** Polls until the signal aborts. Never rejects. */
export async function followLocalNetwork({ read, initial, clock, onChange }: FollowLocalOptions, signal: AbortSignal): Promise<void> {
  let current = textOf(initial)
  while (!signal.aborted) {
    await clock.sleep(LOCAL_FOLLOW_INTERVAL_MS, signal)
    // The RPC client reports a network that cannot be reached.
    const next = await read().catch(() => null)
    if (next === null || textOf(next) === current || signal.aborted) continue
    current = textOf(next)
    onChange(next)
  }
}

function textOf({ contracts, assets, generation }: Declared): string {
  return JSON.stringify([contracts, assets, generation])
}
