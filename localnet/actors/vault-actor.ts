// The common part of leaders and depositors of trader vaults: they act, then pause.

import type { SwitchableActor } from './actor.ts'
import type { Client, LedgerView, SendResult } from './client.ts'
import type { Invocation } from './envelope.ts'

/** The next call, and the pause after it. */
export interface VaultAction {
  /** null: do nothing. */
  readonly invocation: Invocation | null
  readonly pauseSec: number
  /** Receives the result of sending. */
  onResult?(result: SendResult): void
}

/** Builds an actor that waits `startDelaySec`, then decides, acts and pauses. After a failure or a refusal it pauses as well. */
export function createVaultActor(options: {
  name: string
  client: Client
  startDelaySec: number
  decide(view: LedgerView): Promise<VaultAction>
  /** Drops the caller's cached state. */
  forget(): void
}): SwitchableActor {
  const { name, client, startDelaySec, decide } = options
  let isEnabled = true
  let dueSec: number | null = null

  async function act(view: LedgerView): Promise<void> {
    if ((await client.settle(view)).kind === 'pending' || !isEnabled) return
    dueSec ??= view.closeTimeSec + startDelaySec
    if (view.closeTimeSec < dueSec) return
    const { invocation, pauseSec, onResult } = await decide(view)
    dueSec = view.closeTimeSec + pauseSec
    if (invocation === null) return
    const result = await client.invoke(invocation, view)
    onResult?.(result)
  }

  return {
    name,
    act,
    setEnabled(enabled) {
      isEnabled = enabled
    },
    forget() {
      client.forget()
      dueSec = null
      options.forget()
    },
  }
}
