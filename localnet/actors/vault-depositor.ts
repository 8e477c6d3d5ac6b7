// A depositor in trader vaults: sets a leader as its referrer, then deposits into random vaults and withdraws.

import type { Random } from '../../src/base/random.ts'
import { address, i128, text, u32 } from '../contracts/shared/host.ts'
import { usdcFor } from '../contracts/shared/trader-vaults/shares.ts'
import type { Client } from './client.ts'
import type { Deployment } from './exchange-state.ts'
import type { Range } from './strategies.ts'
import { drawInteger } from './strategies.ts'
import type { SwitchableActor } from './actor.ts'
import type { VaultAction } from './vault-actor.ts'
import { createVaultActor } from './vault-actor.ts'
import { readShares, readVaults } from './vault-state.ts'

const START_DELAY_SEC: Range = { min: 15, max: 60 }
/** The pause after setting the referrer, or when its code does not exist yet. */
const REFERRAL_RETRY_SEC = 20
const PAUSE_SEC: Range = { min: 500, max: 2_000 }
/** A deposit as a percentage of the leader's own stake in the vault. */
const DEPOSIT_PERCENT: Range = { min: 1, max: 8 }
const DEPOSIT_SHARE = 0.6
/** A withdrawal as a percentage of the shares. */
const WITHDRAWAL_PERCENT: Range = { min: 10, max: 100 }
/** The contract error for an unknown referral code. */
const UNKNOWN_CODE = 10

/** Builds a depositor whose referrer is the owner of `code`. */
export function createVaultDepositor(options: { name: string; client: Client; deployment: Deployment; code: string; random: Random }): SwitchableActor {
  const { name, client, deployment, code, random } = options
  const self = address(client.address)
  let hasReferrer = false

  function setReferrer(): VaultAction {
    return {
      invocation: { contract: deployment.referral, functionName: 'set_referrer', args: [self, text(code)] },
      pauseSec: REFERRAL_RETRY_SEC,
      onResult(result) {
        hasReferrer = result.kind === 'sent' || (result.kind === 'refused' && result.code !== UNKNOWN_CODE)
      },
    }
  }

  async function decide(): Promise<VaultAction> {
    if (!hasReferrer) return setReferrer()
    const restSec = drawInteger(PAUSE_SEC, random)
    const open = (await readVaults(client, deployment.vaultFactory)).filter(({ leader_shares, paused }) => leader_shares > 0n && !paused)
    const vault = open[random.integer(Math.max(open.length, 1))]
    if (vault === undefined) return { invocation: null, pauseSec: restSec }
    const held = await readShares(client, deployment.vaultFactory, vault.id, client.address)
    const isDeposit = random.float() < DEPOSIT_SHARE || held === 0n
    const amount = isDeposit
      ? (usdcFor(vault, vault.leader_shares) * BigInt(drawInteger(DEPOSIT_PERCENT, random))) / 100n
      : (held * BigInt(drawInteger(WITHDRAWAL_PERCENT, random))) / 100n
    if (amount === 0n) return { invocation: null, pauseSec: restSec }
    const args = [self, u32(vault.id), i128(amount)]
    return { invocation: { contract: deployment.vaultFactory, functionName: isDeposit ? 'deposit' : 'withdraw', args }, pauseSec: restSec }
  }

  return createVaultActor({
    name, client, decide,
    startDelaySec: drawInteger(START_DELAY_SEC, random),
    forget() {
      hasReferrer = false
    },
  })
}
