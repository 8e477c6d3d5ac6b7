// Generated from docs/openapi.json. Do not edit: test/client/types.test.ts says how to regenerate it.
export interface components {
  schemas: {
    /** @description An oracle price from the price shim contract of the exchange. */
    readonly Price: {
      /** @description Asset symbol. */
      readonly asset: string;
      /** @description Price in USD, 7-decimal. */
      readonly price: string;
      /** @description The same price as a floating-point number, for display. */
      readonly priceFloat: number;
      /** @description Attestation time of the on-chain price, Unix seconds. Not the time of the request. */
      readonly timestamp: number;
      /** @description True if the price is older than the market accepts now for opening positions. Null while that limit is unknown. */
      readonly stale: boolean | null;
      /** @description Seconds since the attestation, by the gateway's clock or the last indexed ledger, whichever is later. */
      readonly ageSec: number;
      /** @description Ledger that the price was last read at. */
      readonly ledger: number;
    };
    /** @description Health of the prices and of their publisher. */
    readonly OracleHealth: {
      /**
       * @description down: every price is stale. degraded: a price or the keeper is stale, or no keeper is configured. ok: otherwise.
       * @enum {string}
       */
      readonly status: "ok" | "degraded" | "down";
      /** @description Prices on the chain. */
      readonly onchain: {
        /** @description Age above which the market rejects a price when a position is opened, seconds; 60 while it is unknown. */
        readonly staleAfterSec: number;
        /** @description Number of assets with a stale price. */
        readonly staleCount: number;
        /** @description Every asset, in listing order. */
        readonly assets: readonly {
          /** @description Asset symbol. */
          readonly asset: string;
          /** @description Last price in USD. Null if never read. */
          readonly priceFloat: number | null;
          /** @description Seconds since the price was attested. */
          readonly ageSec: number | null;
          /** @description True if the price is too old or unknown. */
          readonly stale: boolean;
          /** @description Why the price cannot be read now. Null if it can. */
          readonly error: string | null;
        }[];
      };
      /** @description The program that publishes prices. */
      readonly keeper: {
        /** @description True if this gateway accepts heartbeats. */
        readonly configured: boolean;
        /** @description Milliseconds since the last heartbeat. Null before the first. */
        readonly ageMs: number | null;
        /** @description True without a heartbeat in the last 120 seconds. */
        readonly stale: boolean;
        /** @description The last report, as the keeper sent it. Null before the first. */
        readonly lastReport: {
          readonly [key: string]: unknown;
        } | null;
      };
    };
    /** @description A tradable asset with its oracle price. */
    readonly Market: {
      readonly asset: {
        /** @description Asset symbol. */
        readonly symbol: string;
        /** @description Display name. */
        readonly name: string;
        /** @description Display metadata only. Prices always have 7 decimals. */
        readonly decimals: number;
      };
      readonly oracle: components["schemas"]["Price"];
      /** @description Change of the oracle price in the past 24 hours, percent. Null without a price of 24 hours ago. */
      readonly change24h: number | null;
      /** @description Highest oracle price of the past 24 hours, in USD, 7-decimal. Null without a price of 24 hours ago. */
      readonly high24h: string | null;
      /** @description Lowest oracle price of the past 24 hours, in USD, 7-decimal. Null without a price of 24 hours ago. */
      readonly low24h: string | null;
    };
    /** @description What can still be opened on one asset. Absent while the contracts cannot be read. */
    readonly MarketCapacity: {
      /** @description Size that can still be opened long, in USDC, 7-decimal. */
      readonly headroomLong: string;
      /** @description Size that can still be opened short, in USDC, 7-decimal. */
      readonly headroomShort: string;
      /**
       * @description The limit that leaves the least room: all reserved payouts, one side of the asset, its skew, the USDC in the pool, or the size of one position. For longs.
       * @enum {string}
       */
      readonly bindingLong: "aggregate" | "side" | "skew" | "liquidity" | "maxPosition";
      /**
       * @description The limit that leaves the least room: all reserved payouts, one side of the asset, its skew, the USDC in the pool, or the size of one position. For shorts.
       * @enum {string}
       */
      readonly bindingShort: "aggregate" | "side" | "skew" | "liquidity" | "maxPosition";
      /** @description Open interest of longs in the contract, in USDC, 7-decimal. */
      readonly oiLong: string;
      /** @description Open interest of shorts in the contract, in USDC, 7-decimal. */
      readonly oiShort: string;
      /** @description Longs minus shorts in USDC, 7-decimal. Can be negative. */
      readonly netSkew: string;
      /** @description Maximum open interest of one side in USDC, 7-decimal. */
      readonly sideCap: string;
      /** @description Maximum skew in USDC, 7-decimal. Null where the contracts have no such limit. */
      readonly skewCap: string | null;
      /** @description Cap of one side as a share of aum, basis points. */
      readonly assetCapBps: number;
      /** @description Absolute cap of one side in USDC, 7-decimal. 0: none. */
      readonly capAbs: string;
      /** @description Cap of the skew as a share of aum, basis points. Null where the contracts have no such limit. */
      readonly skewCapBps: number | null;
      /** @description Maximum size of one position in USDC, 7-decimal. Null if unknown. */
      readonly maxPositionSize: string | null;
      /** @description Maximum leverage. Null if unknown. */
      readonly maxLeverage: number | null;
    };
    /** @description Open interest and volume of one asset. */
    readonly MarketStats: {
      /** @description Asset symbol. */
      readonly asset: string;
      /** @description Open interest of longs in USDC, 7-decimal. */
      readonly openInterestLong: string;
      /** @description Open interest of shorts in USDC, 7-decimal. */
      readonly openInterestShort: string;
      /** @description Long minus short open interest in USDC, 7-decimal. Can be negative. */
      readonly openInterestNet: string;
      /** @description Number of open positions. */
      readonly openPositions: number;
      /** @description Notional of opens, closes and liquidations in the past 24 hours, in USDC, 7-decimal. */
      readonly volume24h: string;
      /** @description Change of the oracle price in the past 24 hours, percent. Null without a price of 24 hours ago. */
      readonly change24h: number | null;
      /** @description Highest oracle price of the past 24 hours, in USD, 7-decimal. Null without a price of 24 hours ago. */
      readonly high24h: string | null;
      /** @description Lowest oracle price of the past 24 hours, in USD, 7-decimal. Null without a price of 24 hours ago. */
      readonly low24h: string | null;
      readonly capacity?: components["schemas"]["MarketCapacity"];
    };
    /** @description What the pool can still take on. Absent while the contracts cannot be read. */
    readonly PoolCapacity: {
      /** @description Assets under management of the pool in USDC, 7-decimal. */
      readonly aum: string;
      /** @description USDC reserved for payouts of open positions, 7-decimal. */
      readonly reservedPayout: string;
      /** @description USDC token balance of the pool contract, 7-decimal. */
      readonly usdcBalance: string;
      /** @description USDC set aside for profits that could not be paid, 7-decimal. 0 where the contracts have none. */
      readonly shortfallReserve: string;
      /** @description Maximum reserved payouts as a share of aum, basis points. */
      readonly reserveCapBps: number;
      /** @description Maximum reserved payouts in USDC, 7-decimal. */
      readonly reserveCap: string;
      /** @description Size that can still be opened in all markets together, in USDC, 7-decimal. */
      readonly aggregateHeadroom: string;
      /**
       * @description Which of the two limits leaves less room.
       * @enum {string}
       */
      readonly aggregateBinding: "aggregate" | "liquidity";
      /** @description Ledger that the values were read from. */
      readonly asOfLedger: number | null;
      /** @description Time the values were read, Unix milliseconds. */
      readonly ts: number;
      /** @description True if the contracts cannot be read now: these are the last values, at most 35 seconds old. */
      readonly stale: boolean;
    };
    /** @description Losses that accounts could not pay, since the current contracts were deployed. */
    readonly Solvency: {
      /** @description Bad debt that the buffer of the pool covered, in USDC, 7-decimal. */
      readonly cumulativeBadDebtCovered: string;
      /** @description Bad debt that liquidity providers bear, in USDC, 7-decimal. */
      readonly cumulativeBadDebtLpAbsorbed: string;
      /** @description Number of losses that an account could not pay. */
      readonly badDebtEvents: number;
    };
    /** @description An open position. */
    readonly OpenPosition: {
      /** @description On-chain position id. */
      readonly positionId: number;
      /** @description Owner: an account (G…), or a contract (C…) for trader vaults. */
      readonly trader: string;
      /** @description Asset symbol. */
      readonly asset: string;
      /** @description 0 is long, 1 is short. */
      readonly direction: number;
      /** @description Notional value in USDC, 7-decimal. */
      readonly size: string;
      /** @description Entry price in USD, 7-decimal. */
      readonly entryPrice: string;
      /** @description Close time of the ledger that opened the position, Unix seconds. */
      readonly openedAt: number;
      /** @description Transaction that opened the position. Null if its event is missing and the position was read from the ledger. */
      readonly openedTxHash: string | null;
    };
    /** @description An open position. */
    readonly ListedPosition: {
      /** @description On-chain position id. */
      readonly positionId: number;
      /** @description Owner: an account (G…), or a contract (C…) for trader vaults. */
      readonly trader: string;
      /** @description Asset symbol. */
      readonly asset: string;
      /** @description 0 is long, 1 is short. */
      readonly direction: number;
      /** @description Notional value in USDC, 7-decimal. */
      readonly size: string;
      /** @description Entry price in USD, 7-decimal. */
      readonly entryPrice: string;
      /** @description Close time of the ledger that opened the position, Unix seconds. */
      readonly openedAt: number;
      /** @description Transaction that opened the position. Null if its event is missing and the position was read from the ledger. */
      readonly openedTxHash: string | null;
      /** @description Fifth of the auto-deleveraging queue of the asset, 1 to 5. Positions in 1 are closed first. Null without a profit, if the contracts have no such queue, and while it is unknown. */
      readonly adlQuintile: number | null;
    };
    /** @description A profitable position in the order in which auto-deleveraging closes them. */
    readonly AdlRow: {
      /** @description On-chain position id. */
      readonly positionId: number;
      /** @description Owner: an account (G…), or a contract (C…) for trader vaults. */
      readonly trader: string;
      /** @description Asset symbol. */
      readonly asset: string;
      /** @description 0 is long, 1 is short. */
      readonly direction: number;
      /** @description Notional value in USDC, 7-decimal. */
      readonly size: string;
      /** @description Unrealised profit from the price alone, in USDC, 7-decimal. */
      readonly pnl: string;
      /** @description Profit in basis points of the collateral, times leverage. */
      readonly score: string;
      /** @description Place in the queue, from 1. */
      readonly rank: number;
      /** @description Fifth of the queue, 1 to 5. Positions in 1 are closed first. */
      readonly quintile: number;
    };
    /** @description The auto-deleveraging queue of one asset. */
    readonly AdlQueue: {
      /** @description Asset symbol. */
      readonly asset: string;
      /** @description Time the queue was computed, Unix milliseconds. */
      readonly updatedAt: number;
      /** @description True if the chain could not be read. Then there are no rows. */
      readonly degraded: boolean;
      /** @description Profitable positions, first to be closed first. */
      readonly rows: readonly components["schemas"]["AdlRow"][];
      /** @description False if the contracts have no auto-deleveraging. Then there are no rows. */
      readonly supported: boolean;
    };
    /** @description Profit that the pool could not pay. */
    readonly Shortfall: {
      /** @description Account (G…) or contract (C…). */
      readonly address: string;
      /** @description Profit that the pool still owes the account, in USDC, 7-decimal. 0 if not supported. */
      readonly owed: string;
      /** @description USDC that the pool has set aside for such profits of all accounts, 7-decimal. 0 if not supported. */
      readonly reserve: string;
      /** @description False if the contracts have no such record, or it cannot be read now. */
      readonly supported: boolean;
    };
    /** @description An order as its events report it. */
    readonly PlacedOrder: {
      /** @description On-chain order id. */
      readonly orderId: number;
      /** @description Account that placed the order. */
      readonly trader: string;
      /** @description Trigger price in USD, 7-decimal. */
      readonly triggerPrice: string;
      /**
       * @description State of the order. An order that was cancelled while it was executed is cancelled.
       * @enum {string}
       */
      readonly status: "open" | "executed" | "cancelled";
      /** @description Ledger of the placement. */
      readonly ledger: number;
      /** @description Close time of that ledger, Unix seconds. */
      readonly ts: number;
      /** @description Transaction that placed the order. */
      readonly txHash: string;
    };
    /** @description An order from its placement to its end. The placement details (the members from orderType to createdAt) are read from the ledger shortly after the placement was indexed, and kept; they are unknown until then, and for good if the ledger no longer has them. stopLimitPhase, peakPrice and referencePrice are as of that reading. */
    readonly Order: {
      /** @description On-chain order id. */
      readonly orderId: number;
      /** @description Account that placed the order. Null if neither an event nor the ledger has reported it. */
      readonly trader: string | null;
      /**
       * @description Order type. limit and stop_limit open a position. The others close the position they are attached to. Null while the placement details are unknown.
       * @enum {string|null}
       */
      readonly orderType: "limit" | "stop_limit" | "stop_loss" | "take_profit" | "trailing_stop" | null;
      /** @description Asset symbol. Null while the placement details are unknown. */
      readonly asset: string | null;
      /** @description Direction of the position that the order opens or closes: 0 is long, 1 is short. Null while the placement details are unknown. */
      readonly direction: number | null;
      /** @description Position that the order is attached to. Null for orders that open a position. Null while the placement details are unknown. */
      readonly positionId: number | null;
      /** @description Collateral that the market contract holds until the order executes or is cancelled, in USDC, 7-decimal. Null for attached orders. Null while the placement details are unknown. */
      readonly collateral: string | null;
      /** @description Leverage of the position. Null while the placement details are unknown. */
      readonly leverage: number | null;
      /** @description Collateral times leverage, in USDC, 7-decimal. Null for attached orders. Null while the placement details are unknown. */
      readonly size: string | null;
      /** @description Trigger price in USD, 7-decimal. Null for trailing stops. */
      readonly triggerPrice: string | null;
      /**
       * @description Whether the order triggers above or below its trigger price. Null while the placement details are unknown.
       * @enum {string|null}
       */
      readonly triggerCondition: "Above" | "Below" | null;
      /** @description Limit price in USD, 7-decimal. Null if the order has none. Null while the placement details are unknown. */
      readonly limitPrice: string | null;
      /** @description waiting_for_stop or limit_active. Null for other order types. Null while the placement details are unknown. */
      readonly stopLimitPhase: string | null;
      /** @description Trailing distance in basis points. Null for other order types. Null while the placement details are unknown. */
      readonly trailingPercentBps: number | null;
      /** @description Best price since the trailing stop was placed, in USD, 7-decimal. Null for other order types. Null while the placement details are unknown. */
      readonly peakPrice: string | null;
      /** @description Price that the market price is compared with: the trigger, the limit or the current trailing stop price. Null if unknown. Null while the placement details are unknown. */
      readonly referencePrice: string | null;
      /** @description Slippage tolerance in basis points. The order is cancelled if the price deviates more from referencePrice. Null while the placement details are unknown. */
      readonly slippageToleranceBps: number | null;
      /**
       * @description Time in force. Null while the placement details are unknown.
       * @enum {string|null}
       */
      readonly timeInForce: "gtc" | "ioc" | "post_only" | null;
      /** @description True if the order can only close an opposite position. Null while the placement details are unknown. */
      readonly reduceOnly: boolean | null;
      /** @description Close time of the ledger in which the order was placed, Unix seconds. Null while neither an event nor the ledger has reported it. */
      readonly createdAt: number | null;
      /** @description What keeps the order from being executed now: above_headroom, when it opens more than the pool takes. Absent if no reason is known. */
      readonly warnings?: readonly {
        /**
         * @description What keeps the order from being executed.
         * @enum {string}
         */
        readonly code: "above_headroom";
        /** @description What it means and what to do, for people. */
        readonly message: string;
      }[];
      /**
       * @description State of the order. An order that was cancelled while it was executed is cancelled.
       * @enum {string}
       */
      readonly status: "pending" | "executed" | "cancelled";
      /** @description When the order was placed. The market of generation 1 reports no event when a stop-limit order or a trailing stop is placed: then only `ts` is known, from the order itself, until the indexer has found the transaction, and for good if no node has it any more. Null if no event reported the placement and the ledger no longer has the order, so that its end is all that is known. */
      readonly placed: {
        /** @description Ledger. Null while the transaction is unknown. */
        readonly ledger: number | null;
        /** @description Close time of that ledger, Unix seconds. */
        readonly ts: number;
        /** @description Transaction hash. Null while the transaction is unknown. */
        readonly txHash: string | null;
        /** @description Position in the log: of the event, or of what reported the placement instead. Null while the transaction is unknown. */
        readonly seq: number | null;
      } | null;
      /** @description When and why the order ended. Null while it is pending, and if it ended without an event: with a reset of its chain, or in missing ledgers. */
      readonly ended: {
        /** @description Ledger. */
        readonly ledger: number;
        /** @description Close time of that ledger, Unix seconds. */
        readonly ts: number;
        /** @description Transaction that ended the order. */
        readonly txHash: string;
        /** @description Position of the event in the log. */
        readonly seq: number;
        /** @description executed, or the reason of the cancellation as the contract reports it: user, slippage, ioc_not_filled, pos_closed, reduce_only_no_position, asset_unconfigured, risk_config. */
        readonly reason: string;
      } | null;
      /** @description What the execution did. Null unless `status` is executed, and if the event of the position is missing. */
      readonly execution: {
        /** @description Price at which the position was opened or closed, in USD, 7-decimal. */
        readonly price: string;
        /** @description Size that was opened or closed, in USDC, 7-decimal. */
        readonly size: string;
        /** @description Trading fee in USDC, 7-decimal. Null if unknown. */
        readonly fee: string | null;
        /** @description What the keeper was paid in USDC, 7-decimal. Null if unknown. */
        readonly keeperReward: string | null;
        /** @description Position that was opened or closed. */
        readonly positionId: number;
        /** @description Profit by price alone, in USDC, 7-decimal. Null if the order opened the position. */
        readonly pnl: string | null;
      } | null;
    };
    /** @description A closed, reduced or liquidated position, or an opened one. */
    readonly RealizedTrade: {
      /** @description On-chain position id. Null for cross_liquidation, which concerns an account. */
      readonly positionId: number | null;
      /** @description Owner of the position. */
      readonly trader: string;
      /**
       * @description What happened to the position. open: only with include_opens. reduce, partial_liquidation: a part was closed. adl: auto-deleveraging, besides the close that it caused. cross_liquidation: the total of an account, besides one liquidation per position. Count only one of the two.
       * @enum {string}
       */
      readonly kind: "open" | "close" | "reduce" | "liquidation" | "partial_liquidation" | "cross_liquidation" | "adl";
      /** @description Ledger of the trade. */
      readonly ledger: number;
      /** @description Close time of that ledger, Unix seconds. */
      readonly ts: number;
      /** @description Transaction of the trade. */
      readonly txHash: string;
      /** @description Asset symbol. Null if the position was opened before the index begins, and for cross_liquidation. */
      readonly asset: string | null;
      /** @description 0 is long, 1 is short. Null if the position was opened before the index begins, and for cross_liquidation. */
      readonly direction: number | null;
      /** @description Notional value in USDC, 7-decimal: of the closed part for reduce and partial_liquidation. Null if the position was opened before the index begins, and for cross_liquidation. */
      readonly size: string | null;
      /** @description Entry price in USD, 7-decimal. Null if the position was opened before the index begins, and for cross_liquidation. */
      readonly entryPrice: string | null;
      /** @description Close price in USD, 7-decimal. Null for open and cross_liquidation. */
      readonly closePrice: string | null;
      /** @description Realised profit or loss in USDC, 7-decimal. Null for open, liquidation and partial_liquidation. */
      readonly pnl: string | null;
      /** @description Order whose execution caused the trade. Null if none did. */
      readonly orderId: number | null;
      /** @description Id of the event, as in GET /v1/events. */
      readonly eventId: string;
      /** @description Position of the event in the log: the `seq` of its frame on the channels `trades.<ASSET>` and `events`. */
      readonly seq: number;
      /** @description Epoch of that position, as in `hello`. */
      readonly epoch: string;
      /** @description Name of the deployment that the row belongs to, if it is not the served one. */
      readonly deployment?: string;
    };
    /** @description A change of a position. Null means unknown: what only a transaction's result shows is added when it has been read. */
    readonly Fill: {
      /** @description Position of the event in the log. */
      readonly seq: number;
      /**
       * @description What happened to the position. reduce and partial_liquidation close a part of it. adl: closed to deleverage the exchange.
       * @enum {string}
       */
      readonly kind: "open" | "close" | "reduce" | "liquidation" | "partial_liquidation" | "adl";
      /** @description On-chain position id. */
      readonly positionId: number;
      /** @description The order that caused it. Null if there was none. */
      readonly orderId: number | null;
      /** @description Asset symbol. */
      readonly asset: string | null;
      /** @description 0 is long, 1 is short. */
      readonly direction: number | null;
      /** @description Price in USD, 7-decimal. */
      readonly price: string | null;
      /** @description Notional value in USDC, 7-decimal, that was opened or closed. */
      readonly size: string | null;
      /** @description Profit or loss by price alone, USDC, 7-decimal. 0 for open. */
      readonly pnl: string | null;
      /** @description Trading fee that was paid, after any discount, USDC, 7-decimal. Only opens have one. */
      readonly fee: string | null;
      /** @description Funding that was settled, USDC, 7-decimal. Positive when the trader paid. */
      readonly funding: string | null;
      /** @description USDC, 7-decimal, that the wallet (isolated margin) or the cross balance (cross margin) received. Negative when a cross balance paid. */
      readonly payout: string | null;
      /** @description Ledger of the change. */
      readonly ledger: number;
      /** @description Close time of that ledger, Unix seconds. */
      readonly ts: number;
      /** @description Transaction of the change. */
      readonly txHash: string;
      /** @description Name of the deployment that the row belongs to, if it is not the served one. */
      readonly deployment?: string;
    };
    /** @description OHLC prices and volume of one time interval. */
    readonly Candle: {
      /** @description Start of the interval, Unix seconds. Weeks start on Monday 00:00 UTC. */
      readonly time: number;
      /** @description First price of the interval. */
      readonly open: number;
      /** @description Highest price of the interval. */
      readonly high: number;
      /** @description Lowest price of the interval. */
      readonly low: number;
      /** @description Last price of the interval. Changes until the interval ends. */
      readonly close: number;
      /** @description Traded on this exchange in the interval, 7-decimal USDC: every open, close, partial close and liquidation by its size, each once. Counts what is indexed. */
      readonly volume: string;
      /** @description Number of these opens, closes, partial closes and liquidations. */
      readonly trades: number;
      /** @description True when an indexed ledger closed at or after the end of the interval. A later correction has a `revision`. */
      readonly final: boolean;
      /**
       * @description noeracle: prices of the exchange's oracle. trades: also prices of trades, because the gateway missed oracle prices of this interval, for example while it was down. binance: prices of an external exchange, before the first native candle.
       * @enum {string}
       */
      readonly source: "noeracle" | "binance" | "trades";
      /**
       * @description Present when the interval has no price: all four prices repeat the close of the candle before.
       * @enum {boolean}
       */
      readonly filled?: true;
      /** @description Present when the candle changed after it was final: how often. The candle with the higher revision is right. */
      readonly revision?: number;
    };
    /** @description Results of one trader, of the whole history or of a period. */
    readonly LeaderboardEntry: {
      /** @description Place in the ranking, from 1. */
      readonly rank: number;
      /** @description Account (G…) or contract (C…). */
      readonly trader: string;
      /** @description Lifetime realised profit or loss in USDC, 7-decimal; of the period, if one is requested. */
      readonly pnl: string;
      /** @description Lifetime traded notional of opens and matched closes, excluding liquidations, in USDC, 7-decimal. */
      readonly volume: string;
      /** @description Number of opens, closes, reductions and liquidations. */
      readonly trades: number;
      /** @description Number of liquidations, partial ones included. */
      readonly liqCount: number;
      /** @description Only with a period: collateral of the positions that were opened in it, from the hour in which it begins, in USDC, 7-decimal. The capital of a return. Null: unknown. */
      readonly margin?: string | null;
    };
    /** @description One page of the leaderboard. */
    readonly Leaderboard: {
      /**
       * @description Ranking criterion.
       * @enum {string}
       */
      readonly sort: "pnl" | "volume";
      /**
       * @description Network of the ranking.
       * @enum {string}
       */
      readonly scope: "testnet" | "mainnet";
      /** @description Stellar network of this gateway. */
      readonly network: string;
      /**
       * @description empty: nobody has traded yet. not_indexed_here: this gateway serves another network than scope.
       * @enum {string}
       */
      readonly state: "ok" | "empty" | "not_indexed_here";
      /** @description Close time of the last indexed ledger, Unix seconds. */
      readonly updatedAt: number | null;
      /** @description Number of traders in the ranking. */
      readonly total: number;
      /** @description Maximum number of rows per page. */
      readonly limit: number;
      /** @description Number of traders before this page. */
      readonly offset: number;
      /** @description State of the ranking, for the parameter snapshot of the next page. */
      readonly snapshot: string;
      /** @description True if the ranking has changed since the given snapshot: pages may repeat or skip traders. */
      readonly snapshotChanged: boolean;
      /** @description Traders, best first. */
      readonly leaders: readonly components["schemas"]["LeaderboardEntry"][];
      /** @description Whether rows follow this page. */
      readonly hasMore: boolean;
      /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
      readonly nextCursor: string | null;
    };
    /** @description Place of one trader in the leaderboard. */
    readonly LeaderRank: {
      /** @description Account (G…). */
      readonly trader: string;
      /**
       * @description Ranking criterion.
       * @enum {string}
       */
      readonly sort: "pnl" | "volume";
      /**
       * @description Network of the ranking.
       * @enum {string}
       */
      readonly scope: "testnet" | "mainnet";
      /** @description Stellar network of this gateway. */
      readonly network: string;
      /**
       * @description empty: nobody has traded yet. not_indexed_here: this gateway serves another network than scope.
       * @enum {string}
       */
      readonly state: "ok" | "empty" | "not_indexed_here";
      /** @description Place, from 1. Null if the trader has no trades, or is too far behind to be counted. */
      readonly rank: number | null;
      /** @description Number of traders in the ranking. */
      readonly total: number;
      /** @description State of the ranking, for the parameter snapshot of the next page. */
      readonly snapshot: string;
      /** @description Close time of the last indexed ledger, Unix seconds. */
      readonly updatedAt: number | null;
      /** @description Results of the trader. Null without trades. */
      readonly entry: {
        /** @description Same as rank. */
        readonly rank: number | null;
        /** @description Account (G…) or contract (C…). */
        readonly trader: string;
        /** @description Lifetime realised profit or loss in USDC, 7-decimal; of the period, if one is requested. */
        readonly pnl: string;
        /** @description Lifetime traded notional of opens and matched closes, excluding liquidations, in USDC, 7-decimal. */
        readonly volume: string;
        /** @description Number of opens, closes, reductions and liquidations. */
        readonly trades: number;
        /** @description Number of liquidations, partial ones included. */
        readonly liqCount: number;
        /** @description Only with a period: collateral of the positions that were opened in it, from the hour in which it begins, in USDC, 7-decimal. The capital of a return. Null: unknown. */
        readonly margin?: string | null;
      } | null;
    };
    /** @description Sums over all traders. */
    readonly LeaderTotals: {
      /**
       * @description Network of the ranking.
       * @enum {string}
       */
      readonly scope: "testnet" | "mainnet";
      /** @description Stellar network of this gateway. */
      readonly network: string;
      /**
       * @description empty: nobody has traded yet. not_indexed_here: this gateway serves another network than scope.
       * @enum {string}
       */
      readonly state: "ok" | "empty" | "not_indexed_here";
      /** @description Close time of the last indexed ledger, Unix seconds. */
      readonly updatedAt: number | null;
      /** @description Number of traders. */
      readonly traders: number;
      /** @description Lifetime traded notional of all traders in USDC, 7-decimal. */
      readonly volume: string;
      /** @description Number of opens, closes, reductions and liquidations. */
      readonly trades: number;
    };
    /** @description An archived contract event. */
    readonly EventRow: {
      /** @description Unique id. Rows are sorted by ledger, then event id, descending. */
      readonly eventId: string;
      /** @description Contract that emitted the event. It can belong to an earlier deployment. */
      readonly contractId: string;
      /** @description Event topic. Empty if the event has none. */
      readonly topic: string;
      /** @description Ledger sequence number. */
      readonly ledger: number;
      /** @description Close time of the ledger, Unix seconds. */
      readonly ledgerCloseTs: number;
      /** @description Transaction that emitted the event. */
      readonly txHash: string;
      /** @description Decoded event data. The keys depend on the topic. Events of unknown shape, or newer than this gateway, keep their raw form. */
      readonly payload?: unknown;
      /** @description Time the indexer stored the event, Unix milliseconds. */
      readonly insertedAt?: number;
      /** @description Position of the event in the log: the `seq` of its frame on the channel `events`. */
      readonly seq: number;
      /** @description Epoch of that position, as in `hello`. */
      readonly epoch: string;
      /** @description Name of the deployment that the row belongs to, if it is not the served one. */
      readonly deployment?: string;
    };
    /** @description A difference between the index and the ledger that was corrected. */
    readonly Correction: {
      /** @description Position of the correction in the log: the `seq` of its frame on the channel `corrections`. */
      readonly seq: number;
      /** @description Epoch of that position, as in `hello`. */
      readonly epoch: string;
      /**
       * @description ended: the ledger no longer has the position. changed: it has other values. opened: no event reported the position. interest: the open interest of an asset differed. vault: its figures differed from the factory. event: a verification added (before is null), replaced or removed (after is null) an event of the archive. epoch: a repair, the rebuild after it, or lost ledgers gave the epoch a new name; it follows the events that caused it.
       * @enum {string}
       */
      readonly kind: "ended" | "changed" | "opened" | "interest" | "vault" | "event" | "epoch";
      /** @description On-chain position id. Null for other kinds. */
      readonly positionId: number | null;
      /** @description On-chain vault id. Null for other kinds. */
      readonly vaultId: number | null;
      /** @description Id of the event, as in `/v1/events`. Null for other kinds. */
      readonly eventId: string | null;
      /** @description Owner of the position, or trader of the event. Null for other kinds. */
      readonly trader: string | null;
      /** @description Asset symbol. Null when the correction has none. */
      readonly asset: string | null;
      /** @description Ledger that the index was compared with. */
      readonly ledger: number;
      /** @description Time of the correction, Unix milliseconds. */
      readonly correctedAt: number;
      /** @description What the index had. Null for opened, for an event that was missing, and for corrections by versions that did not record it. */
      readonly before: {
        /** @description Owner of the position. */
        readonly trader?: string;
        /** @description Asset symbol. */
        readonly asset?: string;
        /** @description 0 is long, 1 is short. */
        readonly direction?: number;
        /** @description Notional value in USDC, 7-decimal. */
        readonly size?: string;
        /** @description Entry price in USD, 7-decimal. */
        readonly entryPrice?: string;
        /** @description When the position was opened, Unix seconds. */
        readonly openedAt?: number;
        /** @description isolated or cross. Null: unknown. */
        readonly marginMode?: string | null;
        /** @description For interest: long open interest of the asset in USDC, 7-decimal. */
        readonly openInterestLong?: string;
        /** @description For interest: short open interest of the asset in USDC, 7-decimal. */
        readonly openInterestShort?: string;
        /** @description For vault: USDC in the vault, 7-decimal. */
        readonly totalUsdc?: string;
        /** @description For vault: circulating shares, 7-decimal. */
        readonly circulatingShares?: string;
        /** @description For vault: shares of the leader, 7-decimal. */
        readonly leaderShares?: string;
        /** @description For vault: high-water mark of the value per share, 7-decimal. */
        readonly hwmNav?: string;
        /** @description For vault: realized PnL in USDC, 7-decimal. */
        readonly realizedPnl?: string;
        /** @description For vault: profit share of the leader, basis points. */
        readonly profitShareBps?: number;
        /** @description For vault: whether deposits and trades are paused. */
        readonly paused?: boolean;
        /** @description For event: contract that emitted the event. */
        readonly contractId?: string;
        /** @description For event: name of the event. */
        readonly topic?: string;
        /** @description For event: ledger of the event. */
        readonly ledger?: number;
        /** @description For event: close time of its ledger, Unix seconds. */
        readonly ledgerCloseTs?: number;
        /** @description For event: hash of its transaction, lower-case hex. */
        readonly txHash?: string;
        /** @description For event: decoded fields. Null: it cannot be decoded. */
        readonly payload?: {
          readonly [key: string]: unknown;
        } | null;
        /** @description For event: its topics, base64 XDR. */
        readonly topicsXdr?: readonly string[];
        /** @description For event: its value, base64 XDR. */
        readonly valueXdr?: string;
        /** @description For epoch: its name. */
        readonly epoch?: string;
        /** @description For epoch, after: the first seq that another row has now. Below it, rows kept their seqs. Absent: every row did. */
        readonly fromSeq?: number;
      } | null;
      /** @description What the network has. Null for ended, and for an event that was removed. */
      readonly after: {
        /** @description Owner of the position. */
        readonly trader?: string;
        /** @description Asset symbol. */
        readonly asset?: string;
        /** @description 0 is long, 1 is short. */
        readonly direction?: number;
        /** @description Notional value in USDC, 7-decimal. */
        readonly size?: string;
        /** @description Entry price in USD, 7-decimal. */
        readonly entryPrice?: string;
        /** @description When the position was opened, Unix seconds. */
        readonly openedAt?: number;
        /** @description isolated or cross. Null: unknown. */
        readonly marginMode?: string | null;
        /** @description For interest: long open interest of the asset in USDC, 7-decimal. */
        readonly openInterestLong?: string;
        /** @description For interest: short open interest of the asset in USDC, 7-decimal. */
        readonly openInterestShort?: string;
        /** @description For vault: USDC in the vault, 7-decimal. */
        readonly totalUsdc?: string;
        /** @description For vault: circulating shares, 7-decimal. */
        readonly circulatingShares?: string;
        /** @description For vault: shares of the leader, 7-decimal. */
        readonly leaderShares?: string;
        /** @description For vault: high-water mark of the value per share, 7-decimal. */
        readonly hwmNav?: string;
        /** @description For vault: realized PnL in USDC, 7-decimal. */
        readonly realizedPnl?: string;
        /** @description For vault: profit share of the leader, basis points. */
        readonly profitShareBps?: number;
        /** @description For vault: whether deposits and trades are paused. */
        readonly paused?: boolean;
        /** @description For event: contract that emitted the event. */
        readonly contractId?: string;
        /** @description For event: name of the event. */
        readonly topic?: string;
        /** @description For event: ledger of the event. */
        readonly ledger?: number;
        /** @description For event: close time of its ledger, Unix seconds. */
        readonly ledgerCloseTs?: number;
        /** @description For event: hash of its transaction, lower-case hex. */
        readonly txHash?: string;
        /** @description For event: decoded fields. Null: it cannot be decoded. */
        readonly payload?: {
          readonly [key: string]: unknown;
        } | null;
        /** @description For event: its topics, base64 XDR. */
        readonly topicsXdr?: readonly string[];
        /** @description For event: its value, base64 XDR. */
        readonly valueXdr?: string;
        /** @description For epoch: its name. */
        readonly epoch?: string;
        /** @description For epoch, after: the first seq that another row has now. Below it, rows kept their seqs. Absent: every row did. */
        readonly fromSeq?: number;
      } | null;
      /** @description Name of the deployment that the row belongs to, if it is not the served one. */
      readonly deployment?: string;
    };
    /** @description Health of the gateway and its index. */
    readonly Health: {
      /**
       * @description degraded: `warnings` is not empty. The status of the response is 200 in either case.
       * @enum {string}
       */
      readonly status: "ok" | "degraded";
      /** @description What the operator should look at. Without a database, `indexer` is the last known state. */
      readonly warnings: readonly ("database_unreachable" | "database_full" | "database_read_only" | "clock_wrong" | "protocol_newer" | "prices_unpublished")[];
      /** @description Uptime of the process, seconds. */
      readonly uptime: number;
      /** @description Version of the gateway. */
      readonly version: string;
      /** @description Stellar network of the contracts. */
      readonly network: string;
      /** @description Passphrase of the network, which signatures include. */
      readonly passphrase: string;
      /** @description The deployment that is served. */
      readonly deployment: {
        /** @description Name of the manifest; local for the local network. */
        readonly name: string;
        /** @description When the contracts were deployed, as the manifest says. */
        readonly since: string | null;
      };
      /** @description Contract addresses of the deployment. Read them from here instead of hard-coding them. */
      readonly contracts: {
        readonly market: components["schemas"]["DeployedContract"];
        readonly vault: components["schemas"]["DeployedContract"];
        readonly oracleShim: components["schemas"]["DeployedContract"];
        readonly router: components["schemas"]["DeployedContract"];
        readonly usdcToken: components["schemas"]["DeployedContract"];
        readonly lpToken: components["schemas"]["DeployedContract"];
        readonly vaultFactory: components["schemas"]["DeployedContract"];
        readonly referral: components["schemas"]["DeployedContract"];
        readonly noeracleShim?: components["schemas"]["DeployedContract"];
        readonly noetherRouter?: components["schemas"]["DeployedContract"];
        readonly noeToken?: components["schemas"]["DeployedContract"];
      };
      /** @description Protocol of the Stellar network. */
      readonly protocol: {
        /** @description Protocol of the network, as of the last header that the index read. Null if none was read. */
        readonly network: number | null;
        /** @description Newest protocol that this gateway knows. If the network has a newer one, upgrade the gateway. */
        readonly known: number;
        /** @description What the network uses and this gateway does not know. The index goes on without it, or stops before it: see `indexer`. */
        readonly unknown: readonly string[];
      };
      /** @description Progress of the indexer. Every field is null until the first ledger is indexed. */
      readonly indexer: {
        /** @description Last indexed ledger. */
        readonly lastLedger: number | null;
        /** @description Time of the last index update, Unix milliseconds. */
        readonly lastUpdatedAt: number | null;
        /** @description Seconds since the last indexed ledger closed. */
        readonly ledgerAgeSeconds: number | null;
        /** @description Archived events of unknown topic or shape: the contracts were changed. Users cannot cause them. Investigate any value other than 0. */
        readonly unknownEvents: number | null;
        /** @description Number of archived events by topic. unknown counts events of unknown topic or shape. */
        readonly archived: {
          readonly [key: string]: number;
        } | null;
        /** @description Number of ledger ranges that the RPC dropped before they were indexed, including filled ones. */
        readonly gaps: number | null;
        /** @description The newest gaps, at most 20. */
        readonly gapRanges: readonly {
          /** @description Epoch of the ledgers. Ledger numbers repeat after a network reset. */
          readonly epoch: string;
          /** @description First missing ledger. */
          readonly fromLedger: number;
          /** @description Last missing ledger. */
          readonly toLedger: number;
          /** @description Time the gap was detected, Unix milliseconds. */
          readonly since: number;
          /**
           * @description open: the ledgers are missing. filled: the events were recovered from another source. unfillable: the ledgers are missing and no source has them.
           * @enum {string}
           */
          readonly state: "open" | "filled" | "unfillable";
        }[] | null;
        /** @description Ledgers the RPC can drop before history is lost, as of the last poll. Null until the RPC has dropped a ledger. */
        readonly ledgersUntilLost: number | null;
        /** @description Number of times vault totals differed from their events and were corrected. */
        readonly vaultCorrections: number | null;
        /** @description Number of times a position or the open interest differed from the ledger and was corrected. */
        readonly corrections: number | null;
        /** @description True if the market contract exists at its address. False after a network reset until the gateway has the new addresses. */
        readonly marketFound: boolean | null;
        /** @description Last comparison of the index with ledger entries. Null before the first comparison. */
        readonly compared: {
          /** @description Ledger at which the index was compared. */
          readonly ledger: number;
          /** @description Time of the comparison, Unix milliseconds. */
          readonly comparedAt: number;
          /** @description Positions opened by the market since the first indexed position. */
          readonly positions: number;
          /** @description Positions without an archived event. Any value other than 0 means lost history. */
          readonly positionsMissing: number;
          /** @description Orders since the first indexed placement. Null if they could not be counted. */
          readonly orders: number | null;
          /** @description Orders that are not pending and have no archived event. Any value other than 0 means lost history. */
          readonly ordersMissing: number | null;
          /** @description Trader vaults since the first indexed vault. Null if they could not be counted. */
          readonly vaults: number | null;
          /** @description Trader vaults without an archived event. Any value other than 0 means lost history. */
          readonly vaultsMissing: number | null;
          /** @description How many more open positions the index has than the market. Null if unknown. A value other than 0 that remains means lost history. */
          readonly openPositionsDrift: number | null;
          /** @description How many more open orders the index has than the market. Null if unknown. */
          readonly openOrdersDrift: number | null;
          /** @description On-chain USDC balance of the trader vault factory, 7-decimal. Null if it has no balance entry. */
          readonly factoryBalance: string | null;
          /** @description Sum of all trader vaults in USDC, 7-decimal. Null while they change. Trades by leaders make it differ from factoryBalance by design. */
          readonly vaultsTotal: string | null;
        } | null;
        /** @description Progress of a rebuild of the lists from the archive. The present lists are served until it is complete. Null while none is under way. */
        readonly rebuild: {
          /** @description Archived events replayed so far. */
          readonly done: number;
          /** @description Archived events. */
          readonly total: number;
        } | null;
      };
      /** @description State of the market contract. */
      readonly market: {
        /** @description Pause state of the market, cached for 15 seconds. */
        readonly pauseState: {
          /** @description False if the market has no such state, or it cannot be read now. */
          readonly supported: boolean;
          /** @description 0: trading. 1: positions can only be closed. 2: frozen. */
          readonly mode: number | null;
          /** @description Time of the last change, Unix seconds. */
          readonly since: number | null;
        };
      };
      /** @description What this gateway believes of the network, and from how many nodes. */
      readonly nodes: {
        /** @description Number of nodes of the network that this gateway uses. */
        readonly configured: number;
        /** @description From how many nodes figures are believed. */
        readonly believed: {
          /** @description Prices: the last comparison of nodes by this instance. Null before the first. */
          readonly prices: {
            /** @description Nodes that report what is used. */
            readonly agreeing: number;
            /** @description Nodes whose answer could be compared. 1: no second one answered in time. */
            readonly asked: number;
            /** @description Time of the comparison, Unix milliseconds. */
            readonly atMs: number;
          } | null;
          /** @description Outcomes of transactions: the last comparison of nodes by this instance. Null before the first. */
          readonly outcomes: {
            /** @description Nodes that report what is used. */
            readonly agreeing: number;
            /** @description Nodes whose answer could be compared. 1: no second one answered in time. */
            readonly asked: number;
            /** @description Time of the comparison, Unix milliseconds. */
            readonly atMs: number;
          } | null;
          /** @description Resource fees: the last comparison of nodes by this instance. Null before the first. */
          readonly fees: {
            /** @description Nodes that report what is used. */
            readonly agreeing: number;
            /** @description Nodes whose answer could be compared. 1: no second one answered in time. */
            readonly asked: number;
            /** @description Time of the comparison, Unix milliseconds. */
            readonly atMs: number;
          } | null;
          /** @description Accounts: the last comparison of nodes by this instance. Null before the first. */
          readonly accounts: {
            /** @description Nodes that report what is used. */
            readonly agreeing: number;
            /** @description Nodes whose answer could be compared. 1: no second one answered in time. */
            readonly asked: number;
            /** @description Time of the comparison, Unix milliseconds. */
            readonly atMs: number;
          } | null;
        };
      };
      /** @description Rate limiting. */
      readonly rateLimits: {
        /**
         * @description process: this instance counts alone. shared: all instances count together. fallback: this instance counts alone because the shared store is unavailable.
         * @enum {string}
         */
        readonly counting: "process" | "shared" | "fallback";
      };
    };
    /** @description A contract of the deployment, and the code that it runs. */
    readonly DeployedContract: {
      /** @description Contract address. */
      readonly address: string;
      /**
       * @description manifest: from the deployment manifest. env: overridden by the environment of the gateway.
       * @enum {string}
       */
      readonly source: "manifest" | "env";
      /** @description Generation of the code: 1, 2.0, 2.1, 2.2 or 2.3. Null if the code was not read yet, is of no known generation, or is a token of the network. */
      readonly generation: string | null;
      /** @description SHA-256 of the code that the contract runs, hex. Null if unknown, and for tokens of the network. */
      readonly wasmHash: string | null;
      /** @description Ledger since which the contract is known to run this code. */
      readonly sinceLedger: number | null;
      /** @description What this gateway does not understand of the interface: changed arguments, missing functions, unknown error codes. Empty: everything. */
      readonly notUnderstood: readonly string[];
    };
    /** @description The process is alive. */
    readonly Alive: {
      /** @enum {string} */
      readonly status: "alive";
    };
    /** @description The instance accepts traffic. */
    readonly Ready: {
      /** @enum {string} */
      readonly status: "ready";
      /** @description What the operator should look at, although reads work. Absent: nothing. */
      readonly warnings?: readonly ("database_unreachable" | "database_full" | "database_read_only" | "clock_wrong" | "protocol_newer" | "prices_unpublished")[];
    };
    /** @description An API key without its secret. */
    readonly ApiKey: {
      /** @description Public id of the key. */
      readonly keyId: string;
      /** @description Account that the key was issued to. */
      readonly owner: string;
      /**
       * @description Rate limit tier of the key. New keys are always standard.
       * @enum {string}
       */
      readonly tier: "standard" | "market_maker";
      /** @description Label chosen by the owner, at most 64 characters. */
      readonly label: string | null;
      /** @description Time the key was issued, Unix milliseconds. */
      readonly createdAt: number;
      /** @description Time of the last successful authentication, Unix milliseconds. */
      readonly lastUsedAt: number | null;
      /** @description Time the key was revoked, Unix milliseconds. Null while the key is active. */
      readonly revokedAt: number | null;
      /** @description What the key may do. read: the account's own data, by REST and stream. trade: prepare of every trade. close: prepare of what only reduces. vaults: deposits and withdrawals of pool and vaults, leaders' operations, and transfers of USDC. referral: codes and claims. keys: listing, revoking and rotating keys of the owner. lend: creating keys from this one. */
      readonly scopes: readonly ("read" | "trade" | "close" | "vaults" | "referral" | "keys" | "lend")[];
      /** @description Time from which on the key is rejected with key_expired, Unix milliseconds. Null: it does not expire. */
      readonly expiresAt: number | null;
      /** @description Networks that the key may be used from, IPv4 and IPv6. Null: any. */
      readonly cidrs: readonly string[] | null;
      /** @description Bounds of opens and entry orders; null members do not bound. Null: no caps. */
      readonly caps: {
        /** @description Assets in which the key may open positions and place entry orders. */
        readonly assets: readonly string[] | null;
        /** @description Highest leverage of an open or entry order. */
        readonly maxLeverage: number | null;
        /** @description Notional of all opens and entry orders of a UTC day, collateral times leverage, 7-decimal USDC. */
        readonly maxNotionalPerDay: string | null;
        /** @description Number of opens and entry orders of a UTC day. */
        readonly maxOrdersPerDay: number | null;
      } | null;
      /** @description Key that lent this one, with which it ends. Null: none. */
      readonly parent: string | null;
    };
    /** @description A new API key with its secret. */
    readonly IssuedKey: {
      /** @description Public id of the key. */
      readonly keyId: string;
      /** @description Secret of the key, 64 hex characters. Returned only once and cannot be recovered: store it safely. */
      readonly secret: string;
      /**
       * @description Rate limit tier of the key. New keys are always standard.
       * @enum {string}
       */
      readonly tier: "standard" | "market_maker";
      /** @description Account that the key was issued to. */
      readonly owner: string;
      /** @description Time the key was issued, Unix milliseconds. */
      readonly createdAt: number;
      /** @description What the key may do. read: the account's own data, by REST and stream. trade: prepare of every trade. close: prepare of what only reduces. vaults: deposits and withdrawals of pool and vaults, leaders' operations, and transfers of USDC. referral: codes and claims. keys: listing, revoking and rotating keys of the owner. lend: creating keys from this one. */
      readonly scopes: readonly ("read" | "trade" | "close" | "vaults" | "referral" | "keys" | "lend")[];
      /** @description Time from which on the key is rejected with key_expired, Unix milliseconds. Null: it does not expire. */
      readonly expiresAt: number | null;
      /** @description Networks that the key may be used from, IPv4 and IPv6. Null: any. */
      readonly cidrs: readonly string[] | null;
      /** @description Bounds of opens and entry orders; null members do not bound. Null: no caps. */
      readonly caps: {
        /** @description Assets in which the key may open positions and place entry orders. */
        readonly assets: readonly string[] | null;
        /** @description Highest leverage of an open or entry order. */
        readonly maxLeverage: number | null;
        /** @description Notional of all opens and entry orders of a UTC day, collateral times leverage, 7-decimal USDC. */
        readonly maxNotionalPerDay: string | null;
        /** @description Number of opens and entry orders of a UTC day. */
        readonly maxOrdersPerDay: number | null;
      } | null;
      /** @description Key that lent this one, with which it ends. Null: none. */
      readonly parent: string | null;
    };
    /** @description An API key with its new secret. */
    readonly RotatedKey: {
      /** @description Public id of the key. */
      readonly keyId: string;
      /** @description Secret of the key, 64 hex characters. Returned only once and cannot be recovered: store it safely. */
      readonly secret: string;
      /**
       * @description Rate limit tier of the key. New keys are always standard.
       * @enum {string}
       */
      readonly tier: "standard" | "market_maker";
      /** @description Account that the key was issued to. */
      readonly owner: string;
      /** @description Time the key was issued, Unix milliseconds. */
      readonly createdAt: number;
      /** @description What the key may do. read: the account's own data, by REST and stream. trade: prepare of every trade. close: prepare of what only reduces. vaults: deposits and withdrawals of pool and vaults, leaders' operations, and transfers of USDC. referral: codes and claims. keys: listing, revoking and rotating keys of the owner. lend: creating keys from this one. */
      readonly scopes: readonly ("read" | "trade" | "close" | "vaults" | "referral" | "keys" | "lend")[];
      /** @description Time from which on the key is rejected with key_expired, Unix milliseconds. Null: it does not expire. */
      readonly expiresAt: number | null;
      /** @description Networks that the key may be used from, IPv4 and IPv6. Null: any. */
      readonly cidrs: readonly string[] | null;
      /** @description Bounds of opens and entry orders; null members do not bound. Null: no caps. */
      readonly caps: {
        /** @description Assets in which the key may open positions and place entry orders. */
        readonly assets: readonly string[] | null;
        /** @description Highest leverage of an open or entry order. */
        readonly maxLeverage: number | null;
        /** @description Notional of all opens and entry orders of a UTC day, collateral times leverage, 7-decimal USDC. */
        readonly maxNotionalPerDay: string | null;
        /** @description Number of opens and entry orders of a UTC day. */
        readonly maxOrdersPerDay: number | null;
      } | null;
      /** @description Key that lent this one, with which it ends. Null: none. */
      readonly parent: string | null;
      /** @description Time from which on the secret before is rejected, Unix milliseconds. */
      readonly previousUntil: number;
    };
    /** @description The key of the request. */
    readonly CurrentKey: {
      /** @description Public id of the key. */
      readonly keyId: string;
      /** @description Account that the key was issued to. */
      readonly owner: string;
      /**
       * @description Rate limit tier of the key. New keys are always standard.
       * @enum {string}
       */
      readonly tier: "standard" | "market_maker";
      /** @description Label chosen by the owner, at most 64 characters. */
      readonly label: string | null;
      /** @description Time the key was issued, Unix milliseconds. */
      readonly createdAt: number;
      /** @description What the key may do. read: the account's own data, by REST and stream. trade: prepare of every trade. close: prepare of what only reduces. vaults: deposits and withdrawals of pool and vaults, leaders' operations, and transfers of USDC. referral: codes and claims. keys: listing, revoking and rotating keys of the owner. lend: creating keys from this one. */
      readonly scopes: readonly ("read" | "trade" | "close" | "vaults" | "referral" | "keys" | "lend")[];
      /** @description Time from which on the key is rejected with key_expired, Unix milliseconds. Null: it does not expire. */
      readonly expiresAt: number | null;
      /** @description Networks that the key may be used from, IPv4 and IPv6. Null: any. */
      readonly cidrs: readonly string[] | null;
      /** @description Bounds of opens and entry orders; null members do not bound. Null: no caps. */
      readonly caps: {
        /** @description Assets in which the key may open positions and place entry orders. */
        readonly assets: readonly string[] | null;
        /** @description Highest leverage of an open or entry order. */
        readonly maxLeverage: number | null;
        /** @description Notional of all opens and entry orders of a UTC day, collateral times leverage, 7-decimal USDC. */
        readonly maxNotionalPerDay: string | null;
        /** @description Number of opens and entry orders of a UTC day. */
        readonly maxOrdersPerDay: number | null;
      } | null;
      /** @description Key that lent this one, with which it ends. Null: none. */
      readonly parent: string | null;
      /** @description What this key and the keys lent by it have used today. What expired, failed or was rejected does not count. */
      readonly used: {
        /** @description The UTC day. */
        readonly day: string;
        /** @description Notional of opens and entry orders, 7-decimal USDC. */
        readonly notional: string;
        /** @description Number of opens and entry orders. */
        readonly orders: number;
      };
      readonly limits: components["schemas"]["AccountLimits"];
    };
    /** @description A challenge to sign with the wallet. */
    readonly KeyChallenge: {
      /** @description 32 random bytes as 64 hex characters. */
      readonly challengeHex: string;
      /** @description Time the challenge expires, Unix milliseconds. */
      readonly expiresAt: number;
    };
    /** @description Whether key creation is restricted. */
    readonly BetaStatus: {
      /** @description True if only allow-listed addresses can create keys. */
      readonly gated: boolean;
      /** @description True if the address can create a key. False if no address was given and gated is true. */
      readonly allowed: boolean;
    };
    /** @description The key that authenticated the request, and its owner. */
    readonly AccountIdentity: {
      /** @description Account that the key was issued to. */
      readonly owner: string;
      /**
       * @description Rate limit tier of the key. New keys are always standard.
       * @enum {string}
       */
      readonly tier: "standard" | "market_maker";
      /** @description Public id of the key. */
      readonly keyId: string;
    };
    /** @description The rate limits of a key. */
    readonly AccountLimits: {
      /**
       * @description Rate limit tier of the key. New keys are always standard.
       * @enum {string}
       */
      readonly tier: "standard" | "market_maker";
      /** @description Seconds until all buckets are full again. */
      readonly resetSec: number;
      /** @description Every bucket that requests with this key from this client address count in. */
      readonly buckets: readonly components["schemas"]["RateLimitBucket"][];
    };
    /** @description A rate limit and what is left of it. */
    readonly RateLimitBucket: {
      /**
       * @description read: requests with this key. trading: prepare, submit and /v1/tx with this key. keys: requests with any key from this client address. public: requests without a key, and creating keys. documents: size of the documentation and the console, in units of 16 KiB.
       * @enum {string}
       */
      readonly name: "read" | "trading" | "keys" | "public" | "documents";
      /**
       * @description address is the IPv4 address or the IPv6 /64 network. network is the IPv6 /48 network around it.
       * @enum {string}
       */
      readonly countedPer: "key" | "address" | "network";
      /** @description Requests per clock minute. */
      readonly limit: number;
      /** @description Requests left in the current minute. */
      readonly remaining: number;
    };
    /** @description Trading volume of an account over 14 days. */
    readonly AccountVolume: {
      /** @description The requested account (G…) or contract (C…). */
      readonly address: string;
      /** @description Notional traded in the past 14 × 86,400 seconds, in USDC, 7-decimal. Includes opens and matched closes, excludes liquidations. */
      readonly volume14d: string;
    };
    /** @description An open order. */
    readonly OpenOrder: {
      /** @description On-chain order id. */
      readonly orderId: number;
      /** @description Account that placed the order. */
      readonly trader: string;
      /**
       * @description Order type. limit and stop_limit open a position. The others close the position they are attached to.
       * @enum {string}
       */
      readonly orderType: "limit" | "stop_limit" | "stop_loss" | "take_profit" | "trailing_stop";
      /** @description Asset symbol. */
      readonly asset: string;
      /** @description Direction of the position that the order opens or closes: 0 is long, 1 is short. */
      readonly direction: number;
      /** @description Position that the order is attached to. Null for orders that open a position. */
      readonly positionId: number | null;
      /** @description Collateral that the market contract holds until the order executes or is cancelled, in USDC, 7-decimal. Null for attached orders. */
      readonly collateral: string | null;
      /** @description Leverage of the position. */
      readonly leverage: number;
      /** @description Collateral times leverage, in USDC, 7-decimal. Null for attached orders. */
      readonly size: string | null;
      /** @description Trigger price in USD, 7-decimal. Null for trailing stops. */
      readonly triggerPrice: string | null;
      /**
       * @description Whether the order triggers above or below its trigger price.
       * @enum {string}
       */
      readonly triggerCondition: "Above" | "Below";
      /** @description Limit price in USD, 7-decimal. Null if the order has none. */
      readonly limitPrice: string | null;
      /** @description waiting_for_stop or limit_active. Null for other order types. */
      readonly stopLimitPhase: string | null;
      /** @description Trailing distance in basis points. Null for other order types. */
      readonly trailingPercentBps: number | null;
      /** @description Best price since the trailing stop was placed, in USD, 7-decimal. Null for other order types. */
      readonly peakPrice: string | null;
      /** @description Price that the market price is compared with: the trigger, the limit or the current trailing stop price. Null if unknown. */
      readonly referencePrice: string | null;
      /** @description Slippage tolerance in basis points. The order is cancelled if the price deviates more from referencePrice. */
      readonly slippageToleranceBps: number;
      /**
       * @description Time in force.
       * @enum {string}
       */
      readonly timeInForce: "gtc" | "ioc" | "post_only";
      /** @description True if the order can only close an opposite position. */
      readonly reduceOnly: boolean;
      /** @description Close time of the ledger in which the order was placed, Unix seconds. */
      readonly createdAt: number;
      /** @description What keeps the order from being executed now: above_headroom, when it opens more than the pool takes. Absent if no reason is known. */
      readonly warnings?: readonly {
        /**
         * @description What keeps the order from being executed.
         * @enum {string}
         */
        readonly code: "above_headroom";
        /** @description What it means and what to do, for people. */
        readonly message: string;
      }[];
    };
    /** @description Open orders of an account, newest first. */
    readonly OpenOrders: {
      readonly orders: readonly components["schemas"]["OpenOrder"][];
      /** @description Ledger that the orders were read from. */
      readonly ledger: number;
      /** @description Close time of that ledger, Unix seconds. Null if the network did not report it. */
      readonly ledgerCloseTs: number | null;
    };
    /** @description What an account has in the liquidity pool and in trader vaults. */
    readonly AccountHoldings: {
      /** @description The account. */
      readonly owner: string;
      /** @description Ledger that the entries were read from. */
      readonly ledger: number;
      /** @description The liquidity pool. The balance of LP tokens is in GET /v1/account/me/state. */
      readonly pool: {
        /** @description Time after a deposit without withdrawals, seconds. 0 where there is none. Null if unreadable. */
        readonly withdrawCooldownSec: number | null;
        /** @description Time of the account's last deposit, Unix seconds. Null if there is none, or it is not recorded. */
        readonly lastDepositTs: number | null;
        /** @description End of the time without withdrawals, Unix seconds. Null without a deposit. */
        readonly withdrawableAt: number | null;
        /** @description Highest sum of all deposits of one account in USDC, 7-decimal. Null without a cap. */
        readonly depositCap: string | null;
        /** @description Sum of the account's deposits that count towards the cap in USDC, 7-decimal. Null where it is not recorded. */
        readonly deposited: string | null;
      };
      /** @description The requested vaults, in the order of the request. */
      readonly vaults: readonly components["schemas"]["VaultHolding"][];
    };
    /** @description What an account has in a trader vault. */
    readonly VaultHolding: {
      /** @description Vault id. */
      readonly vaultId: number;
      /** @description Shares of the account in the vault, 7-decimal. Null if unreadable. */
      readonly shares: string | null;
      /** @description Value of the whole vault in USDC, with the positions and orders of its leader, 7-decimal. Deposits and withdrawals use it. Null where the contracts count the vault's USDC alone (generation 1), and while they cannot value the vault. */
      readonly fullValue: string | null;
    };
    /** @description Positions, orders, balances and margin of an account at one ledger. */
    readonly AccountState: {
      /** @description The account. */
      readonly owner: string;
      /** @description Ledger that all values were read from. */
      readonly ledger: number;
      /** @description Close time of that ledger, Unix seconds. */
      readonly ledgerCloseTs: number | null;
      /** @description Open positions, newest first. Null if not all of them could be read. */
      readonly positions: readonly {
        /** @description On-chain position id. */
        readonly positionId: number;
        /** @description Asset symbol. */
        readonly asset: string;
        /** @description 0 is long, 1 is short. */
        readonly direction: number;
        /**
         * @description Margin mode. isolated: only the collateral of this position is at risk. cross: the whole cross margin account is at risk.
         * @enum {string}
         */
        readonly marginMode: "isolated" | "cross";
        /** @description Notional value in USDC, 7-decimal. */
        readonly size: string;
        /** @description Collateral after the opening fee, in USDC, 7-decimal. */
        readonly collateral: string;
        /** @description Position size divided by collateral. */
        readonly leverage: number;
        /** @description Entry price in USD, 7-decimal. */
        readonly entryPrice: string;
        /** @description Close time of the ledger that opened the position, Unix seconds. */
        readonly openedAt: number;
        /** @description Oracle price at this ledger in USD, 7-decimal. */
        readonly price: string | null;
        /** @description Attestation time of the price, Unix seconds. */
        readonly priceTimestamp: number | null;
        /** @description Unrealised profit or loss from price movement alone, in USDC, 7-decimal. Funding is excluded. */
        readonly unrealizedPnl: string | null;
        /** @description Funding accrued since the position opened, in USDC, 7-decimal. Positive when the trader owes it. */
        readonly accruedFunding: string | null;
        /** @description Payout in USDC, 7-decimal, if the position closed at this price: to the wallet, or to the cross margin pool. Assumes that the liquidity vault can pay the full profit. From generation 2 on, a close settles at most a few percent away from the last good price while that is recent. */
        readonly closeValue: string | null;
        /** @description First price at which a keeper can liquidate the position, including funding and fees. Null under cross margin. From generation 2 on, a liquidation also needs the average of the last prices to allow it. */
        readonly liquidationPrice: string | null;
      }[] | null;
      /** @description Open orders, newest first. Null if not all of them could be read. */
      readonly orders: readonly components["schemas"]["OpenOrder"][] | null;
      readonly balances: {
        /** @description USDC balance, 7-decimal. */
        readonly usdc: string | null;
        /** @description LP token balance, 7-decimal. */
        readonly lp: string | null;
        /** @description XLM balance, which pays network fees, 7-decimal. */
        readonly xlm: string | null;
      };
      readonly cross: {
        /** @description Idle collateral in USDC, 7-decimal. */
        readonly pool: string | null;
        /** @description Pool plus the collateral and PnL of every cross position, minus funding, in USDC, 7-decimal. */
        readonly equity: string | null;
        /** @description Sum of size divided by leverage over all cross positions, in USDC, 7-decimal. */
        readonly usedMargin: string | null;
        /** @description Equity below which the account can be liquidated, in USDC, 7-decimal. */
        readonly maintenanceMargin: string | null;
        /** @description Equity minus used margin, in USDC, 7-decimal. Can be negative. */
        readonly freeMargin: string | null;
        /** @description Largest amount that withdraw_cross_margin can pay now, in USDC, 7-decimal. */
        readonly withdrawable: string | null;
        /** @description True if the equity is below the maintenance margin, so that a keeper can liquidate the account. */
        readonly liquidatable: boolean | null;
      };
      readonly fees: {
        /** @description 14-day trading volume recorded by the market contract, which determines the fee tier, in USDC, 7-decimal. */
        readonly volume: string | null;
        /** @description Index of the fee tier, starting at 0. */
        readonly tier: number | null;
        /** @description Fee for executed limit orders as a share of the size, 7-decimal: 2000 is 0.02 %. */
        readonly makerRate: string | null;
        /** @description Fee for market orders as a share of the size, 7-decimal: 5000 is 0.05 %. */
        readonly takerRate: string | null;
        /** @description Volume at which the next tier starts, in USDC, 7-decimal. Null in the last tier. */
        readonly nextTierVolume: string | null;
      };
      readonly limits: {
        /** @description Minimum collateral of a position in USDC, 7-decimal. */
        readonly minCollateral: string | null;
        /** @description Maximum position size in USDC, 7-decimal. Null where each asset has its own. */
        readonly maxPositionSize: string | null;
        /** @description Maximum leverage. The minimum is 1. Null where each asset has its own. */
        readonly maxLeverage: number | null;
        /** @description Maximum age of the price for opening a position, seconds. */
        readonly maxPriceAgeSec: number | null;
        /** @description Maximum deviation from the last valid price for opening a position, basis points. */
        readonly maxPriceDeviationBps: number | null;
        /** @description True while no position can be opened because the market is paused. */
        readonly tradingPaused: boolean | null;
      };
      /** @description Reasons for null values. A value that depends on one of these is null too. */
      readonly unknown: readonly {
        /** @description JSON pointer to the null value in this response. */
        readonly part: string;
        /** @description Why the value is null: no_account, no_trustline, token_unreadable, entry_unreadable, price_unreadable, price_of_another_ledger, cross_margin, never, per_asset (see the limits of the market), or not_told. */
        readonly reason: string;
      }[];
    };
    /** @description A vault whose leader trades with the funds of its depositors. */
    readonly TraderVault: {
      /** @description Vault id. */
      readonly id: number;
      /** @description Account that trades for the vault. */
      readonly leader: string;
      /** @description Vault name. A zero byte, bytes that are not UTF-8, a byte order mark at the start, and a backslash before xHH are escaped as \xHH, the byte in hex. Anything else is unchanged: escape control and bidirectional characters when you display it. */
      readonly name: string;
      /** @description Time the vault was created, Unix seconds. */
      readonly createdAt: number;
      /** @description USDC in the vault outside its positions, as recorded by the factory, 7-decimal. */
      readonly totalUsdc: string;
      /** @description Shares outstanding, 7-decimal. */
      readonly circulatingShares: string;
      /** @description High-water mark: the highest share value at which profit share was paid, 7-decimal. */
      readonly hwmNav: string;
      /** @description Profit share paid to the leader so far, in USDC, 7-decimal. */
      readonly realizedPnl: string;
      /** @description Shares held by the leader, 7-decimal. */
      readonly leaderShares: string;
      /** @description Profit share of the leader, basis points. */
      readonly profitShareBps: number;
      /** @description True while deposits, withdrawals and trades are paused. */
      readonly paused: boolean;
      /** @description Time of the last event that changed the vault, Unix milliseconds. */
      readonly updatedAt: number;
      /** @description Number of accounts that have ever deposited. */
      readonly depositorCount: number;
      /** @description Number of open positions. */
      readonly openPositions: number;
      /** @description Number of positions ever opened. */
      readonly tradeCount: number;
      /** @description Drawdown of the share value from hwmNav, basis points. */
      readonly drawdownBps: number;
      /** @description Annualised closedTradePnl relative to totalUsdc, basis points. 0 without a profit. */
      readonly apyBps: number;
      /**
       * @description How apyBps was computed. inception: closedTradePnl relative to totalUsdc, not annualised. Only on deployments of generation 2, where a vault of less than seven days is not annualised and a loss makes apyBps negative.
       * @enum {string}
       */
      readonly apyKind: "annualized" | "inception";
      /** @description Total profit or loss of closed positions in USDC, 7-decimal. */
      readonly closedTradePnl: string;
    };
    /** @description A position opened or closed by a vault. */
    readonly VaultTrade: {
      /** @description Sequence number of the event in the log. */
      readonly id: number;
      /** @description Vault id. */
      readonly vaultId: number;
      /** @description On-chain position id. */
      readonly positionId: string;
      /**
       * @description open, or close for closes and liquidations of a position or a part of it.
       * @enum {string}
       */
      readonly action: "open" | "close";
      /** @description Leader who opened or closed the position. */
      readonly leader: string;
      /** @description Collateral in USDC, 7-decimal. 0 on closes. */
      readonly collateral: string;
      /** @description Ledger of the event. */
      readonly ledger: number;
      /** @description Close time of that ledger, Unix seconds. */
      readonly ts: number;
      /** @description Transaction that opened or closed the position. */
      readonly txHash: string;
      /** @description Realised profit or loss in USDC, 7-decimal. Null on opens and liquidations. */
      readonly pnl: string | null;
      /** @description Asset symbol. Null if the position was opened before the index begins. */
      readonly asset: string | null;
      /** @description 0 is long, 1 is short. Null if the position was opened before the index begins. */
      readonly direction: number | null;
      /** @description Notional value that was opened or closed in USDC, 7-decimal. Null if the position was opened before the index begins. */
      readonly size: string | null;
      /** @description Price at which it was opened or closed in USD, 7-decimal. Null if the position was opened before the index begins. */
      readonly price: string | null;
    };
    /** @description A deposit into a vault, a withdrawal or a fee claim. */
    readonly VaultFlow: {
      /** @description Sequence number of the event in the log. */
      readonly id: number;
      /** @description Vault id. */
      readonly vaultId: number;
      /** @description Depositor, or leader for fee claims. */
      readonly principal: string;
      /** @description Amount in USDC, 7-decimal. For withdrawals, the amount paid out. */
      readonly amount: string;
      /** @description Shares minted or burned, 7-decimal. Absent on fee claims. */
      readonly shares?: string;
      /** @description Ledger of the event. */
      readonly ledger: number;
      /** @description Close time of that ledger, Unix seconds. */
      readonly ts: number;
      /** @description Transaction of the deposit, withdrawal or claim. */
      readonly txHash: string;
    };
    /** @description A historical sample of a trader vault. */
    readonly VaultSample: {
      /** @description Start of the five-minute interval, Unix seconds. */
      readonly time: number;
      /** @description Ledger that was sampled. */
      readonly ledger: number;
      /** @description USDC per share, 7-decimal. 1 while there are no shares. */
      readonly sharePrice: string;
      /** @description USDC of the vault, without collateral in open positions, 7-decimal. */
      readonly totalUsdc: string;
      /** @description Shares of all depositors, 7-decimal. */
      readonly circulatingShares: string;
      /** @description Highest share price so far, 7-decimal. The leader earns only above it. */
      readonly hwmNav: string;
      /** @description USDC deposited in this interval, and in intervals without a sample before it, 7-decimal. */
      readonly deposits: string;
      /** @description USDC withdrawn in the same intervals, 7-decimal. */
      readonly withdrawals: string;
    };
    /** @description Lifetime results of one account. */
    readonly TraderProfile: {
      /** @description The requested account (G…) or contract (C…). */
      readonly address: string;
      /** @description Notional of opens and matched closes over the whole history, without liquidations, in USDC, 7-decimal. */
      readonly volume: string;
      /** @description The same over the past 86,400 seconds. */
      readonly volume24h: string;
      /** @description The same over the past 14 × 86,400 seconds. */
      readonly volume14d: string;
      /** @description Profit or loss by price of everything closed, in USDC, 7-decimal. Includes liquidations, which `pnl` of the leaderboard does not. */
      readonly realizedPnl: string;
      /** @description Number of opens, closes, reductions and liquidations. */
      readonly trades: number;
      /** @description Number of liquidations, partial ones included. */
      readonly liquidations: number;
      /** @description Closes and reductions with a profit by price. */
      readonly wins: number;
      /** @description Closes and reductions with a loss by price. A liquidation counts as a loss. */
      readonly losses: number;
      /** @description Wins as a share of wins and losses, 0 to 1. Null without either. */
      readonly winRate: number | null;
      /** @description Number of open positions. */
      readonly openPositions: number;
      /** @description Sum of their sizes in USDC, 7-decimal. */
      readonly openInterest: string;
      /** @description Close time of the first trade, Unix seconds. Null if there is none. */
      readonly firstTradeAt: number | null;
      /** @description Close time of the last trade, Unix seconds. Null if there is none. */
      readonly lastTradeAt: number | null;
      /** @description The trade with the highest PnL; the earliest of equal ones. Null if there is none. */
      readonly bestTrade: {
        /** @description On-chain position id. Null for cross_liquidation, which concerns an account. */
        readonly positionId: number | null;
        /** @description Owner of the position. */
        readonly trader: string;
        /**
         * @description What happened to the position. open: only with include_opens. reduce, partial_liquidation: a part was closed. adl: auto-deleveraging, besides the close that it caused. cross_liquidation: the total of an account, besides one liquidation per position. Count only one of the two.
         * @enum {string}
         */
        readonly kind: "open" | "close" | "reduce" | "liquidation" | "partial_liquidation" | "cross_liquidation" | "adl";
        /** @description Ledger of the trade. */
        readonly ledger: number;
        /** @description Close time of that ledger, Unix seconds. */
        readonly ts: number;
        /** @description Transaction of the trade. */
        readonly txHash: string;
        /** @description Asset symbol. Null if the position was opened before the index begins, and for cross_liquidation. */
        readonly asset: string | null;
        /** @description 0 is long, 1 is short. Null if the position was opened before the index begins, and for cross_liquidation. */
        readonly direction: number | null;
        /** @description Notional value in USDC, 7-decimal: of the closed part for reduce and partial_liquidation. Null if the position was opened before the index begins, and for cross_liquidation. */
        readonly size: string | null;
        /** @description Entry price in USD, 7-decimal. Null if the position was opened before the index begins, and for cross_liquidation. */
        readonly entryPrice: string | null;
        /** @description Close price in USD, 7-decimal. Null for open and cross_liquidation. */
        readonly closePrice: string | null;
        /** @description Realised profit or loss in USDC, 7-decimal. Null for open, liquidation and partial_liquidation. */
        readonly pnl: string | null;
        /** @description Order whose execution caused the trade. Null if none did. */
        readonly orderId: number | null;
        /** @description Id of the event, as in GET /v1/events. */
        readonly eventId: string;
        /** @description Position of the event in the log: the `seq` of its frame on the channels `trades.<ASSET>` and `events`. */
        readonly seq: number;
        /** @description Epoch of that position, as in `hello`. */
        readonly epoch: string;
        /** @description Name of the deployment that the row belongs to, if it is not the served one. */
        readonly deployment?: string;
      } | null;
      /** @description The trade with the lowest PnL; the earliest of equal ones. Null if there is none. */
      readonly worstTrade: {
        /** @description On-chain position id. Null for cross_liquidation, which concerns an account. */
        readonly positionId: number | null;
        /** @description Owner of the position. */
        readonly trader: string;
        /**
         * @description What happened to the position. open: only with include_opens. reduce, partial_liquidation: a part was closed. adl: auto-deleveraging, besides the close that it caused. cross_liquidation: the total of an account, besides one liquidation per position. Count only one of the two.
         * @enum {string}
         */
        readonly kind: "open" | "close" | "reduce" | "liquidation" | "partial_liquidation" | "cross_liquidation" | "adl";
        /** @description Ledger of the trade. */
        readonly ledger: number;
        /** @description Close time of that ledger, Unix seconds. */
        readonly ts: number;
        /** @description Transaction of the trade. */
        readonly txHash: string;
        /** @description Asset symbol. Null if the position was opened before the index begins, and for cross_liquidation. */
        readonly asset: string | null;
        /** @description 0 is long, 1 is short. Null if the position was opened before the index begins, and for cross_liquidation. */
        readonly direction: number | null;
        /** @description Notional value in USDC, 7-decimal: of the closed part for reduce and partial_liquidation. Null if the position was opened before the index begins, and for cross_liquidation. */
        readonly size: string | null;
        /** @description Entry price in USD, 7-decimal. Null if the position was opened before the index begins, and for cross_liquidation. */
        readonly entryPrice: string | null;
        /** @description Close price in USD, 7-decimal. Null for open and cross_liquidation. */
        readonly closePrice: string | null;
        /** @description Realised profit or loss in USDC, 7-decimal. Null for open, liquidation and partial_liquidation. */
        readonly pnl: string | null;
        /** @description Order whose execution caused the trade. Null if none did. */
        readonly orderId: number | null;
        /** @description Id of the event, as in GET /v1/events. */
        readonly eventId: string;
        /** @description Position of the event in the log: the `seq` of its frame on the channels `trades.<ASSET>` and `events`. */
        readonly seq: number;
        /** @description Epoch of that position, as in `hello`. */
        readonly epoch: string;
        /** @description Name of the deployment that the row belongs to, if it is not the served one. */
        readonly deployment?: string;
      } | null;
    };
    /** @description Realised results of an account in one interval. */
    readonly PnlPoint: {
      /** @description Start of the interval, Unix seconds. Weeks start on Monday 00:00 UTC. */
      readonly ts: number;
      /** @description Profit or loss by price of everything closed in the interval, in USDC, 7-decimal. Null while it is not known. */
      readonly realizedPnl: string | null;
      /** @description Trading fees paid in the interval, in USDC, 7-decimal. Null while it is not known. */
      readonly fees: string | null;
      /** @description Funding paid in the interval, in USDC, 7-decimal; negative when received. Null while it is not known. */
      readonly funding: string | null;
      /** @description Running total of realizedPnl - fees - funding since the first point. Null from the first unknown value on. */
      readonly cumulative: string | null;
    };
    /** @description A movement of USDC between an account and the exchange. */
    readonly CashMovement: {
      /** @description Position in the event log. Between wallet and cross balance there are two rows with the same seq. */
      readonly seq: number;
      /**
       * @description What the movement was for. order_escrow: collateral of a resting order; order_refund: its return. other: anything else, and what is not known yet.
       * @enum {string}
       */
      readonly kind: "open" | "close" | "liquidation" | "order_escrow" | "order_refund" | "keeper_reward" | "cross_deposit" | "cross_withdraw" | "lp_deposit" | "lp_withdraw" | "vault_deposit" | "vault_withdraw" | "fees_claimed" | "referral_claim" | "other";
      /** @description USDC that the balance gained, negative if it lost, 7-decimal. Null: the cross balance may have changed, and by how much is not known. */
      readonly amount: string | null;
      /**
       * @description Balance that changed: of the USDC token, or of the cross margin account.
       * @enum {string}
       */
      readonly balanceOf: "wallet" | "cross";
      /** @description Position that the movement belongs to. */
      readonly positionId: number | null;
      /** @description Order that the movement belongs to. */
      readonly orderId: number | null;
      /** @description Trader vault that the movement belongs to. */
      readonly vaultId: number | null;
      /** @description Trading fee that is part of the amount, in USDC, 7-decimal. Null if it does not apply or is not known. */
      readonly fee: string | null;
      /** @description Funding that is part of the amount, positive if paid, in USDC, 7-decimal. Null if it does not apply or is not known. */
      readonly funding: string | null;
      /** @description Profit or loss by price that is part of the amount, in USDC, 7-decimal. Null if it does not apply or is not known. */
      readonly pnl: string | null;
      /** @description Ledger of the movement. */
      readonly ledger: number;
      /** @description Close time of that ledger, Unix seconds. */
      readonly ts: number;
      /** @description Transaction of the movement. */
      readonly txHash: string;
    };
    /** @description The owner of a referral code. Amounts are 0 until the exchange pays referral rewards. */
    readonly Referrer: {
      /** @description Owner of the code. */
      readonly referrer: string;
      /** @description Referral code, 3 to 16 characters, case-sensitive. A zero byte, bytes that are not UTF-8, a byte order mark at the start, and a backslash before xHH are escaped as \xHH, the byte in hex. Anything else is unchanged: escape control and bidirectional characters when you display it. */
      readonly code: string;
      /** @description Time the code was registered, Unix seconds. */
      readonly createdAt: number;
      /** @description Number of referred accounts. */
      readonly referredCount: number;
      /** @description Total fees of referred trades in USDC, 7-decimal. Contracts that report the notional of a trade count that instead. */
      readonly totalVolumeGenerated: string;
      /** @description Total earnings of the referrer in USDC, 7-decimal. */
      readonly totalEarned: string;
      /** @description Earnings that can be claimed now, in USDC, 7-decimal. */
      readonly claimable: string;
      /** @description Time of the last event that changed this row, Unix milliseconds. */
      readonly updatedAt: number;
    };
    /** @description An account and its referrer. */
    readonly ReferralBinding: {
      /** @description Referred account. */
      readonly referee: string;
      /** @description Account that referred it. */
      readonly referrer: string;
      /** @description Referral code, 3 to 16 characters, case-sensitive. A zero byte, bytes that are not UTF-8, a byte order mark at the start, and a backslash before xHH are escaped as \xHH, the byte in hex. Anything else is unchanged: escape control and bidirectional characters when you display it. */
      readonly code: string;
      /** @description Time of the referral, Unix seconds. A referrer cannot be changed. */
      readonly boundAt: number;
      /** @description Transaction that set the referrer. */
      readonly txHash: string;
    };
    /** @description A trade that earned a referral reward. */
    readonly ReferralTrade: {
      /** @description Sequence number of the event in the log. */
      readonly id: number;
      /** @description Account that traded. */
      readonly referee: string;
      /** @description Account that referred the trader. */
      readonly referrer: string;
      /** @description Trading fee before the discount, in USDC, 7-decimal. */
      readonly originalFee: string;
      /** @description Discount for the referred account in USDC, 7-decimal. */
      readonly discount: string;
      /** @description Reward of the referrer in USDC, 7-decimal. */
      readonly payout: string;
      /** @description Notional of the trade in USDC, 7-decimal. Null where the contract does not report it. */
      readonly volume: string | null;
      /** @description Ledger of the event. */
      readonly ledger: number;
      /** @description Close time of that ledger, unix seconds */
      readonly ts: number;
      /** @description Transaction of the trade. */
      readonly txHash: string;
    };
    /** @description A claim of referral rewards. */
    readonly ReferralClaim: {
      /** @description Sequence number of the event in the log. */
      readonly id: number;
      /** @description Account that claimed. */
      readonly referrer: string;
      /** @description Claimed amount in USDC, 7-decimal. */
      readonly amount: string;
      /** @description Ledger of the event. */
      readonly ledger: number;
      /** @description Close time of that ledger, unix seconds */
      readonly ts: number;
      /** @description Transaction of the claim. */
      readonly txHash: string;
    };
    /** @description State of the liquidity vault and the remaining headroom. Values that could not be read are null. */
    readonly PoolState: {
      /** @description Ledger that the values were read from. */
      readonly ledger: number;
      /** @description Assets under management of the pool in USDC, 7-decimal. */
      readonly aum: string | null;
      /** @description Price of one LP token in USDC, 7-decimal. */
      readonly lpPrice: string | null;
      /** @description LP tokens in circulation, 7-decimal. */
      readonly lpSupply: string | null;
      /** @description USDC recorded by the pool contract, 7-decimal. */
      readonly totalUsdc: string | null;
      /** @description USDC token balance of the pool contract, 7-decimal. */
      readonly usdcBalance: string | null;
      /** @description Total deposit and withdrawal fees collected, in USDC, 7-decimal. */
      readonly totalFees: string | null;
      /** @description Unrealised profit of all traders as last reported to the pool, in USDC, 7-decimal. The pool owes it when positive. */
      readonly unrealizedPnl: string | null;
      /** @description USDC reserved for payouts of open positions, 7-decimal. */
      readonly reservedPayout: string | null;
      /** @description Profits that the pool could not pay, in USDC, 7-decimal. */
      readonly shortfall: string | null;
      /** @description Insurance buffer in USDC, 7-decimal. Not part of aum. Null on contracts of generation 1. */
      readonly bufferBalance: string | null;
      /** @description USDC set aside for profits that could not be paid, 7-decimal. Not part of aum. Null on contracts of generation 1. */
      readonly shortfallReserve: string | null;
      /** @description Deposit fee, basis points. */
      readonly depositFeeBps: number | null;
      /** @description Withdrawal fee, basis points. */
      readonly withdrawFeeBps: number | null;
      /** @description True while deposits and withdrawals are paused. */
      readonly paused: boolean | null;
      readonly caps: {
        /** @description Maximum reserved payouts as a share of aum, basis points. */
        readonly reservedBps: number | null;
        /** @description Maximum open interest of one side of an asset as a share of aum, basis points: the lowest of all assets. */
        readonly assetSideBps: number | null;
      };
      readonly headroom: {
        /** @description Total position size that can still be opened, in USDC, 7-decimal. */
        readonly total: string | null;
        /** @description Headroom by asset and side. */
        readonly assets: readonly {
          /** @description Asset symbol. */
          readonly asset: string;
          /** @description Position size that can still be opened long, in USDC, 7-decimal. */
          readonly long: string | null;
          /** @description Position size that can still be opened short, in USDC, 7-decimal. */
          readonly short: string | null;
          /**
           * @description Limit that determines the headroom for longs. maxPosition only where each asset has its own maximum size. Null if unknown.
           * @enum {string|null}
           */
          readonly bindingLong: "aggregate" | "side" | "skew" | "liquidity" | "maxPosition" | null;
          /**
           * @description Limit that determines the headroom for shorts. maxPosition only where each asset has its own maximum size. Null if unknown.
           * @enum {string|null}
           */
          readonly bindingShort: "aggregate" | "side" | "skew" | "liquidity" | "maxPosition" | null;
        }[];
      };
    };
    /** @description A historical sample of the liquidity vault. */
    readonly PoolSample: {
      /** @description Start of the five-minute interval, Unix seconds. */
      readonly time: number;
      /** @description Ledger that was sampled. */
      readonly ledger: number;
      /** @description Assets under management in USDC, 7-decimal. */
      readonly aum: string;
      /** @description Price of one LP token in USDC, 7-decimal. */
      readonly lpPrice: string;
      /** @description LP tokens in circulation, 7-decimal. */
      readonly lpSupply: string;
      /** @description USDC reserved for payouts of open positions, 7-decimal. */
      readonly reservedPayout: string | null;
      /** @description Unrealised profit of all traders in USDC, 7-decimal. */
      readonly unrealizedPnl: string | null;
      /** @description USDC deposited in this interval, and in intervals without a sample before it, 7-decimal. */
      readonly deposits: string;
      /** @description USDC withdrawn in the same intervals, without the fee, 7-decimal. */
      readonly withdrawals: string;
    };
    /** @description Current funding. Values that could not be read are null. */
    readonly CurrentFunding: {
      /** @description Ledger that the values were read from. */
      readonly ledger: number;
      /** @description Rate per hour that all assets share, 7-decimal. Null on contracts of generation 2, where each asset has its own. */
      readonly rate: string | null;
      /** @description Cumulative rate that all assets share, 7-decimal. Null on contracts of generation 2. */
      readonly cumulative: string | null;
      /** @description Time the shared funding was last applied, Unix seconds. Null on contracts of generation 2. */
      readonly lastAppliedAt: number | null;
      /** @description Earliest time of the next application of the shared funding, Unix seconds. Null on contracts of generation 2. */
      readonly nextTs: number | null;
      /** @description Shared rate per hour of the next application if the open interest stays as it is, 7-decimal. Null on contracts of generation 2. */
      readonly predictedRate: string | null;
      /** @description Open interest of all longs, in USDC, 7-decimal. */
      readonly openInterestLong: string | null;
      /** @description Open interest of all shorts, in USDC, 7-decimal. */
      readonly openInterestShort: string | null;
      /** @description Funding of each asset. On contracts of generation 1 all have the shared rate. */
      readonly assets: readonly {
        /** @description Asset symbol. */
        readonly asset: string;
        /** @description Funding rate per hour, 7-decimal. Positive when longs pay shorts. */
        readonly rate: string | null;
        /** @description Cumulative funding rate, 7-decimal. A position owes the change since it was opened. */
        readonly cumulative: string | null;
        /** @description Time funding was last applied, Unix seconds. */
        readonly lastTs: number | null;
        /** @description Earliest time of the next application, Unix seconds. */
        readonly nextTs: number | null;
        /** @description Rate per hour of the next application if it happens as early as possible and the open interest stays as it is, 7-decimal. */
        readonly predictedRate: string | null;
      }[];
    };
    /** @description One application of funding. */
    readonly FundingRow: {
      /** @description Asset symbol. Null on contracts of generation 1: the funding applies to all assets. */
      readonly asset: string | null;
      /** @description Funding rate per hour, 7-decimal. Positive when longs pay shorts. */
      readonly fundingRate: string;
      /** @description Number of hours covered. */
      readonly hoursElapsed: string;
      /** @description Ledger in which funding was applied. */
      readonly ledger: number;
      /** @description Close time of that ledger, Unix seconds. */
      readonly ts: number;
      /** @description Transaction that applied the funding. */
      readonly txHash: string;
    };
    /** @description Trading limits of a market. Values that could not be read are null. */
    readonly MarketLimits: {
      /** @description Asset symbol. */
      readonly asset: string;
      /** @description Ledger that the values were read from. */
      readonly ledger: number;
      /** @description Minimum leverage: a constant of the contracts. */
      readonly minLeverage: number;
      /** @description Maximum leverage. Null also for an asset that cannot be traded. */
      readonly maxLeverage: number | null;
      /** @description Minimum collateral of a position in USDC, 7-decimal. */
      readonly minCollateral: string | null;
      /** @description Maximum position size (collateral times leverage) in USDC, 7-decimal. */
      readonly maxPositionSize: string | null;
      /** @description Initial margin as a share of the position size, basis points. Null on contracts without limits per asset. */
      readonly initialMarginBps: number | null;
      /** @description Maintenance margin as a share of the position size, basis points. */
      readonly maintenanceMarginBps: number | null;
      /** @description Maximum age of the price for opening a position, seconds. */
      readonly maxPriceAgeSec: number | null;
      /** @description Maximum deviation from the last valid price for opening a position, basis points. */
      readonly maxPriceDeviationBps: number | null;
      /** @description Slippage tolerance accepted by the contract, basis points: a constant of its code. */
      readonly slippageToleranceBps: {
        readonly min: number;
        readonly max: number;
      };
      /** @description Trailing distance accepted by the contract, basis points: a constant of its code. */
      readonly trailingPercentBps: {
        readonly min: number;
        readonly max: number;
      };
      /** @description Fee tiers by 14-day volume. */
      readonly feeTiers: readonly {
        /** @description 14-day volume at which the tier starts, in USDC, 7-decimal. */
        readonly minVolume: string;
        /** @description Fee for executed limit orders as a share of the size, 7-decimal: 2000 is 0.02 %. */
        readonly makerRate: string;
        /** @description Fee for market orders as a share of the size, 7-decimal: 5000 is 0.05 %. */
        readonly takerRate: string;
      }[] | null;
      /** @description What the keeper that executes an order is paid: an order that opens a position pays it out of its collateral, one that closes a position out of the proceeds. On contracts of generation 1 a constant of their code. */
      readonly keeperFee: {
        /** @description Fixed part in USDC, 7-decimal. */
        readonly base: string | null;
        /** @description Share of the size of the order or position, 7-decimal: 1000 is 0.01 %. */
        readonly rate: string | null;
      };
      readonly openInterest: {
        /** @description Open interest of longs in USDC, 7-decimal. */
        readonly long: string | null;
        /** @description Open interest of shorts in USDC, 7-decimal. */
        readonly short: string | null;
      };
      /** @description Maximum open interest of each side in USDC, 7-decimal. */
      readonly assetSideCap: string | null;
      readonly headroom: {
        /** @description Position size that can still be opened long, in USDC, 7-decimal. */
        readonly long: string | null;
        /** @description Position size that can still be opened short, in USDC, 7-decimal. */
        readonly short: string | null;
        /**
         * @description Limit that determines the headroom for longs. maxPosition only where each asset has its own maximum size. Null if unknown.
         * @enum {string|null}
         */
        readonly bindingLong: "aggregate" | "side" | "skew" | "liquidity" | "maxPosition" | null;
        /**
         * @description Limit that determines the headroom for shorts. maxPosition only where each asset has its own maximum size. Null if unknown.
         * @enum {string|null}
         */
        readonly bindingShort: "aggregate" | "side" | "skew" | "liquidity" | "maxPosition" | null;
      };
      /** @description True while no position can be opened because the market is paused. */
      readonly tradingPaused: boolean | null;
      /** @description 0: trading. 1: no position can be opened, positions can be closed. 2: frozen. Null on contracts of generation 1, which have one mode only. */
      readonly pauseMode: number | null;
      /** @description True while no position in this asset can be opened. Null on contracts of generation 1. */
      readonly assetHalted: boolean | null;
      /** @description True while positions in this asset are deleveraged and none can be opened. Null on contracts of generation 1. */
      readonly adlActive: boolean | null;
    };
    /** @description What a program needs to know about a market before it trades. Values that could not be read are null. */
    readonly Instrument: {
      /** @description Symbol of the market. */
      readonly symbol: string;
      /** @description What is traded. */
      readonly base: string;
      /** @description What it is priced in. */
      readonly quote: string;
      /** @description What profits and losses are paid in. */
      readonly settlement: string;
      /**
       * @description Kind of contract.
       * @enum {string}
       */
      readonly kind: "perpetual";
      /** @description Decimals of prices, amounts and sizes in this API. */
      readonly priceDecimals: number;
      /** @description Decimals with which people expect to see a price now: six significant digits, at least 2 decimals. 7 while the price is unknown. */
      readonly displayDecimals: number;
      /** @description Smallest step of a price that the contracts accept, 7-decimal. */
      readonly tickSize: string;
      /** @description Smallest step of an amount that the contracts accept, 7-decimal. */
      readonly amountStep: string;
      /** @description Size of one contract in the base currency, 7-decimal. */
      readonly contractSize: string;
      /** @description Minimum collateral of a position in USDC, 7-decimal. */
      readonly minCollateral: string | null;
      /** @description Minimum size in USDC, 7-decimal: the minimum collateral at leverage 1. */
      readonly minNotional: string | null;
      /** @description Maximum size in USDC, 7-decimal. */
      readonly maxNotional: string | null;
      /** @description Maximum leverage, digits. Null also for an asset that cannot be traded. */
      readonly maxLeverage: string | null;
      /** @description Step of the leverage, digits. */
      readonly leverageStep: string;
      /** @description Initial margin, basis points of the size. Null where the contracts have none. */
      readonly initialMarginBps: number | null;
      /** @description Maintenance margin, basis points of the size. Null where the contracts have none. */
      readonly maintenanceMarginBps: number | null;
      /** @description Penalty of a liquidation, basis points of the size. Null where the contracts have none. */
      readonly liquidationPenaltyBps: number | null;
      /** @description Fee tiers by 14-day volume. Empty if they could not be read. */
      readonly feeTiers: readonly {
        /** @description 14-day volume at which the tier starts, in USDC, 7-decimal. */
        readonly volume14d: string;
        /** @description Fee for executed limit orders, tenths of a basis point of the size. */
        readonly makerDeciBps: number;
        /** @description Fee for market orders, tenths of a basis point of the size. */
        readonly takerDeciBps: number;
      }[];
      /** @description What the keeper that executes an order is paid. */
      readonly keeperFee: {
        /** @description Fixed part in USDC, 7-decimal. */
        readonly base: string | null;
        /** @description Share of the size, tenths of a basis point. */
        readonly deciBps: number | null;
      };
      /** @description Seconds between two funding payments. */
      readonly fundingIntervalSec: number;
      /** @description Margin modes of positions. */
      readonly marginModes: readonly ("isolated" | "cross")[];
      /**
       * @description hedged: an account can be long and short at the same time.
       * @enum {string}
       */
      readonly positionMode: "hedged";
      /** @description Orders that the deployed contracts take. */
      readonly orderTypes: readonly ("market" | "limit" | "stop_limit" | "stop_loss" | "take_profit" | "trailing_stop")[];
      /** @description Times in force of limit orders. */
      readonly timeInForce: readonly {
        /**
         * @description Name.
         * @enum {string}
         */
        readonly name: "gtc" | "ioc" | "post_only";
        /** @description The contracts' number, as in `timeInForce` of a request. */
        readonly value: number;
      }[];
      /** @description True if a part of a position can be closed. */
      readonly canReduce: boolean;
      /** @description Maximum length of a clientId. */
      readonly clientIdMaxLength: number;
      /** @description True if positions can be opened now. */
      readonly open: boolean;
    };
    /** @description An order book of one level per side around the oracle price, for programs that need one. */
    readonly Book: {
      /** @description Asset symbol. */
      readonly asset: string;
      /** @description At what price a short can be opened, and how much. Empty if there is no room, or it is unknown. */
      readonly bids: readonly (readonly string[])[];
      /** @description At what price a long can be opened, and how much. Empty if there is no room, or it is unknown. */
      readonly asks: readonly (readonly string[])[];
      /** @description Ledger that the figures are of. */
      readonly ledger: number;
      /**
       * @description Always true: trades are made against the pool, and there are no orders of others.
       * @enum {boolean}
       */
      readonly synthetic: true;
    };
    /** @description A day that can be downloaded. */
    readonly ExportEntry: {
      /**
       * @description events: contract events. trades: opens, closes and liquidations. candles: all intervals. ledger: the cash ledger of all accounts.
       * @enum {string}
       */
      readonly kind: "events" | "trades" | "candles" | "ledger";
      /** @description UTC day. */
      readonly date: string;
      /** @description Path of the file. */
      readonly url: string;
      /** @description Size of the file. Null until it has been requested for the first time. */
      readonly bytes: number | null;
      /** @description Number of rows. Null until the file has been requested for the first time. */
      readonly rows: number | null;
      /** @description Entity tag of the file. Null until it has been requested for the first time. */
      readonly etag: string | null;
    };
    /** @description An event of a record, as the record commits to it. */
    readonly LoggedEventBytes: {
      /** @description Event id, as in GET /v1/events. */
      readonly eventId: string;
      /** @description The bytes of the event, a leaf of the tree whose root the record has. */
      readonly bytes: string;
    };
    /** @description Proof that an event is in a record, and the record in the log. */
    readonly InclusionProof: {
      /** @description The 169 bytes of the record. */
      readonly record: string;
      /** @description Place of the record in the log, from 0. */
      readonly leafIndex: number;
      /** @description Number of records of the tree that the proof is for. */
      readonly treeSize: number;
      /** @description Root of that tree. */
      readonly root: string;
      /** @description Audit path from the record to the root (RFC 6962), from the leaf upwards. */
      readonly hashes: readonly string[];
      readonly event: {
        /** @description Place of the event in the record, from 0. */
        readonly index: number;
        /** @description Audit path from the event to the root that the record has. */
        readonly hashes: readonly string[];
      };
      /** @description Signed checkpoint of that tree. Null without a signing key. */
      readonly checkpoint: string | null;
    };
    /** @description Proof that one tree begins another one. */
    readonly ConsistencyProof: {
      /** @description Consistency proof (RFC 6962). Empty if a tree has no records, or both are the same. */
      readonly hashes: readonly string[];
    };
    /** @description The keys that sign for this gateway, as a JSON Web Key Set. */
    readonly KeyDirectory: {
      /** @description The key that signs first, then the one that it replaces. Empty without a signing key. */
      readonly keys: readonly {
        /** @enum {string} */
        readonly kty: "OKP";
        /** @enum {string} */
        readonly crv: "Ed25519";
        /** @description The public key, base64url. */
        readonly x: string;
        /** @description JWK thumbprint of the key (RFC 7638). */
        readonly kid: string;
        /** @enum {string} */
        readonly use: "sig";
        /** @description The key signs from this time on, Unix seconds. */
        readonly nbf: number;
        /** @description End of its use, Unix seconds. */
        readonly exp: number;
      }[];
    };
    /** @description Capabilities of the UDF datafeed. */
    readonly UdfConfiguration: {
      /** @description Supported bar widths: minutes, or a number followed by D or W. */
      readonly supported_resolutions: readonly string[];
      /** @description False: symbols are resolved one by one. */
      readonly supports_group_request: boolean;
      /** @description False: the feed has no marks. */
      readonly supports_marks: boolean;
      /** @description True: use /udf/search. */
      readonly supports_search: boolean;
      /** @description False: the feed has no timescale marks. */
      readonly supports_timescale_marks: boolean;
      /** @description True: use /udf/time. */
      readonly supports_time: boolean;
    };
    /** @description A UDF symbol. An unknown symbol returns s: error. */
    readonly UdfSymbol: {
      /** @enum {string} */
      readonly s?: "error";
      /** @description Error message. Only with s: error. */
      readonly errmsg?: string;
      readonly name?: string;
      /** @description Symbol to pass to the other UDF endpoints. */
      readonly ticker?: string;
      readonly description?: string;
      readonly type?: string;
      readonly exchange?: string;
      readonly listed_exchange?: string;
      readonly session?: string;
      readonly timezone?: string;
      readonly format?: string;
      readonly minmov?: number;
      /** @description 10 to the power of the number of displayed decimals. */
      readonly pricescale?: number;
      readonly has_intraday?: boolean;
      /** @description Bar widths in minutes that the feed provides. Charts build other widths from them. */
      readonly intraday_multipliers?: readonly string[];
      readonly has_daily?: boolean;
      readonly has_weekly_and_monthly?: boolean;
      /** @description Bar widths in weeks. */
      readonly weekly_multipliers?: readonly string[];
      /** @description Empty: charts build monthly bars from daily bars. */
      readonly monthly_multipliers?: readonly string[];
      /** @description Supported bar widths. */
      readonly supported_resolutions?: readonly string[];
      /** @description ohlcv: bars have prices and volume. */
      readonly visible_plots_set?: string;
      readonly data_status?: string;
    };
    /** @description A UDF search result. */
    readonly UdfFound: {
      readonly symbol: string;
      readonly full_name: string;
      readonly description: string;
      readonly exchange: string;
      readonly ticker: string;
      readonly type: string;
    };
    /** @description UDF bars as columns. */
    readonly UdfHistory: {
      /** @enum {string} */
      readonly s: "ok" | "no_data" | "error";
      /** @description Error message. Only with s: error. */
      readonly errmsg?: string;
      /** @description With no_data: start of the newest bar before the requested range, if one exists. */
      readonly nextTime?: number;
      /** @description Bar start times, Unix seconds, ascending. */
      readonly t?: readonly number[];
      /** @description Open prices. */
      readonly o?: readonly number[];
      /** @description High prices. */
      readonly h?: readonly number[];
      /** @description Low prices. */
      readonly l?: readonly number[];
      /** @description Close prices. */
      readonly c?: readonly number[];
      /** @description Volumes in USDC. */
      readonly v?: readonly number[];
    };
    /** @description Opens an isolated position at the market price. */
    readonly open_position: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "open_position";
      /** @description Symbol of a supported asset, in upper case. */
      readonly asset: string;
      /**
       * Format: i128
       * @description Collateral in USDC, 7-decimal. The contract requires at least 10 USDC.
       */
      readonly collateral: string;
      /** @description Position size divided by collateral. */
      readonly leverage: number;
      /**
       * @description Direction of the position.
       * @enum {string}
       */
      readonly direction: "Long" | "Short";
      /**
       * Format: i128
       * @description Worst price at which the position may be opened or closed, in USD, 7-decimal. 0 for no bound.
       * @default 0
       */
      readonly acceptablePrice?: string;
      /** @description Instead of acceptablePrice: sets it this many basis points from the price of the simulation, against you. Contracts of generation 2 or later. */
      readonly slippageBps?: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Opens a cross margin position at the market price. */
    readonly open_position_cross: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "open_position_cross";
      /** @description Symbol of a supported asset, in upper case. */
      readonly asset: string;
      /**
       * Format: i128
       * @description Collateral in USDC, 7-decimal. The contract requires at least 10 USDC.
       */
      readonly collateral: string;
      /** @description Position size divided by collateral. */
      readonly leverage: number;
      /**
       * @description Direction of the position.
       * @enum {string}
       */
      readonly direction: "Long" | "Short";
      /**
       * Format: i128
       * @description Worst price at which the position may be opened or closed, in USD, 7-decimal. 0 for no bound.
       * @default 0
       */
      readonly acceptablePrice?: string;
      /** @description Instead of acceptablePrice: sets it this many basis points from the price of the simulation, against you. Contracts of generation 2 or later. */
      readonly slippageBps?: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Closes an isolated position. */
    readonly close_position: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "close_position";
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /**
       * Format: i128
       * @description Worst price at which the position may be opened or closed, in USD, 7-decimal. 0 for no bound.
       * @default 0
       */
      readonly acceptablePrice?: string;
      /** @description Instead of acceptablePrice: sets it this many basis points from the price of the simulation, against you. Contracts of generation 2 or later. */
      readonly slippageBps?: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Closes a cross margin position. */
    readonly close_position_cross: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "close_position_cross";
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /**
       * Format: i128
       * @description Worst price at which the position may be opened or closed, in USD, 7-decimal. 0 for no bound.
       * @default 0
       */
      readonly acceptablePrice?: string;
      /** @description Instead of acceptablePrice: sets it this many basis points from the price of the simulation, against you. Contracts of generation 2 or later. */
      readonly slippageBps?: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Places an order that opens a position when the price reaches the trigger price. */
    readonly place_limit_order: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "place_limit_order";
      /** @description Symbol of a supported asset, in upper case. */
      readonly asset: string;
      /**
       * @description Direction of the position.
       * @enum {string}
       */
      readonly direction: "Long" | "Short";
      /**
       * Format: i128
       * @description Collateral in USDC, 7-decimal. The contract requires at least 10 USDC.
       */
      readonly collateral: string;
      /** @description Position size divided by collateral. */
      readonly leverage: number;
      /**
       * Format: i128
       * @description Price at which the order triggers, in USD, 7-decimal.
       */
      readonly triggerPrice: string;
      /**
       * @description Whether the order triggers above or below the trigger price.
       * @enum {string}
       */
      readonly triggerCondition: "Above" | "Below";
      /** @description Maximum price deviation at execution, basis points. The contract rejects 0. */
      readonly slippageToleranceBps: number;
      /**
       * @description 0: good till cancelled. 1: immediate or cancel. 2: post-only.
       * @default 0
       */
      readonly timeInForce?: number;
      /**
       * @description True if the order may only reduce an open position of the other direction.
       * @default false
       */
      readonly reduceOnly?: boolean;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Places an order that becomes a limit order when the price reaches the trigger price. */
    readonly place_stop_limit_order: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "place_stop_limit_order";
      /** @description Symbol of a supported asset, in upper case. */
      readonly asset: string;
      /**
       * @description Direction of the position.
       * @enum {string}
       */
      readonly direction: "Long" | "Short";
      /**
       * Format: i128
       * @description Collateral in USDC, 7-decimal. The contract requires at least 10 USDC.
       */
      readonly collateral: string;
      /** @description Position size divided by collateral. */
      readonly leverage: number;
      /**
       * Format: i128
       * @description Price at which the order triggers, in USD, 7-decimal.
       */
      readonly triggerPrice: string;
      /**
       * Format: i128
       * @description Limit price in USD, 7-decimal. Stop-limit: of the order placed at the trigger price. Take-profit: replaces the trigger price, and is between it and the entry price; 0 for none.
       */
      readonly limitPrice: string;
      /**
       * @description Whether the order triggers above or below the trigger price.
       * @enum {string}
       */
      readonly triggerCondition: "Above" | "Below";
      /** @description Maximum price deviation at execution, basis points. The contract rejects 0. */
      readonly slippageToleranceBps: number;
      /**
       * @description 0: good till cancelled. 1: immediate or cancel. 2: post-only.
       * @default 0
       */
      readonly timeInForce?: number;
      /**
       * @description True if the order may only reduce an open position of the other direction.
       * @default false
       */
      readonly reduceOnly?: boolean;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Attaches a stop order that trails the best price of the position. */
    readonly place_trailing_stop: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "place_trailing_stop";
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /** @description Distance from the best price in basis points. The contract rejects values above 5000. */
      readonly trailingPercentBps: number;
      /** @description Maximum price deviation at execution, basis points. The contract rejects 0. */
      readonly slippageToleranceBps: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Attaches a stop-loss order to a position. */
    readonly set_stop_loss: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "set_stop_loss";
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /**
       * Format: i128
       * @description Price at which the order triggers, in USD, 7-decimal.
       */
      readonly triggerPrice: string;
      /** @description Maximum price deviation at execution, basis points. The contract rejects 0. */
      readonly slippageToleranceBps: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Attaches a take-profit order to a position. */
    readonly set_take_profit: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "set_take_profit";
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /**
       * Format: i128
       * @description Price at which the order triggers, in USD, 7-decimal.
       */
      readonly triggerPrice: string;
      /** @description Maximum price deviation at execution, basis points. The contract rejects 0. */
      readonly slippageToleranceBps: number;
      /**
       * Format: i128
       * @description Limit price in USD, 7-decimal. Stop-limit: of the order placed at the trigger price. Take-profit: replaces the trigger price, and is between it and the entry price; 0 for none.
       * @default 0
       */
      readonly limitPrice?: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Cancels a pending order. Works while trading is paused. */
    readonly cancel_order: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "cancel_order";
      /**
       * Format: u64
       * @description Order id, as an integer or a digit string.
       */
      readonly orderId: number | string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Closes part of a position. The rest keeps its orders. */
    readonly close_position_partial: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "close_position_partial";
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /**
       * Format: i128
       * @description Part of the size to close, in USD, 7-decimal.
       */
      readonly closeSize: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Adds USDC to the collateral of an isolated position. */
    readonly add_collateral: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "add_collateral";
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /**
       * Format: i128
       * @description Amount in USDC, 7-decimal.
       */
      readonly amount: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Removes USDC from the collateral of an isolated position. */
    readonly remove_collateral: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "remove_collateral";
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /**
       * Format: i128
       * @description Amount in USDC, 7-decimal.
       */
      readonly amount: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Deposits USDC into the cross margin pool of the account. */
    readonly deposit_cross_margin: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "deposit_cross_margin";
      /**
       * Format: i128
       * @description Amount in USDC, 7-decimal.
       */
      readonly amount: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Withdraws idle USDC from the cross margin pool. */
    readonly withdraw_cross_margin: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "withdraw_cross_margin";
      /**
       * Format: i128
       * @description Amount in USDC, 7-decimal.
       */
      readonly amount: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Deposits USDC into the liquidity vault in exchange for LP tokens. */
    readonly deposit_liquidity: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "deposit_liquidity";
      /**
       * Format: i128
       * @description Amount in USDC, 7-decimal.
       */
      readonly amount: string;
      /**
       * Format: i128
       * @description Least to receive: LP tokens or shares of a deposit, USDC of a withdrawal, 7-decimal. 0 for no bound.
       * @default 0
       */
      readonly minOut?: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Approves the liquidity vault to pull LP tokens. Required before withdraw_liquidity. */
    readonly approve_liquidity_withdrawal: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "approve_liquidity_withdrawal";
      /**
       * Format: i128
       * @description Number of LP tokens, 7-decimal.
       */
      readonly lpAmount: string;
      /** @description Last ledger in which the allowance is valid. */
      readonly expirationLedger: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Redeems LP tokens for USDC. Requires approve_liquidity_withdrawal first. */
    readonly withdraw_liquidity: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "withdraw_liquidity";
      /**
       * Format: i128
       * @description Number of LP tokens, 7-decimal.
       */
      readonly lpAmount: string;
      /**
       * Format: i128
       * @description Least to receive: LP tokens or shares of a deposit, USDC of a withdrawal, 7-decimal. 0 for no bound.
       * @default 0
       */
      readonly minOut?: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Claims profit that the liquidity vault could not pay when a position was closed. */
    readonly claim_shortfall: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "claim_shortfall";
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Creates a trader vault led by the account. */
    readonly create_vault: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "create_vault";
      /**
       * Format: displayable
       * @description Vault name, 1 to 64 bytes. Rejected with 400: control, bidirectional, invisible and unassigned characters, spaces at the ends, and text like \x00.
       */
      readonly name: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Deposits USDC into a trader vault in exchange for shares. */
    readonly deposit_vault: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "deposit_vault";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /**
       * Format: i128
       * @description Amount in USDC, 7-decimal.
       */
      readonly amount: string;
      /**
       * Format: i128
       * @description Least to receive: LP tokens or shares of a deposit, USDC of a withdrawal, 7-decimal. 0 for no bound.
       * @default 0
       */
      readonly minOut?: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Redeems shares of a trader vault for USDC. */
    readonly withdraw_vault: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "withdraw_vault";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /**
       * Format: i128
       * @description Number of vault shares, 7-decimal.
       */
      readonly shares: string;
      /**
       * Format: i128
       * @description Least to receive: LP tokens or shares of a deposit, USDC of a withdrawal, 7-decimal. 0 for no bound.
       * @default 0
       */
      readonly minOut?: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Opens a position with the funds of a vault led by the account. */
    readonly leader_open_position: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "leader_open_position";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /** @description Symbol of a supported asset, in upper case. */
      readonly asset: string;
      /**
       * Format: i128
       * @description Collateral in USDC, 7-decimal. The contract requires at least 10 USDC.
       */
      readonly collateral: string;
      /** @description Position size divided by collateral. */
      readonly leverage: number;
      /**
       * @description Direction of the position.
       * @enum {string}
       */
      readonly direction: "Long" | "Short";
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Closes a position of a vault led by the account. */
    readonly leader_close_position: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "leader_close_position";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Places a limit order with the funds of a vault led by the account. */
    readonly leader_place_limit_order: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "leader_place_limit_order";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /** @description Symbol of a supported asset, in upper case. */
      readonly asset: string;
      /**
       * Format: i128
       * @description Collateral in USDC, 7-decimal. The contract requires at least 10 USDC.
       */
      readonly collateral: string;
      /** @description Position size divided by collateral. */
      readonly leverage: number;
      /**
       * @description Direction of the position.
       * @enum {string}
       */
      readonly direction: "Long" | "Short";
      /**
       * Format: i128
       * @description Price at which the order triggers, in USD, 7-decimal.
       */
      readonly triggerPrice: string;
      /**
       * @description Whether the order triggers above or below the trigger price.
       * @enum {string}
       */
      readonly triggerCondition: "Above" | "Below";
      /** @description Maximum price deviation at execution, basis points. The contract rejects 0. */
      readonly slippageToleranceBps: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Places a stop-limit order with the funds of a vault led by the account. */
    readonly leader_place_stop_limit: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "leader_place_stop_limit";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /** @description Symbol of a supported asset, in upper case. */
      readonly asset: string;
      /**
       * Format: i128
       * @description Collateral in USDC, 7-decimal. The contract requires at least 10 USDC.
       */
      readonly collateral: string;
      /** @description Position size divided by collateral. */
      readonly leverage: number;
      /**
       * @description Direction of the position.
       * @enum {string}
       */
      readonly direction: "Long" | "Short";
      /**
       * Format: i128
       * @description Price at which the order triggers, in USD, 7-decimal.
       */
      readonly triggerPrice: string;
      /**
       * Format: i128
       * @description Limit price in USD, 7-decimal. Stop-limit: of the order placed at the trigger price. Take-profit: replaces the trigger price, and is between it and the entry price; 0 for none.
       */
      readonly limitPrice: string;
      /**
       * @description Whether the order triggers above or below the trigger price.
       * @enum {string}
       */
      readonly triggerCondition: "Above" | "Below";
      /** @description Maximum price deviation at execution, basis points. The contract rejects 0. */
      readonly slippageToleranceBps: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Attaches a stop-loss order to a position of a vault led by the account. */
    readonly leader_set_stop_loss: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "leader_set_stop_loss";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /**
       * Format: i128
       * @description Price at which the order triggers, in USD, 7-decimal.
       */
      readonly triggerPrice: string;
      /** @description Maximum price deviation at execution, basis points. The contract rejects 0. */
      readonly slippageToleranceBps: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Attaches a take-profit order to a position of a vault led by the account. */
    readonly leader_set_take_profit: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "leader_set_take_profit";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /**
       * Format: i128
       * @description Price at which the order triggers, in USD, 7-decimal.
       */
      readonly triggerPrice: string;
      /** @description Maximum price deviation at execution, basis points. The contract rejects 0. */
      readonly slippageToleranceBps: number;
      /**
       * Format: i128
       * @description Limit price in USD, 7-decimal. Stop-limit: of the order placed at the trigger price. Take-profit: replaces the trigger price, and is between it and the entry price; 0 for none.
       * @default 0
       */
      readonly limitPrice?: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Attaches a trailing stop order to a position of a vault led by the account. */
    readonly leader_place_trailing_stop: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "leader_place_trailing_stop";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /**
       * Format: u64
       * @description Position id, as an integer or a digit string.
       */
      readonly positionId: number | string;
      /** @description Distance from the best price in basis points. The contract rejects values above 5000. */
      readonly trailingPercentBps: number;
      /** @description Maximum price deviation at execution, basis points. The contract rejects 0. */
      readonly slippageToleranceBps: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Cancels an order of a vault led by the account. */
    readonly leader_cancel_order: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "leader_cancel_order";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /**
       * Format: u64
       * @description Order id, as an integer or a digit string.
       */
      readonly orderId: number | string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Pays the leader their share of the profit above the high-water mark. */
    readonly claim_leader_fees: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "claim_leader_fees";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Pauses or resumes a vault led by the account. */
    readonly set_vault_paused: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "set_vault_paused";
      /** @description Trader vault id. */
      readonly vaultId: number;
      /** @description True pauses deposits, withdrawals and trades of the vault. False resumes them. */
      readonly paused: boolean;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Registers the referral code of the account. A code cannot be changed. */
    readonly create_referral_code: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "create_referral_code";
      /**
       * Format: displayable
       * @description Referral code, case-sensitive. Rejected with 400: control, bidirectional, invisible and unassigned characters, spaces at the ends, and text like \x00.
       */
      readonly code: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Sets the owner of a referral code as the referrer of the account. A referrer cannot be changed. */
    readonly set_referrer: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "set_referrer";
      /**
       * Format: displayable
       * @description Referral code, case-sensitive. Rejected with 400: control, bidirectional, invisible and unassigned characters, spaces at the ends, and text like \x00.
       */
      readonly code: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Claims the earnings of the account as a referrer. */
    readonly claim_referral: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "claim_referral";
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description Sends USDC from the account to another account, which needs a trustline for USDC. */
    readonly transfer_usdc: {
      /**
       * @description Operation name. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      readonly op: "transfer_usdc";
      /**
       * Format: account
       * @description Account that receives the transfer (G…).
       */
      readonly destination: string;
      /**
       * Format: i128
       * @description Amount in USDC, 7-decimal.
       */
      readonly amount: string;
      /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
      readonly clientId?: string;
    };
    /** @description What a transaction does if nothing changes before it is applied. Members that do not apply or are not known are null. */
    readonly TradePreview: {
      /** @description Position that is opened, changed or closed; of an attached order the position it belongs to. */
      readonly positionId: number | null;
      /** @description Order that is placed or cancelled. */
      readonly orderId: number | null;
      /** @description Entry price of the position in USD, 7-decimal. */
      readonly entryPrice: string | null;
      /** @description What is opened or closed, or what the order or position is for, in USD, 7-decimal. */
      readonly size: string | null;
      /** @description Collateral in USDC, 7-decimal: of the position after the transaction and net of fees; of a close, the part that is settled; of an order, what it holds. */
      readonly collateral: string | null;
      /** @description Fee of the exchange after discounts, in USDC, 7-decimal. */
      readonly fee: string | null;
      /** @description What a keeper is paid in this transaction, in USDC, 7-decimal. */
      readonly keeperReward: string | null;
      /** @description Stored liquidation price of the isolated position after the transaction, in USD, 7-decimal. */
      readonly liquidationPrice: string | null;
      /** @description Realised profit or loss by price alone, in USDC, 7-decimal. */
      readonly pnl: string | null;
      /** @description What the account receives in USDC, 7-decimal: in its wallet, or in its cross margin pool when a cross position is closed. */
      readonly payout: string | null;
      /** @description Price that the transaction executes at, or that it reads, in USD, 7-decimal. */
      readonly price: string | null;
      /** @description Attestation time of that price, Unix seconds. */
      readonly priceTimestamp: number | null;
      /** @description Ledger that the figures are of. */
      readonly ledger: number;
    };
    /** @description What an open would do at this ledger: the preview of a prepared transaction, and the headroom. Members that do not apply or are not known are null. */
    readonly TradeQuote: {
      /** @description Position that is opened, changed or closed; of an attached order the position it belongs to. */
      readonly positionId: number | null;
      /** @description Order that is placed or cancelled. */
      readonly orderId: number | null;
      /** @description Entry price of the position in USD, 7-decimal. */
      readonly entryPrice: string | null;
      /** @description What is opened or closed, or what the order or position is for, in USD, 7-decimal. */
      readonly size: string | null;
      /** @description Collateral in USDC, 7-decimal: of the position after the transaction and net of fees; of a close, the part that is settled; of an order, what it holds. */
      readonly collateral: string | null;
      /** @description Fee of the exchange after discounts, in USDC, 7-decimal. */
      readonly fee: string | null;
      /** @description What a keeper is paid in this transaction, in USDC, 7-decimal. */
      readonly keeperReward: string | null;
      /** @description Stored liquidation price of the isolated position after the transaction, in USD, 7-decimal. */
      readonly liquidationPrice: string | null;
      /** @description Realised profit or loss by price alone, in USDC, 7-decimal. */
      readonly pnl: string | null;
      /** @description What the account receives in USDC, 7-decimal: in its wallet, or in its cross margin pool when a cross position is closed. */
      readonly payout: string | null;
      /** @description Price that the transaction executes at, or that it reads, in USD, 7-decimal. */
      readonly price: string | null;
      /** @description Attestation time of that price, Unix seconds. */
      readonly priceTimestamp: number | null;
      /** @description Ledger that the figures are of. */
      readonly ledger: number;
      /** @description How much more can be opened in this direction, in USD, 7-decimal. */
      readonly headroom: string | null;
      /**
       * @description The limit that leaves the least room. Null while the headroom is unknown.
       * @enum {string|null}
       */
      readonly bindingLimit: "aggregate" | "side" | "skew" | "liquidity" | "maxPosition" | null;
    };
    /** @description An unsigned transaction that passed simulation. */
    readonly PreparedTransaction: {
      /** @description Requested operation. */
      readonly op: string;
      /** @description Account that must sign: the owner of the key. */
      readonly trader: string;
      /** @description Unsigned transaction envelope, base64 XDR. Sign it unchanged and submit it within 300 seconds. */
      readonly xdr: string;
      /** @description Minimum resource fee of the network in stroops. Included in the transaction fee. */
      readonly minResourceFee?: string;
      /** @description Stroops that the transaction declares above minResourceFee, so that it still applies after prices, fee tiers and ids have changed. The part for rent and events is refunded when it is not used. */
      readonly extraResourceFee: string;
      /** @description Nodes whose simulation has about the same resource fee. With 1 of several nodes, no second one answered within 100 ms of the first, or they disagree. */
      readonly feeConfirmedBy: number;
      /** @description Nodes of the gateway. */
      readonly nodes: number;
      /** @description Hash of the transaction. Signing does not change it. */
      readonly hash: string;
      /** @description The id of the request; null without one, and when it could not be stored. */
      readonly clientId: string | null;
      /** @description Last ledger close time at which the transaction is valid, Unix seconds. */
      readonly expiresAt: number;
      /** @description The contract call, decoded from the transaction that is returned. */
      readonly intent: {
        /** @description Operation or action of this call. */
        readonly op: string | null;
        /** @description Contract that is called. */
        readonly contract: string;
        /** @description Function that is called. */
        readonly function: string;
        /** @description Arguments by name. 64-bit and 128-bit integers are digit strings. An argument without a known name is named arg0, arg1 and so on. */
        readonly args: {
          readonly [key: string]: unknown;
        };
      };
      readonly preview: components["schemas"]["TradePreview"];
      /** @description What to check before signing. What cannot be read in time is not checked. */
      readonly warnings: readonly {
        /**
         * @description What the warning is about.
         * @enum {string}
         */
        readonly code: "triggers_at_once" | "near_liquidation" | "price_stale" | "above_headroom" | "funding_due" | "wrong_margin_mode" | "fee_unusual";
        /** @description What it means and what to do, for people. */
        readonly message: string;
        /** @description Only with fee_unusual: the usual fee of the operation in stroops, or the highest plausible one while that is unknown. */
        readonly usualFee?: string;
      }[];
      /**
       * @description Present when the preparation could not be stored: GET /v1/tx does not find it. Give the clientId again when you submit the transaction.
       * @enum {boolean}
       */
      readonly stored?: false;
    };
    /** @description Outcome of a submitted transaction. */
    readonly SubmitResult: {
      /** @description Transaction hash. */
      readonly hash: string;
      /**
       * @description Outcome. PENDING: not final within pollTimeoutMs. Submit the same signedXdr again to keep waiting.
       * @enum {string}
       */
      readonly status: "SUCCESS" | "PENDING" | "FAILED";
      /** @description Ledger that includes the transaction. Only with SUCCESS. */
      readonly ledger?: number;
      /** @description Only with FAILED. Null if no contract raised the error. See resultXdr in that case. */
      readonly contractError?: {
        /** @description Error code of the contract. Match on this value. */
        readonly code: number;
        /** @description Name of the error, or UnknownContractError if the code has no name. */
        readonly name: string;
      } | null;
      /** @description Only with FAILED. Error of the host instead of a contract, if known. storage or budget with exceeded_limit: the state has changed since the transaction was prepared. Prepare, sign and submit a new one. */
      readonly hostError?: {
        /** @description Type of the error, lower case. */
        readonly type: string;
        /** @description Code of the error, lower case. */
        readonly code: string;
      } | null;
      /** @description Only with FAILED. Name of the transaction result, if known. */
      readonly txResultCode?: string | null;
      /** @description TransactionResult, base64 XDR. Only with FAILED. */
      readonly resultXdr?: string;
      /** @description Only with FAILED. The cause, followed by the error as the host prints it. */
      readonly message?: string;
      /** @description Only with SUCCESS and FAILED. Nodes that report this outcome. With 1 of several nodes it may still be corrected: the gateway goes on asking the others, and a false outcome becomes another state. Null if the index alone has the transaction. */
      readonly confirmedBy?: number | null;
      /** @description Only with SUCCESS and FAILED. Nodes of the gateway when it determined the outcome. Null with confirmedBy. */
      readonly nodes?: number | null;
      /**
       * @description Only if the gateway could not store the submission. It was sent, but nothing continues it when this instance of the gateway stops: submit the same signedXdr again until the status is final.
       * @enum {boolean}
       */
      readonly stored?: false;
    };
    /** @description A transaction and what is known of it. */
    readonly Transaction: {
      /** @description Transaction hash. */
      readonly hash: string;
      /**
       * @description PREPARED: not submitted. PENDING: submitted and not final. SUCCESS and FAILED: in a ledger. REJECTED: the network refused it. EXPIRED: its time bound has passed and the network does not have it, so it is safe to sign another. UNKNOWN: this can no longer be determined. PENDING also while nodes contradict each other. A final state is corrected if it proves to be false: see confirmedBy.
       * @enum {string}
       */
      readonly status: "PREPARED" | "PENDING" | "SUCCESS" | "FAILED" | "REJECTED" | "EXPIRED" | "UNKNOWN";
      /** @description Operation. Null for a transaction that was not prepared here. */
      readonly op: string | null;
      /** @description Source account. Null if unknown. */
      readonly trader: string | null;
      /** @description Id that the client gave the transaction. Only for its owner. */
      readonly clientId: string | null;
      /** @description Ledger that includes the transaction. */
      readonly ledger: number | null;
      /** @description Close time of that ledger, Unix seconds. */
      readonly ts: number | null;
      /** @description Time after which no ledger can include it, Unix seconds. Null if it has no time bound. */
      readonly expiresAt: number | null;
      /** @description With FAILED and REJECTED: the error of a contract, if one raised it. */
      readonly contractError: {
        /** @description Error code of the contract. Match on this value. */
        readonly code: number;
        /** @description Name of the error, or UnknownContractError if the code has no name. */
        readonly name: string;
      } | null;
      /** @description With FAILED and REJECTED. Error of the host instead of a contract, if known. storage or budget with exceeded_limit: the state has changed since the transaction was prepared. Prepare, sign and submit a new one. */
      readonly hostError: {
        /** @description Type of the error, lower case. */
        readonly type: string;
        /** @description Code of the error, lower case. */
        readonly code: string;
      } | null;
      /** @description With FAILED and REJECTED. Name of the transaction result, if known. */
      readonly txResultCode: string | null;
      /** @description TransactionResult, base64 XDR. With FAILED. */
      readonly resultXdr: string | null;
      /** @description With SUCCESS and FAILED. Nodes that report this outcome. With 1 of several nodes it may still be corrected: the gateway goes on asking the others, and a false outcome becomes another state. Null if the index alone has the transaction. */
      readonly confirmedBy: number | null;
      /** @description With SUCCESS and FAILED. Nodes of the gateway when it determined the outcome. Null with confirmedBy. */
      readonly nodes: number | null;
      /** @description Events of the transaction in their order. Null until its ledger is indexed. */
      readonly events: readonly components["schemas"]["EventRow"][] | null;
      /** @description Order that its events name, or that it placed without an event. Null until GET /v1/orders/{orderId} returns it. */
      readonly orderId: number | null;
      /** @description Position that its events name. */
      readonly positionId: number | null;
      /** @description What later happened to the order that it placed. Null while the order is open, and without an order. */
      readonly outcome: {
        /**
         * @description How the order ended.
         * @enum {string}
         */
        readonly status: "executed" | "cancelled";
        /** @description Ledger in which it ended. */
        readonly ledger: number;
        /** @description Close time of that ledger, Unix seconds. */
        readonly ts: number;
        /** @description Transaction that ended it. */
        readonly txHash: string;
      } | null;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export interface operations {
  /**
   * Get the health of the gateway.
   * @description Returns the state of the gateway and its index, and the contract addresses. Addresses change when the exchange is redeployed, so read them from here. Exempt from the rate limit.
   */
  readonly getHealth: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Health"];
        };
      };
    };
  };
  /**
   * Check liveness.
   * @description Returns 200 if the process responds, without checking its dependencies. An orchestrator should restart the process only if this fails. Exempt from the rate limit.
   */
  readonly getLiveness: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Alive"];
        };
      };
    };
  };
  /**
   * Check readiness.
   * @description Returns 200 if the database responds, the index and the prices are recent enough, and the process is not shutting down. Otherwise returns 503 with all reasons. Exempt from the rate limit.
   */
  readonly getReadiness: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Ready"];
        };
      };
    };
  };
  /**
   * List markets.
   * @description Returns the assets of the exchange with their oracle prices. Prices are those of the price shim contract, at most 3 seconds after they were read. `ageSec` and `stale` are as of the second of the response.
   */
  readonly listMarkets: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly markets: readonly components["schemas"]["Market"][];
          };
        };
      };
    };
  };
  /**
   * List market statistics.
   * @description Returns open interest and volume of every supported asset, with zeros if there is no data, what can still be opened, and losses that accounts could not pay. Cached for 5 seconds. As of a ledger, the volume ends with its close time, what could be opened is absent, and the figures of prices are null.
   */
  readonly listMarketStats: {
    readonly parameters: {
      readonly query?: {
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Every asset, in listing order. */
            readonly stats: readonly components["schemas"]["MarketStats"][];
            readonly pool?: components["schemas"]["PoolCapacity"];
            readonly solvency: components["schemas"]["Solvency"];
          };
        };
      };
    };
  };
  /**
   * Get a market.
   * @description Returns an asset with its oracle price. Prices are those of the price shim contract, at most 3 seconds after they were read. `ageSec` and `stale` are as of the second of the response.
   */
  readonly getMarket: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Asset symbol, case-insensitive. */
        readonly asset: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Market"];
        };
      };
    };
  };
  /**
   * Get the price of a market.
   * @description Returns the oracle price of an asset. Prices are those of the price shim contract, at most 3 seconds after they were read. `ageSec` and `stale` are as of the second of the response.
   */
  readonly getMarketPrice: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Asset symbol, case-insensitive. */
        readonly asset: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Price"];
        };
      };
    };
  };
  /**
   * List oracle prices.
   * @description Returns the price of each supported asset from the price shim contract, at most 3 seconds after it was read. Prices are served regardless of their age: check `stale`, whether the market still accepts it, and `ageSec`. If a price cannot be read, the last known price is served for up to five minutes with the header x-stale: 1. Assets without any known price are omitted.
   */
  readonly listOraclePrices: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly prices: readonly components["schemas"]["Price"][];
          };
        };
      };
    };
  };
  /**
   * Get the health of the prices.
   * @description Returns the age of every price, and when the program that publishes them last reported itself to this instance of the gateway.
   */
  readonly getOracleHealth: {
    readonly parameters: {
      readonly query?: {
        /** @description Any text returns 503 unless status is ok. Its body has `error` and `message` too. */
        readonly strict?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["OracleHealth"];
        };
      };
    };
  };
  /**
   * Report the keeper.
   * @description For the program that publishes prices: stores its report, any JSON object of up to 4 KiB, which GET /v1/oracle/health shows to everyone. Requires the header x-keeper-secret with the secret of this gateway.
   */
  readonly reportHeartbeat: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** @description The report. */
    readonly requestBody: {
      readonly content: {
        readonly "application/json": {
          readonly [key: string]: unknown;
        };
      };
    };
    readonly responses: never;
  };
  /**
   * List candles.
   * @description Returns OHLC candles of oracle prices (not of trades) and the volume of trades, oldest first, including the current incomplete candle: the newest `limit` candles of the range. The next page has older candles. Every interval has a candle; one without a price repeats the close before it. Before the first native candle, klines of an external exchange are returned, marked by their `source`. An unknown asset has none. While they cannot be read, a page ends early or is empty, with `hasMore` true: repeat its `nextCursor` later.
   */
  readonly listCandles: {
    readonly parameters: {
      readonly query: {
        /** @description Asset symbol, case-insensitive. */
        readonly asset: string;
        /** @description Candle interval. */
        readonly interval?: "1m" | "5m" | "15m" | "1h" | "4h" | "1d" | "1w";
        /** @description Return only candles that start at or after this time, Unix seconds. */
        readonly from?: number;
        /** @description Return only candles that start before this time, Unix seconds. */
        readonly to?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Candles, oldest first. */
            readonly candles: readonly components["schemas"]["Candle"][];
            /**
             * @description noeracle: the page has native candles. binance: it has only those of the USDT pair of an external exchange, or the asset is unknown.
             * @enum {string}
             */
            readonly source: "noeracle" | "binance";
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List trades.
   * @description Returns closed, reduced and liquidated positions, newest first. Fields of the open are null if the position was opened before the index begins. With include_opens it also lists opened positions.
   */
  readonly listTrades: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only rows of this account (G…) or contract (C…). Not a muxed address (M…, W…). */
        readonly trader?: string;
        /** @description Asset symbol, case-insensitive. */
        readonly asset?: string;
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Also return opened positions. */
        readonly include_opens?: boolean;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description Return only rows of the deployment with this name. By default, rows of every deployment while it was served. */
        readonly deployment?: string;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly trades: readonly components["schemas"]["RealizedTrade"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * Get the profile of a trader.
   * @description Returns lifetime results of an account: volumes, realised PnL, win rate, open positions, best and worst trade. Zeros if it never traded.
   */
  readonly getTrader: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Account (G…) or contract (C…). Not a muxed address (M…, W…). */
        readonly address: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["TraderProfile"];
        };
      };
    };
  };
  /**
   * Get the PnL curve of a trader.
   * @description Returns one point per interval, oldest first, at most 1000. realizedPnl is by price alone; cumulative is the running total of realizedPnl - fees - funding since the first point. Fees and funding are read from each transaction shortly after it is indexed: values that include an unknown one are null. `gaps` lists ledgers in the range whose events are missing.
   */
  readonly getTraderPnl: {
    readonly parameters: {
      readonly query?: {
        /** @description Interval of the points. */
        readonly interval?: "1m" | "5m" | "15m" | "1h" | "4h" | "1d" | "1w";
        /** @description Return only intervals that start at or after this time, Unix seconds. By default, the last 100 intervals. */
        readonly from?: number;
        /** @description Return only intervals that start before this time, Unix seconds. By default, up to the current interval, or that of at_ledger. */
        readonly to?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description Account (G…) or contract (C…). Not a muxed address (M…, W…). */
        readonly address: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Points, oldest first. */
            readonly points: readonly components["schemas"]["PnlPoint"][];
            /** @description Missing ledgers in the range. Empty if none are missing. */
            readonly gaps: readonly {
              /** @description Epoch of the ledgers. Ledger numbers repeat after a network reset. */
              readonly epoch: string;
              /** @description First missing ledger. */
              readonly fromLedger: number;
              /** @description Last missing ledger. */
              readonly toLedger: number;
            }[];
          };
        };
      };
    };
  };
  /**
   * Get your PnL curve. Needs a key.
   * @description Returns one point per interval, oldest first, at most 1000. realizedPnl is by price alone; cumulative is the running total of realizedPnl - fees - funding since the first point. Fees and funding are read from each transaction shortly after it is indexed: values that include an unknown one are null. `gaps` lists ledgers in the range whose events are missing. Needs the scope read.
   */
  readonly getAccountPnl: {
    readonly parameters: {
      readonly query?: {
        /** @description Interval of the points. */
        readonly interval?: "1m" | "5m" | "15m" | "1h" | "4h" | "1d" | "1w";
        /** @description Return only intervals that start at or after this time, Unix seconds. By default, the last 100 intervals. */
        readonly from?: number;
        /** @description Return only intervals that start before this time, Unix seconds. By default, up to the current interval, or that of at_ledger. */
        readonly to?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Points, oldest first. */
            readonly points: readonly components["schemas"]["PnlPoint"][];
            /** @description Missing ledgers in the range. Empty if none are missing. */
            readonly gaps: readonly {
              /** @description Epoch of the ledgers. Ledger numbers repeat after a network reset. */
              readonly epoch: string;
              /** @description First missing ledger. */
              readonly fromLedger: number;
              /** @description Last missing ledger. */
              readonly toLedger: number;
            }[];
          };
        };
      };
    };
  };
  /**
   * List the USDC movements of a trader.
   * @description Returns the USDC movements between an account and the exchange, newest first. Rows of the wallet add up to what its USDC balance gained through the exchange, rows of the cross balance to its change, to the stroop. Wallet rows are exact at once. Cross rows, and kinds that no event reports, are read from each transaction shortly after it is indexed: until then the amount is null and the kind may be other. `gaps` lists ledgers in the range of the page whose movements are missing.
   */
  readonly listTraderLedger: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only movements of this kind. */
        readonly kind?: "open" | "close" | "liquidation" | "order_escrow" | "order_refund" | "keeper_reward" | "cross_deposit" | "cross_withdraw" | "lp_deposit" | "lp_withdraw" | "vault_deposit" | "vault_withdraw" | "fees_claimed" | "referral_claim" | "other";
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Account (G…) or contract (C…). Not a muxed address (M…, W…). */
        readonly address: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Movements, newest first. */
            readonly ledger: readonly components["schemas"]["CashMovement"][];
            /** @description Missing ledgers in the range of this page. Empty if none are missing. */
            readonly gaps: readonly {
              /** @description Epoch of the ledgers. Ledger numbers repeat after a network reset. */
              readonly epoch: string;
              /** @description First missing ledger. */
              readonly fromLedger: number;
              /** @description Last missing ledger. */
              readonly toLedger: number;
            }[];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List your USDC movements. Needs a key.
   * @description Returns the USDC movements between an account and the exchange, newest first. Rows of the wallet add up to what its USDC balance gained through the exchange, rows of the cross balance to its change, to the stroop. Wallet rows are exact at once. Cross rows, and kinds that no event reports, are read from each transaction shortly after it is indexed: until then the amount is null and the kind may be other. `gaps` lists ledgers in the range of the page whose movements are missing. Needs the scope read.
   */
  readonly listAccountLedger: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only movements of this kind. */
        readonly kind?: "open" | "close" | "liquidation" | "order_escrow" | "order_refund" | "keeper_reward" | "cross_deposit" | "cross_withdraw" | "lp_deposit" | "lp_withdraw" | "vault_deposit" | "vault_withdraw" | "fees_claimed" | "referral_claim" | "other";
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Movements, newest first. */
            readonly ledger: readonly components["schemas"]["CashMovement"][];
            /** @description Missing ledgers in the range of this page. Empty if none are missing. */
            readonly gaps: readonly {
              /** @description Epoch of the ledgers. Ledger numbers repeat after a network reset. */
              readonly epoch: string;
              /** @description First missing ledger. */
              readonly fromLedger: number;
              /** @description Last missing ledger. */
              readonly toLedger: number;
            }[];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List the leaderboard.
   * @description Returns traders ranked by lifetime profit or volume across all deployments, best first. Equal traders are ranked by the other figure, then by address. The first page is cached for 5 seconds. With `period`, traders are ranked by their results of that time, in one page that is cached for 30 seconds: `total` is the number of traders who traded in it. A period longer than the history of the deployment is all of that history. Each row then has the margin that the trader put into positions.
   */
  readonly listLeaders: {
    readonly parameters: {
      readonly query?: {
        /** @description Network of the ranking. By default the network of this gateway, the only one that it has. */
        readonly scope?: "testnet" | "mainnet";
        /** @description Ranking criterion. */
        readonly sort?: "pnl" | "volume";
        /** @description Rank the results of the last day, 7 days or 30 days. Cannot be combined with at_ledger, offset or cursor. */
        readonly period?: "day" | "week" | "month";
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description Number of traders to skip. Continue with cursor beyond the maximum. */
        readonly offset?: number;
        /** @description The member snapshot of the first page. */
        readonly snapshot?: string;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Leaderboard"];
        };
      };
    };
  };
  /**
   * Get the rank of a trader.
   * @description Returns the place of a trader in the leaderboard. Places beyond 10000 are not counted: then the rank is null, and the entry is not.
   */
  readonly getLeaderRank: {
    readonly parameters: {
      readonly query: {
        /** @description Account (G…). */
        readonly trader: string;
        /** @description Network of the ranking. By default the network of this gateway, the only one that it has. */
        readonly scope?: "testnet" | "mainnet";
        /** @description Ranking criterion. */
        readonly sort?: "pnl" | "volume";
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["LeaderRank"];
        };
      };
    };
  };
  /**
   * Get the totals of all traders.
   * @description Returns the number of traders, and their lifetime volume and trades across all deployments.
   */
  readonly getLeaderTotals: {
    readonly parameters: {
      readonly query?: {
        /** @description Network of the ranking. By default the network of this gateway, the only one that it has. */
        readonly scope?: "testnet" | "mainnet";
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["LeaderTotals"];
        };
      };
    };
  };
  /**
   * List contract events.
   * @description Returns archived contract events sorted by ledger, then event id, newest first. Includes events of earlier deployments. Events of unknown topic or shape are returned raw. `gaps` lists ledgers in the range of the page whose events are missing.
   */
  readonly listEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only events of this topic. */
        readonly topic?: string;
        /** @description Return only events of this contract. */
        readonly contract?: string;
        /** @description Return only this ledger and later ones. */
        readonly from_ledger?: number;
        /** @description Return only this ledger and earlier ones. */
        readonly to_ledger?: number;
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description Return only rows of the deployment with this name. By default, rows of every deployment while it was served. */
        readonly deployment?: string;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Events, newest first. */
            readonly events: readonly components["schemas"]["EventRow"][];
            /** @description Missing ledgers in the range of this page. Empty if none are missing. */
            readonly gaps: readonly {
              /** @description Epoch of the ledgers. Ledger numbers repeat after a network reset. */
              readonly epoch: string;
              /** @description First missing ledger. */
              readonly fromLedger: number;
              /** @description Last missing ledger. */
              readonly toLedger: number;
            }[];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List corrections.
   * @description The gateway compares its index with the ledger every five minutes and after lost ledgers. `npm run verify` compares the archive with the network. Returns what differed and was corrected, newest first, with both values.
   */
  readonly listCorrections: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only rows of this account (G…) or contract (C…). Not a muxed address (M…, W…). */
        readonly trader?: string;
        /** @description Return only corrections of this kind. */
        readonly kind?: "ended" | "changed" | "opened" | "interest" | "vault" | "event" | "epoch";
        /** @description Asset symbol, case-insensitive. */
        readonly asset?: string;
        /** @description Return only corrections made at or after this time, Unix seconds. */
        readonly from?: number;
        /** @description Return only corrections made before this time, Unix seconds. */
        readonly to?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description Return only rows of the deployment with this name. By default, rows of every deployment while it was served. */
        readonly deployment?: string;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly corrections: readonly components["schemas"]["Correction"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List open positions.
   * @description Returns open positions, newest first: up to 200 rows per page for all traders, or 500 for one trader. As of a ledger, `adlQuintile` is null.
   */
  readonly listOpenPositions: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only rows of this account (G…) or contract (C…). Not a muxed address (M…, W…). */
        readonly trader?: string;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly positions: readonly components["schemas"]["ListedPosition"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List orders.
   * @description Returns the orders of all accounts on the current market contract whose placement was reported by an event, newest first. Placement events have neither asset, direction nor size.
   */
  readonly listOrders: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only rows of this account (G…) or contract (C…). Not a muxed address (M…, W…). */
        readonly trader?: string;
        /** @description open: orders that have neither been executed nor cancelled. */
        readonly status?: "open" | "all";
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly orders: readonly components["schemas"]["PlacedOrder"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * Get an order.
   * @description Returns an order of any account from its placement to its end, with what its execution did. Placement details are read from the ledger shortly after the placement was indexed, and kept. They are null until then, and where the ledger no longer has them.
   */
  readonly getOrder: {
    readonly parameters: {
      readonly query?: {
        /** @description Name of a deployment, or of an epoch. Order ids begin at 1 in each deployment. By default, the served one. */
        readonly deployment?: string;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description On-chain order id. */
        readonly orderId: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Order"];
        };
      };
    };
  };
  /**
   * List your orders. Needs a key.
   * @description Returns the orders of your account in every state, newest first. Placement details are read from the ledger shortly after the placement was indexed, and kept. They are null until then, and where the ledger no longer has them. Orders are sorted by id, so that one that becomes known late, like a stop-limit order of generation 1, takes its place among the others. Needs the scope read.
   */
  readonly listAccountOrderHistory: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only orders in this state; with at_ledger, those that were in it then. Such a page may be short and still have a next one. */
        readonly status?: "pending" | "executed" | "cancelled";
        /** @description Asset symbol, case-insensitive. */
        readonly asset?: string;
        /** @description Name of a deployment, or of an epoch. Order ids begin at 1 in each deployment. By default, the served one. */
        readonly deployment?: string;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly orders: readonly components["schemas"]["Order"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List trader vaults.
   * @description Returns trader vaults, newest first. Totals are computed from factory events and re-read from the factory after each trade of the leader, because events do not report its outcome. totalUsdc excludes collateral in open positions, so an open position shows as a drawdown. Cached for 10 seconds: x-ledger is the ledger of the cached values, and X-Min-Ledger requests later ones. Only the first page is cached.
   */
  readonly listVaults: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only vaults of this leader (G…). Not a muxed address (M…, W…). */
        readonly leader?: string;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly vaults: readonly components["schemas"]["TraderVault"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * Get a trader vault.
   * @description Returns one trader vault. Totals are computed from factory events and re-read from the factory after each trade of the leader, because events do not report its outcome. totalUsdc excludes collateral in open positions, so an open position shows as a drawdown. Cached for 10 seconds: x-ledger is the ledger of the cached values, and X-Min-Ledger requests later ones.
   */
  readonly getVault: {
    readonly parameters: {
      readonly query?: {
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description Vault id. */
        readonly id: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["TraderVault"];
        };
      };
    };
  };
  /**
   * List trades of a vault.
   * @description Newest first. Empty if the vault does not exist.
   */
  readonly listVaultTrades: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Vault id. */
        readonly id: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly trades: readonly components["schemas"]["VaultTrade"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List the history of a vault.
   * @description Returns share price, value and deposits over time, newest first: at most one sample per five minutes. The vault is read from its factory after each trade of the leader and every five minutes. Intervals in which it could not be read are missing; their deposits count in the next sample. Empty if the vault does not exist. With at_ledger, an interval that was read again after that ledger is missing too.
   */
  readonly listVaultHistory: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Vault id. */
        readonly id: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly samples: readonly components["schemas"]["VaultSample"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List deposits into a vault.
   * @description Newest first. Empty if the vault does not exist.
   */
  readonly listVaultDeposits: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Vault id. */
        readonly id: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly deposits: readonly components["schemas"]["VaultFlow"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List withdrawals from a vault.
   * @description Newest first. Empty if the vault does not exist.
   */
  readonly listVaultWithdraws: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Vault id. */
        readonly id: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly withdraws: readonly components["schemas"]["VaultFlow"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List fee claims of a vault leader.
   * @description Newest first. Empty if the vault does not exist.
   */
  readonly listVaultFeeClaims: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Vault id. */
        readonly id: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly feeClaims: readonly components["schemas"]["VaultFlow"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * Look up a referral code.
   * @description Returns the owner of a referral code. Codes are case-sensitive. A zero byte, bytes that are not UTF-8, a byte order mark at the start, and a backslash before xHH are escaped as \xHH, the byte in hex. Anything else is unchanged: escape control and bidirectional characters when you display it. The exchange does not pay referral rewards yet: amounts are 0, and the lists of trades and claims are empty.
   */
  readonly lookupReferralCode: {
    readonly parameters: {
      readonly query: {
        /** @description Referral code of 3 to 16 characters, in the form of responses. */
        readonly code: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Referrer"];
        };
      };
    };
  };
  /**
   * Get the referral info of an address.
   * @description Returns the referral code of an address and its referrer. The address must own a code. The exchange does not pay referral rewards yet: amounts are 0, and the lists of trades and claims are empty.
   */
  readonly getReferralInfo: {
    readonly parameters: {
      readonly query: {
        /** @description Account (G…) or contract (C…). Not a muxed address (M…, W…). */
        readonly address: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            readonly self: components["schemas"]["Referrer"];
            /** @description Referrer of the address. Null if it has none. */
            readonly binding: components["schemas"]["ReferralBinding"] | (never | null);
          };
        };
      };
    };
  };
  /**
   * Get your referral info. Needs a key.
   * @description Returns your referral code and your referrer. Either can be null. The exchange does not pay referral rewards yet: amounts are 0, and the lists of trades and claims are empty. Needs the scope read.
   */
  readonly getMyReferral: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Your referral code. Null if you have none. */
            readonly self: components["schemas"]["Referrer"] | (never | null);
            /** @description Referrer of the address. Null if it has none. */
            readonly binding: components["schemas"]["ReferralBinding"] | (never | null);
          };
        };
      };
    };
  };
  /**
   * List your referral trades. Needs a key.
   * @description Returns trades that earned you a referral reward, newest first. The exchange does not pay referral rewards yet: amounts are 0, and the lists of trades and claims are empty. Needs the scope read.
   */
  readonly listMyReferralTrades: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly trades: readonly components["schemas"]["ReferralTrade"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List your referral claims. Needs a key.
   * @description Returns your claims of referral rewards, newest first. The exchange does not pay referral rewards yet: amounts are 0, and the lists of trades and claims are empty. Needs the scope read.
   */
  readonly listMyReferralClaims: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly claims: readonly components["schemas"]["ReferralClaim"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List your account events. Needs a key.
   * @description Returns the events of your account, newest first. Includes events whose payload names the account in any role, and executions and cancellations of its orders. Events of stop-limit and trailing stop orders, which emit no placement event, are added shortly after they are indexed, at their position in the log. Needs the scope read.
   */
  readonly listAccountEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only events of this topic. */
        readonly topic?: string;
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly events: readonly components["schemas"]["EventRow"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List your order events. Needs a key.
   * @description Returns your order_placed, order_executed and order_cancelled events, newest first. Includes events whose payload names the account in any role, and executions and cancellations of its orders. Events of stop-limit and trailing stop orders, which emit no placement event, are added shortly after they are indexed, at their position in the log. Needs the scope read.
   */
  readonly listAccountOrderEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly events: readonly components["schemas"]["EventRow"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List your fills. Needs a key.
   * @description Returns every change of your positions, newest first: what was opened or closed, at which price, and what it moved. Fees, funding and payouts come from the transaction: they are null until it has been read, a few seconds after its ledger, and stay null when the nodes had dropped it before. Needs the scope read.
   */
  readonly listAccountFills: {
    readonly parameters: {
      readonly query?: {
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly fills: readonly components["schemas"]["Fill"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * List your positions and position events. Needs a key.
   * @description Returns up to 500 of your open positions, newest first, and your 200 newest position_opened, position_closed and position_liquidated events. Both come from the same state of the index. With cursor, the positions continue, and the events are again the newest ones. The Link header continues the positions at /v1/positions/open, which also takes nextCursor. Needs the scope read.
   */
  readonly listAccountPositions: {
    readonly parameters: {
      readonly query?: {
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Open positions. */
            readonly positions: readonly components["schemas"]["OpenPosition"][];
            /** @description Position events. */
            readonly events: readonly components["schemas"]["EventRow"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * Get the 14-day volume of an account.
   * @description Returns the notional that an account opened and closed in the past 14 × 86,400 seconds. Liquidations do not count. The market contract, which sets fee tiers, counts the same trades by calendar day.
   */
  readonly getAccountVolume: {
    readonly parameters: {
      readonly query: {
        /** @description Account (G…) or contract (C…). Not a muxed address (M…, W…). */
        readonly address: string;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AccountVolume"];
        };
      };
    };
  };
  /**
   * List the days that can be downloaded.
   * @description Returns the UTC days that are over and indexed completely, newest first, with the file of each kind. A day of which ledgers are missing is not listed. The limit counts days.
   */
  readonly listExports: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly exports: readonly components["schemas"]["ExportEntry"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * Download one day.
   * @description Returns the rows of one UTC day by ledger close time (candles by the start of their bucket), oldest first, as gzip-compressed JSON lines. Rows are those of the lists without `deployment`; trades include opens, candles have `asset` and `interval`, rows of the cash ledger have `account`. The file never changes: it has a strong entity tag. The first request generates it; while that takes long, it returns 503 with Retry-After.
   */
  readonly downloadExport: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Kind of rows. */
        readonly kind: "events" | "trades" | "candles" | "ledger";
        /** @description UTC day. */
        readonly file: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/gzip": string;
        };
      };
    };
  };
  /**
   * Get the signed checkpoint of the log.
   * @description Every page that is indexed leaves a record in an append-only Merkle tree (RFC 6962). Returns the size and the root of the tree as a signed note (C2SP). Store it: two checkpoints that do not fit together are evidence.
   */
  readonly getCheckpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "text/plain": string;
        };
      };
    };
  };
  /**
   * Get a tile of the log.
   * @description Returns 256 hashes of a level of the tree, or 256 records (entries), in the paths and bytes of C2SP tlog-tiles: 0/x001/234, entries/000, and 0/001.p/17 for the first 17 of a tile that is not full yet. What a path returns never changes.
   */
  readonly getLogTile: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Level, number and width of the tile. */
        readonly path: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/octet-stream": string;
        };
      };
    };
  };
  /**
   * Get a record of the log.
   * @description Returns a record with the very bytes of its events, which are the leaves of the tree whose root it has. Long records have several pages. A record that a correction replaces is returned without its events.
   */
  readonly getLogRecord: {
    readonly parameters: {
      readonly query?: {
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Place in the log. */
        readonly leafIndex: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description The 169 bytes of the record. */
            readonly record: string;
            /** @description Place of the record in the log, from 0. */
            readonly leafIndex: number;
            /** @description The newest correction that replaces the record. Its events are not served any more. Null: none. */
            readonly correctedBy: number | null;
            readonly events: readonly components["schemas"]["LoggedEventBytes"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * Prove that an event is in the log.
   * @description Returns the record that an event is in, the audit path of the event in the record, and that of the record in the tree.
   */
  readonly getInclusionProof: {
    readonly parameters: {
      readonly query: {
        /** @description As in GET /v1/events. */
        readonly eventId: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["InclusionProof"];
        };
      };
    };
  };
  /**
   * Prove that the log has only grown.
   * @description Returns the proof that the tree of the first `from` records begins the tree of the first `to` records.
   */
  readonly getConsistencyProof: {
    readonly parameters: {
      readonly query: {
        /** @description Size of the earlier tree. */
        readonly from: number;
        /** @description Size of the later tree. */
        readonly to: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["ConsistencyProof"];
        };
      };
    };
  };
  /**
   * List the signing keys.
   * @description Returns the public keys that sign for this gateway, with the time of their use. During a rotation there are two.
   */
  readonly getKeyDirectory: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["KeyDirectory"];
        };
      };
    };
  };
  /**
   * Get the datafeed configuration.
   * @description Returns the capabilities of the datafeed. Part of a TradingView UDF datafeed. Set the datafeed URL of your chart to /udf.
   */
  readonly udfConfig: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["UdfConfiguration"];
        };
      };
    };
  };
  /**
   * Get the server time.
   * @description Returns the server time in Unix seconds. Part of a TradingView UDF datafeed. Set the datafeed URL of your chart to /udf.
   */
  readonly udfTime: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": number;
        };
      };
    };
  };
  /**
   * Resolve a symbol.
   * @description Returns the chart settings of a market. Part of a TradingView UDF datafeed. Set the datafeed URL of your chart to /udf.
   */
  readonly udfSymbols: {
    readonly parameters: {
      readonly query: {
        /** @description Asset symbol, case-insensitive. */
        readonly symbol: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["UdfSymbol"];
        };
      };
    };
  };
  /**
   * Search symbols.
   * @description Returns markets whose symbol or name contains the text, case-insensitive. Without a text, returns all markets.
   */
  readonly udfSearch: {
    readonly parameters: {
      readonly query?: {
        /** @description Text to search for in symbols and names. */
        readonly query?: string;
        /** @description Maximum number of results, at most 30. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": readonly components["schemas"]["UdfFound"][];
        };
      };
    };
  };
  /**
   * List bars.
   * @description Returns OHLC bars of oracle prices with the volume of trades in USDC, including the current incomplete bar, as /v1/candles does: every interval has a bar, and bars before the first native one are those of an external exchange. `to` is exclusive. With `countback`, returns that many bars before `to` and ignores `from`. Returns at most the 2000 newest bars.
   */
  readonly udfHistory: {
    readonly parameters: {
      readonly query: {
        /** @description Asset symbol, case-insensitive. */
        readonly symbol: string;
        /** @description Bar width: 1, 5, 15, 60, 240, 1D, 1W. */
        readonly resolution: string;
        /** @description Earliest bar start, Unix seconds. */
        readonly from: number;
        /** @description Bars start before this time, Unix seconds. */
        readonly to: number;
        /** @description Number of bars to return before `to`. */
        readonly countback?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["UdfHistory"];
        };
      };
    };
  };
  /**
   * Get the trading limits of a market.
   * @description Returns leverage, size and slippage limits, fee tiers, and open interest caps with the remaining headroom. Read from the network and cached for 3 seconds. Values that could not be read are null.
   */
  readonly getMarketLimits: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Asset symbol, case-insensitive. */
        readonly asset: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["MarketLimits"];
        };
      };
    };
  };
  /**
   * List instruments.
   * @description Returns what a program needs to know about each market before it trades: steps, limits, margins, fees and order types. Read from the present settings of the contracts and cached for 3 seconds. Values that could not be read are null.
   */
  readonly listInstruments: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly instruments: readonly components["schemas"]["Instrument"][];
          };
        };
      };
    };
  };
  /**
   * Get an instrument.
   * @description Returns what a program needs to know about a market before it trades. Read from the present settings of the contracts and cached for 3 seconds. Values that could not be read are null.
   */
  readonly getInstrument: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Asset symbol, case-insensitive. */
        readonly asset: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Instrument"];
        };
      };
    };
  };
  /**
   * Get the order book of a market.
   * @description Returns one level on each side around the oracle price, made from the quote of the smallest open; the size is the room on that side. Trades are made against the pool, so there is no real book. This one is for programs that need one.
   */
  readonly getBook: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Asset symbol, case-insensitive. */
        readonly asset: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Book"];
        };
      };
    };
  };
  /**
   * Get a quote for an open.
   * @description Returns what opening a position would do: the preview that POST /v1/orders/prepare returns, and the headroom. All figures are of one ledger and cached for one second. With trader, the quote applies the volume tier, the referral discount, the open positions and the cross margin pool of that account. The quote does not check whether the account has the collateral or the free margin, nor the limits of GET /v1/markets/{asset}/limits.
   */
  readonly getQuote: {
    readonly parameters: {
      readonly query: {
        /** @description Direction of the position. */
        readonly direction: "Long" | "Short";
        /** @description Collateral in USDC, 7-decimal. */
        readonly collateral: string;
        /** @description Position size divided by collateral. */
        readonly leverage: number;
        /** @description Account (G…) or contract (C…) that would open the position. Not a muxed address (M…, W…). */
        readonly trader?: string;
        /** @description isolated (default): as open_position; cross: as open_position_cross. From generation 2 on, an open first closes the positions of its mode in the other direction. */
        readonly marginMode?: "isolated" | "cross";
      };
      readonly header?: never;
      readonly path: {
        /** @description Asset symbol, case-insensitive. */
        readonly asset: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["TradeQuote"];
        };
      };
    };
  };
  /**
   * Get the liquidity vault.
   * @description Returns the state of the liquidity vault and the remaining headroom for new positions. Read from one ledger and cached for 3 seconds. Caps are cached for five minutes. Values that could not be read are null.
   */
  readonly getPool: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["PoolState"];
        };
      };
    };
  };
  /**
   * List liquidity vault history.
   * @description Returns one sample per five minutes, newest first: share price (`lpPrice`), value (`aum`) and deposits. Intervals in which the vault could not be read are missing; their deposits count in the next sample. With at_ledger, samples that were read before that ledger closed.
   */
  readonly listPoolHistory: {
    readonly parameters: {
      readonly query?: {
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly samples: readonly components["schemas"]["PoolSample"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * Get current and past funding.
   * @description On contracts of generation 1 all assets share one funding rate, on generation 2 each asset has its own. `current` is read from the network and cached for 3 seconds. It is null if the network is unavailable. `history` lists every application of funding, newest first. With `asset`, both have only funding of that asset, including funding that all assets share; nothing if the exchange has never had it.
   */
  readonly getFunding: {
    readonly parameters: {
      readonly query?: {
        /** @description Asset symbol, case-insensitive. */
        readonly asset?: string;
        /** @description Return only rows older than this time, Unix seconds. */
        readonly before_ts?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Current funding. */
            readonly current: components["schemas"]["CurrentFunding"] | (never | null);
            /** @description Applied funding, newest first. */
            readonly history: readonly components["schemas"]["FundingRow"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * Get the auto-deleveraging queue.
   * @description Returns the profitable positions of an asset in the order in which auto-deleveraging closes them. Computed from the ledger and the current price, and cached for 30 seconds. The order is advisory: the contract does not enforce it.
   */
  readonly getAdlQueue: {
    readonly parameters: {
      readonly query: {
        /** @description Asset symbol, case-insensitive. */
        readonly asset: string;
        /** @description Return only rows of this account (G…) or contract (C…). Not a muxed address (M…, W…). */
        readonly trader?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AdlQueue"];
        };
      };
    };
  };
  /**
   * Get the profit that the pool owes an account.
   * @description Returns what the pool could not pay when the account closed positions with a profit. Read from the contract and cached for 5 seconds.
   */
  readonly getShortfall: {
    readonly parameters: {
      readonly query: {
        /** @description Account (G…) or contract (C…). Not a muxed address (M…, W…). */
        readonly address: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Shortfall"];
        };
      };
    };
  };
  /**
   * Check early access.
   * @description Returns whether key creation is limited to allow-listed addresses, and whether the given address can create a key.
   */
  readonly getBetaStatus: {
    readonly parameters: {
      readonly query?: {
        /** @description Account (G…) that will own the key. Not a muxed address (M…, W…). */
        readonly address?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["BetaStatus"];
        };
      };
    };
  };
  /**
   * Request a key challenge.
   * @description Returns a challenge to sign with the wallet. Replaces the pending challenge that you requested for the address; requests from other client addresses do not affect yours. A challenge expires after five minutes or one attempt. With restrictions, the key will be less than its owner: the challenge is bound to them. Caps bind what passes this gateway. Who holds the secret of the wallet needs no gateway.
   */
  readonly requestKeyChallenge: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": {
          /** @description Account (G…) that will own the key. Not a muxed address (M…, W…). */
          readonly address: string;
          /** @description What the key is limited to. The challenge is valid for a key with exactly these. Absent or null: a key as much as its owner, without lend. */
          readonly restrictions?: {
            /** @description What the key may do. read: the account's own data, by REST and stream. trade: prepare of every trade. close: prepare of what only reduces. vaults: deposits and withdrawals of pool and vaults, leaders' operations, and transfers of USDC. referral: codes and claims. keys: listing, revoking and rotating keys of the owner. lend: creating keys from this one. */
            readonly scopes?: readonly ("read" | "trade" | "close" | "vaults" | "referral" | "keys" | "lend")[] | null;
            /** @description Time from which on the key is rejected with key_expired, Unix milliseconds. */
            readonly expiresAt?: number | null;
            /** @description Networks that the key may be used from, IPv4 and IPv6. */
            readonly cidrs?: readonly string[] | null;
            /** @description Bounds of opens and entry orders. What a key lent by this one uses counts for this one too. */
            readonly caps?: {
              /** @description Assets in which the key may open positions and place entry orders. */
              readonly assets?: readonly string[] | null;
              /** @description Highest leverage of an open or entry order. */
              readonly maxLeverage?: number | null;
              /**
               * Format: i128
               * @description Notional of all opens and entry orders of a UTC day, collateral times leverage, 7-decimal USDC.
               */
              readonly maxNotionalPerDay?: string | null;
              /** @description Number of opens and entry orders of a UTC day. */
              readonly maxOrdersPerDay?: number | null;
            } | null;
          } | null;
        };
      };
    };
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["KeyChallenge"];
        };
      };
    };
  };
  /**
   * List your keys. Needs a key.
   * @description Returns the keys of the owner of the calling key, newest first, including revoked keys. Secrets are never returned. Needs the scope keys.
   */
  readonly listKeys: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly keys: readonly components["schemas"]["ApiKey"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
  /**
   * Create a key.
   * @description Creates an API key for the owner of a signed challenge. Build a transaction with any source account, sequence 0, fee 0, no time bounds, and as first operation manage-data with the 32 bytes of the challenge as its value. Sign it with the wallet for this network and send the envelope as base64 XDR. The transaction is never submitted. The secret is returned only once. The key has the restrictions that the challenge was requested with.
   */
  readonly issueKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": {
          /** @description Account (G…) that will own the key. Not a muxed address (M…, W…). */
          readonly address: string;
          /** @description Signed challengeHex. */
          readonly challenge: string;
          /** @description Complete signed transaction envelope, base64 XDR. Not a detached signature. */
          readonly signature: string;
          /** @description Label of the key. Null is the same as none. */
          readonly label?: string | null;
        };
      };
    };
    readonly responses: {
      readonly 201: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["IssuedKey"];
        };
      };
    };
  };
  /**
   * Revoke all other keys. Needs a key.
   * @description Revokes all keys of the owner but the presented one. A key that was lent revokes only the keys that it lent. Needs the scope keys.
   */
  readonly revokeOtherKeys: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Number of keys that were revoked. */
            readonly revoked: number;
          };
        };
      };
    };
  };
  /**
   * Revoke a key. Needs a key.
   * @description Revokes a key and all keys that it lent immediately. A key can revoke any key of the same owner, including itself; a key that was lent can revoke itself and the keys that it lent. Needs the scope keys.
   */
  readonly revokeKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Id of the key to revoke. */
        readonly keyId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            readonly revoked: true;
          };
        };
      };
    };
  };
  /**
   * Get the presented key. Needs a key.
   * @description Returns the key of the request: what it may do, what it has used of its caps today, and its rate limits. Does not count against them. Needs no scope.
   */
  readonly getCurrentKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["CurrentKey"];
        };
      };
    };
  };
  /**
   * Lend a key. Needs a key.
   * @description Creates a key from the presented one, without a wallet. What is absent or null is inherited. The new key is a subset in every respect: it ends with the key that lent it, and what it uses of its caps counts for that key too. The secret is returned only once. Needs the scope lend.
   */
  readonly lendKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Id of the presented key. */
        readonly keyId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": {
          /** @description Label of the key. Null is the same as none. */
          readonly label?: string | null;
          /** @description What the key may do. read: the account's own data, by REST and stream. trade: prepare of every trade. close: prepare of what only reduces. vaults: deposits and withdrawals of pool and vaults, leaders' operations, and transfers of USDC. referral: codes and claims. keys: listing, revoking and rotating keys of the owner. lend: creating keys from this one. */
          readonly scopes?: readonly ("read" | "trade" | "close" | "vaults" | "referral" | "keys" | "lend")[] | null;
          /** @description Time from which on the key is rejected with key_expired, Unix milliseconds. */
          readonly expiresAt?: number | null;
          /** @description Networks that the key may be used from, IPv4 and IPv6. */
          readonly cidrs?: readonly string[] | null;
          /** @description Bounds of opens and entry orders. What a key lent by this one uses counts for this one too. */
          readonly caps?: {
            /** @description Assets in which the key may open positions and place entry orders. */
            readonly assets?: readonly string[] | null;
            /** @description Highest leverage of an open or entry order. */
            readonly maxLeverage?: number | null;
            /**
             * Format: i128
             * @description Notional of all opens and entry orders of a UTC day, collateral times leverage, 7-decimal USDC.
             */
            readonly maxNotionalPerDay?: string | null;
            /** @description Number of opens and entry orders of a UTC day. */
            readonly maxOrdersPerDay?: number | null;
          } | null;
        };
      };
    };
    readonly responses: {
      readonly 201: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["IssuedKey"];
        };
      };
    };
  };
  /**
   * Rotate a key. Needs a key.
   * @description Gives a key a new secret, which is returned only once. The secret before works for overlapSec more. A WebSocket that used it gets a message of type key_expiring, and its private subscriptions end with the secret. A key that was lent can rotate itself and the keys that it lent. Needs no scope for the presented key, and otherwise the scope keys.
   */
  readonly rotateKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Id of the key to rotate. */
        readonly keyId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": {
          /** @description Seconds for which the secret before still works. */
          readonly overlapSec: number;
        };
      };
    };
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["RotatedKey"];
        };
      };
    };
  };
  /**
   * Get the identity of your key. Needs a key.
   * @description Returns the key of the request and its owner. Served from memory, so it is a cheap way to test a key. Needs the scope read.
   */
  readonly getAccountIdentity: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AccountIdentity"];
        };
      };
    };
  };
  /**
   * Get your rate limits. Needs a key.
   * @description Returns every rate limit that requests with this key from this client address count in, and what is left in the current clock minute. Does not count itself. A request must fit into all buckets that apply to it. Trading has its own bucket, so a client that has used up its reads can still cancel. Needs the scope read.
   */
  readonly getAccountLimits: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AccountLimits"];
        };
      };
    };
  };
  /**
   * List your open orders. Needs a key.
   * @description Returns all pending orders, newest first, including stop-limit and trailing stop orders. Read from the ledger and cached for one second. The body contains the ledger. Needs the scope read.
   */
  readonly listAccountOpenOrders: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["OpenOrders"];
        };
      };
    };
  };
  /**
   * Get your account state. Needs a key.
   * @description Returns positions with unrealised profit, funding and liquidation price, open orders, balances, cross margin, fee tier and limits. All values come from one ledger and are cached for one second. Values that could not be read are null, and `unknown` lists the reasons. Needs the scope read.
   */
  readonly getAccountState: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AccountState"];
        };
      };
    };
  };
  /**
   * Get your shares in the pool and in vaults. Needs a key.
   * @description Returns your shares in the given trader vaults, what those vaults are worth with their open positions, and when you can withdraw from the liquidity pool. Read from the ledger. Needs the scope read.
   */
  readonly getAccountHoldings: {
    readonly parameters: {
      readonly query?: {
        /** @description Vault ids, separated by commas, at most 20. None by default. */
        readonly vaults?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["AccountHoldings"];
        };
      };
    };
  };
  /**
   * Prepare an order transaction. Needs a key.
   * @description Builds and simulates a transaction for the owner of the key and returns it unsigned. Sign it unchanged and send it to POST /v1/tx/submit. It uses the next sequence number of the account and is valid for 300 seconds. If the simulation fails, the response is 400 simulation_failed with the contract error. Needs the scope trade or close or vaults or referral.
   */
  readonly prepareOrder: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["open_position"] | components["schemas"]["open_position_cross"] | components["schemas"]["close_position"] | components["schemas"]["close_position_cross"] | components["schemas"]["place_limit_order"] | components["schemas"]["place_stop_limit_order"] | components["schemas"]["place_trailing_stop"] | components["schemas"]["set_stop_loss"] | components["schemas"]["set_take_profit"] | components["schemas"]["cancel_order"];
      };
    };
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["PreparedTransaction"];
        };
      };
    };
  };
  /**
   * Prepare an account action. Needs a key.
   * @description Builds and simulates a transaction for cross margin, the liquidity vault, trader vaults or referral, and returns it unsigned, as POST /v1/orders/prepare does for orders. Sign it and send it to POST /v1/tx/submit. Needs the scope trade or close or vaults or referral.
   */
  readonly prepareAction: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": components["schemas"]["close_position_partial"] | components["schemas"]["add_collateral"] | components["schemas"]["remove_collateral"] | components["schemas"]["deposit_cross_margin"] | components["schemas"]["withdraw_cross_margin"] | components["schemas"]["deposit_liquidity"] | components["schemas"]["approve_liquidity_withdrawal"] | components["schemas"]["withdraw_liquidity"] | components["schemas"]["claim_shortfall"] | components["schemas"]["create_vault"] | components["schemas"]["deposit_vault"] | components["schemas"]["withdraw_vault"] | components["schemas"]["leader_open_position"] | components["schemas"]["leader_close_position"] | components["schemas"]["leader_place_limit_order"] | components["schemas"]["leader_place_stop_limit"] | components["schemas"]["leader_set_stop_loss"] | components["schemas"]["leader_set_take_profit"] | components["schemas"]["leader_place_trailing_stop"] | components["schemas"]["leader_cancel_order"] | components["schemas"]["claim_leader_fees"] | components["schemas"]["set_vault_paused"] | components["schemas"]["create_referral_code"] | components["schemas"]["set_referrer"] | components["schemas"]["claim_referral"] | components["schemas"]["transfer_usdc"];
      };
    };
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["PreparedTransaction"];
        };
      };
    };
  };
  /**
   * Submit a signed transaction. Needs a key.
   * @description Submits the envelope unchanged and polls for the result every second, for up to pollTimeoutMs. Submitting the same signedXdr again is safe at any time and returns the current result of that transaction. Do so after PENDING, 502 and 503 instead of preparing a new transaction. A 502 with a hash means that the outcome is unknown. The submission is stored before it is sent, and continued without a waiting client and across restarts: GET /v1/tx/{hash} returns its state at any time. A key with scopes or caps submits only what it could have had prepared. Needs the scope trade or close or vaults or referral.
   */
  readonly submitTransaction: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly "application/json": {
          /** @description Signed transaction envelope, base64 XDR. Fee-bump transactions are supported. */
          readonly signedXdr: string;
          /**
           * @description Maximum time to wait for the final result, milliseconds.
           * @default 30000
           */
          readonly pollTimeoutMs?: number;
          /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. By default the id of the preparation. */
          readonly clientId?: string;
        };
      };
    };
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["SubmitResult"];
        };
      };
    };
  };
  /**
   * Get a transaction. Needs a key.
   * @description Returns what is known of a transaction: what the gateway stored of it, its events, and what the network has. The client id and the operation of a submission are returned to its owner only. Transactions that were submitted elsewhere are looked up in the index and on the network. Needs the scope trade or close or vaults or referral.
   */
  readonly getTransaction: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Transaction hash, 64 hex digits. */
        readonly hash: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Transaction"];
        };
      };
    };
  };
  /**
   * Get a transaction by its client id. Needs a key.
   * @description Returns the newest of your transactions with this client id: a submitted one, otherwise a prepared one. Needs the scope trade or close or vaults or referral.
   */
  readonly findTransaction: {
    readonly parameters: {
      readonly query: {
        /** @description Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours. */
        readonly clientId: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": components["schemas"]["Transaction"];
        };
      };
    };
  };
  /**
   * List your transactions. Needs a key.
   * @description Returns the transactions that were submitted with your keys, newest first. Of those that no node accepted, the newest hundred are listed, for a day. Needs the scope trade or close or vaults or referral.
   */
  readonly listAccountTransactions: {
    readonly parameters: {
      readonly query?: {
        /** @description Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch. */
        readonly at_ledger?: number;
        /** @description Maximum number of rows per page. */
        readonly limit?: number;
        /** @description The nextCursor of the previous page, opaque. Continues exactly after its last row. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly "application/json": {
            /** @description Rows of this page. */
            readonly transactions: readonly components["schemas"]["Transaction"][];
            /** @description Whether rows follow this page. */
            readonly hasMore: boolean;
            /** @description Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page. */
            readonly nextCursor: string | null;
          };
        };
      };
    };
  };
}
