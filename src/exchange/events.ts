// The events of contracts of generation 1, and what all generations share: topic -> data tuple in wire order, with the payload key of each value.
// Sources: specification, "Events"; payload keys of the liquidity vault are its tuple names in camelCase.

import type { EventContractKey } from './contracts/contracts.ts'

/** On-chain type of a value. `id` is a u64 served as a JSON number; wide integers are served as digit strings. */
type EventFieldType = 'address' | 'symbol' | 'string' | 'bool' | 'i128' | 'u64' | 'u32' | 'id' | 'idText' | 'addresses'

/** One value of an event: its payload key and on-chain type. */
export type EventField = readonly [key: string, type: EventFieldType]

export interface EventShape {
  /** The second topic, if the event has one. */
  readonly secondTopic?: EventField
  /** The data tuple in wire order; empty means void. */
  readonly data: readonly EventField[]
  /** The data is the only value itself instead of a tuple. */
  readonly bare?: true
}

/** The events of one contract, by topic. */
export type EventTable = Readonly<Record<string, EventShape>>

/** The events of each contract, by topic. */
export type EventTables = Readonly<Record<EventContractKey, EventTable>>

const PAUSES: EventTable = { paused: { data: [] }, unpaused: { data: [] } }

const MARKET: EventTable = {
  initialized: { data: [['admin', 'address'], ['vault', 'address'], ['oracleAdapter', 'address']] },
  ...PAUSES,
  position_opened: {
    data: [['positionId', 'id'], ['trader', 'address'], ['asset', 'symbol'], ['direction', 'u32'], ['size', 'i128'], ['entryPrice', 'i128']],
  },
  position_closed: {
    data: [
      ['positionId', 'id'], ['trader', 'address'], ['asset', 'symbol'], ['direction', 'u32'], ['size', 'i128'], ['entryPrice', 'i128'],
      ['closePrice', 'i128'], ['pnl', 'i128'],
    ],
  },
  position_liquidated: {
    data: [
      ['positionId', 'id'], ['trader', 'address'], ['asset', 'symbol'], ['direction', 'u32'], ['size', 'i128'], ['keeperReward', 'i128'],
      ['closePrice', 'i128'],
    ],
  },
  cross_liq: { data: [['trader', 'address'], ['totalPnl', 'i128'], ['keeperReward', 'i128']] },
  order_placed: { data: [['orderId', 'id'], ['trader', 'address'], ['triggerPrice', 'i128']] },
  order_cancelled: { data: [['orderId', 'id'], ['reason', 'symbol']] },
  order_executed: { data: [['orderId', 'id'], ['keeperReward', 'i128']] },
  funding_applied: { data: [['fundingRate', 'i128'], ['hoursElapsed', 'u64']] },
}

const VAULT: EventTable = {
  initialized: { data: [['admin', 'address'], ['marketContract', 'address'], ['usdcToken', 'address'], ['lpToken', 'address']] },
  deposit: { data: [['depositor', 'address'], ['usdcAmount', 'i128'], ['lpAmount', 'i128'], ['fee', 'i128']] },
  withdraw: { data: [['withdrawer', 'address'], ['lpAmount', 'i128'], ['netUsdc', 'i128'], ['fee', 'i128']] },
  pnl_settled: { data: [['pnl', 'i128']] },
  payout_shortfall: { data: [['pnl', 'i128'], ['paid', 'i128'], ['short', 'i128']] },
  loss_received: { data: [['amount', 'i128']] },
  exposure_synced: {
    secondTopic: ['asset', 'symbol'],
    data: [['assetUnrealizedPnl', 'i128'], ['totalUnrealizedPnl', 'i128'], ['release', 'i128']],
  },
  market_updated: { data: [['oldMarket', 'address'], ['newMarket', 'address']] },
  deposit_fee_updated: { data: [['feeBps', 'u32']] },
  withdraw_fee_updated: { data: [['feeBps', 'u32']] },
  deposit_cap_set: { data: [['cap', 'i128']] },
  buffer_seeded: { data: [['amount', 'i128']] },
  buffer_funded: { data: [['amount', 'i128']] },
  ...PAUSES,
  admin_updated: { data: [['oldAdmin', 'address'], ['newAdmin', 'address']] },
  emergency_withdraw: { data: [['amount', 'i128'], ['recipient', 'address']] },
}

export const VAULT_ID: EventField = ['vaultId', 'u32']

const VAULT_FACTORY: EventTable = {
  initialized: { data: [['admin', 'address'], ['market', 'address'], ['usdc', 'address']] },
  vault_created: { secondTopic: VAULT_ID, data: [['leader', 'address'], ['name', 'string']] },
  deposit: { secondTopic: VAULT_ID, data: [['depositor', 'address'], ['amount', 'i128'], ['shares', 'i128']] },
  withdraw: { secondTopic: VAULT_ID, data: [['depositor', 'address'], ['shares', 'i128'], ['usdcOut', 'i128']] },
  leader_open: { secondTopic: VAULT_ID, data: [['leader', 'address'], ['positionId', 'idText'], ['collateral', 'i128']] },
  leader_close: { secondTopic: VAULT_ID, data: [['leader', 'address'], ['positionId', 'idText']] },
  leader_limit: { secondTopic: VAULT_ID, data: [['leader', 'address'], ['orderId', 'idText']] },
  leader_cancel: { secondTopic: VAULT_ID, data: [['leader', 'address'], ['orderId', 'idText']] },
  fees_claimed: { secondTopic: VAULT_ID, data: [['leader', 'address'], ['owed', 'i128'], ['newNav', 'i128']] },
  paused: { secondTopic: VAULT_ID, data: [] },
  unpaused: { secondTopic: VAULT_ID, data: [] },
  admin_paused: { secondTopic: VAULT_ID, data: [] },
  admin_unpaused: { secondTopic: VAULT_ID, data: [] },
}

const REFERRAL: EventTable = {
  initialized: { data: [['admin', 'address'], ['market', 'address']] },
  code_created: { data: [['referrer', 'address'], ['code', 'string']] },
  referrer_set: { data: [['referee', 'address'], ['referrer', 'address'], ['code', 'string']] },
  trade_recorded: {
    data: [['referee', 'address'], ['referrer', 'address'], ['originalFee', 'i128'], ['discount', 'i128'], ['payout', 'i128']],
  },
  claimed: { data: [['referrer', 'address'], ['amount', 'i128']] },
}

export const GENERATION_1_EVENTS: EventTables = {
  market: MARKET,
  vault: VAULT,
  vaultFactory: VAULT_FACTORY,
  referral: REFERRAL,
}

/** Payload keys that name the accounts an event concerns: both administrators of a rotation, but not the contracts of a setting. */
export const ACCOUNT_ROLES = ['trader', 'depositor', 'withdrawer', 'leader', 'referrer', 'referee', 'keeper', 'oldAdmin', 'newAdmin'] as const

/** Topics of the per-account lists (specification, "GET /v1/account/me/orders", "GET /v1/account/me/positions"). */
export const ORDER_TOPICS = ['order_placed', 'order_executed', 'order_cancelled'] as const
export const POSITION_TOPICS = ['position_opened', 'position_closed', 'position_liquidated'] as const
