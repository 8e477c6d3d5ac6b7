// What leaders and depositors of trader vaults have in common: they do one thing, and then rest.

import type { Actor } from './actor.ts'
import type { Client, LedgerView, SendResult } from './client.ts'
import type { Invocation } from './envelope.ts'

/** An actor who only acts while it is told that it may. */
export interface VaultActor extends Actor {
  setEnabled(allowed: boolean): void
}

/** What to do now, and how long to rest after it. */
export interface VaultAction {
  readonly invocation: Invocation | null
  readonly pauseSec: number
  /** Told what became of the attempt. */
  onResult?(answer: SendResult): void
}

/** Builds an actor who waits `firstRestSec`, decides, acts and rests; one that failed or was refused is not tried again before `restSec`. */
export function createVaultActor(options: {
  name: string
  client: Client
  firstRestSec: number
  decide(view: LedgerView): Promise<VaultAction>
  /** What was known of the network no longer holds. */
  forget(): void
}): VaultActor {
  const { name, client, firstRestSec, decide } = options
  let allowed = true
  let dueSec: number | null = null

  async function act(view: LedgerView): Promise<void> {
    if ((await client.settle(view)).kind === 'pending' || !allowed) return
    dueSec ??= view.closeTimeSec + firstRestSec
    if (view.closeTimeSec < dueSec) return
    const { invocation, pauseSec: restSec, onResult: heard } = await decide(view)
    dueSec = view.closeTimeSec + restSec
    if (invocation === null) return
    const answer = await client.invoke(invocation, view)
    heard?.(answer)
  }

  return {
    name,
    act,
    setEnabled(may) {
      allowed = may
    },
    forget() {
      client.forget()
      dueSec = null
      options.forget()
    },
  }
}
