// The meaning of each contract error and the way to resolve it. The types require an entry for every error name.

import type { ContractKey } from '../contracts/contracts.ts'
import { REFERRAL_CHANGES, SHARED_CHANGES, TRADER_VAULT_CHANGES } from './error-guide-2.ts'
import type { REFERRAL_ERRORS, SHARED_ERRORS, TRADER_VAULT_ERRORS } from './errors.ts'
import type { Generation } from '../contracts/generations.ts'
import { KEEPERS_SKIP, NOT_RAISED, OPERATORS } from './guidance.ts'
import type { Guidance } from './guidance.ts'

type NamesOf<Table> = Table[keyof Table] & string

/** Market, liquidity vault, price shim and router. */
export const SHARED_GUIDE: Readonly<Record<NamesOf<typeof SHARED_ERRORS>, Guidance>> = {
  NotInitialized: ['The contract is not initialized.', OPERATORS],
  AlreadyInitialized: ['The contract is already initialized.', OPERATORS],
  Unauthorized: ['The caller is not authorized. Raised by the router.', OPERATORS],
  Paused: ['Trading or the vault is paused.', 'Wait until it resumes. Orders can still be cancelled and positions liquidated.'],
  InvalidParameter: [
    'A parameter is invalid, or the close operation does not match the margin mode of the position.',
    'Close isolated positions with close_position and cross positions with close_position_cross.',
  ],
  Overflow: ['An amount or price overflows.', 'Use smaller amounts.'],
  DivisionByZero: ['A calculation divided by zero.', 'Check the amounts and prices in the request.'],
  PositionNotFound: ['No open position has this id.', 'List your open positions. This one may have been closed or liquidated.'],
  InvalidLeverage: ['The leverage is not between 1 and 10.', 'Use a leverage from 1 to 10.'],
  InsufficientCollateral: ['The collateral is below the 10 USDC minimum, or does not cover the opening fee.', 'Increase the collateral.'],
  PositionTooLarge: ['Collateral times leverage exceeds 100,000 USD.', 'Open a smaller position, or several.'],
  NotPositionOwner: ['The position belongs to another account.', 'Check the position id.'],
  InsufficientMargin: ['The margin is insufficient.', NOT_RAISED],
  PriceStale: [
    'The on-chain price is older than 60 seconds, and the operation would add risk.',
    'Retry after the next price update. Positions can still be closed.',
  ],
  InvalidPrice: [
    'No usable price: it is not positive, the symbol is unknown, or it is outside the price band of the router.',
    'Check the symbol. If it is correct, retry later.',
  ],
  OracleUnavailable: ['The oracle has no price for this asset yet.', 'Retry later.'],
  InsufficientLiquidity: [
    'The liquidity vault cannot cover this operation.', 'Reduce the amount, or retry later. /v1/pool returns the available liquidity.',
  ],
  InvalidAmount: ['An amount is zero or negative.', 'Send a positive amount.'],
  InsufficientBalance: ['The account holds fewer LP tokens than requested.', 'Check the balance with /v1/account/me/state.'],
  NotLiquidatable: ['The position is healthy, or uses cross margin.', KEEPERS_SKIP],
  LiquidationFailed: ['The liquidation failed.', NOT_RAISED],
  FundingIntervalNotElapsed: ['Funding was applied less than one hour ago.', 'Keepers: wait until the hour has elapsed.'],
  OrderNotFound: ['No order has this id.', 'Check the order id.'],
  OrderNotPending: ['The order was already executed or cancelled.', 'See its outcome in /v1/account/me/orders.'],
  OrderNotTriggered: ['The price has not reached the trigger price.', 'Keepers: wait for the trigger.'],
  SlippageExceeded: ['The price deviates by more than the slippage tolerance.', 'The contract cancels the order with reason slippage. Place a new one.'],
  NotOrderOwner: ['The order belongs to another account.', 'Check the order id.'],
  InvalidTriggerPrice: [
    'The trigger or limit price is not positive, or is on the wrong side of the entry price.',
    'Set a stop-loss where the position loses and a take-profit where it gains.',
  ],
  InvalidSlippageTolerance: ['The slippage tolerance is 0 or above 10000 basis points.', 'Use a value from 1 to 10000.'],
  OrderAlreadyExists: ['The position already has an order of this type.', 'Cancel the existing order first.'],
  InvalidLimitPrice: ['The limit price is invalid.', NOT_RAISED],
  InvalidTrailingPercent: ['The trailing distance is 0 or above 5000 basis points.', 'Use a value from 1 to 5000.'],
  PostOnlyViolation: ['A post-only order would execute immediately.', 'Move its price away from the market price.'],
  CrossMarginInsufficientBalance: ['The cross margin pool holds less than the requested amount.', 'Withdraw less.'],
  CrossMarginInsufficientFreeMargin: [
    'The operation would leave the cross margin account at or below its maintenance margin.', 'Deposit collateral first, or reduce the amount.',
  ],
  CrossMarginNotLiquidatable: ['The cross margin account is healthy.', KEEPERS_SKIP],
  CrossMarginNoPositions: ['The cross margin account has no positions.', KEEPERS_SKIP],
  CrossMarginOrderNotSupported: [
    'Cross positions do not support stop-loss, take-profit or trailing stop orders.', 'Use an isolated position, or close the cross position yourself.',
  ],
  PriceDeviationTooHigh: [
    'The price moved more than 1 % from the last valid price of the past ten minutes.',
    'Wait before opening a position. Positions can still be closed.',
  ],
  OpenInterestCapExceeded: [
    'Open interest on this side of the asset, or the total reserved payout, has reached its cap.',
    'Open a smaller position. /v1/markets/{asset}/limits returns the remaining headroom.',
  ],
}

