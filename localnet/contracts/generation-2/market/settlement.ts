// Settling the result of a position against the money that the market holds for it (generation 2, "Close, isolated").

import { transferToken } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv } from '../../shared/host.ts'
import { address, i128, symbol, u32 } from '../../shared/host.ts'
import { usdcOf, vaultOf } from '../../shared/market/storage.ts'
import { checked, minOf, positivePart } from '../../shared/values.ts'
import { isSince } from '../build.ts'
import { callDrawBuffer, callSettlePnl } from '../calls.ts'
import type { MarketEnv } from './env.ts'
import { payLoss } from './fees.ts'
import { ADDED_KEYS, readFlag, touchFlag, writeFlag } from './storage.ts'

/** The asset in bad debt of a whole cross account. */
export const CROSS_DEBT = 'CROSS'

/** A result to settle. `funds` limit what the trader can lose. */
export interface Claim {
  readonly trader: string
  readonly asset: string
  readonly pnl: bigint
  readonly funding: bigint
  readonly funds: bigint
}

export interface Settlement {
  /** The rest of the funds. */
  readonly remaining: bigint
  /** Profit that was paid to the market for the trader. */
  readonly credit: bigint
  /** Loss that counts against the trader: from build 2.2 the whole loss, before it the part that the funds covered. */
  readonly owed: bigint
  /** Loss above the funds. */
  readonly uncollected: bigint
}

/** Settles a claim with the vault. `recordDebt` is called before the loss is paid if the funds do not cover it. */
export function settle(env: MarketEnv, claim: Claim, recordDebt: (amount: bigint) => void): Settlement {
  return isSince(env.build, '2.2') ? settleNet(env, claim, recordDebt) : settleSeparately(env, claim, recordDebt)
}

/** From build 2.2 the vault settles the PnL net of funding, so it pays funding that a trader has earned. */
function settleNet(env: MarketEnv, claim: Claim, recordDebt: (amount: bigint) => void): Settlement {
  const net = checked(claim.pnl - claim.funding)
  // From build 2.3 a loss accesses what a profit accesses, so that a price move between simulation and application does no harm.
  if (isSince(env.build, '2.3')) touchFlag(env, ADDED_KEYS.adlActive(claim.asset))
  if (net > 0n) return { remaining: claim.funds, credit: settleProfit(env, claim, net), owed: 0n, uncollected: 0n }
  return { ...collect(env, claim, -net, recordDebt), credit: 0n }
}

/** Before build 2.2 the vault settled the price PnL, and earned funding was paid from the market's pooled USDC. */
function settleSeparately(env: MarketEnv, claim: Claim, recordDebt: (amount: bigint) => void): Settlement {
  const paid = settleProfit(env, claim, claim.pnl)
  const owed = checked(positivePart(-claim.pnl) + positivePart(claim.funding))
  const { remaining, uncollected } = collect(env, claim, owed, recordDebt)
  return { remaining, owed: owed - uncollected, uncollected, credit: checked(paid + positivePart(-claim.funding)) }
}

function collect(env: MarketEnv, { trader, funds }: Claim, owed: bigint, recordDebt: (amount: bigint) => void): Omit<Settlement, 'credit'> {
  const loss = minOf(owed, positivePart(funds))
  const uncollected = owed - loss
  if (uncollected > 0n) recordDebt(uncollected)
  payLoss(env, trader, loss)
  return { remaining: funds - loss, owed, uncollected }
}

/** A profit that the vault cannot pay in full turns auto-deleveraging on for the asset. */
function settleProfit(env: MarketEnv, claim: Claim, pnl: bigint): bigint {
  const paid = callSettlePnl(env, vaultOf(env), claim.trader, pnl)
  const key = ADDED_KEYS.adlActive(claim.asset)
  if (pnl > 0n && paid < pnl && !readFlag(env, key)) {
    writeFlag(env, key, true)
    emitAdl(env, 'adl_triggered', claim.asset, { reason: SHORTFALL, payable: 0n, coverage: 0n })
  }
  return paid
}

/** Reasons for turning auto-deleveraging on. */
export const COVERAGE_RATIO = 0
const SHORTFALL = 1

export function emitAdl(
  env: ContractEnv, topic: 'adl_triggered' | 'adl_cleared', asset: string, cause: { reason: number; payable: bigint; coverage: bigint },
): void {
  emit(env, topic, symbol(asset), u32(cause.reason), i128(cause.payable), i128(cause.coverage))
}

/** Records a loss that a trader cannot pay. The vault's buffer covers what it can; the liquidity providers bear the rest. */
export function recordBadDebt(env: ContractEnv, trader: string, asset: string, amount: bigint): void {
  const covered = callDrawBuffer(env, vaultOf(env), amount)
  emit(env, 'bad_debt_recorded', address(trader), symbol(asset), i128(amount), i128(covered), i128(amount - covered))
}

/** Transfers USDC out of the market. Does nothing for zero or less. */
export function payOut(env: ContractEnv, to: string, amount: bigint): void {
  if (amount > 0n) transferToken(env, usdcOf(env), env.self, to, amount)
}

/** Stores what a closed isolated position paid to its trader. The entry is temporary. */
export function writeProceeds(env: ContractEnv, positionId: bigint, amount: bigint): void {
  env.set('temporary', ADDED_KEYS.closedProceeds(positionId), i128(amount))
}
