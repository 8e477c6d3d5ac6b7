// The events of every generation. Generation 2 changed some tuples and added topics; everything else is as in generation 1.
// Payload keys: unchanged tuples keep those of generation 1, new and changed ones use the names of the deployed service.

import type { EventContractKey } from './contracts/contracts.ts'
import { GENERATION_1_EVENTS, VAULT_ID } from './events.ts'
import type { EventShape, EventTable, EventTables } from './events.ts'
import type { Generation } from './contracts/generations.ts'

const ROTATED: EventTable = { admin_rotated: { data: [['oldAdmin', 'address'], ['newAdmin', 'address']] } }

const MARKET: EventTable = {
  ...ROTATED,
  paused: { data: [['mode', 'u32'], ['since', 'u64']] },
  pause_degraded: { data: [['from', 'u32'], ['to', 'u32']] },
  asset_halt_set: { secondTopic: ['asset', 'symbol'], data: [['halted', 'bool']] },
  fee_split_set: { data: [['treasury', 'address'], ['bps', 'u32']] },
  referral_set: { data: [['referral', 'address']] },
  asset_risk_set: { data: [['asset', 'symbol'], ['maxLeverage', 'u32'], ['imBps', 'u32'], ['mmBps', 'u32']] },
  position_reduced: {
    data: [
      ['positionId', 'id'], ['trader', 'address'], ['asset', 'symbol'], ['closedSize', 'i128'], ['remainingSize', 'i128'], ['price', 'i128'], ['pnl', 'i128'],
    ],
  },
  collateral_added: { data: [['positionId', 'id'], ['trader', 'address'], ['amount', 'i128'], ['liquidationPrice', 'i128']] },
  collateral_removed: { data: [['positionId', 'id'], ['trader', 'address'], ['amount', 'i128'], ['liquidationPrice', 'i128']] },
  position_partial_liq: {
    data: [
      ['positionId', 'id'], ['trader', 'address'], ['asset', 'symbol'], ['direction', 'u32'], ['size', 'i128'], ['keeperReward', 'i128'],
      ['closePrice', 'i128'],
    ],
  },
  liq_refund: { data: [['trader', 'address'], ['positionId', 'id'], ['refund', 'i128'], ['penalty', 'i128']] },
  bad_debt_recorded: {
    data: [['trader', 'address'], ['asset', 'symbol'], ['amount', 'i128'], ['bufferCovered', 'i128'], ['lpAbsorbed', 'i128']],
  },
  funding_applied: { data: [['asset', 'symbol'], ['fundingRate', 'i128'], ['hoursElapsed', 'u64'], ['cumulative', 'i128']] },
  funding_migrated: { data: [['asset', 'symbol'], ['cumulative', 'i128']] },
  funding_reseeded: { data: [['positionId', 'id'], ['oldEntry', 'i128'], ['newEntry', 'i128']] },
  adl_triggered: { data: [['asset', 'symbol'], ['reason', 'u32'], ['payableUpnl', 'i128'], ['coverage', 'i128']] },
  adl_cleared: { data: [['asset', 'symbol'], ['reason', 'u32'], ['payableUpnl', 'i128'], ['coverage', 'i128']] },
  adl_executed: {
    data: [
      ['positionId', 'id'], ['trader', 'address'], ['asset', 'symbol'], ['direction', 'u32'], ['size', 'i128'], ['price', 'i128'], ['pnl', 'i128'],
      ['score', 'i128'],
    ],
  },
}

