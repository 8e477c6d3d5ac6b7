// Written from docs/openapi.json by test/client/types.test.ts, which also says how to renew it: no line here is changed by hand.
// What the endpoints of an account and its keys answer.

/** A key as its owner sees it; the secret is never told again */
export interface ApiKey {
  /** Names the key; no secret */ readonly keyId: string
  /** The account that the key was issued to */ readonly owner: string
  /** The allowance that calls with the key are counted against; always standard at issuance */ readonly tier: 'standard' | 'market_maker'
  /** What the owner calls it; at most 64 characters */ readonly label: string | null
  /** When the key was issued, milliseconds */ readonly createdAt: number
  /** The last successful authentication, milliseconds */ readonly lastUsedAt: number | null
  /** Since when it is refused, milliseconds; null while it is active */ readonly revokedAt: number | null
}

/** A new key with its secret */
export interface IssuedKey {
  /** Names the key; no secret */ readonly keyId: string
  /** 64 hex characters. Shown this once: keep it, nobody can tell it again */ readonly secret: string
  /** The allowance that calls with the key are counted against; always standard at issuance */ readonly tier: 'standard' | 'market_maker'
  /** The account that the key was issued to */ readonly owner: string
  /** When the key was issued, milliseconds */ readonly createdAt: number
}

/** What is to be signed to be issued a key */
export interface KeyChallenge {
  /** 32 random bytes as 64 hex characters */ readonly challengeHex: string
  /** From then on the challenge is void, milliseconds */ readonly expiresAt: number
}

/** Who may be issued a key */
export interface BetaStatus {
  /** True when issuance is limited to listed addresses */ readonly gated: boolean
  /** True when the address may be issued a key; false without an address while the gate is on */ readonly allowed: boolean
}

/** Who the caller is */
export interface AccountIdentity {
  /** The account that issued the key */ readonly owner: string
  /** The allowance that calls with the key are counted against; always standard at issuance */ readonly tier: 'standard' | 'market_maker'
  /** Names the key; no secret */ readonly keyId: string
}

/** What an account has traded in fourteen days */
export interface AccountVolume {
  /** The account (G…) or contract (C…) that was asked for */ readonly address: string
  /** Traded notional of the last 14 x 86,400 seconds, 7-decimal USDC: opens and matched closes, no liquidations */ readonly volume14d: string
}

/** A resting order */
export interface OpenOrder {
  /** On-chain order id */ readonly orderId: number
  /** Who placed it */ readonly trader: string
  /** The first two open a position, the others close the one they hang on */
  readonly orderType: 'limit' | 'stop_limit' | 'stop_loss' | 'take_profit' | 'trailing_stop'
  /** Asset symbol */ readonly asset: string
  /** 0 long, 1 short: of the position that it opens or closes */ readonly direction: number
  /** The position that it hangs on; null for an order that opens one */ readonly positionId: number | null
  /** Waits in the market until the order ends, 7-decimal USDC; null for an order that hangs on a position */ readonly collateral: string | null
  /** Of the position */ readonly leverage: number
  /** Collateral times leverage, 7-decimal USDC; null for an order that hangs on a position */ readonly size: string | null
  /** 7-decimal; null for a trailing stop */ readonly triggerPrice: string | null
  /** The side of its price at which it triggers */ readonly triggerCondition: 'Above' | 'Below'
  /** 7-decimal; null where the order has none */ readonly limitPrice: string | null
  /** waiting_for_stop or limit_active; null for other types */ readonly stopLimitPhase: string | null
  /** Null for other types */ readonly trailingPercentBps: number | null
  /** The best price since the trailing stop was placed, 7-decimal; null for other types */ readonly peakPrice: string | null
  /** What the price is compared with next: trigger, limit, or what the trail has come to; null when that is not known */
  readonly referencePrice: string | null
  /** Further from the reference price than this, the order is cancelled */ readonly slippageToleranceBps: number
  /** As it was placed */ readonly timeInForce: 'gtc' | 'ioc' | 'post_only'
  /** Closes an opposite position and opens none */ readonly reduceOnly: boolean
  /** Close time of the ledger that it was placed in, unix seconds */ readonly createdAt: number
}

/** An account's resting orders, newest first */
export interface OpenOrders {
  readonly orders: readonly OpenOrder[]
  /** The ledger that the orders were read from */ readonly ledger: number
  /** When it closed, unix seconds; null when the network did not tell */ readonly ledgerCloseTs: number | null
}

