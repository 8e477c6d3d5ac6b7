// The leader of a trader vault: creates it, deposits, creates a referral code, trades through the factory, and claims its fees from time to time. A leader
// without markets keeps the deposits idle and pauses the vault from time to time.

import type { Random } from '../../src/base/random.ts'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { address, bool, i128, symbol, text, u32, u64 } from '../contracts/shared/host.ts'
import type { Val } from '../contracts/shared/host.ts'
import type { Vault } from '../contracts/shared/trader-vaults/vaults.ts'
import type { Client, LedgerView } from './client.ts'
import type { Invocation } from './envelope.ts'
import type { Deployment } from './exchange-state.ts'
import type { Range } from './strategies.ts'
import { drawInteger } from './strategies.ts'
import { createHoldingsReader } from './stored-entries.ts'
import type { Holdings, HoldingsReader } from './stored-entries.ts'
import type { Ticker } from './ticker.ts'
import type { SwitchableActor } from './actor.ts'
import type { VaultAction } from './vault-actor.ts'
import { createVaultActor } from './vault-actor.ts'
import { hasGained, readVaults } from './vault-state.ts'

/** The parameters of a leader. */
export interface LeaderPlan {
  /** The delay before the vault is created. Two creations in one ledger would simulate the same id, and one would fail. */
  readonly startDelaySec: number
  readonly vaultName: string
  /** The referral code. */
  readonly code: string
  /** The leader's own deposit, in 7-decimal USDC. It is repeated when half of it is lost. */
  readonly stake: bigint
  /**
   * The markets that the leader trades. All vaults trade as the factory's address, and a position does not identify its vault, so each leader needs its own
   * markets.
   */
  readonly markets: readonly string[]
  readonly leverage: Range
  /** Time for which a position is held. */
  readonly holdSec: number
  /** The pause between two actions. */
  readonly pauseSec: Range
}

/** The pause between the steps that set up a vault. */
const SETUP_DELAY_SEC = 3
const MAX_ENTRIES = 3
/** The size of one position, as a percentage of the vault's USDC. */
const POSITION_PERCENT: Range = { min: 4, max: 15 }
const LIMIT_SHARE = 0.35
const LIMIT_DISTANCE_BPS: Range = { min: 5, max: 40 }
const LIMIT_TOLERANCE_BPS = 100
const MAX_ORDER_AGE_SEC = 1_200
/** The period of the price change that decides the direction. */
const LOOKBACK_SEC = 300
/** Slightly below the market's maximum position size, because of rounding. */
const MAX_SIZE = 95_000n * ONE_E7
const MIN_COLLATERAL = 20n * ONE_E7
const CLAIM_SHARE = 0.3
/** The share of actions in which a leader without markets pauses the vault. */
const PAUSE_SHARE = 0.3

