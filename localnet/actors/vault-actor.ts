// What leaders and depositors of trader vaults have in common: they do one thing, and then rest.

import type { Actor } from './actor.ts'
import type { Client, LedgerView, SendAnswer } from './client.ts'
import type { Invocation } from './envelope.ts'

/** An actor who only acts while it is told that it may. */
export interface VaultActor extends Actor {
  mayAct(allowed: boolean): void
}

/** What to do now, and how long to rest after it. */
export interface Deed {
  readonly invocation: Invocation | null
  readonly restSec: number
  /** Told what became of the attempt. */
  heard?(answer: SendAnswer): void
}

/** Builds an actor who waits `firstRestSec`, decides, acts and rests; one that failed or was refused is not tried again before `restSec`. */
export function createVaultActor(options: {
  name: string
  client: Client
  firstRestSec: number
  decide(view: LedgerView): Promise<Deed>
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
    const { invocation, restSec, heard } = await decide(view)
    dueSec = view.closeTimeSec + restSec
    if (invocation === null) return
    const answer = await client.invoke(invocation, view)
    heard?.(answer)
  }

  return {
    name,
    act,
    mayAct(may) {
      allowed = may
    },
    forget() {
      client.forget()
      dueSec = null
      options.forget()
    },
  }
}
