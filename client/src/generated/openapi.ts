// Generated from docs/openapi.json. Do not edit: test/client/types.test.ts says how to regenerate it.
export interface components {
  schemas: {
    /** @description An oracle price, as the exchange's price shim answers it */
    readonly Price: {
      /** @description Asset symbol */
      readonly asset: string;
      /** @description Price in US dollars, 7-decimal fixed point */
      readonly price: string;
      /** @description The same price as a float */
      readonly priceFloat: number;
      /** @description Attestation time of the price that is stored on chain, unix seconds; not the time of the request */
      readonly timestamp: number;
    };
    /** @description An asset that can be traded, with its oracle price */
    readonly Market: {
      readonly asset: {
        /** @description Asset symbol */
        readonly symbol: string;
        /** @description Display name */
        readonly name: string;
        /** @description Display metadata only; prices stay 7-decimal */
        readonly decimals: number;
      };
      readonly oracle: components["schemas"]["Price"];
    };
    /** @description Open interest and volume of one asset */
    readonly MarketStats: {
      /** @description Asset symbol */
      readonly asset: string;
      /** @description Open notional of the long side, 7-decimal USDC */
      readonly openInterestLong: string;
      /** @description Open notional of the short side, 7-decimal USDC */
      readonly openInterestShort: string;
      /** @description Long minus short; may be negative */
      readonly openInterestNet: string;
      /** @description Open positions */
      readonly openPositions: number;
      /** @description Notional of the trailing 24 hours: opened sizes plus realised close and liquidation notional */
      readonly volume24h: string;
    };
    /** @description A position that was opened and neither closed nor liquidated since */
    readonly OpenPosition: {
      /** @description On-chain position id */
      readonly positionId: number;
      /** @description Owner: an account (G…) or a contract (C…); trader vaults trade as contracts */
      readonly trader: string;
      /** @description Asset symbol */
      readonly asset: string;
      /** @description 0 long, 1 short */
      readonly direction: number;
      /** @description Notional, 7-decimal USDC */
      readonly size: string;
      /** @description 7-decimal */
      readonly entryPrice: string;
      /** @description Close time of the opening ledger, unix seconds */
      readonly openedAt: number;
      /** @description The opening transaction; null when its event was lost and the position was read off the ledger */
      readonly openedTxHash: string | null;
    };
    /** @description A closed or liquidated position */
    readonly RealizedTrade: {
      /** @description On-chain position id */
      readonly positionId: number;
      /** @description Owner of the position */
      readonly trader: string;
      /**
       * @description How the position ended
       * @enum {string}
       */
      readonly kind: "close" | "liquidation";
      /** @description Ledger of the realising event */
      readonly ledger: number;
      /** @description Close time of that ledger, unix seconds */
      readonly ts: number;
      /** @description The realising transaction */
      readonly txHash: string;
      /** @description Asset symbol, from the opening leg; null when the open predates the index */
      readonly asset: string | null;
      /** @description 0 long, 1 short, from the opening leg; null when the open predates the index */
      readonly direction: number | null;
      /** @description Notional, 7-decimal USDC, from the opening leg; null when the open predates the index */
      readonly size: string | null;
      /** @description 7-decimal, from the opening leg; null when the open predates the index */
      readonly entryPrice: string | null;
      /** @description 7-decimal */
      readonly closePrice: string;
      /** @description Realised profit or loss, 7-decimal USDC; always null for liquidations */
      readonly pnl: string | null;
    };
    /** @description Prices of one time bucket. There is no volume. */
    readonly Candle: {
      /** @description Start of the bucket, unix seconds; weeks start on Monday 00:00 UTC */
      readonly time: number;
      /** @description First price of the bucket */
      readonly open: number;
      /** @description Highest price */
      readonly high: number;
      /** @description Lowest price */
      readonly low: number;
      /** @description Latest price; moves while the bucket is still forming */
      readonly close: number;
    };
    /** @description One trader's lifetime results */
    readonly LeaderboardEntry: {
      /** @description An account (G…) or a contract (C…) */
      readonly trader: string;
      /** @description Lifetime realised profit or loss: the sum over closes, 7-decimal USDC */
      readonly pnl: string;
      /** @description Lifetime traded notional: opens plus matched closes, liquidations excluded, 7-decimal USDC */
      readonly volume: string;
    };
    /** @description A contract event from the archive */
    readonly EventRow: {
      /** @description Unique id; rows are ordered by ledger, then event id, descending */
      readonly eventId: string;
      /** @description The emitting contract; may belong to an earlier deployment */
      readonly contractId: string;
      /** @description Event topic; empty for an event without one */
      readonly topic: string;
      /** @description Ledger sequence */
      readonly ledger: number;
      /** @description Close time of the ledger, unix seconds */
      readonly ledgerCloseTs: number;
      /** @description The emitting transaction */
      readonly txHash: string;
      /** @description Decoded event body; its keys vary by topic. An event of unknown shape keeps its raw form. */
      readonly payload?: unknown;
      /** @description When the indexer wrote the row, milliseconds */
      readonly insertedAt?: number;
    };
    /** @description The state of the gateway */
    readonly Health: {
      /** @enum {string} */
      readonly status: "ok";
      /** @description Seconds since the process started */
      readonly uptime: number;
      /** @description Version of the gateway */
      readonly version: string;
      /** @description The network that the contracts live on */
      readonly network: string;
      /** @description The contracts of the deployment; read them here rather than writing them down */
      readonly contracts: {
        readonly market: {
          /** @description Contract address */
          readonly address: string;
          /**
           * @description manifest: the deployment's own list; env: an override in the gateway's environment
           * @enum {string}
           */
          readonly source: "manifest" | "env";
        };
        readonly vault: {
          /** @description Contract address */
          readonly address: string;
          /**
           * @description manifest: the deployment's own list; env: an override in the gateway's environment
           * @enum {string}
           */
          readonly source: "manifest" | "env";
        };
        readonly oracleShim: {
          /** @description Contract address */
          readonly address: string;
          /**
           * @description manifest: the deployment's own list; env: an override in the gateway's environment
           * @enum {string}
           */
          readonly source: "manifest" | "env";
        };
        readonly router: {
          /** @description Contract address */
          readonly address: string;
          /**
           * @description manifest: the deployment's own list; env: an override in the gateway's environment
           * @enum {string}
           */
          readonly source: "manifest" | "env";
        };
        readonly usdcToken: {
          /** @description Contract address */
          readonly address: string;
          /**
           * @description manifest: the deployment's own list; env: an override in the gateway's environment
           * @enum {string}
           */
          readonly source: "manifest" | "env";
        };
        readonly lpToken: {
          /** @description Contract address */
          readonly address: string;
          /**
           * @description manifest: the deployment's own list; env: an override in the gateway's environment
           * @enum {string}
           */
          readonly source: "manifest" | "env";
        };
        readonly vaultFactory: {
          /** @description Contract address */
          readonly address: string;
          /**
           * @description manifest: the deployment's own list; env: an override in the gateway's environment
           * @enum {string}
           */
          readonly source: "manifest" | "env";
        };
        readonly referral: {
          /** @description Contract address */
          readonly address: string;
          /**
           * @description manifest: the deployment's own list; env: an override in the gateway's environment
           * @enum {string}
           */
          readonly source: "manifest" | "env";
        };
      };
      /** @description How far the index is; every field is null while nothing is indexed */
      readonly indexer: {
        /** @description The last ledger that was scanned, with or without events */
        readonly lastLedger: number | null;
        /** @description When the index moved last, milliseconds */
        readonly lastUpdatedAt: number | null;
        /** @description Age of the last scanned ledger, whether the chain is busy or quiet */
        readonly ledgerAgeSeconds: number | null;
        /** @description Archived events whose topic or shape is not known; anything but 0 deserves a look */
        readonly unknownEvents: number | null;
        /** @description How many events of each topic are archived since the network began; unknown: could not be decoded */
        readonly archived: {
          readonly [key: string]: number;
        } | null;
        /** @description Stretches of history that the RPC had dropped before they were read, filled ones included */
        readonly gaps: number | null;
        /** @description The newest of them, at most twenty */
        readonly gapRanges: readonly {
          /** @description The epoch that the ledgers belong to: ledgers repeat after a reset of the network */
          readonly epoch: string;
          /** @description The first of them */
          readonly fromLedger: number;
          /** @description The last of them */
          readonly toLedger: number;
          /** @description When it was noticed, milliseconds */
          readonly since: number;
          /**
           * @description open: missing; filled: read from elsewhere since, and in every list; unfillable: missing, and no source that was asked has these ledgers
           * @enum {string}
           */
          readonly state: "open" | "filled" | "unfillable";
        }[] | null;
        /** @description How many more ledgers the RPC may drop before one is lost, as of the last poll; null while it has dropped none */
        readonly ledgersUntilLost: number | null;
        /** @description How often a vault's figures were not what its events add up to, and were corrected */
        readonly vaultCorrections: number | null;
        /** @description How often a position or the open interest was not what the ledger says, and was corrected */
        readonly corrections: number | null;
        /** @description Whether the market is on the ledger at its address; false after a reset of the network, until the new addresses are known here */
        readonly marketFound: boolean | null;
        /** @description The last comparison with the ledger's entries; null before the first */
        readonly compared: {
          /** @description The ledger that the index was compared at */
          readonly ledger: number;
          /** @description When, milliseconds */
          readonly comparedAt: number;
          /** @description Positions that the market has opened since the first that the index knows */
          readonly positions: number;
          /** @description How many of these no archived event tells of: anything but 0 is lost history */
          readonly positionsMissing: number;
          /** @description Orders since the first placement that the index knows; null: could not be counted */
          readonly orders: number | null;
          /** @description How many of these are not pending and no archived event names: anything but 0 is lost history */
          readonly ordersMissing: number | null;
          /** @description Trader vaults since the first that the index knows; null: could not be counted */
          readonly vaults: number | null;
          /** @description How many of these no archived event tells of: anything but 0 is lost history */
          readonly vaultsMissing: number | null;
          /** @description USDC of the trader vaults' factory on the ledger, 7-decimal; null when it has no entry */
          readonly factoryBalance: string | null;
          /** @description What its vaults add up to there; null while they change. A leader's trade makes the two differ by design */
          readonly vaultsTotal: string | null;
        } | null;
      };
      /** @description Where requests are counted */
      readonly rateLimits: {
        /**
         * @description process: this instance counts alone; shared: all instances count together; fallback: alone, because what they share does not answer
         * @enum {string}
         */
        readonly counting: "process" | "shared" | "fallback";
      };
    };
    /** @description The process answers */
    readonly Alive: {
      /** @enum {string} */
      readonly status: "alive";
    };
    /** @description Requests may be sent here */
    readonly Ready: {
      /** @enum {string} */
      readonly status: "ready";
    };
    /** @description A key as its owner sees it; the secret is never told again */
    readonly ApiKey: {
      /** @description Names the key; no secret */
      readonly keyId: string;
      /** @description The account that the key was issued to */
      readonly owner: string;
      /**
       * @description The allowance that calls with the key are counted against; always standard at issuance
       * @enum {string}
       */
      readonly tier: "standard" | "market_maker";
      /** @description What the owner calls it; at most 64 characters */
      readonly label: string | null;
      /** @description When the key was issued, milliseconds */
      readonly createdAt: number;
      /** @description The last successful authentication, milliseconds */
      readonly lastUsedAt: number | null;
      /** @description Since when it is refused, milliseconds; null while it is active */
      readonly revokedAt: number | null;
    };
    /** @description A new key with its secret */
    readonly IssuedKey: {
      /** @description Names the key; no secret */
      readonly keyId: string;
      /** @description 64 hex characters. Shown this once: keep it, nobody can tell it again */
      readonly secret: string;
      /**
       * @description The allowance that calls with the key are counted against; always standard at issuance
       * @enum {string}
       */
      readonly tier: "standard" | "market_maker";
      /** @description The account that the key was issued to */
      readonly owner: string;
      /** @description When the key was issued, milliseconds */
      readonly createdAt: number;
    };
    /** @description What is to be signed to be issued a key */
    readonly KeyChallenge: {
      /** @description 32 random bytes as 64 hex characters */
      readonly challengeHex: string;
      /** @description From then on the challenge is void, milliseconds */
      readonly expiresAt: number;
    };
    /** @description Who may be issued a key */
    readonly BetaStatus: {
      /** @description True when issuance is limited to listed addresses */
      readonly gated: boolean;
      /** @description True when the address may be issued a key; false without an address while the gate is on */
      readonly allowed: boolean;
    };
    /** @description Who the caller is */
    readonly AccountIdentity: {
      /** @description The account that issued the key */
      readonly owner: string;
      /**
       * @description The allowance that calls with the key are counted against; always standard at issuance
       * @enum {string}
       */
      readonly tier: "standard" | "market_maker";
      /** @description Names the key; no secret */
      readonly keyId: string;
    };
    /** @description What an account has traded in fourteen days */
    readonly AccountVolume: {
      /** @description The account (G…) or contract (C…) that was asked for */
      readonly address: string;
      /** @description Traded notional of the last 14 x 86,400 seconds, 7-decimal USDC: opens and matched closes, no liquidations */
      readonly volume14d: string;
    };
    /** @description A resting order */
    readonly OpenOrder: {
      /** @description On-chain order id */
      readonly orderId: number;
      /** @description Who placed it */
      readonly trader: string;
      /**
       * @description The first two open a position, the others close the one they hang on
       * @enum {string}
       */
      readonly orderType: "limit" | "stop_limit" | "stop_loss" | "take_profit" | "trailing_stop";
      /** @description Asset symbol */
      readonly asset: string;
      /** @description 0 long, 1 short: of the position that it opens or closes */
      readonly direction: number;
      /** @description The position that it hangs on; null for an order that opens one */
      readonly positionId: number | null;
      /** @description Waits in the market until the order ends, 7-decimal USDC; null for an order that hangs on a position */
      readonly collateral: string | null;
      /** @description Of the position */
      readonly leverage: number;
      /** @description Collateral times leverage, 7-decimal USDC; null for an order that hangs on a position */
      readonly size: string | null;
      /** @description 7-decimal; null for a trailing stop */
      readonly triggerPrice: string | null;
      /**
       * @description The side of its price at which it triggers
       * @enum {string}
       */
      readonly triggerCondition: "Above" | "Below";
      /** @description 7-decimal; null where the order has none */
      readonly limitPrice: string | null;
      /** @description waiting_for_stop or limit_active; null for other types */
      readonly stopLimitPhase: string | null;
      /** @description Null for other types */
      readonly trailingPercentBps: number | null;
      /** @description The best price since the trailing stop was placed, 7-decimal; null for other types */
      readonly peakPrice: string | null;
      /** @description What the price is compared with next: trigger, limit, or what the trail has come to; null when that is not known */
      readonly referencePrice: string | null;
      /** @description Further from the reference price than this, the order is cancelled */
      readonly slippageToleranceBps: number;
      /**
       * @description As it was placed
       * @enum {string}
       */
      readonly timeInForce: "gtc" | "ioc" | "post_only";
      /** @description Closes an opposite position and opens none */
      readonly reduceOnly: boolean;
      /** @description Close time of the ledger that it was placed in, unix seconds */
      readonly createdAt: number;
    };
    /** @description An account's resting orders, newest first */
    readonly OpenOrders: {
      readonly orders: readonly components["schemas"]["OpenOrder"][];
      /** @description The ledger that the orders were read from */
      readonly ledger: number;
      /** @description When it closed, unix seconds; null when the network did not tell */
      readonly ledgerCloseTs: number | null;
    };
    /** @description What an account has and is worth at one ledger */
    readonly AccountState: {
      /** @description The account */
      readonly owner: string;
      /** @description The ledger that everything was read from */
      readonly ledger: number;
      /** @description When it closed, unix seconds */
      readonly ledgerCloseTs: number | null;
      /** @description Open positions, newest first; null when they could not be read whole */
      readonly positions: readonly {
        /** @description On-chain position id */
        readonly positionId: number;
        /** @description Asset symbol */
        readonly asset: string;
        /** @description 0 long, 1 short */
        readonly direction: number;
        /**
         * @description Whose collateral is at risk: the position's own, or the whole cross account
         * @enum {string}
         */
        readonly marginMode: "isolated" | "cross";
        /** @description Notional, 7-decimal USDC */
        readonly size: string;
        /** @description Net of the fee for opening, 7-decimal USDC */
        readonly collateral: string;
        readonly leverage: number;
        /** @description 7-decimal */
        readonly entryPrice: string;
        /** @description Close time of the opening ledger, unix seconds */
        readonly openedAt: number;
        /** @description What the shim says at this ledger, 7-decimal */
        readonly price: string | null;
        /** @description When that price was attested, unix seconds */
        readonly priceTimestamp: number | null;
        /** @description By price alone, as position_closed would state it, 7-decimal USDC */
        readonly unrealizedPnl: string | null;
        /** @description Run up since the open: positive is owed by the trader, 7-decimal USDC */
        readonly accruedFunding: string | null;
        /** @description What closing at this price would bring, to the wallet or to the cross pool, if the vault can pay profits whole */
        readonly closeValue: string | null;
        /** @description The first price at which a keeper may liquidate, funding and fees counted; null under cross margin */
        readonly liquidationPrice: string | null;
      }[] | null;
      /** @description Resting orders, newest first; null when they could not be read whole */
      readonly orders: readonly components["schemas"]["OpenOrder"][] | null;
      readonly balances: {
        /** @description 7-decimal */
        readonly usdc: string | null;
        /** @description Tokens of the liquidity vault, 7-decimal */
        readonly lp: string | null;
        /** @description For the network's fees, 7-decimal */
        readonly xlm: string | null;
      };
      readonly cross: {
        /** @description Idle collateral, 7-decimal USDC */
        readonly pool: string | null;
        /** @description Pool, collateral and PnL of every cross position, less funding */
        readonly equity: string | null;
        /** @description Size over leverage, of every cross position */
        readonly usedMargin: string | null;
        /** @description Below this equity the account can be liquidated */
        readonly maintenanceMargin: string | null;
        /** @description Equity less used margin; may be negative */
        readonly freeMargin: string | null;
        /** @description What withdraw_cross_margin would pay now */
        readonly withdrawable: string | null;
        /** @description A keeper may liquidate the account now */
        readonly liquidatable: boolean | null;
      };
      readonly fees: {
        /** @description The market's own record that tiers go by, 7-decimal USDC */
        readonly volume: string | null;
        /** @description Place in the market's list of tiers, from 0 */
        readonly tier: number | null;
        /** @description Share of the size of an executed limit order, 7-decimal: 2000 is 0.02 % */
        readonly makerRate: string | null;
        /** @description Share of the size of an open at once */
        readonly takerRate: string | null;
        /** @description Where the next tier begins; null at the last */
        readonly nextTierVolume: string | null;
      };
      readonly limits: {
        /** @description 7-decimal USDC */
        readonly minCollateral: string | null;
        /** @description 7-decimal USDC */
        readonly maxPositionSize: string | null;
        /** @description The least is 1 */
        readonly maxLeverage: number | null;
        /** @description Opening needs a price that is no older */
        readonly maxPriceAgeSec: number | null;
        /** @description Opening needs a price no further from the last good one */
        readonly maxPriceDeviationBps: number | null;
        /** @description Only cancelling and liquidating go on */
        readonly tradingPaused: boolean | null;
      };
      /** @description Why figures are null. What hangs on one of these is null as well */
      readonly unknown: readonly {
        /** @description JSON pointer into this answer */
        readonly part: string;
        /** @description no_account, no_trustline, token_unreadable, entry_unreadable, price_unreadable, price_of_another_ledger, cross_margin, never, or not_told */
        readonly reason: string;
      }[];
    };
    /** @description A vault whose leader trades with its depositors' funds */
    readonly TraderVault: {
      /** @description Vault id */
      readonly id: number;
      /** @description Who trades for the vault */
      readonly leader: string;
      readonly name: string;
      /** @description Unix seconds */
      readonly createdAt: number;
      /** @description What the vault holds outside of positions, as the factory counts it, 7-decimal USDC */
      readonly totalUsdc: string;
      /** @description Shares outstanding, 7-decimal */
      readonly circulatingShares: string;
      /** @description The highest value of a share that profit was taken at: 10000000 is 1.0 */
      readonly hwmNav: string;
      /** @description The leader's profit share paid out so far, 7-decimal USDC */
      readonly realizedPnl: string;
      /** @description Shares that the leader holds */
      readonly leaderShares: string;
      /** @description The leader's share of profits: 1000 is 10 % */
      readonly profitShareBps: number;
      /** @description No deposits, withdrawals or trades */
      readonly paused: boolean;
      /** @description Of the last event that changed it, milliseconds */
      readonly updatedAt: number;
      /** @description Who has ever deposited */
      readonly depositorCount: number;
      /** @description Open positions of the vault */
      readonly openPositions: number;
      /** @description Positions that were opened for it, ever */
      readonly tradeCount: number;
      /** @description How far a share's value is below hwmNav, in basis points of it */
      readonly drawdownBps: number;
      /** @description closedTradePnl as a share of totalUsdc by the year, in basis points; 0 without a profit */
      readonly apyBps: number;
      /** @description Profit and loss of all closed positions, 7-decimal USDC */
      readonly closedTradePnl: string;
    };
    /** @description A position that was opened for a vault, or its close */
    readonly VaultTrade: {
      /** @description Position of its event in the log */
      readonly id: number;
      readonly vaultId: number;
      /** @description On-chain position id */
      readonly positionId: string;
      /**
       * @description However it came to a close
       * @enum {string}
       */
      readonly action: "open" | "close";
      /** @description Who opened it; who closed it, where a leader did */
      readonly leader: string;
      /** @description What was put into it, 7-decimal USDC; 0 on closes */
      readonly collateral: string;
      /** @description Ledger of the event */
      readonly ledger: number;
      /** @description Close time of that ledger, unix seconds */
      readonly ts: number;
      /** @description The transaction that opened or closed it */
      readonly txHash: string;
      /** @description Realised profit or loss, 7-decimal USDC; null on opens, and where the chain tells of none (liquidations) */
      readonly pnl: string | null;
    };
    /** @description Money that came into a vault or left it */
    readonly VaultFlow: {
      /** @description Position of its event in the log */
      readonly id: number;
      readonly vaultId: number;
      /** @description The depositor; the leader for fee claims */
      readonly principal: string;
      /** @description 7-decimal USDC; what was paid out for withdrawals */
      readonly amount: string;
      /** @description Minted or burned; absent on fee claims */
      readonly shares?: string;
      /** @description Ledger of the event */
      readonly ledger: number;
      /** @description Close time of that ledger, unix seconds */
      readonly ts: number;
      /** @description Its transaction */
      readonly txHash: string;
    };
    /** @description The owner of a referral code. Until the exchange pays for referrals, its amounts are 0 */
    readonly Referrer: {
      /** @description The code's owner */
      readonly referrer: string;
      /** @description 3 to 16 characters; upper and lower case differ */
      readonly code: string;
      /** @description When the code was registered, unix seconds */
      readonly createdAt: number;
      /** @description Wallets bound to the code */
      readonly referredCount: number;
      /** @description Fees of referred trades together (fees, not sizes), 7-decimal USDC */
      readonly totalVolumeGenerated: string;
      /** @description The referrer's share of them, ever, 7-decimal USDC */
      readonly totalEarned: string;
      /** @description What of it can be claimed, 7-decimal USDC */
      readonly claimable: string;
      /** @description Of the last event that changed it, milliseconds */
      readonly updatedAt: number;
    };
    /** @description A wallet bound to a referral code */
    readonly ReferralBinding: {
      /** @description Who was referred */
      readonly referee: string;
      /** @description By whom */
      readonly referrer: string;
      /** @description 3 to 16 characters; upper and lower case differ */
      readonly code: string;
      /** @description When, unix seconds; once and for good */
      readonly boundAt: number;
      /** @description The transaction that bound them */
      readonly txHash: string;
    };
    /** @description A trade that a referrer was paid for */
    readonly ReferralTrade: {
      /** @description Position of its event in the log */
      readonly id: number;
      /** @description Who traded */
      readonly referee: string;
      /** @description Who referred them */
      readonly referrer: string;
      /** @description The trade's fee without discount, 7-decimal USDC */
      readonly originalFee: string;
      /** @description What the referee did not have to pay, 7-decimal USDC */
      readonly discount: string;
      /** @description The referrer's share, 7-decimal USDC */
      readonly payout: string;
      /** @description Ledger of the event */
      readonly ledger: number;
      /** @description Close time of that ledger, unix seconds */
      readonly ts: number;
      /** @description The trade's transaction */
      readonly txHash: string;
    };
    /** @description A referrer's claim */
    readonly ReferralClaim: {
      /** @description Position of its event in the log */
      readonly id: number;
      /** @description Who claimed */
      readonly referrer: string;
      /** @description 7-decimal USDC */
      readonly amount: string;
      /** @description Ledger of the event */
      readonly ledger: number;
      /** @description Close time of that ledger, unix seconds */
      readonly ts: number;
      /** @description The claim's transaction */
      readonly txHash: string;
    };
    /** @description The liquidity vault, and what can still be opened against it. Null: not known now */
    readonly PoolState: {
      /** @description The ledger that it was read from */
      readonly ledger: number;
      /** @description What the pool is worth, 7-decimal USDC */
      readonly aum: string | null;
      /** @description Of one LP token, 7-decimal USDC */
      readonly lpPrice: string | null;
      /** @description LP tokens in circulation, 7-decimal */
      readonly lpSupply: string | null;
      /** @description The pool's own books, 7-decimal USDC */
      readonly totalUsdc: string | null;
      /** @description What it holds, 7-decimal USDC */
      readonly usdcBalance: string | null;
      /** @description Deposit and withdrawal fees so far, 7-decimal USDC */
      readonly totalFees: string | null;
      /** @description Of all traders, as the pool was last told: their profit is its debt */
      readonly unrealizedPnl: string | null;
      /** @description What is reserved for open positions, 7-decimal USDC */
      readonly reservedPayout: string | null;
      /** @description Profits that could not be paid, 7-decimal USDC */
      readonly shortfall: string | null;
      /** @description Basis points */
      readonly depositFeeBps: number | null;
      /** @description Basis points */
      readonly withdrawFeeBps: number | null;
      /** @description No deposits and withdrawals */
      readonly paused: boolean | null;
      readonly caps: {
        /** @description Reserved payouts against aum, by default */
        readonly reservedBps: number;
        /** @description Open interest of one side of an asset against aum, by default */
        readonly assetSideBps: number;
      };
      readonly headroom: {
        /** @description Size that can still be opened in all, 7-decimal USDC */
        readonly total: string | null;
        /** @description By asset and side */
        readonly assets: readonly {
          readonly asset: string;
          /** @description Size that longs can still be opened for, 7-decimal USDC */
          readonly long: string | null;
          /** @description The same for shorts */
          readonly short: string | null;
        }[];
      };
    };
    /** @description The liquidity vault as it was */
    readonly PoolSample: {
      /** @description Begin of the five minutes, unix seconds */
      readonly time: number;
      /** @description The ledger that was sampled in them */
      readonly ledger: number;
      /** @description 7-decimal USDC */
      readonly aum: string;
      /** @description 7-decimal USDC */
      readonly lpPrice: string;
      /** @description 7-decimal */
      readonly lpSupply: string;
      /** @description 7-decimal USDC */
      readonly reservedPayout: string | null;
      /** @description 7-decimal USDC */
      readonly unrealizedPnl: string | null;
    };
    /** @description Funding as it is now. Null: not known */
    readonly CurrentFunding: {
      /** @description The ledger that it was read from */
      readonly ledger: number;
      /** @description Per hour, 7-decimal: positive when longs pay */
      readonly rate: string | null;
      /** @description Sum of all hours, 7-decimal: a position owes its change since it was opened */
      readonly cumulative: string | null;
      /** @description Unix seconds */
      readonly lastAppliedAt: number | null;
      /** @description Of all assets, 7-decimal USDC */
      readonly openInterestLong: string | null;
      /** @description Of all assets, 7-decimal USDC */
      readonly openInterestShort: string | null;
    };
    /** @description Funding that was applied */
    readonly FundingRow: {
      /** @description Per hour, 7-decimal: positive when longs pay */
      readonly fundingRate: string;
      /** @description Hours that it was applied for */
      readonly hoursElapsed: string;
      readonly ledger: number;
      /** @description Close time of that ledger, unix seconds */
      readonly ts: number;
      /** @description The transaction that applied it */
      readonly txHash: string;
    };
    /** @description What a market takes, as data. Null: not known now */
    readonly MarketLimits: {
      readonly asset: string;
      /** @description The ledger that it was read from */
      readonly ledger: number;
      readonly minLeverage: number;
      /** @description Times the collateral */
      readonly maxLeverage: number | null;
      /** @description 7-decimal USDC */
      readonly minCollateral: string | null;
      /** @description Collateral times leverage, 7-decimal USDC */
      readonly maxPositionSize: string | null;
      /** @description Below this share of its size a position is liquidated */
      readonly maintenanceMarginBps: number | null;
      /** @description Opening needs a price that is no older */
      readonly maxPriceAgeSec: number | null;
      /** @description Opening needs a price no further from the last good one */
      readonly maxPriceDeviationBps: number | null;
      /** @description As the contract takes it */
      readonly slippageToleranceBps: {
        readonly min: number;
        readonly max: number;
      };
      /** @description As the contract takes it */
      readonly trailingPercentBps: {
        readonly min: number;
        readonly max: number;
      };
      /** @description Fees by what was traded before */
      readonly feeTiers: readonly {
        /** @description Traded in fourteen days, 7-decimal USDC */
        readonly minVolume: string;
        /** @description Share of the size of an executed limit order, 7-decimal: 2000 is 0.02 % */
        readonly makerRate: string;
        /** @description Share of the size of an open at once */
        readonly takerRate: string;
      }[] | null;
      readonly openInterest: {
        /** @description 7-decimal USDC */
        readonly long: string | null;
        /** @description 7-decimal USDC */
        readonly short: string | null;
      };
      /** @description The most that each side may be, 7-decimal USDC */
      readonly assetSideCap: string | null;
      readonly headroom: {
        /** @description What is left of it now */
        readonly long: string | null;
        /** @description What is left of it now */
        readonly short: string | null;
      };
      /** @description Only cancelling and liquidating go on */
      readonly tradingPaused: boolean | null;
    };
    /** @description What the feed can do, in TradingView's terms */
    readonly UdfConfiguration: {
      /** @description Widths of a bar: minutes, or days and weeks with their letter */
      readonly supported_resolutions: readonly string[];
      /** @description Symbols are looked up one by one */
      readonly supports_group_request: boolean;
      /** @description There are no marks */
      readonly supports_marks: boolean;
      /** @description /udf/search answers */
      readonly supports_search: boolean;
      /** @description There are no marks on the time scale */
      readonly supports_timescale_marks: boolean;
      /** @description /udf/time answers */
      readonly supports_time: boolean;
    };
    /** @description A market, in TradingView's terms; {s: error} for one that there is not */
    readonly UdfSymbol: {
      /** @enum {string} */
      readonly s?: "error";
      /** @description With s error: what is wrong */
      readonly errmsg?: string;
      readonly name?: string;
      /** @description What the other addresses take as symbol */
      readonly ticker?: string;
      readonly description?: string;
      readonly type?: string;
      readonly exchange?: string;
      readonly listed_exchange?: string;
      readonly session?: string;
      readonly timezone?: string;
      readonly format?: string;
      readonly minmov?: number;
      /** @description Ten to the number of decimals that are shown */
      readonly pricescale?: number;
      readonly has_intraday?: boolean;
      /** @description Minutes that there are bars of; others are put together from them */
      readonly intraday_multipliers?: readonly string[];
      readonly has_daily?: boolean;
      readonly has_weekly_and_monthly?: boolean;
      /** @description Weeks */
      readonly weekly_multipliers?: readonly string[];
      /** @description None: months are put together from days */
      readonly monthly_multipliers?: readonly string[];
      /** @description Widths of a bar */
      readonly supported_resolutions?: readonly string[];
      /** @description There is no volume */
      readonly visible_plots_set?: string;
      readonly data_status?: string;
    };
    /** @description A market that a search found */
    readonly UdfFound: {
      readonly symbol: string;
      readonly full_name: string;
      readonly description: string;
      readonly exchange: string;
      readonly ticker: string;
      readonly type: string;
    };
    /** @description Bars as columns, in TradingView's terms. There is no volume. */
    readonly UdfHistory: {
      /** @enum {string} */
      readonly s: "ok" | "no_data" | "error";
      /** @description With s error: what is wrong */
      readonly errmsg?: string;
      /** @description With no_data: start of the newest bar before what was asked for, where there is one */
      readonly nextTime?: number;
      /** @description Starts of the bars, unix seconds, ascending */
      readonly t?: readonly number[];
      /** @description First prices */
      readonly o?: readonly number[];
      /** @description Highest prices */
      readonly h?: readonly number[];
      /** @description Lowest prices */
      readonly l?: readonly number[];
      /** @description Last prices */
      readonly c?: readonly number[];
    };
    /** @description Opens an isolated position at the market price */
    readonly open_position: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "open_position";
      /** @description Symbol of a supported asset, upper case */
      readonly asset: string;
      /**
       * Format: i128
       * @description 7-decimal USDC; the contract asks for 10 USDC at least
       */
      readonly collateral: string;
      /** @description Times the collateral */
      readonly leverage: number;
      /** @enum {string} */
      readonly direction: "Long" | "Short";
    };
    /** @description Opens a position under cross margin at the market price */
    readonly open_position_cross: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "open_position_cross";
      /** @description Symbol of a supported asset, upper case */
      readonly asset: string;
      /**
       * Format: i128
       * @description 7-decimal USDC; the contract asks for 10 USDC at least
       */
      readonly collateral: string;
      /** @description Times the collateral */
      readonly leverage: number;
      /** @enum {string} */
      readonly direction: "Long" | "Short";
    };
    /** @description Closes an isolated position */
    readonly close_position: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "close_position";
      /**
       * Format: u64
       * @description The position: an integer, or its digits
       */
      readonly positionId: number | string;
    };
    /** @description Closes a cross position */
    readonly close_position_cross: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "close_position_cross";
      /**
       * Format: u64
       * @description The position: an integer, or its digits
       */
      readonly positionId: number | string;
    };
    /** @description Places an order that opens a position once the price is there */
    readonly place_limit_order: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "place_limit_order";
      /** @description Symbol of a supported asset, upper case */
      readonly asset: string;
      /** @enum {string} */
      readonly direction: "Long" | "Short";
      /**
       * Format: i128
       * @description 7-decimal USDC; the contract asks for 10 USDC at least
       */
      readonly collateral: string;
      /** @description Times the collateral */
      readonly leverage: number;
      /**
       * Format: i128
       * @description 7-decimal price at which the order is triggered
       */
      readonly triggerPrice: string;
      /**
       * @description On which side of the trigger price the order is triggered
       * @enum {string}
       */
      readonly triggerCondition: "Above" | "Below";
      /** @description How far the price may be off at execution, basis points; the contract refuses 0 */
      readonly slippageToleranceBps: number;
    };
    /** @description Places an order that becomes a limit order once the trigger price is there */
    readonly place_stop_limit_order: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "place_stop_limit_order";
      /** @description Symbol of a supported asset, upper case */
      readonly asset: string;
      /** @enum {string} */
      readonly direction: "Long" | "Short";
      /**
       * Format: i128
       * @description 7-decimal USDC; the contract asks for 10 USDC at least
       */
      readonly collateral: string;
      /** @description Times the collateral */
      readonly leverage: number;
      /**
       * Format: i128
       * @description 7-decimal price at which the order is triggered
       */
      readonly triggerPrice: string;
      /**
       * Format: i128
       * @description 7-decimal price of the limit order that the stop becomes
       */
      readonly limitPrice: string;
      /**
       * @description On which side of the trigger price the order is triggered
       * @enum {string}
       */
      readonly triggerCondition: "Above" | "Below";
      /** @description How far the price may be off at execution, basis points; the contract refuses 0 */
      readonly slippageToleranceBps: number;
    };
    /** @description Attaches a stop to a position that follows its best price */
    readonly place_trailing_stop: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "place_trailing_stop";
      /**
       * Format: u64
       * @description The position: an integer, or its digits
       */
      readonly positionId: number | string;
      /** @description Distance from the best price, basis points; the contract refuses more than 5000 */
      readonly trailingPercentBps: number;
      /** @description How far the price may be off at execution, basis points; the contract refuses 0 */
      readonly slippageToleranceBps: number;
    };
    /** @description Attaches a stop-loss to a position */
    readonly set_stop_loss: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "set_stop_loss";
      /**
       * Format: u64
       * @description The position: an integer, or its digits
       */
      readonly positionId: number | string;
      /**
       * Format: i128
       * @description 7-decimal price at which the order is triggered
       */
      readonly triggerPrice: string;
      /** @description How far the price may be off at execution, basis points; the contract refuses 0 */
      readonly slippageToleranceBps: number;
    };
    /** @description Attaches a take-profit to a position */
    readonly set_take_profit: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "set_take_profit";
      /**
       * Format: u64
       * @description The position: an integer, or its digits
       */
      readonly positionId: number | string;
      /**
       * Format: i128
       * @description 7-decimal price at which the order is triggered
       */
      readonly triggerPrice: string;
      /** @description How far the price may be off at execution, basis points; the contract refuses 0 */
      readonly slippageToleranceBps: number;
    };
    /** @description Cancels a pending order; works while trading is paused */
    readonly cancel_order: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "cancel_order";
      /**
       * Format: u64
       * @description The order: an integer, or its digits
       */
      readonly orderId: number | string;
    };
    /** @description Puts USDC into the account's cross margin pool */
    readonly deposit_cross_margin: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "deposit_cross_margin";
      /**
       * Format: i128
       * @description 7-decimal USDC
       */
      readonly amount: string;
    };
    /** @description Takes idle USDC out of the cross margin pool */
    readonly withdraw_cross_margin: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "withdraw_cross_margin";
      /**
       * Format: i128
       * @description 7-decimal USDC
       */
      readonly amount: string;
    };
    /** @description Deposits USDC into the liquidity vault and receives LP tokens */
    readonly deposit_liquidity: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "deposit_liquidity";
      /**
       * Format: i128
       * @description 7-decimal USDC
       */
      readonly amount: string;
    };
    /** @description Lets the liquidity vault pull LP tokens: the step before withdraw_liquidity */
    readonly approve_liquidity_withdrawal: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "approve_liquidity_withdrawal";
      /**
       * Format: i128
       * @description LP tokens, 7-decimal
       */
      readonly lpAmount: string;
      /** @description The last ledger in which the allowance may be used */
      readonly expirationLedger: number;
    };
    /** @description Returns LP tokens to the liquidity vault for USDC; needs their allowance first */
    readonly withdraw_liquidity: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "withdraw_liquidity";
      /**
       * Format: i128
       * @description LP tokens, 7-decimal
       */
      readonly lpAmount: string;
    };
    /** @description Creates a trader vault that the account leads */
    readonly create_vault: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "create_vault";
      /** @description At most 64 bytes */
      readonly name: string;
    };
    /** @description Deposits USDC into a trader vault and receives shares */
    readonly deposit_vault: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "deposit_vault";
      /** @description The trader vault */
      readonly vaultId: number;
      /**
       * Format: i128
       * @description 7-decimal USDC
       */
      readonly amount: string;
    };
    /** @description Redeems shares of a trader vault for USDC */
    readonly withdraw_vault: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "withdraw_vault";
      /** @description The trader vault */
      readonly vaultId: number;
      /**
       * Format: i128
       * @description Shares of the vault, 7-decimal
       */
      readonly shares: string;
    };
    /** @description Opens a position with the funds of a vault that the account leads */
    readonly leader_open_position: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "leader_open_position";
      /** @description The trader vault */
      readonly vaultId: number;
      /** @description Symbol of a supported asset, upper case */
      readonly asset: string;
      /**
       * Format: i128
       * @description 7-decimal USDC; the contract asks for 10 USDC at least
       */
      readonly collateral: string;
      /** @description Times the collateral */
      readonly leverage: number;
      /** @enum {string} */
      readonly direction: "Long" | "Short";
    };
    /** @description Closes a position of the vaults */
    readonly leader_close_position: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "leader_close_position";
      /** @description The trader vault */
      readonly vaultId: number;
      /**
       * Format: u64
       * @description The position: an integer, or its digits
       */
      readonly positionId: number | string;
    };
    /** @description Places a limit order with the funds of a vault that the account leads */
    readonly leader_place_limit_order: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "leader_place_limit_order";
      /** @description The trader vault */
      readonly vaultId: number;
      /** @description Symbol of a supported asset, upper case */
      readonly asset: string;
      /**
       * Format: i128
       * @description 7-decimal USDC; the contract asks for 10 USDC at least
       */
      readonly collateral: string;
      /** @description Times the collateral */
      readonly leverage: number;
      /** @enum {string} */
      readonly direction: "Long" | "Short";
      /**
       * Format: i128
       * @description 7-decimal price at which the order is triggered
       */
      readonly triggerPrice: string;
      /**
       * @description On which side of the trigger price the order is triggered
       * @enum {string}
       */
      readonly triggerCondition: "Above" | "Below";
      /** @description How far the price may be off at execution, basis points; the contract refuses 0 */
      readonly slippageToleranceBps: number;
    };
    /** @description Cancels an order of the vaults */
    readonly leader_cancel_order: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "leader_cancel_order";
      /** @description The trader vault */
      readonly vaultId: number;
      /**
       * Format: u64
       * @description The order: an integer, or its digits
       */
      readonly orderId: number | string;
    };
    /** @description Takes the leader's share of the profit above the high-water mark */
    readonly claim_leader_fees: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "claim_leader_fees";
      /** @description The trader vault */
      readonly vaultId: number;
    };
    /** @description Pauses a vault that the account leads, or lets it go on */
    readonly set_vault_paused: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "set_vault_paused";
      /** @description The trader vault */
      readonly vaultId: number;
      /** @description No deposits, withdrawals or trades while it is true */
      readonly paused: boolean;
    };
    /** @description Registers the account's referral code, once and for good */
    readonly create_referral_code: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "create_referral_code";
      /** @description Upper and lower case differ */
      readonly code: string;
    };
    /** @description Binds the account to the owner of a referral code, once and for good */
    readonly set_referrer: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "set_referrer";
      /** @description Upper and lower case differ */
      readonly code: string;
    };
    /** @description Claims what the account has earned as a referrer */
    readonly claim_referral: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly op: "claim_referral";
    };
    /** @description A transaction that was built and simulated, ready to be signed */
    readonly PreparedTransaction: {
      /** @description The operation that was asked for */
      readonly op: string;
      /** @description The account that must sign: the one that owns the key */
      readonly trader: string;
      /** @description Unsigned transaction envelope, base64. Sign it unchanged and submit it within 300 seconds */
      readonly xdr: string;
      /** @description What the network charges at least for the resources, stroops; part of the transaction's fee */
      readonly minResourceFee?: string;
    };
    /** @description What became of a submitted transaction */
    readonly SubmitResult: {
      /** @description The transaction's hash */
      readonly hash: string;
      /**
       * @description PENDING when it was not final in time: submit the same signedXdr again to go on waiting
       * @enum {string}
       */
      readonly status: "SUCCESS" | "PENDING" | "FAILED";
      /** @description The ledger that holds it; with SUCCESS */
      readonly ledger?: number;
      /** @description With FAILED; null when no contract raised the error: look at resultXdr then */
      readonly contractError?: {
        /** @description The contract's own code: match on this */
        readonly code: number;
        /** @description Its name, by the contract that raised it; UnknownContractError where there is none */
        readonly name: string;
      } | null;
      /** @description TransactionResult, base64; with FAILED */
      readonly resultXdr?: string;
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
   * State of the gateway and of its index.
   * @description Exempt from the rate limit. Read the contracts' addresses here: they change when the exchange is deployed anew.
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
   * Whether the process answers.
   * @description Asks nobody. An orchestrator should end the process only when this fails. Exempt from the rate limit.
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
   * Whether requests should be sent here.
   * @description Ready means: the database answers, the last indexed ledger is not older than the operator allows, and the process is not about to end. Otherwise 503 with every reason. Exempt from the rate limit.
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
   * Every market with its price.
   * @description The fourteen assets of the exchange, each with its oracle price. Read from the chain through the price shim and kept for 3 seconds per asset.
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
            readonly markets: readonly components["schemas"]["Market"][];
          };
        };
      };
    };
  };
  /**
   * Open interest and volume of every market.
   * @description One row for every supported asset, zeros where there is no data. Kept for 5 seconds.
   */
  readonly listMarketStats: {
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
            readonly stats: readonly components["schemas"]["MarketStats"][];
          };
        };
      };
    };
  };
  /**
   * One market with its price.
   * @description Read from the chain through the price shim and kept for 3 seconds per asset.
   */
  readonly getMarket: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Asset symbol, in any case */
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
   * The price of one asset.
   * @description Read from the chain through the price shim and kept for 3 seconds per asset.
   */
  readonly getMarketPrice: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Asset symbol, in any case */
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
   * Prices of every asset.
   * @description The price that the exchange's price shim holds for each supported asset, kept for 3 seconds per asset. A price is never rejected for its age: look at its timestamp. An asset that cannot be read right now is served with its last known price and the header x-stale: 1 for up to five minutes; one that was never read is left out.
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
            readonly prices: readonly components["schemas"]["Price"][];
          };
        };
      };
    };
  };
  /**
   * Prices over time.
   * @description OHLC buckets of the oracle's prices (not of trades), oldest first, the bucket that is still forming included; the Link header continues towards older ones. Where no native row exists for the asset and interval, an outside exchange's klines are passed on. An unknown asset has no candles.
   */
  readonly listCandles: {
    readonly parameters: {
      readonly query: {
        /** @description Asset symbol, in any case */
        readonly asset: string;
        /** @description Width of a bucket */
        readonly interval?: "1m" | "5m" | "15m" | "1h" | "4h" | "1d" | "1w";
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            readonly candles: readonly components["schemas"]["Candle"][];
            /**
             * @description noeracle: the oracle's own prices; binance: an outside exchange's USDT pair, only while there are no native rows
             * @enum {string}
             */
            readonly source: "noeracle" | "binance";
          };
        };
      };
    };
  };
  /**
   * Realised trades.
   * @description Closed and liquidated positions, newest first. The opening leg's fields are null when the open predates the index.
   */
  readonly listTrades: {
    readonly parameters: {
      readonly query?: {
        /** @description Only rows of this account (G…) or contract (C…) */
        readonly trader?: string;
        /** @description Asset symbol, in any case */
        readonly asset?: string;
        /** @description Only rows strictly older than this, unix seconds */
        readonly before_ts?: number;
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            readonly trades: readonly components["schemas"]["RealizedTrade"][];
          };
        };
      };
    };
  };
  /**
   * Traders by lifetime profit or volume.
   * @description Lifetime totals over all deployments, best first. The first page is kept for 5 seconds.
   */
  readonly listLeaders: {
    readonly parameters: {
      readonly query?: {
        /** @description What the ranking goes by */
        readonly sort?: "pnl" | "volume";
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            /**
             * @description What the ranking goes by
             * @default pnl
             * @enum {string}
             */
            readonly sort: "pnl" | "volume";
            readonly leaders: readonly components["schemas"]["LeaderboardEntry"][];
          };
        };
      };
    };
  };
  /**
   * Contract events.
   * @description The archive of the exchange's events, newest first: by ledger, then event id, descending. Events of earlier deployments stay. An event whose topic or shape is not known is archived raw. Where ledgers were lost that belong into the page, gaps says which: their events are missing.
   */
  readonly listEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description Only events of this topic */
        readonly topic?: string;
        /** @description Only events of this contract */
        readonly contract?: string;
        /** @description Only this ledger and later ones */
        readonly from_ledger?: number;
        /** @description Only this ledger and earlier ones */
        readonly to_ledger?: number;
        /** @description Only rows strictly older than this, unix seconds */
        readonly before_ts?: number;
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            readonly events: readonly components["schemas"]["EventRow"][];
            /** @description Ledgers inside the page's range that were lost and not read from elsewhere yet; empty when nothing is missing */
            readonly gaps: readonly {
              /** @description The epoch that the ledgers belong to: ledgers repeat after a reset of the network */
              readonly epoch: string;
              /** @description The first of them */
              readonly fromLedger: number;
              /** @description The last of them */
              readonly toLedger: number;
            }[];
          };
        };
      };
    };
  };
  /**
   * Open positions.
   * @description Positions that were opened and neither closed nor liquidated since, newest first. At most 200 rows over all traders and 500 of one trader; where more exist, the Link header continues the list.
   */
  readonly listOpenPositions: {
    readonly parameters: {
      readonly query?: {
        /** @description Only rows of this account (G…) or contract (C…) */
        readonly trader?: string;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            readonly positions: readonly components["schemas"]["OpenPosition"][];
          };
        };
      };
    };
  };
  /**
   * Trader vaults.
   * @description Newest first. Totals are what the factory's events add up to, read back from the factory after each of the leader's trades, which no event tells the outcome of. Money in an open position is not in totalUsdc, so a drawdown shows while one is open. Kept for 10 seconds: x-ledger says which ledger it is of, and X-Min-Ledger asks for a later one. Later pages are read each time.
   */
  readonly listVaults: {
    readonly parameters: {
      readonly query?: {
        /** @description Only vaults of this leader */
        readonly leader?: string;
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            readonly vaults: readonly components["schemas"]["TraderVault"][];
          };
        };
      };
    };
  };
  /**
   * One trader vault.
   * @description Totals are what the factory's events add up to, read back from the factory after each of the leader's trades, which no event tells the outcome of. Money in an open position is not in totalUsdc, so a drawdown shows while one is open. Kept for 10 seconds: x-ledger says which ledger it is of, and X-Min-Ledger asks for a later one.
   */
  readonly getVault: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Vault id */
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
   * What was opened and closed for a vault.
   * @description Newest first; empty for a vault that does not exist.
   */
  readonly listVaultTrades: {
    readonly parameters: {
      readonly query?: {
        /** @description Only rows strictly older than this, unix seconds */
        readonly before_ts?: number;
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Vault id */
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
            readonly trades: readonly components["schemas"]["VaultTrade"][];
          };
        };
      };
    };
  };
  /**
   * Deposits into a vault.
   * @description Newest first; empty for a vault that does not exist.
   */
  readonly listVaultDeposits: {
    readonly parameters: {
      readonly query?: {
        /** @description Only rows strictly older than this, unix seconds */
        readonly before_ts?: number;
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Vault id */
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
            readonly deposits: readonly components["schemas"]["VaultFlow"][];
          };
        };
      };
    };
  };
  /**
   * Withdrawals from a vault.
   * @description Newest first; empty for a vault that does not exist.
   */
  readonly listVaultWithdraws: {
    readonly parameters: {
      readonly query?: {
        /** @description Only rows strictly older than this, unix seconds */
        readonly before_ts?: number;
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Vault id */
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
            readonly withdraws: readonly components["schemas"]["VaultFlow"][];
          };
        };
      };
    };
  };
  /**
   * Profit shares that a vault's leader took.
   * @description Newest first; empty for a vault that does not exist.
   */
  readonly listVaultFeeClaims: {
    readonly parameters: {
      readonly query?: {
        /** @description Only rows strictly older than this, unix seconds */
        readonly before_ts?: number;
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Vault id */
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
            readonly feeClaims: readonly components["schemas"]["VaultFlow"][];
          };
        };
      };
    };
  };
  /**
   * Who owns a referral code.
   * @description Upper and lower case differ. The exchange does not pay for referrals yet: until it does, amounts are 0 and the lists of trades and claims are empty.
   */
  readonly lookupReferralCode: {
    readonly parameters: {
      readonly query: {
        /** @description The code */
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
   * An address's referral code, and who referred it.
   * @description For an address that owns a code. The exchange does not pay for referrals yet: until it does, amounts are 0 and the lists of trades and claims are empty.
   */
  readonly getReferralInfo: {
    readonly parameters: {
      readonly query: {
        /** @description The account (G…) or contract (C…) */
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
            /** @description By whom the address was referred; null when by nobody */
            readonly binding: components["schemas"]["ReferralBinding"] | (never | null);
          };
        };
      };
    };
  };
  /**
   * The caller's referral code, and who referred the caller. Needs a key.
   * @description Either may be null. The exchange does not pay for referrals yet: until it does, amounts are 0 and the lists of trades and claims are empty.
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
            /** @description The caller's own code; null without one */
            readonly self: components["schemas"]["Referrer"] | (never | null);
            /** @description By whom the address was referred; null when by nobody */
            readonly binding: components["schemas"]["ReferralBinding"] | (never | null);
          };
        };
      };
    };
  };
  /**
   * Trades that the caller was paid for as a referrer. Needs a key.
   * @description Newest first. The exchange does not pay for referrals yet: until it does, amounts are 0 and the lists of trades and claims are empty.
   */
  readonly listMyReferralTrades: {
    readonly parameters: {
      readonly query?: {
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            readonly trades: readonly components["schemas"]["ReferralTrade"][];
          };
        };
      };
    };
  };
  /**
   * What the caller has claimed as a referrer. Needs a key.
   * @description Newest first. The exchange does not pay for referrals yet: until it does, amounts are 0 and the lists of trades and claims are empty.
   */
  readonly listMyReferralClaims: {
    readonly parameters: {
      readonly query?: {
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            readonly claims: readonly components["schemas"]["ReferralClaim"][];
          };
        };
      };
    };
  };
  /**
   * Events that concern the caller. Needs a key.
   * @description Newest first. An event concerns the account when its payload names it in any role, and when it is the execution or cancellation of one of its orders. Orders whose placement emits no event (stop-limit, trailing stop) join a moment later, at their own place in the order.
   */
  readonly listAccountEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description Only events of this topic */
        readonly topic?: string;
        /** @description Only rows strictly older than this, unix seconds */
        readonly before_ts?: number;
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            readonly events: readonly components["schemas"]["EventRow"][];
          };
        };
      };
    };
  };
  /**
   * What happened to the caller's orders. Needs a key.
   * @description Events of the topics order_placed, order_executed and order_cancelled, newest first. An event concerns the account when its payload names it in any role, and when it is the execution or cancellation of one of its orders. Orders whose placement emits no event (stop-limit, trailing stop) join a moment later, at their own place in the order.
   */
  readonly listAccountOrderEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description Only rows strictly older than this, unix seconds */
        readonly before_ts?: number;
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            readonly events: readonly components["schemas"]["EventRow"][];
          };
        };
      };
    };
  };
  /**
   * The caller's open positions and what happened to positions. Needs a key.
   * @description Open positions, newest first, up to 500 (the Link header continues them at /v1/positions/open), and the newest 200 of the caller's position_opened, position_closed and position_liquidated events, both as of one state of the index.
   */
  readonly listAccountPositions: {
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
            readonly positions: readonly components["schemas"]["OpenPosition"][];
            readonly events: readonly components["schemas"]["EventRow"][];
          };
        };
      };
    };
  };
  /**
   * What an account has traded in fourteen days.
   * @description Rolling seconds up to now: opens and matched closes at full size, liquidations nothing. The market's own record, which fee tiers go by, counts the same by calendar days.
   */
  readonly getAccountVolume: {
    readonly parameters: {
      readonly query: {
        /** @description The account (G…) or contract (C…) */
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
          readonly "application/json": components["schemas"]["AccountVolume"];
        };
      };
    };
  };
  /**
   * What the feed can do.
   * @description For TradingView's charts: give them the address of /udf as their data feed.
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
   * The gateway's clock.
   * @description Unix seconds. Charts count down to the next bar by it.
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
   * One market as charts describe it.
   * @description For TradingView's charts: give them the address of /udf as their data feed.
   */
  readonly udfSymbols: {
    readonly parameters: {
      readonly query: {
        /** @description Asset symbol, in any case */
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
   * Markets by symbol or name.
   * @description Those that contain the text, in any case; all of them for none.
   */
  readonly udfSearch: {
    readonly parameters: {
      readonly query?: {
        /** @description Part of a symbol or name */
        readonly query?: string;
        /** @description Rows; 30 at most */
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
   * Bars of a market.
   * @description The oracle's own prices, the forming bar included; outside prices are not mixed in. `to` is exclusive. With `countback` so many bars before `to` are answered, whatever `from` says. At most 2000 bars, the newest; charts ask again for older ones.
   */
  readonly udfHistory: {
    readonly parameters: {
      readonly query: {
        /** @description Asset symbol, in any case */
        readonly symbol: string;
        /** @description Width of a bar: 1, 5, 15, 60, 240, 1D, 1W */
        readonly resolution: string;
        /** @description Start of the first bar at the earliest, unix seconds */
        readonly from: number;
        /** @description Bars begin before this, unix seconds */
        readonly to: number;
        /** @description How many bars before `to` are wanted */
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
   * What a market takes, as data.
   * @description Leverage, sizes, fees by tier, caps and what is left of them. Read from the network and kept for 3 seconds; what could not be read is null.
   */
  readonly getMarketLimits: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Asset symbol, in any case */
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
   * The liquidity vault, and what can still be opened against it.
   * @description Read from the network, out of one ledger, and kept for 3 seconds. Caps are the contract's defaults; what could not be read is null.
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
   * The liquidity vault over time.
   * @description One sample for every five minutes in which the gateway could read the vault, newest first.
   */
  readonly listPoolHistory: {
    readonly parameters: {
      readonly query?: {
        /** @description Only rows strictly older than this, unix seconds */
        readonly before_ts?: number;
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            readonly samples: readonly components["schemas"]["PoolSample"][];
          };
        };
      };
    };
  };
  /**
   * Funding now, and what was applied.
   * @description One rate for all markets. `current` is read from the network and kept for 3 seconds; it is null while the network cannot be read. `history` is every hour that was applied, newest first.
   */
  readonly getFunding: {
    readonly parameters: {
      readonly query?: {
        /** @description Only rows strictly older than this, unix seconds */
        readonly before_ts?: number;
        /** @description Rows per page */
        readonly limit?: number;
        /** @description Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */
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
            readonly current: components["schemas"]["CurrentFunding"] | (never | null);
            readonly history: readonly components["schemas"]["FundingRow"][];
          };
        };
      };
    };
  };
  /**
   * Who may be issued a key.
   * @description Whether issuance is limited to listed addresses, and whether the given address may be issued a key.
   */
  readonly getBetaStatus: {
    readonly parameters: {
      readonly query?: {
        /** @description The account (G…) that the key is for */
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
   * A challenge for a wallet to sign.
   * @description Replaces the challenge that was pending for the address. It is void after five minutes, and after one attempt, whatever the outcome.
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
          /** @description The account (G…) that the key is for */
          readonly address: string;
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
   * The owner's keys. Needs a key.
   * @description Every key of the caller's owner, newest first, the revoked ones included. Secrets are never listed.
   */
  readonly listKeys: {
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
            readonly keys: readonly components["schemas"]["ApiKey"][];
          };
        };
      };
    };
  };
  /**
   * Issues a key for a proven address.
   * @description Build a transaction that is never submitted: any source account, sequence 0, fee 0, no time bounds, first operation manage-data with the challenge's 32 bytes as its value. Sign it with the wallet's key for the network and send the envelope as base64 XDR. The secret is answered this once.
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
          /** @description The account (G…) that the key is for */
          readonly address: string;
          /** @description The challengeHex that was signed */
          readonly challenge: string;
          /** @description The whole signed transaction envelope, base64 XDR; not a detached signature */
          readonly signature: string;
          /** @description What to call the key */
          readonly label?: string;
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
   * Revokes a key. Needs a key.
   * @description Any key of an owner revokes any key of the same owner, itself included. It is refused from then on.
   */
  readonly revokeKey: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The key to revoke */
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
            /** @enum {boolean} */
            readonly revoked: true;
          };
        };
      };
    };
  };
  /**
   * Who the caller is. Needs a key.
   * @description The key that the call was made with, and the account that it was issued to. Answered from memory: good for trying a key.
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
   * The caller's resting orders. Needs a key.
   * @description Every pending order as the ledger has it, newest first: stop-limit orders and trailing stops too, whose placement emits no event. Read from the network and kept for a second; the body says at which ledger.
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
   * What the caller has and is worth. Needs a key.
   * @description Positions with unrealised profit, funding and liquidation price, resting orders, balances, cross margin, fee tier and limits, all read from one ledger and kept for a second. What could not be told is null, and `unknown` says why.
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
   * An unsigned transaction for one of the ten operations. Needs a key.
   * @description Builds the transaction that makes the operation on behalf of the key's owner, simulates it, and returns it unsigned: sign it unchanged and hand it to POST /v1/tx/submit. It takes the account's next sequence number and is valid for 300 seconds. An operation that the network would refuse now is answered with 400 simulation_failed and the contract's error.
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
   * An unsigned transaction for whatever else an account signs. Needs a key.
   * @description Cross margin, the liquidity vault, trader vaults and referral, prepared as POST /v1/orders/prepare does it: built on behalf of the key's owner, simulated, and returned unsigned for POST /v1/tx/submit.
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
        readonly "application/json": components["schemas"]["deposit_cross_margin"] | components["schemas"]["withdraw_cross_margin"] | components["schemas"]["deposit_liquidity"] | components["schemas"]["approve_liquidity_withdrawal"] | components["schemas"]["withdraw_liquidity"] | components["schemas"]["create_vault"] | components["schemas"]["deposit_vault"] | components["schemas"]["withdraw_vault"] | components["schemas"]["leader_open_position"] | components["schemas"]["leader_close_position"] | components["schemas"]["leader_place_limit_order"] | components["schemas"]["leader_cancel_order"] | components["schemas"]["claim_leader_fees"] | components["schemas"]["set_vault_paused"] | components["schemas"]["create_referral_code"] | components["schemas"]["set_referrer"] | components["schemas"]["claim_referral"];
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
   * Sends a signed transaction and waits for what becomes of it. Needs a key.
   * @description Relays the envelope as it is and asks for the transaction every second, up to pollTimeoutMs. Submitting the same signedXdr again is safe and returns the current result of the one transaction, also long after: do so after PENDING, 502 and 503, instead of preparing a fresh one. A 502 with a hash means that the outcome is unknown.
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
          /** @description Signed transaction envelope, base64; a fee bump is relayed too */
          readonly signedXdr: string;
          /**
           * @description How long to wait for the transaction to be final, milliseconds
           * @default 30000
           */
          readonly pollTimeoutMs?: number;
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
}
