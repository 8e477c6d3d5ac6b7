// Written from docs/openapi.json by test/client/types.test.ts, which also says how to renew it: no line here is changed by hand.
// What the exchange's endpoints answer.

/** An oracle price, as the exchange's price shim answers it */
export interface Price {
  /** Asset symbol */ readonly asset: string
  /** Price in US dollars, 7-decimal fixed point */ readonly price: string
  /** The same price as a float */ readonly priceFloat: number
  /** Attestation time of the price that is stored on chain, unix seconds; not the time of the request */ readonly timestamp: number
}

/** An asset that can be traded, with its oracle price */
export interface Market {
  readonly asset: {
    /** Asset symbol */ readonly symbol: string
    /** Display name */ readonly name: string
    /** Display metadata only; prices stay 7-decimal */ readonly decimals: number
  }
  readonly oracle: Price
}

/** Open interest and volume of one asset */
export interface MarketStats {
  /** Asset symbol */ readonly asset: string
  /** Open notional of the long side, 7-decimal USDC */ readonly openInterestLong: string
  /** Open notional of the short side, 7-decimal USDC */ readonly openInterestShort: string
  /** Long minus short; may be negative */ readonly openInterestNet: string
  /** Open positions */ readonly openPositions: number
  /** Notional of the trailing 24 hours: opened sizes plus realised close and liquidation notional */ readonly volume24h: string
}

/** A position that was opened and neither closed nor liquidated since */
export interface OpenPosition {
  /** On-chain position id */ readonly positionId: number
  /** Owner: an account (G…) or a contract (C…); trader vaults trade as contracts */ readonly trader: string
  /** Asset symbol */ readonly asset: string
  /** 0 long, 1 short */ readonly direction: number
  /** Notional, 7-decimal USDC */ readonly size: string
  /** 7-decimal */ readonly entryPrice: string
  /** Close time of the opening ledger, unix seconds */ readonly openedAt: number
  /** The opening transaction; null when its event was lost and the position was read off the ledger */ readonly openedTxHash: string | null
}

/** A closed or liquidated position */
export interface RealizedTrade {
  /** On-chain position id */ readonly positionId: number
  /** Owner of the position */ readonly trader: string
  /** How the position ended */ readonly kind: 'close' | 'liquidation'
  /** Ledger of the realising event */ readonly ledger: number
  /** Close time of that ledger, unix seconds */ readonly ts: number
  /** The realising transaction */ readonly txHash: string
  /** Asset symbol, from the opening leg; null when the open predates the index */ readonly asset: string | null
  /** 0 long, 1 short, from the opening leg; null when the open predates the index */ readonly direction: number | null
  /** Notional, 7-decimal USDC, from the opening leg; null when the open predates the index */ readonly size: string | null
  /** 7-decimal, from the opening leg; null when the open predates the index */ readonly entryPrice: string | null
  /** 7-decimal */ readonly closePrice: string
  /** Realised profit or loss, 7-decimal USDC; always null for liquidations */ readonly pnl: string | null
}

/** Prices of one time bucket. There is no volume. */
export interface Candle {
  /** Start of the bucket, unix seconds; weeks start on Monday 00:00 UTC */ readonly time: number
  /** First price of the bucket */ readonly open: number
  /** Highest price */ readonly high: number
  /** Lowest price */ readonly low: number
  /** Latest price; moves while the bucket is still forming */ readonly close: number
}

/** One trader's lifetime results */
export interface LeaderboardEntry {
  /** An account (G…) or a contract (C…) */ readonly trader: string
  /** Lifetime realised profit or loss: the sum over closes, 7-decimal USDC */ readonly pnl: string
  /** Lifetime traded notional: opens plus matched closes, liquidations excluded, 7-decimal USDC */ readonly volume: string
}

/** A contract event from the archive */
export interface EventRow {
  /** Unique id; rows are ordered by ledger, then event id, descending */ readonly eventId: string
  /** The emitting contract; may belong to an earlier deployment */ readonly contractId: string
  /** Event topic; empty for an event without one */ readonly topic: string
  /** Ledger sequence */ readonly ledger: number
  /** Close time of the ledger, unix seconds */ readonly ledgerCloseTs: number
  /** The emitting transaction */ readonly txHash: string
  /** Decoded event body; its keys vary by topic. An event of unknown shape keeps its raw form. */ readonly payload?: unknown
  /** When the indexer wrote the row, milliseconds */ readonly insertedAt?: number
}

