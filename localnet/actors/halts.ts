// The admin of generation 2 halts trading of an asset for a minute or two, now and then.

import type { Random } from '../../src/base/random.ts'
import { bool, symbol } from '../contracts/shared/host.ts'
import type { SwitchableActor } from './actor.ts'
import type { Client } from './client.ts'
import { drawInteger } from './strategies.ts'

/** Between two halts, and how long one lasts. */
const PAUSE_SEC = { min: 1_800, max: 5_400 } as const
const HALT_SEC = { min: 60, max: 150 } as const

/** `assets` are those that may be halted. */
export function createHalts({ client, market, assets, random }: {
  readonly client: Client
  readonly market: string
  readonly assets: readonly string[]
  readonly random: Random
}): SwitchableActor {
  let isEnabled = true
  let dueSec: number | null = null
  let halted: string | null = null

  return {
    name: 'halts',
    setEnabled: (enabled) => void (isEnabled = enabled),
    async act(view) {
      const nowSec = view.closeTimeSec
      dueSec ??= nowSec + drawInteger(PAUSE_SEC, random)
      if (nowSec < dueSec || (!isEnabled && halted === null)) return
      if ((await client.settle(view)).kind === 'pending') return
      const asset = halted ?? assets[random.integer(assets.length)]
      if (asset === undefined) return
      const { kind } = await client.invoke({ contract: market, functionName: 'set_asset_halt', args: [symbol(asset), bool(halted === null)] }, view)
      // Otherwise in the next ledger: the admin may have another transaction there.
      if (kind !== 'sent') return
      halted = halted === null ? asset : null
      dueSec = nowSec + drawInteger(halted === null ? PAUSE_SEC : HALT_SEC, random)
    },
    forget() {
      client.forget()
      dueSec = null
      halted = null
    },
  }
}