export const TRADER_VAULT_GUIDE: Readonly<Record<NamesOf<typeof TRADER_VAULT_ERRORS>, Guidance>> = {
  AlreadyInitialized: ['The factory is already initialized.', OPERATORS],
  NotInitialized: ['The factory is not initialized.', OPERATORS],
  InvalidParameter: ['A parameter is invalid, for example the direction.', 'Send values that match the request schema.'],
  InvalidName: ['The name is empty or longer than 64 bytes.', 'Choose a name of 1 to 64 bytes.'],
  VaultNotFound: ['No vault has this id.', 'Check the id. /v1/vaults lists all vaults.'],
  NotLeader: ['Only the leader of the vault can do this.', 'Sign with the account of the leader.'],
  NotAdmin: ['Only the administrator of the factory can do this.', NOT_RAISED],
  AmountMustBePositive: ['The amount is not positive, or is too small for one share.', 'Increase the amount.'],
  InsufficientShares: ['The account holds fewer shares of the vault than requested.', 'Request at most the shares that it holds.'],
  InsufficientBalance: [
    'The vault holds less USDC outside its positions than requested.', 'Withdraw less, or wait until the leader closes positions.',
  ],
  LeaderMinimumViolated: [
    'The leader would hold less than 5 % of the shares.', 'The leader must deposit first. Nobody else can make the first deposit.',
  ],
  Paused: ['The leader or the administrator paused the vault.', 'Wait until it resumes.'],
  Overflow: ['An amount overflows.', 'Use smaller amounts.'],
  NavCalculationFailed: ['The value of a share cannot be calculated now.', 'Retry later.'],
  NoFeesToClaim: ['The vault has no profit above its high-water mark.', 'Wait until it makes a profit.'],
}

export const REFERRAL_GUIDE: Readonly<Record<NamesOf<typeof REFERRAL_ERRORS>, Guidance>> = {
  AlreadyInitialized: ['The contract is already initialized.', OPERATORS],
  NotInitialized: ['The contract is not initialized.', OPERATORS],
  NotAdmin: ['Only the administrator can do this.', NOT_RAISED],
  NotMarket: ['Only the market contract can do this.', NOT_RAISED],
  InvalidParameter: ['A share exceeds 5000 basis points, or a volume is negative.', OPERATORS],
  CodeTooShort: ['The code has fewer than 3 characters.', 'Choose a longer code.'],
  CodeTooLong: ['The code has more than 16 characters.', 'Choose a shorter code.'],
  CodeAlreadyTaken: ['Another account owns this code.', 'Choose another code. Codes are case-sensitive.'],
  AlreadyHasCode: ['The account already owns a code. Each account can register only one.', 'Use the existing code.'],
  UnknownCode: ['The code is not registered, or the account owns no code.', 'Check the spelling. Codes are case-sensitive.'],
  AlreadyHasReferrer: ['The account already has a referrer.', 'A referrer cannot be changed.'],
  SelfReferral: ['An account cannot refer itself.', 'Use a code of another account.'],
  InsufficientVolume: ['The account has not traded enough to register a code.', NOT_RAISED],
  NothingToClaim: ['The account has no earnings to claim.', 'Wait until a referred account trades.'],
  Overflow: ['An amount overflows.', OPERATORS],
}

type Guide = Readonly<Record<string, Guidance>>

/** The guidance for the errors of each contract, and what later generations changed or added. */
const GUIDES: Readonly<Record<ContractKey, readonly [first: Guide, changes: Guide]>> = {
  market: [SHARED_GUIDE, SHARED_CHANGES],
  vault: [SHARED_GUIDE, SHARED_CHANGES],
  oracleShim: [SHARED_GUIDE, SHARED_CHANGES],
  router: [SHARED_GUIDE, SHARED_CHANGES],
  vaultFactory: [TRADER_VAULT_GUIDE, TRADER_VAULT_CHANGES],
  referral: [REFERRAL_GUIDE, REFERRAL_CHANGES],
  usdcToken: [{}, {}],
  lpToken: [{}, {}],
}

/** The guidance for an error by its name; undefined for a name without an entry. */
export function findGuidance(raisedBy: ContractKey, name: string, generation: Generation): Guidance | undefined {
  const [first, changes] = GUIDES[raisedBy]
  return (generation === '1' ? undefined : changes[name]) ?? first[name]
}