/** Builds a leader. */
export function createVaultLeader(options: {
  name: string
  client: Client
  deployment: Deployment
  plan: LeaderPlan
  ticker: Pick<Ticker, 'price' | 'change'>
  random: Random
  /** The factory's holdings. */
  reader?: HoldingsReader
  /** A call that vaults need before they can be valued again, in generation 2. */
  repair?: (vault: Vault, holdings: Holdings) => Promise<Invocation | undefined>
}): SwitchableActor {
  const { name, client, deployment, plan, ticker, random } = options
  const holdings = options.reader ?? createHoldingsReader(client, deployment.market, deployment.vaultFactory)
  const self = address(client.address)
  let hasCode = false

  const drawPause = (): number => drawInteger(plan.pauseSec, random)
  const call = (functionName: string, args: readonly Val[], restSec = drawPause()): VaultAction => ({
    invocation: { contract: deployment.vaultFactory, functionName, args }, pauseSec: restSec,
  })

  function setupAction(vault: Vault | undefined): VaultAction | undefined {
    if (vault === undefined) return call('create_vault', [self, text(plan.vaultName)], SETUP_DELAY_SEC)
    if (vault.leader_shares === 0n) return call('deposit', [self, u32(vault.id), i128(plan.stake)], SETUP_DELAY_SEC)
    if (hasCode) return undefined
    const invocation = { contract: deployment.referral, functionName: 'create_code', args: [self, text(plan.code)] }
    // Refused means that the code exists already.
    return { invocation, pauseSec: SETUP_DELAY_SEC, onResult: ({ kind }) => void (hasCode = kind !== 'later') }
  }

  /** Closes a position after its holding time, or cancels an order that was not filled in time. */
  function exitAction(vault: Vault, { positions, orders }: Holdings, nowSec: number): VaultAction | undefined {
    const position = positions.find(({ openedAtSec }) => nowSec - openedAtSec >= plan.holdSec)
    if (position !== undefined) return call('leader_close_position', [self, u32(vault.id), u64(position.id)])
    const order = orders.find(({ createdAtSec }) => nowSec - createdAtSec >= MAX_ORDER_AGE_SEC)
    return order === undefined ? undefined : call('leader_cancel_order', [self, u32(vault.id), u64(order.id)])
  }

  function entry(vault: Vault): VaultAction {
    const asset = plan.markets[random.integer(plan.markets.length)] ?? 'BTC'
    const leverage = drawInteger(plan.leverage, random)
    const wanted = (vault.total_usdc * BigInt(drawInteger(POSITION_PERCENT, random))) / 100n
    const maxCollateral = MAX_SIZE / BigInt(leverage)
    const collateral = wanted < maxCollateral ? wanted : maxCollateral
    if (collateral < MIN_COLLATERAL) return { invocation: null, pauseSec: drawPause() }
    const isLong = ticker.change(asset, LOOKBACK_SEC) >= 0
    const terms = [self, u32(vault.id), symbol(asset), i128(collateral), u32(leverage), u32(isLong ? 0 : 1)]
    if (random.float() >= LIMIT_SHARE) return call('leader_open_position', terms)
    const distance = (ticker.price(asset) * BigInt(drawInteger(LIMIT_DISTANCE_BPS, random))) / 10_000n
    const trigger = ticker.price(asset) + (isLong ? -distance : distance)
    return call('leader_place_limit_order', [...terms, i128(trigger), bool(!isLong), u32(LIMIT_TOLERANCE_BPS)])
  }

  async function trade(vault: Vault, nowSec: number): Promise<VaultAction> {
    const all = await holdings.read()
    const repairing = await options.repair?.(vault, all)
    if (repairing !== undefined) return { invocation: repairing, pauseSec: SETUP_DELAY_SEC }
    const own = <Entry extends { readonly asset: string }>(entries: readonly Entry[]): readonly Entry[] =>
      entries.filter(({ asset }) => plan.markets.includes(asset))
    const [positions, orders] = [own(all.positions), own(all.orders)]
    const due = exitAction(vault, { ...all, positions, orders }, nowSec)
    if (due !== undefined) return due
    const entries = positions.length + orders.length
    if (entries === 0 && vault.total_usdc < plan.stake / 2n) return call('deposit', [self, u32(vault.id), i128(plan.stake)])
    if (hasGained(vault) && random.float() < CLAIM_SHARE) return call('claim_leader_fees', [u32(vault.id)])
    return entries < MAX_ENTRIES ? entry(vault) : { invocation: null, pauseSec: drawPause() }
  }

  async function decide(view: LedgerView): Promise<VaultAction> {
    const vaults = await readVaults(client, deployment.vaultFactory)
    const vault = vaults.find(({ leader }) => leader === client.address)
    const setup = setupAction(vault)
    if (setup !== undefined || vault === undefined) return setup ?? { invocation: null, pauseSec: SETUP_DELAY_SEC }
    if (vault.paused) return call('set_paused', [u32(vault.id), bool(false)])
    if (plan.markets.length > 0) return trade(vault, view.closeTimeSec)
    return random.float() < PAUSE_SHARE ? call('set_paused', [u32(vault.id), bool(true)]) : { invocation: null, pauseSec: drawPause() }
  }

  return createVaultActor({
    name, client, decide,
    startDelaySec: plan.startDelaySec,
    forget() {
      hasCode = false
      holdings.forget()
    },
  })
}
