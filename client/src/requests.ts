// Written from docs/openapi.json by test/client/types.test.ts, which also says how to renew it: no line here is changed by hand.
// The order operations and the other actions that an account signs, as the gateway prepares them.

/** Opens an isolated position at the market price */
export interface OpenPositionRequest {
  readonly op: 'open_position'
  /** Symbol of a supported asset, upper case */ readonly asset: string
  /** 7-decimal USDC; the contract asks for 10 USDC at least */ readonly collateral: string
  /** Times the collateral */ readonly leverage: number
  readonly direction: 'Long' | 'Short'
}

/** Opens a position under cross margin at the market price */
export interface OpenPositionCrossRequest {
  readonly op: 'open_position_cross'
  /** Symbol of a supported asset, upper case */ readonly asset: string
  /** 7-decimal USDC; the contract asks for 10 USDC at least */ readonly collateral: string
  /** Times the collateral */ readonly leverage: number
  readonly direction: 'Long' | 'Short'
}

/** Closes an isolated position */
export interface ClosePositionRequest {
  readonly op: 'close_position'
  /** The position: an integer, or its digits */ readonly positionId: number | string
}

/** Closes a cross position */
export interface ClosePositionCrossRequest {
  readonly op: 'close_position_cross'
  /** The position: an integer, or its digits */ readonly positionId: number | string
}

/** Places an order that opens a position once the price is there */
export interface PlaceLimitOrderRequest {
  readonly op: 'place_limit_order'
  /** Symbol of a supported asset, upper case */ readonly asset: string
  readonly direction: 'Long' | 'Short'
  /** 7-decimal USDC; the contract asks for 10 USDC at least */ readonly collateral: string
  /** Times the collateral */ readonly leverage: number
  /** 7-decimal price at which the order is triggered */ readonly triggerPrice: string
  /** On which side of the trigger price the order is triggered */ readonly triggerCondition: 'Above' | 'Below'
  /** How far the price may be off at execution, basis points; the contract refuses 0 */ readonly slippageToleranceBps: number
}

/** Places an order that becomes a limit order once the trigger price is there */
export interface PlaceStopLimitOrderRequest {
  readonly op: 'place_stop_limit_order'
  /** Symbol of a supported asset, upper case */ readonly asset: string
  readonly direction: 'Long' | 'Short'
  /** 7-decimal USDC; the contract asks for 10 USDC at least */ readonly collateral: string
  /** Times the collateral */ readonly leverage: number
  /** 7-decimal price at which the order is triggered */ readonly triggerPrice: string
  /** 7-decimal price of the limit order that the stop becomes */ readonly limitPrice: string
  /** On which side of the trigger price the order is triggered */ readonly triggerCondition: 'Above' | 'Below'
  /** How far the price may be off at execution, basis points; the contract refuses 0 */ readonly slippageToleranceBps: number
}

/** Attaches a stop to a position that follows its best price */
export interface PlaceTrailingStopRequest {
  readonly op: 'place_trailing_stop'
  /** The position: an integer, or its digits */ readonly positionId: number | string
  /** Distance from the best price, basis points; the contract refuses more than 5000 */ readonly trailingPercentBps: number
  /** How far the price may be off at execution, basis points; the contract refuses 0 */ readonly slippageToleranceBps: number
}

/** Attaches a stop-loss to a position */
export interface SetStopLossRequest {
  readonly op: 'set_stop_loss'
  /** The position: an integer, or its digits */ readonly positionId: number | string
  /** 7-decimal price at which the order is triggered */ readonly triggerPrice: string
  /** How far the price may be off at execution, basis points; the contract refuses 0 */ readonly slippageToleranceBps: number
}

/** Attaches a take-profit to a position */
export interface SetTakeProfitRequest {
  readonly op: 'set_take_profit'
  /** The position: an integer, or its digits */ readonly positionId: number | string
  /** 7-decimal price at which the order is triggered */ readonly triggerPrice: string
  /** How far the price may be off at execution, basis points; the contract refuses 0 */ readonly slippageToleranceBps: number
}

/** Cancels a pending order; works while trading is paused */
export interface CancelOrderRequest {
  readonly op: 'cancel_order'
  /** The order: an integer, or its digits */ readonly orderId: number | string
}

/** Puts USDC into the account's cross margin pool */
export interface DepositCrossMarginRequest {
  readonly op: 'deposit_cross_margin'
  /** 7-decimal USDC */ readonly amount: string
}

/** Takes idle USDC out of the cross margin pool */
export interface WithdrawCrossMarginRequest {
  readonly op: 'withdraw_cross_margin'
  /** 7-decimal USDC */ readonly amount: string
}

/** Deposits USDC into the liquidity vault and receives LP tokens */
export interface DepositLiquidityRequest {
  readonly op: 'deposit_liquidity'
  /** 7-decimal USDC */ readonly amount: string
}