/** The state of the gateway */
export interface Health {
  readonly status: 'ok'
  /** Seconds since the process started */ readonly uptime: number
  /** Version of the gateway */ readonly version: string
  /** The network that the contracts live on */ readonly network: string
  /** The contracts of the deployment; read them here rather than writing them down */
  readonly contracts: {
    readonly market: {
      /** Contract address */ readonly address: string
      /** manifest: the deployment's own list; env: an override in the gateway's environment */ readonly source: 'manifest' | 'env'
    }
    readonly vault: {
      /** Contract address */ readonly address: string
      /** manifest: the deployment's own list; env: an override in the gateway's environment */ readonly source: 'manifest' | 'env'
    }
    readonly oracleShim: {
      /** Contract address */ readonly address: string
      /** manifest: the deployment's own list; env: an override in the gateway's environment */ readonly source: 'manifest' | 'env'
    }
    readonly router: {
      /** Contract address */ readonly address: string
      /** manifest: the deployment's own list; env: an override in the gateway's environment */ readonly source: 'manifest' | 'env'
    }
    readonly usdcToken: {
      /** Contract address */ readonly address: string
      /** manifest: the deployment's own list; env: an override in the gateway's environment */ readonly source: 'manifest' | 'env'
    }
    readonly lpToken: {
      /** Contract address */ readonly address: string
      /** manifest: the deployment's own list; env: an override in the gateway's environment */ readonly source: 'manifest' | 'env'
    }
    readonly vaultFactory: {
      /** Contract address */ readonly address: string
      /** manifest: the deployment's own list; env: an override in the gateway's environment */ readonly source: 'manifest' | 'env'
    }
    readonly referral: {
      /** Contract address */ readonly address: string
      /** manifest: the deployment's own list; env: an override in the gateway's environment */ readonly source: 'manifest' | 'env'
    }
  }
  /** How far the index is; every field is null while nothing is indexed */
  readonly indexer: {
    /** The last ledger that was scanned, with or without events */ readonly lastLedger: number | null
    /** When the index moved last, milliseconds */ readonly lastUpdatedAt: number | null
    /** Age of the last scanned ledger, whether the chain is busy or quiet */ readonly ledgerAgeSeconds: number | null
    /** Archived events whose topic or shape is not known; anything but 0 deserves a look */ readonly unknownEvents: number | null
    /** How many events of each topic are archived since the network began; unknown: could not be decoded */
    readonly archived: {
    } | null
    /** Stretches of history that the RPC had dropped before they were read, filled ones included */ readonly gaps: number | null
    /** The newest of them, at most twenty */
    readonly gapRanges: readonly {
      /** The epoch that the ledgers belong to: ledgers repeat after a reset of the network */ readonly epoch: string
      /** The first of them */ readonly fromLedger: number
      /** The last of them */ readonly toLedger: number
      /** When it was noticed, milliseconds */ readonly since: number
      /** open: missing; filled: read from elsewhere since, and in every list; unfillable: missing, and no source that was asked has these ledgers */
      readonly state: 'open' | 'filled' | 'unfillable'
    }[] | null
    /** How many more ledgers the RPC may drop before one is lost, as of the last poll; null while it has dropped none */
    readonly ledgersUntilLost: number | null
    /** How often a vault's figures were not what its events add up to, and were corrected */ readonly vaultCorrections: number | null
    /** How often a position or the open interest was not what the ledger says, and was corrected */ readonly corrections: number | null
    /** Whether the market is on the ledger at its address; false after a reset of the network, until the new addresses are known here */
    readonly marketFound: boolean | null
    /** The last comparison with the ledger's entries; null before the first */
    readonly compared: {
      /** The ledger that the index was compared at */ readonly ledger: number
      /** When, milliseconds */ readonly comparedAt: number
      /** Positions that the market has opened since the first that the index knows */ readonly positions: number
      /** How many of these no archived event tells of: anything but 0 is lost history */ readonly positionsMissing: number
      /** Orders since the first placement that the index knows; null: could not be counted */ readonly orders: number | null
      /** How many of these are not pending and no archived event names: anything but 0 is lost history */ readonly ordersMissing: number | null
      /** Trader vaults since the first that the index knows; null: could not be counted */ readonly vaults: number | null
      /** How many of these no archived event tells of: anything but 0 is lost history */ readonly vaultsMissing: number | null
      /** USDC of the trader vaults' factory on the ledger, 7-decimal; null when it has no entry */ readonly factoryBalance: string | null
      /** What its vaults add up to there; null while they change. A leader's trade makes the two differ by design */
      readonly vaultsTotal: string | null
    } | null
  }
  /** Where requests are counted */
  readonly rateLimits: {
    /** process: this instance counts alone; shared: all instances count together; fallback: alone, because what they share does not answer */
    readonly counting: 'process' | 'shared' | 'fallback'
  }
}

