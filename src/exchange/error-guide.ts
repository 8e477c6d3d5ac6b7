// What each contract error means to whoever meets it, and what to do then: complete by its types, so that a code without words does not compile.

import type { REFERRAL_ERRORS, SHARED_ERRORS, TRADER_VAULT_ERRORS } from './errors.ts'

type NamesOf<Table> = Table[keyof Table] & string
/** What happened, and what to do. */
export type Guidance = readonly [meaning: string, whatToDo: string]

const NOT_RAISED = 'Nothing: the contract defines it and raises it nowhere'
const OPERATORS = 'Nothing: this is the exchange\'s operators\' affair'

/** Market, liquidity vault, price shim and router. */
export const SHARED_GUIDE: Readonly<Record<NamesOf<typeof SHARED_ERRORS>, Guidance>> = {
  NotInitialized: ['The contract is not set up yet', OPERATORS],
  AlreadyInitialized: ['The contract is set up already', OPERATORS],
  Unauthorized: ['The caller may not do this; raised by the router', OPERATORS],
  Paused: ['Trading, or the vault, is paused', 'Wait. Cancelling and liquidating go on'],
  InvalidParameter: [
    'A parameter does not fit, or a position is closed by the way of the other margin mode',
    'Close isolated positions with close_position, cross ones with close_position_cross',
  ],
  Overflow: ['A number is too large to be reckoned with', 'Use smaller amounts'],
  DivisionByZero: ['A number cannot be reckoned with', 'Look at the amounts and prices that you sent'],
  PositionNotFound: ['No position with this id is open', 'Read your positions: it was closed or liquidated, perhaps by a keeper'],
  InvalidLeverage: ['The leverage is not 1 to 10', 'Use one that is'],
  InsufficientCollateral: ['Less than 10 USDC, or the fee for opening would use it up', 'Put more in'],
  PositionTooLarge: ['Collateral times leverage is above 100,000 USD', 'Open a smaller one, or several'],
  NotPositionOwner: ['The position is another account\'s', 'Look at the id'],
  InsufficientMargin: ['The margin does not suffice', NOT_RAISED],
  PriceStale: [
    'The price on chain is older than 60 seconds, and this would take a risk',
    'Try again when it has been renewed. Closing works all the same',
  ],
  InvalidPrice: [
    'There is no usable price: it is not positive, the symbol is unknown, or it is outside the router\'s band',
    'Look at the symbol; else wait',
  ],
  OracleUnavailable: ['The oracle has no price of the asset yet', 'Try again later'],
  InsufficientLiquidity: ['The liquidity vault cannot cover this', 'Ask for less, or later; /v1/pool tells what there is'],
  InvalidAmount: ['An amount is zero or negative', 'Send a positive one'],
  InsufficientBalance: ['The account has fewer LP tokens than that', 'Look at your balance in /v1/account/me/state'],
  NotLiquidatable: ['The position is healthy, or is under cross margin', 'Keepers only: leave it'],
  LiquidationFailed: ['The liquidation did not succeed', NOT_RAISED],
  FundingIntervalNotElapsed: ['Funding was applied less than an hour ago', 'Keepers only: wait for the hour'],
  OrderNotFound: ['No order has this id', 'Look at the id'],
  OrderNotPending: ['The order was executed or cancelled before', 'Read what became of it in /v1/account/me/orders'],
  OrderNotTriggered: ['The price is not there yet', 'Keepers only: wait'],
  SlippageExceeded: ['The price is further off than is tolerated', 'Nothing: the order is cancelled instead, with the reason slippage'],
  NotOrderOwner: ['The order is another account\'s', 'Look at the id'],
  InvalidTriggerPrice: [
    'The trigger or limit price is not positive, or on the wrong side',
    'A stop-loss stands where the position loses, a take-profit where it gains',
  ],
  InvalidSlippageTolerance: ['The tolerance is 0 or above 10000 basis points', 'Send 1 to 10000'],
  OrderAlreadyExists: ['The position has an order of this kind already', 'Cancel that one first'],
  InvalidLimitPrice: ['The limit price does not fit', NOT_RAISED],
  InvalidTrailingPercent: ['The trail is 0 or above 5000 basis points', 'Send 1 to 5000'],
  PostOnlyViolation: ['A post-only order would be filled at once', 'Move its price away from the market'],
  CrossMarginInsufficientBalance: ['The cross pool holds less than that', 'Withdraw less'],
  CrossMarginInsufficientFreeMargin: ['The cross account would be left at or below its maintenance margin', 'Deposit first, or ask for less'],
  CrossMarginNotLiquidatable: ['The cross account is healthy', 'Keepers only: leave it'],
  CrossMarginNoPositions: ['The cross account has no positions', 'Keepers only: leave it'],
  CrossMarginOrderNotSupported: [
    'Stop-loss, take-profit and trailing stop do not go with cross positions',
    'Use an isolated position, or close it yourself',
  ],
  PriceDeviationTooHigh: [
    'The price moved by more than 1 % from the last good one of ten minutes',
    'Wait before opening. Closing works all the same',
  ],
  OpenInterestCapExceeded: [
    'Open interest of that side, or all that is reserved, has reached its cap',
    'Open less; /v1/markets/{asset}/limits tells what is left',
  ],
}