/** Lets the liquidity vault pull LP tokens: the step before withdraw_liquidity */
export interface ApproveLiquidityWithdrawalRequest {
  readonly op: 'approve_liquidity_withdrawal'
  /** LP tokens, 7-decimal */ readonly lpAmount: string
  /** The last ledger in which the allowance may be used */ readonly expirationLedger: number
}

/** Returns LP tokens to the liquidity vault for USDC; needs their allowance first */
export interface WithdrawLiquidityRequest {
  readonly op: 'withdraw_liquidity'
  /** LP tokens, 7-decimal */ readonly lpAmount: string
}

/** Creates a trader vault that the account leads */
export interface CreateVaultRequest {
  readonly op: 'create_vault'
  /** At most 64 bytes */ readonly name: string
}

/** Deposits USDC into a trader vault and receives shares */
export interface DepositVaultRequest {
  readonly op: 'deposit_vault'
  /** The trader vault */ readonly vaultId: number
  /** 7-decimal USDC */ readonly amount: string
}

/** Redeems shares of a trader vault for USDC */
export interface WithdrawVaultRequest {
  readonly op: 'withdraw_vault'
  /** The trader vault */ readonly vaultId: number
  /** Shares of the vault, 7-decimal */ readonly shares: string
}

/** Opens a position with the funds of a vault that the account leads */
export interface LeaderOpenPositionRequest {
  readonly op: 'leader_open_position'
  /** The trader vault */ readonly vaultId: number
  /** Symbol of a supported asset, upper case */ readonly asset: string
  /** 7-decimal USDC; the contract asks for 10 USDC at least */ readonly collateral: string
  /** Times the collateral */ readonly leverage: number
  readonly direction: 'Long' | 'Short'
}

/** Closes a position of the vaults */
export interface LeaderClosePositionRequest {
  readonly op: 'leader_close_position'
  /** The trader vault */ readonly vaultId: number
  /** The position: an integer, or its digits */ readonly positionId: number | string
}

/** Places a limit order with the funds of a vault that the account leads */
export interface LeaderPlaceLimitOrderRequest {
  readonly op: 'leader_place_limit_order'
  /** The trader vault */ readonly vaultId: number
  /** Symbol of a supported asset, upper case */ readonly asset: string
  /** 7-decimal USDC; the contract asks for 10 USDC at least */ readonly collateral: string
  /** Times the collateral */ readonly leverage: number
  readonly direction: 'Long' | 'Short'
  /** 7-decimal price at which the order is triggered */ readonly triggerPrice: string
  /** On which side of the trigger price the order is triggered */ readonly triggerCondition: 'Above' | 'Below'
  /** How far the price may be off at execution, basis points; the contract refuses 0 */ readonly slippageToleranceBps: number
}

/** Cancels an order of the vaults */
export interface LeaderCancelOrderRequest {
  readonly op: 'leader_cancel_order'
  /** The trader vault */ readonly vaultId: number
  /** The order: an integer, or its digits */ readonly orderId: number | string
}

/** Takes the leader's share of the profit above the high-water mark */
export interface ClaimLeaderFeesRequest {
  readonly op: 'claim_leader_fees'
  /** The trader vault */ readonly vaultId: number
}

/** Pauses a vault that the account leads, or lets it go on */
export interface SetVaultPausedRequest {
  readonly op: 'set_vault_paused'
  /** The trader vault */ readonly vaultId: number
  /** No deposits, withdrawals or trades while it is true */ readonly paused: boolean
}

/** Registers the account's referral code, once and for good */
export interface CreateReferralCodeRequest {
  readonly op: 'create_referral_code'
  /** Upper and lower case differ */ readonly code: string
}

/** Binds the account to the owner of a referral code, once and for good */
export interface SetReferrerRequest {
  readonly op: 'set_referrer'
  /** Upper and lower case differ */ readonly code: string
}

/** Claims what the account has earned as a referrer */
export interface ClaimReferralRequest {
  readonly op: 'claim_referral'
}

/** What `prepareOrder` takes. */
export type OrderRequest =
  | OpenPositionRequest
  | OpenPositionCrossRequest
  | ClosePositionRequest
  | ClosePositionCrossRequest
  | PlaceLimitOrderRequest
  | PlaceStopLimitOrderRequest
  | PlaceTrailingStopRequest
  | SetStopLossRequest
  | SetTakeProfitRequest
  | CancelOrderRequest

/** What `prepareAction` takes. */
export type ActionRequest =
  | DepositCrossMarginRequest
  | WithdrawCrossMarginRequest
  | DepositLiquidityRequest
  | ApproveLiquidityWithdrawalRequest
  | WithdrawLiquidityRequest
  | CreateVaultRequest
  | DepositVaultRequest
  | WithdrawVaultRequest
  | LeaderOpenPositionRequest
  | LeaderClosePositionRequest
  | LeaderPlaceLimitOrderRequest
  | LeaderCancelOrderRequest
  | ClaimLeaderFeesRequest
  | SetVaultPausedRequest
  | CreateReferralCodeRequest
  | SetReferrerRequest
  | ClaimReferralRequest