/** The process answers */
export interface Alive {
  readonly status: 'alive'
}

/** Requests may be sent here */
export interface Ready {
  readonly status: 'ready'
}

/** A vault whose leader trades with its depositors' funds */
export interface TraderVault {
  /** Vault id */ readonly id: number
  /** Who trades for the vault */ readonly leader: string
  readonly name: string
  /** Unix seconds */ readonly createdAt: number
  /** What the vault holds outside of positions, as the factory counts it, 7-decimal USDC */ readonly totalUsdc: string
  /** Shares outstanding, 7-decimal */ readonly circulatingShares: string
  /** The highest value of a share that profit was taken at: 10000000 is 1.0 */ readonly hwmNav: string
  /** The leader's profit share paid out so far, 7-decimal USDC */ readonly realizedPnl: string
  /** Shares that the leader holds */ readonly leaderShares: string
  /** The leader's share of profits: 1000 is 10 % */ readonly profitShareBps: number
  /** No deposits, withdrawals or trades */ readonly paused: boolean
  /** Of the last event that changed it, milliseconds */ readonly updatedAt: number
  /** Who has ever deposited */ readonly depositorCount: number
  /** Open positions of the vault */ readonly openPositions: number
  /** Positions that were opened for it, ever */ readonly tradeCount: number
  /** How far a share's value is below hwmNav, in basis points of it */ readonly drawdownBps: number
  /** closedTradePnl as a share of totalUsdc by the year, in basis points; 0 without a profit */ readonly apyBps: number
  /** Profit and loss of all closed positions, 7-decimal USDC */ readonly closedTradePnl: string
}

/** A position that was opened for a vault, or its close */
export interface VaultTrade {
  /** Position of its event in the log */ readonly id: number
  readonly vaultId: number
  /** On-chain position id */ readonly positionId: string
  /** However it came to a close */ readonly action: 'open' | 'close'
  /** Who opened it; who closed it, where a leader did */ readonly leader: string
  /** What was put into it, 7-decimal USDC; 0 on closes */ readonly collateral: string
  /** Ledger of the event */ readonly ledger: number
  /** Close time of that ledger, unix seconds */ readonly ts: number
  /** The transaction that opened or closed it */ readonly txHash: string
  /** Realised profit or loss, 7-decimal USDC; null on opens, and where the chain tells of none (liquidations) */ readonly pnl: string | null
}

/** Money that came into a vault or left it */
export interface VaultFlow {
  /** Position of its event in the log */ readonly id: number
  readonly vaultId: number
  /** The depositor; the leader for fee claims */ readonly principal: string
  /** 7-decimal USDC; what was paid out for withdrawals */ readonly amount: string
  /** Minted or burned; absent on fee claims */ readonly shares?: string
  /** Ledger of the event */ readonly ledger: number
  /** Close time of that ledger, unix seconds */ readonly ts: number
  /** Its transaction */ readonly txHash: string
}

/** The owner of a referral code. Until the exchange pays for referrals, its amounts are 0 */
export interface Referrer {
  /** The code's owner */ readonly referrer: string
  /** 3 to 16 characters; upper and lower case differ */ readonly code: string
  /** When the code was registered, unix seconds */ readonly createdAt: number
  /** Wallets bound to the code */ readonly referredCount: number
  /** Fees of referred trades together (fees, not sizes), 7-decimal USDC */ readonly totalVolumeGenerated: string
  /** The referrer's share of them, ever, 7-decimal USDC */ readonly totalEarned: string
  /** What of it can be claimed, 7-decimal USDC */ readonly claimable: string
  /** Of the last event that changed it, milliseconds */ readonly updatedAt: number
}