export const TRADER_VAULT_GUIDE: Readonly<Record<NamesOf<typeof TRADER_VAULT_ERRORS>, Guidance>> = {
  AlreadyInitialized: ['The factory is set up already', OPERATORS],
  NotInitialized: ['The factory is not set up yet', OPERATORS],
  InvalidParameter: ['A parameter does not fit, a direction for one', 'Send what the request\'s schema says'],
  InvalidName: ['The name is empty or longer than 64 bytes', 'Choose another one'],
  VaultNotFound: ['No vault has this id', 'Look at the id; /v1/vaults lists them'],
  NotLeader: ['Only the vault\'s leader may do this', 'Sign with the leader\'s account'],
  NotAdmin: ['Only the factory\'s administrator may do this', NOT_RAISED],
  AmountMustBePositive: ['The amount is not positive, or too small for one share', 'Send more'],
  InsufficientShares: ['The account has fewer shares of the vault', 'Ask for as many as it has'],
  InsufficientBalance: ['The vault has less USDC outside of its positions', 'Ask for less, or wait until its leader has closed some'],
  LeaderMinimumViolated: ['The leader would hold less than 5 % of the shares', 'The leader deposits first; nobody else can make the first deposit'],
  Paused: ['The vault is paused, by its leader or the administrator', 'Wait'],
  Overflow: ['A number is too large to be reckoned with', 'Use smaller amounts'],
  NavCalculationFailed: ['The value of a share cannot be reckoned now', 'Try again later'],
  NoFeesToClaim: ['There is no profit above the high-water mark', 'Nothing: wait for one'],
}

export const REFERRAL_GUIDE: Readonly<Record<NamesOf<typeof REFERRAL_ERRORS>, Guidance>> = {
  AlreadyInitialized: ['The contract is set up already', OPERATORS],
  NotInitialized: ['The contract is not set up yet', OPERATORS],
  NotAdmin: ['Only the administrator may do this', NOT_RAISED],
  NotMarket: ['Only the market may do this', NOT_RAISED],
  InvalidParameter: ['A share is above 5000 basis points, or a volume negative', OPERATORS],
  CodeTooShort: ['The code has fewer than 3 characters', 'Choose a longer one'],
  CodeTooLong: ['The code has more than 16 characters', 'Choose a shorter one'],
  CodeAlreadyTaken: ['Somebody has this code', 'Choose another one; upper and lower case differ'],
  AlreadyHasCode: ['The account has a code, and there is one per account', 'Use that one'],
  UnknownCode: ['Nobody has this code, or the account has none', 'Look at its spelling'],
  AlreadyHasReferrer: ['The account was referred before, once and for good', 'Nothing'],
  SelfReferral: ['Nobody can refer themselves', 'Use somebody else\'s code'],
  InsufficientVolume: ['Not enough was traded for a code', NOT_RAISED],
  NothingToClaim: ['Nothing has been earned yet', 'Wait'],
  Overflow: ['A number is too large to be reckoned with', OPERATORS],
}