const VAULT: EventTable = {
  ...ROTATED,
  payout_shortfall: { data: [['trader', 'address'], ['pnl', 'i128'], ['paid', 'i128'], ['shortfall', 'i128']] },
  buffer_seeded: { data: [['amount', 'i128'], ['toReserve', 'i128']] },
  buffer_funded: { data: [['amount', 'i128'], ['toReserve', 'i128']] },
  shortfall_repaid: { data: [['trader', 'address'], ['paid', 'i128'], ['remaining', 'i128']] },
  bounty_paid: { data: [['keeper', 'address'], ['amount', 'i128'], ['paid', 'i128']] },
  protocol_fee_routed: { data: [['amount', 'i128'], ['toBuffer', 'i128'], ['overflow', 'i128']] },
  treasury_unreachable: { data: [['treasury', 'address'], ['amount', 'i128']] },
  buffer_drawn: { data: [['amount', 'i128'], ['covered', 'i128']] },
  buffer_paid: { data: [['to', 'address'], ['amount', 'i128'], ['paid', 'i128']] },
  aum_cap_set: { data: [['cap', 'i128']] },
  withdraw_cooldown_set: { data: [['seconds', 'u64']] },
  buffer_target_set: { data: [['bps', 'u32']] },
  reserve_cap_set: { data: [['bps', 'u32']] },
  shortfall_bps_set: { data: [['bps', 'u32']] },
  asset_cap_set: { data: [['asset', 'symbol'], ['bps', 'u32']] },
  skew_cap_set: { data: [['asset', 'symbol'], ['bps', 'u32']] },
  asset_cap_abs_set: { data: [['asset', 'symbol'], ['maxNotional', 'i128']] },
  recovery_init: { data: [['recipient', 'address']] },
  recovery_proposed: { data: [['amount', 'i128'], ['executeAfter', 'u64']] },
  recovery_executed: { data: [['paid', 'i128'], ['recipient', 'address']] },
  recovery_cancelled: { data: [] },
}

const LEADER_EXIT: EventShape = { secondTopic: VAULT_ID, data: [['leader', 'address'], ['orderId', 'idText'], ['positionId', 'idText']] }

const VAULT_FACTORY: EventTable = {
  ...ROTATED,
  leader_stop_limit: { secondTopic: VAULT_ID, data: [['leader', 'address'], ['orderId', 'idText']] },
  leader_sl: LEADER_EXIT,
  leader_tp: LEADER_EXIT,
  leader_trail: LEADER_EXIT,
  order_reconciled: { secondTopic: VAULT_ID, data: [['orderId', 'idText'], ['positionId', 'idText'], ['credited', 'i128']] },
  position_reconciled: { secondTopic: VAULT_ID, data: [['positionId', 'idText'], ['proceeds', 'i128']] },
  allowlist_set: { data: [['leaders', 'addresses']] },
  max_vaults_set: { data: [['maxVaults', 'u32']] },
}

const REFERRAL: EventTable = {
  ...ROTATED,
  trade_recorded: {
    data: [
      ['referee', 'address'], ['referrer', 'address'], ['originalFee', 'i128'], ['discount', 'i128'], ['payout', 'i128'], ['volume', 'i128'],
    ],
  },
  code_revoked: { data: [['referrer', 'address'], ['code', 'string']] },
  code_unrevoked: { data: [['referrer', 'address'], ['code', 'string']] },
  unbound: { data: [['referee', 'address']], bare: true },
  registry_paused: { data: [['paused', 'bool']], bare: true },
}

const { emergency_withdraw: _gone, ...VAULT_KEPT } = GENERATION_1_EVENTS.vault

const GENERATION_2_EVENTS: EventTables = {
  market: { ...GENERATION_1_EVENTS.market, ...MARKET },
  vault: { ...VAULT_KEPT, ...VAULT },
  vaultFactory: { ...GENERATION_1_EVENTS.vaultFactory, ...VAULT_FACTORY },
  referral: { ...GENERATION_1_EVENTS.referral, ...REFERRAL },
}

/** The events of a generation's contracts. Within generation 2 topics were only added. */
export function eventShapes(generation: Generation): EventTables {
  return generation === '1' ? GENERATION_1_EVENTS : GENERATION_2_EVENTS
}

/**
 * The shapes of a topic, those of `generation` (null: unknown) first. Other generations follow, because the generation before an upgrade may be unknown and
 * some tuples grew within one: no two shapes of a topic fit the same values.
 */
export function shapesOf(contract: EventContractKey, topic: string, generation: Generation | null): readonly EventShape[] {
  const preferred = eventShapes(generation ?? '1')[contract]
  const other = eventShapes(generation === null || generation === '1' ? '2.0' : '1')[contract]
  const shapes = [preferred, other].flatMap((table) => (Object.hasOwn(table, topic) ? [table[topic]] : []))
  return [...new Set(shapes)].filter((shape) => shape !== undefined)
}