/** What an account has and is worth at one ledger */
export interface AccountState {
  /** The account */ readonly owner: string
  /** The ledger that everything was read from */ readonly ledger: number
  /** When it closed, unix seconds */ readonly ledgerCloseTs: number | null
  /** Open positions, newest first; null when they could not be read whole */
  readonly positions: readonly {
    /** On-chain position id */ readonly positionId: number
    /** Asset symbol */ readonly asset: string
    /** 0 long, 1 short */ readonly direction: number
    /** Whose collateral is at risk: the position's own, or the whole cross account */ readonly marginMode: 'isolated' | 'cross'
    /** Notional, 7-decimal USDC */ readonly size: string
    /** Net of the fee for opening, 7-decimal USDC */ readonly collateral: string
    readonly leverage: number
    /** 7-decimal */ readonly entryPrice: string
    /** Close time of the opening ledger, unix seconds */ readonly openedAt: number
    /** What the shim says at this ledger, 7-decimal */ readonly price: string | null
    /** When that price was attested, unix seconds */ readonly priceTimestamp: number | null
    /** By price alone, as position_closed would state it, 7-decimal USDC */ readonly unrealizedPnl: string | null
    /** Run up since the open: positive is owed by the trader, 7-decimal USDC */ readonly accruedFunding: string | null
    /** What closing at this price would bring, to the wallet or to the cross pool, if the vault can pay profits whole */
    readonly closeValue: string | null
    /** The first price at which a keeper may liquidate, funding and fees counted; null under cross margin */
    readonly liquidationPrice: string | null
  }[] | null
  /** Resting orders, newest first; null when they could not be read whole */ readonly orders: readonly OpenOrder[] | null
  readonly balances: {
    /** 7-decimal */ readonly usdc: string | null
    /** Tokens of the liquidity vault, 7-decimal */ readonly lp: string | null
    /** For the network's fees, 7-decimal */ readonly xlm: string | null
  }
  readonly cross: {
    /** Idle collateral, 7-decimal USDC */ readonly pool: string | null
    /** Pool, collateral and PnL of every cross position, less funding */ readonly equity: string | null
    /** Size over leverage, of every cross position */ readonly usedMargin: string | null
    /** Below this equity the account can be liquidated */ readonly maintenanceMargin: string | null
    /** Equity less used margin; may be negative */ readonly freeMargin: string | null
    /** What withdraw_cross_margin would pay now */ readonly withdrawable: string | null
    /** A keeper may liquidate the account now */ readonly liquidatable: boolean | null
  }
  readonly fees: {
    /** The market's own record that tiers go by, 7-decimal USDC */ readonly volume: string | null
    /** Place in the market's list of tiers, from 0 */ readonly tier: number | null
    /** Share of the size of an executed limit order, 7-decimal: 2000 is 0.02 % */ readonly makerRate: string | null
    /** Share of the size of an open at once */ readonly takerRate: string | null
    /** Where the next tier begins; null at the last */ readonly nextTierVolume: string | null
  }
  readonly limits: {
    /** 7-decimal USDC */ readonly minCollateral: string | null
    /** 7-decimal USDC */ readonly maxPositionSize: string | null
    /** The least is 1 */ readonly maxLeverage: number | null
    /** Opening needs a price that is no older */ readonly maxPriceAgeSec: number | null
    /** Opening needs a price no further from the last good one */ readonly maxPriceDeviationBps: number | null
    /** Only cancelling and liquidating go on */ readonly tradingPaused: boolean | null
  }
  /** Why figures are null. What hangs on one of these is null as well */
  readonly unknown: readonly {
    /** JSON pointer into this answer */ readonly part: string
    /** no_account, no_trustline, token_unreadable, entry_unreadable, price_unreadable, price_of_another_ledger, cross_margin, never, or not_told */
    readonly reason: string
  }[]
}

/** A transaction that was built and simulated, ready to be signed */
export interface PreparedTransaction {
  /** The operation that was asked for */ readonly op: string
  /** The account that must sign: the one that owns the key */ readonly trader: string
  /** Unsigned transaction envelope, base64. Sign it unchanged and submit it within 300 seconds */ readonly xdr: string
  /** What the network charges at least for the resources, stroops; part of the transaction's fee */ readonly minResourceFee?: string
}

/** What became of a submitted transaction */
export interface SubmitResult {
  /** The transaction's hash */ readonly hash: string
  /** PENDING when it was not final in time: submit the same signedXdr again to go on waiting */ readonly status: 'SUCCESS' | 'PENDING' | 'FAILED'
  /** The ledger that holds it; with SUCCESS */ readonly ledger?: number
  /** With FAILED; null when no contract raised the error: look at resultXdr then */
  readonly contractError?: {
    /** The contract's own code: match on this */ readonly code: number
    /** Its name, by the contract that raised it; UnknownContractError where there is none */ readonly name: string
  } | null
  /** TransactionResult, base64; with FAILED */ readonly resultXdr?: string
}
