// Written from docs/openapi.json by test/client/types.test.ts, which also says how to renew it: no line here is changed by hand.
// Methods of endpoints.

import type { Answer, CallOptions } from './http.ts'
import type {
  Price, Market, MarketStats, OpenPosition, RealizedTrade, Candle, LeaderboardEntry, EventRow, Health, Alive, Ready, TraderVault, VaultTrade,
  VaultFlow, Referrer, ReferralBinding, ReferralTrade, ReferralClaim, PoolState, PoolSample, CurrentFunding, FundingRow, MarketLimits,
  UdfConfiguration, UdfSymbol, UdfFound, UdfHistory,
} from './resources.ts'

/** Endpoints as methods. Parameters of the path and of the query, or the body, are the fields of `input`. */
export interface ExchangeEndpoints {
  /**
   * State of the gateway and of its index.
   *
   * Exempt from the rate limit. Read the contracts' addresses here: they change when the exchange is deployed anew.
   */
  getHealth(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<Health>>

  /**
   * Whether the process answers.
   *
   * Asks nobody. An orchestrator should end the process only when this fails. Exempt from the rate limit.
   */
  getLiveness(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<Alive>>

  /**
   * Whether requests should be sent here.
   *
   * Ready means: the database answers, the last indexed ledger is not older than the operator allows, and the process is not about to end. Otherwise
   * 503 with every reason. Exempt from the rate limit.
   */
  getReadiness(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<Ready>>

  /**
   * Every market with its price.
   *
   * The fourteen assets of the exchange, each with its oracle price. Read from the chain through the price shim and kept for 3 seconds per asset.
   */
  listMarkets(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<{
    readonly markets: readonly Market[]
  }>>

  /**
   * Open interest and volume of every market.
   *
   * One row for every supported asset, zeros where there is no data. Kept for 5 seconds.
   */
  listMarketStats(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<{
    readonly stats: readonly MarketStats[]
  }>>

  /**
   * One market with its price.
   *
   * Read from the chain through the price shim and kept for 3 seconds per asset.
   */
  getMarket(input: {
    /** Asset symbol, in any case */ readonly asset: string
  }, options?: CallOptions): Promise<Answer<Market>>

  /**
   * The price of one asset.
   *
   * Read from the chain through the price shim and kept for 3 seconds per asset.
   */
  getMarketPrice(input: {
    /** Asset symbol, in any case */ readonly asset: string
  }, options?: CallOptions): Promise<Answer<Price>>

  /**
   * Prices of every asset.
   *
   * The price that the exchange's price shim holds for each supported asset, kept for 3 seconds per asset. A price is never rejected for its age:
   * look at its timestamp. An asset that cannot be read right now is served with its last known price and the header x-stale: 1 for up to five
   * minutes; one that was never read is left out.
   */
  listOraclePrices(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<{
    readonly prices: readonly Price[]
  }>>

  /**
   * Prices over time.
   *
   * OHLC buckets of the oracle's prices (not of trades), oldest first, the bucket that is still forming included; the Link header continues towards
   * older ones. Where no native row exists for the asset and interval, an outside exchange's klines are passed on. An unknown asset has no candles.
   */
  listCandles(input: {
    /** Asset symbol, in any case */ readonly asset: string
    /** Width of a bucket */ readonly interval?: '1m' | '5m' | '15m' | '1h' | '4h' | '1d' | '1w'
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    readonly candles: readonly Candle[]
    /** noeracle: the oracle's own prices; binance: an outside exchange's USDT pair, only while there are no native rows */
    readonly source: 'noeracle' | 'binance'
  }>>

  /**
   * Realised trades.
   *
   * Closed and liquidated positions, newest first. The opening leg's fields are null when the open predates the index.
   */
  listTrades(input?: {
    /** Only rows of this account (G…) or contract (C…) */ readonly trader?: string
    /** Asset symbol, in any case */ readonly asset?: string
    /** Only rows strictly older than this, unix seconds */ readonly before_ts?: number
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    readonly trades: readonly RealizedTrade[]
  }>>

  /**
   * Traders by lifetime profit or volume.
   *
   * Lifetime totals over all deployments, best first. The first page is kept for 5 seconds.
   */
  listLeaders(input?: {
    /** What the ranking goes by */ readonly sort?: 'pnl' | 'volume'
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    /** What the ranking goes by */ readonly sort: 'pnl' | 'volume'
    readonly leaders: readonly LeaderboardEntry[]
  }>>

  /**
   * Contract events.
   *
   * The archive of the exchange's events, newest first: by ledger, then event id, descending. Events of earlier deployments stay. An event whose
   * topic or shape is not known is archived raw. Where ledgers were lost that belong into the page, gaps says which: their events are missing.
   */
  listEvents(input?: {
    /** Only events of this topic */ readonly topic?: string
    /** Only events of this contract */ readonly contract?: string
    /** Only this ledger and later ones */ readonly from_ledger?: number
    /** Only this ledger and earlier ones */ readonly to_ledger?: number
    /** Only rows strictly older than this, unix seconds */ readonly before_ts?: number
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    readonly events: readonly EventRow[]
    /** Ledgers inside the page's range that were lost and not read from elsewhere yet; empty when nothing is missing */
    readonly gaps: readonly {
      /** The epoch that the ledgers belong to: ledgers repeat after a reset of the network */ readonly epoch: string
      /** The first of them */ readonly fromLedger: number
      /** The last of them */ readonly toLedger: number
    }[]
  }>>

  /**
   * Open positions.
   *
   * Positions that were opened and neither closed nor liquidated since, newest first. At most 200 rows over all traders and 500 of one trader; where
   * more exist, the Link header continues the list.
   */
  listOpenPositions(input?: {
    /** Only rows of this account (G…) or contract (C…) */ readonly trader?: string
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    readonly positions: readonly OpenPosition[]
  }>>

  /**
   * Trader vaults.
   *
   * Newest first. Totals are what the factory's events add up to, read back from the factory after each of the leader's trades, which no event tells
   * the outcome of. Money in an open position is not in totalUsdc, so a drawdown shows while one is open. Kept for 10 seconds: x-ledger says which
   * ledger it is of, and X-Min-Ledger asks for a later one. Later pages are read each time.
   */
  listVaults(input?: {
    /** Only vaults of this leader */ readonly leader?: string
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    readonly vaults: readonly TraderVault[]
  }>>

  /**
   * One trader vault.
   *
   * Totals are what the factory's events add up to, read back from the factory after each of the leader's trades, which no event tells the outcome
   * of. Money in an open position is not in totalUsdc, so a drawdown shows while one is open. Kept for 10 seconds: x-ledger says which ledger it is
   * of, and X-Min-Ledger asks for a later one.
   */
  getVault(input: {
    /** Vault id */ readonly id: number
  }, options?: CallOptions): Promise<Answer<TraderVault>>

  /**
   * What was opened and closed for a vault.
   *
   * Newest first; empty for a vault that does not exist.
   */
  listVaultTrades(input: {
    /** Only rows strictly older than this, unix seconds */ readonly before_ts?: number
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
    /** Vault id */ readonly id: number
  }, options?: CallOptions): Promise<Answer<{
    readonly trades: readonly VaultTrade[]
  }>>

  /**
   * Deposits into a vault.
   *
   * Newest first; empty for a vault that does not exist.
   */
  listVaultDeposits(input: {
    /** Only rows strictly older than this, unix seconds */ readonly before_ts?: number
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
    /** Vault id */ readonly id: number
  }, options?: CallOptions): Promise<Answer<{
    readonly deposits: readonly VaultFlow[]
  }>>

  /**
   * Withdrawals from a vault.
   *
   * Newest first; empty for a vault that does not exist.
   */
  listVaultWithdraws(input: {
    /** Only rows strictly older than this, unix seconds */ readonly before_ts?: number
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
    /** Vault id */ readonly id: number
  }, options?: CallOptions): Promise<Answer<{
    readonly withdraws: readonly VaultFlow[]
  }>>

  /**
   * Profit shares that a vault's leader took.
   *
   * Newest first; empty for a vault that does not exist.
   */
  listVaultFeeClaims(input: {
    /** Only rows strictly older than this, unix seconds */ readonly before_ts?: number
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
    /** Vault id */ readonly id: number
  }, options?: CallOptions): Promise<Answer<{
    readonly feeClaims: readonly VaultFlow[]
  }>>

  /**
   * Who owns a referral code.
   *
   * Upper and lower case differ. The exchange does not pay for referrals yet: until it does, amounts are 0 and the lists of trades and claims are
   * empty.
   */
  lookupReferralCode(input: {
    /** The code */ readonly code: string
  }, options?: CallOptions): Promise<Answer<Referrer>>

  /**
   * An address's referral code, and who referred it.
   *
   * For an address that owns a code. The exchange does not pay for referrals yet: until it does, amounts are 0 and the lists of trades and claims are
   * empty.
   */
  getReferralInfo(input: {
    /** The account (G…) or contract (C…) */ readonly address: string
  }, options?: CallOptions): Promise<Answer<{
    readonly self: Referrer
    /** By whom the address was referred; null when by nobody */ readonly binding: ReferralBinding | null
  }>>

  /**
   * The caller's referral code, and who referred the caller. Needs a key.
   *
   * Either may be null. The exchange does not pay for referrals yet: until it does, amounts are 0 and the lists of trades and claims are empty.
   */
  getMyReferral(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<{
    /** The caller's own code; null without one */ readonly self: Referrer | null
    /** By whom the address was referred; null when by nobody */ readonly binding: ReferralBinding | null
  }>>

  /**
   * Trades that the caller was paid for as a referrer. Needs a key.
   *
   * Newest first. The exchange does not pay for referrals yet: until it does, amounts are 0 and the lists of trades and claims are empty.
   */
  listMyReferralTrades(input?: {
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    readonly trades: readonly ReferralTrade[]
  }>>

  /**
   * What the caller has claimed as a referrer. Needs a key.
   *
   * Newest first. The exchange does not pay for referrals yet: until it does, amounts are 0 and the lists of trades and claims are empty.
   */
  listMyReferralClaims(input?: {
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    readonly claims: readonly ReferralClaim[]
  }>>

  /**
   * What the feed can do.
   *
   * For TradingView's charts: give them the address of /udf as their data feed.
   */
  udfConfig(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<UdfConfiguration>>

  /**
   * The gateway's clock.
   *
   * Unix seconds. Charts count down to the next bar by it.
   */
  udfTime(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<number>>

  /**
   * One market as charts describe it.
   *
   * For TradingView's charts: give them the address of /udf as their data feed.
   */
  udfSymbols(input: {
    /** Asset symbol, in any case */ readonly symbol: string
  }, options?: CallOptions): Promise<Answer<UdfSymbol>>

  /**
   * Markets by symbol or name.
   *
   * Those that contain the text, in any case; all of them for none.
   */
  udfSearch(input?: {
    /** Part of a symbol or name */ readonly query?: string
    /** Rows; 30 at most */ readonly limit?: number
  }, options?: CallOptions): Promise<Answer<readonly UdfFound[]>>

  /**
   * Bars of a market.
   *
   * The oracle's own prices, the forming bar included; outside prices are not mixed in. `to` is exclusive. With `countback` so many bars before `to`
   * are answered, whatever `from` says. At most 2000 bars, the newest; charts ask again for older ones.
   */
  udfHistory(input: {
    /** Asset symbol, in any case */ readonly symbol: string
    /** Width of a bar: 1, 5, 15, 60, 240, 1D, 1W */ readonly resolution: string
    /** Start of the first bar at the earliest, unix seconds */ readonly from: number
    /** Bars begin before this, unix seconds */ readonly to: number
    /** How many bars before `to` are wanted */ readonly countback?: number
  }, options?: CallOptions): Promise<Answer<UdfHistory>>

  /**
   * What a market takes, as data.
   *
   * Leverage, sizes, fees by tier, caps and what is left of them. Read from the network and kept for 3 seconds; what could not be read is null.
   */
  getMarketLimits(input: {
    /** Asset symbol, in any case */ readonly asset: string
  }, options?: CallOptions): Promise<Answer<MarketLimits>>

  /**
   * The liquidity vault, and what can still be opened against it.
   *
   * Read from the network, out of one ledger, and kept for 3 seconds. Caps are the contract's defaults; what could not be read is null.
   */
  getPool(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<PoolState>>

  /**
   * The liquidity vault over time.
   *
   * One sample for every five minutes in which the gateway could read the vault, newest first.
   */
  listPoolHistory(input?: {
    /** Only rows strictly older than this, unix seconds */ readonly before_ts?: number
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    readonly samples: readonly PoolSample[]
  }>>

  /**
   * Funding now, and what was applied.
   *
   * One rate for all markets. `current` is read from the network and kept for 3 seconds; it is null while the network cannot be read. `history` is
   * every hour that was applied, newest first.
   */
  getFunding(input?: {
    /** Only rows strictly older than this, unix seconds */ readonly before_ts?: number
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    readonly current: CurrentFunding | null
    readonly history: readonly FundingRow[]
  }>>
}
