// Generated from docs/openapi.json. Do not edit: test/client/types.test.ts says how to regenerate it.

export interface OperationField {
  readonly kind: 'decimal' | 'integer' | 'boolean' | 'text'
  /** Its meaning, unit, and range or values. */
  readonly help: string
  readonly isOptional?: true
}

/** Every operation with its fields, except op and clientId. */
export const OPERATION_FIELDS: Readonly<Record<string, {
  readonly help: string
  readonly fields: Readonly<Record<string, OperationField>>
}>> = {
  open_position: { help: "Opens an isolated position at the market price.", fields: {
    asset: {"kind":"text","help":"Symbol of a supported asset, in upper case."},
    collateral: {"kind":"decimal","help":"Collateral in USDC. The contract requires at least 10 USDC."},
    leverage: {"kind":"integer","help":"Position size divided by collateral. From 1 to 10."},
    direction: {"kind":"text","help":"Direction of the position. One of Long, Short."},
    acceptablePrice: {"kind":"decimal","help":"Worst price at which the position may be opened or closed, in USD. 0 for no bound. 0 by default.","isOptional":true},
    slippageBps: {"kind":"integer","help":"Instead of acceptablePrice: sets it this many basis points from the price of the simulation, against you. Contracts of generation 2 or later. From 1 to 5000.","isOptional":true},
  } },
  open_position_cross: { help: "Opens a cross margin position at the market price.", fields: {
    asset: {"kind":"text","help":"Symbol of a supported asset, in upper case."},
    collateral: {"kind":"decimal","help":"Collateral in USDC. The contract requires at least 10 USDC."},
    leverage: {"kind":"integer","help":"Position size divided by collateral. From 1 to 10."},
    direction: {"kind":"text","help":"Direction of the position. One of Long, Short."},
    acceptablePrice: {"kind":"decimal","help":"Worst price at which the position may be opened or closed, in USD. 0 for no bound. 0 by default.","isOptional":true},
    slippageBps: {"kind":"integer","help":"Instead of acceptablePrice: sets it this many basis points from the price of the simulation, against you. Contracts of generation 2 or later. From 1 to 5000.","isOptional":true},
  } },
  close_position: { help: "Closes an isolated position.", fields: {
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
    acceptablePrice: {"kind":"decimal","help":"Worst price at which the position may be opened or closed, in USD. 0 for no bound. 0 by default.","isOptional":true},
    slippageBps: {"kind":"integer","help":"Instead of acceptablePrice: sets it this many basis points from the price of the simulation, against you. Contracts of generation 2 or later. From 1 to 5000.","isOptional":true},
  } },
  close_position_cross: { help: "Closes a cross margin position.", fields: {
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
    acceptablePrice: {"kind":"decimal","help":"Worst price at which the position may be opened or closed, in USD. 0 for no bound. 0 by default.","isOptional":true},
    slippageBps: {"kind":"integer","help":"Instead of acceptablePrice: sets it this many basis points from the price of the simulation, against you. Contracts of generation 2 or later. From 1 to 5000.","isOptional":true},
  } },
  place_limit_order: { help: "Places an order that opens a position when the price reaches the trigger price.", fields: {
    asset: {"kind":"text","help":"Symbol of a supported asset, in upper case."},
    direction: {"kind":"text","help":"Direction of the position. One of Long, Short."},
    collateral: {"kind":"decimal","help":"Collateral in USDC. The contract requires at least 10 USDC."},
    leverage: {"kind":"integer","help":"Position size divided by collateral. From 1 to 10."},
    triggerPrice: {"kind":"decimal","help":"Price at which the order triggers, in USD."},
    triggerCondition: {"kind":"text","help":"Whether the order triggers above or below the trigger price. One of Above, Below."},
    slippageToleranceBps: {"kind":"integer","help":"Maximum price deviation at execution, basis points. The contract rejects 0. From 0 to 10000."},
    timeInForce: {"kind":"integer","help":"0: good till cancelled. 1: immediate or cancel. 2: post-only. From 0 to 2. 0 by default.","isOptional":true},
    reduceOnly: {"kind":"boolean","help":"True if the order may only reduce an open position of the other direction. false by default.","isOptional":true},
  } },
  place_stop_limit_order: { help: "Places an order that becomes a limit order when the price reaches the trigger price.", fields: {
    asset: {"kind":"text","help":"Symbol of a supported asset, in upper case."},
    direction: {"kind":"text","help":"Direction of the position. One of Long, Short."},
    collateral: {"kind":"decimal","help":"Collateral in USDC. The contract requires at least 10 USDC."},
    leverage: {"kind":"integer","help":"Position size divided by collateral. From 1 to 10."},
    triggerPrice: {"kind":"decimal","help":"Price at which the order triggers, in USD."},
    limitPrice: {"kind":"decimal","help":"Limit price in USD. Stop-limit: of the order placed at the trigger price. Take-profit: replaces the trigger price, and is between it and the entry price; 0 for none."},
    triggerCondition: {"kind":"text","help":"Whether the order triggers above or below the trigger price. One of Above, Below."},
    slippageToleranceBps: {"kind":"integer","help":"Maximum price deviation at execution, basis points. The contract rejects 0. From 0 to 10000."},
    timeInForce: {"kind":"integer","help":"0: good till cancelled. 1: immediate or cancel. 2: post-only. From 0 to 2. 0 by default.","isOptional":true},
    reduceOnly: {"kind":"boolean","help":"True if the order may only reduce an open position of the other direction. false by default.","isOptional":true},
  } },
  place_trailing_stop: { help: "Attaches a stop order that trails the best price of the position.", fields: {
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
    trailingPercentBps: {"kind":"integer","help":"Distance from the best price in basis points. The contract rejects values above 5000. From 1 to 10000."},
    slippageToleranceBps: {"kind":"integer","help":"Maximum price deviation at execution, basis points. The contract rejects 0. From 0 to 10000."},
  } },
  set_stop_loss: { help: "Attaches a stop-loss order to a position.", fields: {
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
    triggerPrice: {"kind":"decimal","help":"Price at which the order triggers, in USD."},
    slippageToleranceBps: {"kind":"integer","help":"Maximum price deviation at execution, basis points. The contract rejects 0. From 0 to 10000."},
  } },
  set_take_profit: { help: "Attaches a take-profit order to a position.", fields: {
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
    triggerPrice: {"kind":"decimal","help":"Price at which the order triggers, in USD."},
    slippageToleranceBps: {"kind":"integer","help":"Maximum price deviation at execution, basis points. The contract rejects 0. From 0 to 10000."},
    limitPrice: {"kind":"decimal","help":"Limit price in USD. Stop-limit: of the order placed at the trigger price. Take-profit: replaces the trigger price, and is between it and the entry price; 0 for none. 0 by default.","isOptional":true},
  } },
  cancel_order: { help: "Cancels a pending order. Works while trading is paused.", fields: {
    orderId: {"kind":"text","help":"Order id, as an integer or a digit string. At least 0."},
  } },
  close_position_partial: { help: "Closes part of a position. The rest keeps its orders.", fields: {
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
    closeSize: {"kind":"decimal","help":"Part of the size to close, in USD."},
  } },
  add_collateral: { help: "Adds USDC to the collateral of an isolated position.", fields: {
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
    amount: {"kind":"decimal","help":"Amount in USDC."},
  } },
  remove_collateral: { help: "Removes USDC from the collateral of an isolated position.", fields: {
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
    amount: {"kind":"decimal","help":"Amount in USDC."},
  } },
  deposit_cross_margin: { help: "Deposits USDC into the cross margin pool of the account.", fields: {
    amount: {"kind":"decimal","help":"Amount in USDC."},
  } },
  withdraw_cross_margin: { help: "Withdraws idle USDC from the cross margin pool.", fields: {
    amount: {"kind":"decimal","help":"Amount in USDC."},
  } },
  deposit_liquidity: { help: "Deposits USDC into the liquidity vault in exchange for LP tokens.", fields: {
    amount: {"kind":"decimal","help":"Amount in USDC."},
    minOut: {"kind":"decimal","help":"Least to receive: LP tokens or shares of a deposit, USDC of a withdrawal. 0 for no bound. 0 by default.","isOptional":true},
  } },
  approve_liquidity_withdrawal: { help: "Approves the liquidity vault to pull LP tokens. Required before withdraw_liquidity.", fields: {
    lpAmount: {"kind":"decimal","help":"Number of LP tokens."},
    expirationLedger: {"kind":"integer","help":"Last ledger in which the allowance is valid. From 0 to 4294967295."},
  } },
  withdraw_liquidity: { help: "Redeems LP tokens for USDC. Requires approve_liquidity_withdrawal first.", fields: {
    lpAmount: {"kind":"decimal","help":"Number of LP tokens."},
    minOut: {"kind":"decimal","help":"Least to receive: LP tokens or shares of a deposit, USDC of a withdrawal. 0 for no bound. 0 by default.","isOptional":true},
  } },
  claim_shortfall: { help: "Claims profit that the liquidity vault could not pay when a position was closed.", fields: {
  } },
  create_vault: { help: "Creates a trader vault led by the account.", fields: {
    name: {"kind":"text","help":"Vault name, 1 to 64 bytes. Rejected with 400: control, bidirectional, invisible and unassigned characters, spaces at the ends, and text like \\x00."},
  } },
  deposit_vault: { help: "Deposits USDC into a trader vault in exchange for shares.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
    amount: {"kind":"decimal","help":"Amount in USDC."},
    minOut: {"kind":"decimal","help":"Least to receive: LP tokens or shares of a deposit, USDC of a withdrawal. 0 for no bound. 0 by default.","isOptional":true},
  } },
  withdraw_vault: { help: "Redeems shares of a trader vault for USDC.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
    shares: {"kind":"decimal","help":"Number of vault shares."},
    minOut: {"kind":"decimal","help":"Least to receive: LP tokens or shares of a deposit, USDC of a withdrawal. 0 for no bound. 0 by default.","isOptional":true},
  } },
  leader_open_position: { help: "Opens a position with the funds of a vault led by the account.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
    asset: {"kind":"text","help":"Symbol of a supported asset, in upper case."},
    collateral: {"kind":"decimal","help":"Collateral in USDC. The contract requires at least 10 USDC."},
    leverage: {"kind":"integer","help":"Position size divided by collateral. From 1 to 10."},
    direction: {"kind":"text","help":"Direction of the position. One of Long, Short."},
  } },
  leader_close_position: { help: "Closes a position of a vault led by the account.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
  } },
  leader_place_limit_order: { help: "Places a limit order with the funds of a vault led by the account.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
    asset: {"kind":"text","help":"Symbol of a supported asset, in upper case."},
    collateral: {"kind":"decimal","help":"Collateral in USDC. The contract requires at least 10 USDC."},
    leverage: {"kind":"integer","help":"Position size divided by collateral. From 1 to 10."},
    direction: {"kind":"text","help":"Direction of the position. One of Long, Short."},
    triggerPrice: {"kind":"decimal","help":"Price at which the order triggers, in USD."},
    triggerCondition: {"kind":"text","help":"Whether the order triggers above or below the trigger price. One of Above, Below."},
    slippageToleranceBps: {"kind":"integer","help":"Maximum price deviation at execution, basis points. The contract rejects 0. From 0 to 10000."},
  } },
  leader_place_stop_limit: { help: "Places a stop-limit order with the funds of a vault led by the account.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
    asset: {"kind":"text","help":"Symbol of a supported asset, in upper case."},
    collateral: {"kind":"decimal","help":"Collateral in USDC. The contract requires at least 10 USDC."},
    leverage: {"kind":"integer","help":"Position size divided by collateral. From 1 to 10."},
    direction: {"kind":"text","help":"Direction of the position. One of Long, Short."},
    triggerPrice: {"kind":"decimal","help":"Price at which the order triggers, in USD."},
    limitPrice: {"kind":"decimal","help":"Limit price in USD. Stop-limit: of the order placed at the trigger price. Take-profit: replaces the trigger price, and is between it and the entry price; 0 for none."},
    triggerCondition: {"kind":"text","help":"Whether the order triggers above or below the trigger price. One of Above, Below."},
    slippageToleranceBps: {"kind":"integer","help":"Maximum price deviation at execution, basis points. The contract rejects 0. From 0 to 10000."},
  } },
  leader_set_stop_loss: { help: "Attaches a stop-loss order to a position of a vault led by the account.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
    triggerPrice: {"kind":"decimal","help":"Price at which the order triggers, in USD."},
    slippageToleranceBps: {"kind":"integer","help":"Maximum price deviation at execution, basis points. The contract rejects 0. From 0 to 10000."},
  } },
  leader_set_take_profit: { help: "Attaches a take-profit order to a position of a vault led by the account.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
    triggerPrice: {"kind":"decimal","help":"Price at which the order triggers, in USD."},
    slippageToleranceBps: {"kind":"integer","help":"Maximum price deviation at execution, basis points. The contract rejects 0. From 0 to 10000."},
    limitPrice: {"kind":"decimal","help":"Limit price in USD. Stop-limit: of the order placed at the trigger price. Take-profit: replaces the trigger price, and is between it and the entry price; 0 for none. 0 by default.","isOptional":true},
  } },
  leader_place_trailing_stop: { help: "Attaches a trailing stop order to a position of a vault led by the account.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
    positionId: {"kind":"text","help":"Position id, as an integer or a digit string. At least 0."},
    trailingPercentBps: {"kind":"integer","help":"Distance from the best price in basis points. The contract rejects values above 5000. From 1 to 10000."},
    slippageToleranceBps: {"kind":"integer","help":"Maximum price deviation at execution, basis points. The contract rejects 0. From 0 to 10000."},
  } },
  leader_cancel_order: { help: "Cancels an order of a vault led by the account.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
    orderId: {"kind":"text","help":"Order id, as an integer or a digit string. At least 0."},
  } },
  claim_leader_fees: { help: "Pays the leader their share of the profit above the high-water mark.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
  } },
  set_vault_paused: { help: "Pauses or resumes a vault led by the account.", fields: {
    vaultId: {"kind":"integer","help":"Trader vault id. From 0 to 4294967295."},
    paused: {"kind":"boolean","help":"True pauses deposits, withdrawals and trades of the vault. False resumes them."},
  } },
  create_referral_code: { help: "Registers the referral code of the account. A code cannot be changed.", fields: {
    code: {"kind":"text","help":"Referral code, case-sensitive. Rejected with 400: control, bidirectional, invisible and unassigned characters, spaces at the ends, and text like \\x00."},
  } },
  set_referrer: { help: "Sets the owner of a referral code as the referrer of the account. A referrer cannot be changed.", fields: {
    code: {"kind":"text","help":"Referral code, case-sensitive. Rejected with 400: control, bidirectional, invisible and unassigned characters, spaces at the ends, and text like \\x00."},
  } },
  claim_referral: { help: "Claims the earnings of the account as a referrer.", fields: {
  } },
  transfer_usdc: { help: "Sends USDC from the account to another account, which needs a trustline for USDC.", fields: {
    destination: {"kind":"text","help":"Account that receives the transfer (G…)."},
    amount: {"kind":"decimal","help":"Amount in USDC."},
  } },
}