/** A wallet bound to a referral code */
export interface ReferralBinding {
  /** Who was referred */ readonly referee: string
  /** By whom */ readonly referrer: string
  /** 3 to 16 characters; upper and lower case differ */ readonly code: string
  /** When, unix seconds; once and for good */ readonly boundAt: number
  /** The transaction that bound them */ readonly txHash: string
}

/** A trade that a referrer was paid for */
export interface ReferralTrade {
  /** Position of its event in the log */ readonly id: number
  /** Who traded */ readonly referee: string
  /** Who referred them */ readonly referrer: string
  /** The trade's fee without discount, 7-decimal USDC */ readonly originalFee: string
  /** What the referee did not have to pay, 7-decimal USDC */ readonly discount: string
  /** The referrer's share, 7-decimal USDC */ readonly payout: string
  /** Ledger of the event */ readonly ledger: number
  /** Close time of that ledger, unix seconds */ readonly ts: number
  /** The trade's transaction */ readonly txHash: string
}

/** A referrer's claim */
export interface ReferralClaim {
  /** Position of its event in the log */ readonly id: number
  /** Who claimed */ readonly referrer: string
  /** 7-decimal USDC */ readonly amount: string
  /** Ledger of the event */ readonly ledger: number
  /** Close time of that ledger, unix seconds */ readonly ts: number
  /** The claim's transaction */ readonly txHash: string
}

/** The liquidity vault, and what can still be opened against it. Null: not known now */
export interface PoolState {
  /** The ledger that it was read from */ readonly ledger: number
  /** What the pool is worth, 7-decimal USDC */ readonly aum: string | null
  /** Of one LP token, 7-decimal USDC */ readonly lpPrice: string | null
  /** LP tokens in circulation, 7-decimal */ readonly lpSupply: string | null
  /** The pool's own books, 7-decimal USDC */ readonly totalUsdc: string | null
  /** What it holds, 7-decimal USDC */ readonly usdcBalance: string | null
  /** Deposit and withdrawal fees so far, 7-decimal USDC */ readonly totalFees: string | null
  /** Of all traders, as the pool was last told: their profit is its debt */ readonly unrealizedPnl: string | null
  /** What is reserved for open positions, 7-decimal USDC */ readonly reservedPayout: string | null
  /** Profits that could not be paid, 7-decimal USDC */ readonly shortfall: string | null
  /** Basis points */ readonly depositFeeBps: number | null
  /** Basis points */ readonly withdrawFeeBps: number | null
  /** No deposits and withdrawals */ readonly paused: boolean | null
  readonly caps: {
    /** Reserved payouts against aum, by default */ readonly reservedBps: number
    /** Open interest of one side of an asset against aum, by default */ readonly assetSideBps: number
  }
  readonly headroom: {
    /** Size that can still be opened in all, 7-decimal USDC */ readonly total: string | null
    /** By asset and side */
    readonly assets: readonly {
      readonly asset: string
      /** Size that longs can still be opened for, 7-decimal USDC */ readonly long: string | null
      /** The same for shorts */ readonly short: string | null
    }[]
  }
}

/** The liquidity vault as it was */
export interface PoolSample {
  /** Begin of the five minutes, unix seconds */ readonly time: number
  /** The ledger that was sampled in them */ readonly ledger: number
  /** 7-decimal USDC */ readonly aum: string
  /** 7-decimal USDC */ readonly lpPrice: string
  /** 7-decimal */ readonly lpSupply: string
  /** 7-decimal USDC */ readonly reservedPayout: string | null
  /** 7-decimal USDC */ readonly unrealizedPnl: string | null
}

/** Funding as it is now. Null: not known */
export interface CurrentFunding {
  /** The ledger that it was read from */ readonly ledger: number
  /** Per hour, 7-decimal: positive when longs pay */ readonly rate: string | null
  /** Sum of all hours, 7-decimal: a position owes its change since it was opened */ readonly cumulative: string | null
  /** Unix seconds */ readonly lastAppliedAt: number | null
  /** Of all assets, 7-decimal USDC */ readonly openInterestLong: string | null
  /** Of all assets, 7-decimal USDC */ readonly openInterestShort: string | null
}

/** Funding that was applied */
export interface FundingRow {
  /** Per hour, 7-decimal: positive when longs pay */ readonly fundingRate: string
  /** Hours that it was applied for */ readonly hoursElapsed: string
  readonly ledger: number
  /** Close time of that ledger, unix seconds */ readonly ts: number
  /** The transaction that applied it */ readonly txHash: string
}

