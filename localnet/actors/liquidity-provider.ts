// A liquidity provider: makes a large first deposit, so that trading is possible, then small deposits and withdrawals from time to time.

import type { Random } from '../../src/base/random.ts'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { address, i128, u32 } from '../contracts/shared/host.ts'
import type { SwitchableActor } from './actor.ts'
import type { Client, LedgerView } from './client.ts'
import type { Invocation } from './envelope.ts'
import { readTrustlineBalance } from './exchange-state.ts'
import type { Deployment } from './exchange-state.ts'
import { drawInteger } from './strategies.ts'

/** Between two movements after the first deposit. */
const PAUSE_SEC = { min: 600, max: 2_400 } as const
/** Whole USDC deposited or LP tokens withdrawn, after the first deposit. */
const MOVEMENT = { min: 1_000, max: 50_000 } as const
/** The lifetime of an approval for the vault, in ledgers. */
const APPROVAL_LEDGERS = 1_000
const RETRY_SEC = 5

/** Builds a provider with its first deposit, in 7-decimal USDC. It makes that deposit even when it is disabled. */
export function createLiquidityProvider(options: {
  name: string
  client: Client
  deployment: Deployment
  firstDeposit: bigint
  random: Random
}): SwitchableActor {
  const { name, client, deployment, firstDeposit, random } = options
  let hasDeposited = false
  let isEnabled = true
  let dueSec: number | null = null
  /** LP tokens approved for the withdrawal that comes next. */
  let approved: bigint | null = null

  const deposit = (amount: bigint): Invocation => call(deployment.vault, 'deposit', address(client.address), i128(amount))

  function nextMovement(view: LedgerView): Invocation {
    const amount = BigInt(drawInteger(MOVEMENT, random)) * ONE_E7
    if (random.float() < 0.5) return deposit(amount)
    approved = amount
    const liveUntil = u32(view.sequence + APPROVAL_LEDGERS)
    return call(deployment.lpToken, 'approve', address(client.address), address(deployment.vault), i128(amount), liveUntil)
  }

  function withdrawal(amount: bigint): Invocation {
    approved = null
    return call(deployment.vault, 'withdraw', address(client.address), i128(amount))
  }

  async function makeFirstDeposit(view: LedgerView): Promise<void> {
    const held = (await readTrustlineBalance(client, client.address, deployment.lpAsset)) ?? 0n
    if (held > 0n) hasDeposited = true
    else await client.invoke(deposit(firstDeposit), view)
    dueSec = view.closeTimeSec + (hasDeposited ? drawInteger(PAUSE_SEC, random) : RETRY_SEC)
  }

  async function act(view: LedgerView): Promise<void> {
    const settlement = await client.settle(view)
    if (settlement.kind === 'pending') return
    if (settlement.kind === 'failed') approved = null
    if (dueSec !== null && view.closeTimeSec < dueSec && approved === null) return
    if (!hasDeposited) return makeFirstDeposit(view)
    if (!isEnabled) return
    const { kind } = await client.invoke(approved === null ? nextMovement(view) : withdrawal(approved), view)
    if (kind !== 'sent') approved = null
    dueSec = view.closeTimeSec + drawInteger(PAUSE_SEC, random)
  }

  return {
    name,
    act,
    setEnabled(enabled) {
      isEnabled = enabled
    },
    forget() {
      client.forget()
      hasDeposited = false
      dueSec = null
      approved = null
    },
  }
}

function call(contract: string, functionName: string, ...args: Invocation['args']): Invocation {
  return { contract, functionName, args }
}
