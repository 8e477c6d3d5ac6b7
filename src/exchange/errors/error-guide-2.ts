// The meaning of contract errors in generation 2, where they are new or differ from the first generation.

import type {
  REFERRAL_ADDED, REFERRAL_ERRORS, SHARED_ADDED, SHARED_ERRORS, TRADER_VAULT_ADDED, TRADER_VAULT_ERRORS,
} from './errors.ts'
import { KEEPERS_SKIP, NOT_RAISED, OPERATORS } from './guidance.ts'
import type { Guidance } from './guidance.ts'

type NamesOf<Table> = Table[keyof Table] & string
type Changes<Added, First> = Readonly<Record<NamesOf<Added>, Guidance> & Partial<Record<NamesOf<First>, Guidance>>>

const RESERVED = 'Reserved for later contracts. No known contract raises it.'

/** Market, liquidity vault, price shim and router. */
export const SHARED_CHANGES: Changes<typeof SHARED_ADDED, typeof SHARED_ERRORS> = {
  Paused: [
    'Opening positions is halted, or the vault is paused.',
    'Wait until it resumes. Orders can be cancelled, and positions closed unless the exchange is frozen.',
  ],
  InvalidParameter: [
    'A parameter is invalid, or the operation does not match the margin mode of the position.',
    'Close cross positions with close_position_cross. Partial closes and collateral changes need an isolated position.',
  ],
  InvalidLeverage: ['The leverage exceeds the limit of the asset.', 'Use less leverage. /v1/markets/{asset}/limits returns the maximum.'],
  PositionTooLarge: [
    'Collateral times leverage exceeds the maximum size of the asset.', 'Open a smaller position. /v1/markets/{asset}/limits returns the maximum.',
  ],
  InsufficientMargin: ['Too little collateral would remain in the position.', 'Remove less collateral.'],
  PositionTooSmall: ['The rest of the position would be below the minimum collateral.', 'Close less, or the whole position.'],
  InsufficientBalance: [
    'The account holds fewer LP tokens than requested, or a transfer to the vault is missing.', 'Check the balance with /v1/account/me/state.',
  ],
  DepositCapExceeded: ['The account has reached its deposit cap, or the liquidity vault its own.', 'Deposit less.'],
  FundingIntervalNotElapsed: ['Funding of every asset was applied less than one hour ago.', 'Keepers: wait until the hour has elapsed.'],
  InvalidSlippageTolerance: [
    'The slippage tolerance is 0 or above 10000 basis points, or a deposit or withdrawal would pay out less than minOut.',
    'Use a tolerance from 1 to 10000, or a lower minOut.',
  ],
  CrossMarginInsufficientFreeMargin: [
    'The operation would leave the cross margin account below its initial margin.', 'Deposit collateral first, or reduce the amount.',
  ],
  CrossMarginOrderNotSupported: ['Cross positions do not support this order.', NOT_RAISED],
  OpenInterestCapExceeded: [
    'Open interest, the reserved payout, or the number of positions or orders has reached its cap, or auto-deleveraging is active for the asset.',
    'Open a smaller position, or retry later. /v1/markets/{asset}/limits returns the remaining headroom.',
  ],
  LiquidationCooldown: ['The last partial liquidation was less than 30 seconds ago.', 'Keepers: wait until 30 seconds have passed.'],
  AdlNotActive: ['Auto-deleveraging is not active for this asset.', KEEPERS_SKIP],
  AdlNotEligible: ['The position has no profit, so it cannot be deleveraged.', KEEPERS_SKIP],
  LiquidationNotConfirmed: ['The position is healthy at the average price.', 'Keepers: retry after the next price update.'],
  AcceptablePriceExceeded: ['The price is worse than acceptablePrice.', 'Prepare again with a price that you accept.'],
  AssetRiskNotConfigured: ['The asset is not open for trading.', 'Trade another asset.'],
  SkewCapExceeded: [
    'The position would widen the difference between long and short open interest beyond its cap.',
    'Open a smaller position. /v1/markets/{asset}/limits returns the remaining headroom.',
  ],
  Frozen: ['The exchange is frozen.', 'Wait until it resumes. Orders can be cancelled, and collateral added.'],
  NetsToZero: [
    'The position offsets positions in the other direction, and too little of it would remain.', 'Close those positions, or open a larger one.',
  ],
  AssetHalted: ['Opening positions of this asset is halted.', 'Wait until it resumes. Positions can still be closed.'],
  WithdrawCooldownActive: ['The account deposited liquidity too recently.', 'Retry when the cooldown after the deposit has passed.'],
  AgentUnauthorized: ['The account may not act for this trader.', RESERVED],
  OrderNotExpired: ['The order has not expired.', RESERVED],
  NoeSupplyExhausted: ['The liquidity vault has no LP tokens left.', RESERVED],
}

export const TRADER_VAULT_CHANGES: Changes<typeof TRADER_VAULT_ADDED, typeof TRADER_VAULT_ERRORS> = {
  NotVaultPosition: ['The position or order does not belong to this vault.', 'Use an id of this vault.'],
  LiquidityDeployed: ['The vault holds less USDC outside its positions than requested.', 'Withdraw less, or wait until the leader closes positions.'],
  ValuationUnavailable: [
    'The value of the vault cannot be calculated: one of its positions cannot be read, or a keeper has closed it.',
    'Retry later. Anyone can call reconcile_position of the contract for a closed position.',
  ],
  TooManyOpenSlots: ['The vault has 16 positions and orders, the maximum.', 'Close a position or cancel an order first.'],
  CreationRestricted: ['Only listed accounts can create vaults, or the maximum number of vaults exists.', OPERATORS],
  MinOutputNotMet: ['The deposit or withdrawal would pay out less than minOut.', 'Prepare again with a lower minOut.'],
}

export const REFERRAL_CHANGES: Changes<typeof REFERRAL_ADDED, typeof REFERRAL_ERRORS> = {
  InsufficientVolume: ['The account has not traded enough in the last 14 days to register a code.', 'Trade more first.'],
  ClaimUnfunded: ['The referral contract holds less USDC than the claim. Nothing is lost.', 'Retry later.'],
  RegistryPaused: ['The referral program is paused.', 'Wait until it resumes.'],
  RevokedCode: ['The code was revoked.', 'Use another code.'],
}