/** What a market takes, as data. Null: not known now */
export interface MarketLimits {
  readonly asset: string
  /** The ledger that it was read from */ readonly ledger: number
  readonly minLeverage: number
  /** Times the collateral */ readonly maxLeverage: number | null
  /** 7-decimal USDC */ readonly minCollateral: string | null
  /** Collateral times leverage, 7-decimal USDC */ readonly maxPositionSize: string | null
  /** Below this share of its size a position is liquidated */ readonly maintenanceMarginBps: number | null
  /** Opening needs a price that is no older */ readonly maxPriceAgeSec: number | null
  /** Opening needs a price no further from the last good one */ readonly maxPriceDeviationBps: number | null
  /** As the contract takes it */
  readonly slippageToleranceBps: {
    readonly min: number
    readonly max: number
  }
  /** As the contract takes it */
  readonly trailingPercentBps: {
    readonly min: number
    readonly max: number
  }
  /** Fees by what was traded before */
  readonly feeTiers: readonly {
    /** Traded in fourteen days, 7-decimal USDC */ readonly minVolume: string
    /** Share of the size of an executed limit order, 7-decimal: 2000 is 0.02 % */ readonly makerRate: string
    /** Share of the size of an open at once */ readonly takerRate: string
  }[] | null
  readonly openInterest: {
    /** 7-decimal USDC */ readonly long: string | null
    /** 7-decimal USDC */ readonly short: string | null
  }
  /** The most that each side may be, 7-decimal USDC */ readonly assetSideCap: string | null
  readonly headroom: {
    /** What is left of it now */ readonly long: string | null
    /** What is left of it now */ readonly short: string | null
  }
  /** Only cancelling and liquidating go on */ readonly tradingPaused: boolean | null
}

/** What the feed can do, in TradingView's terms */
export interface UdfConfiguration {
  /** Widths of a bar: minutes, or days and weeks with their letter */ readonly supported_resolutions: readonly string[]
  /** Symbols are looked up one by one */ readonly supports_group_request: boolean
  /** There are no marks */ readonly supports_marks: boolean
  /** /udf/search answers */ readonly supports_search: boolean
  /** There are no marks on the time scale */ readonly supports_timescale_marks: boolean
  /** /udf/time answers */ readonly supports_time: boolean
}

/** A market, in TradingView's terms; {s: error} for one that there is not */
export interface UdfSymbol {
  readonly s?: 'error'
  /** With s error: what is wrong */ readonly errmsg?: string
  readonly name?: string
  /** What the other addresses take as symbol */ readonly ticker?: string
  readonly description?: string
  readonly type?: string
  readonly exchange?: string
  readonly listed_exchange?: string
  readonly session?: string
  readonly timezone?: string
  readonly format?: string
  readonly minmov?: number
  /** Ten to the number of decimals that are shown */ readonly pricescale?: number
  readonly has_intraday?: boolean
  /** Minutes that there are bars of; others are put together from them */ readonly intraday_multipliers?: readonly string[]
  readonly has_daily?: boolean
  readonly has_weekly_and_monthly?: boolean
  /** Weeks */ readonly weekly_multipliers?: readonly string[]
  /** None: months are put together from days */ readonly monthly_multipliers?: readonly string[]
  /** Widths of a bar */ readonly supported_resolutions?: readonly string[]
  /** There is no volume */ readonly visible_plots_set?: string
  readonly data_status?: string
}

/** A market that a search found */
export interface UdfFound {
  readonly symbol: string
  readonly full_name: string
  readonly description: string
  readonly exchange: string
  readonly ticker: string
  readonly type: string
}

/** Bars as columns, in TradingView's terms. There is no volume. */
export interface UdfHistory {
  readonly s: 'ok' | 'no_data' | 'error'
  /** With s error: what is wrong */ readonly errmsg?: string
  /** With no_data: start of the newest bar before what was asked for, where there is one */ readonly nextTime?: number
  /** Starts of the bars, unix seconds, ascending */ readonly t?: readonly number[]
  /** First prices */ readonly o?: readonly number[]
  /** Highest prices */ readonly h?: readonly number[]
  /** Lowest prices */ readonly l?: readonly number[]
  /** Last prices */ readonly c?: readonly number[]
}
