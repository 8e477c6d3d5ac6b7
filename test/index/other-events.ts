// Events that change neither positions nor orders: those of generation 2 (2.20, 3.3 and 4), some of generation 1, and some that cannot be decoded.

import { encodeScVal } from '../../src/chain/codec/scval.ts'
import type { ScArgument } from '../../src/chain/codec/scval.ts'
import type { ContractAddresses } from '../../src/exchange/contracts/contracts.ts'
import { TRADERS } from './accounts.ts'
import type { NodeEvent } from './node.ts'

export type MakeEvent = (contractId: string, topic: string, data: readonly ScArgument[], secondTopic?: ScArgument) => NodeEvent

/** An event that changes neither positions nor orders. */
export interface OtherEvent {
  readonly topic: string
  readonly names: readonly string[]
  readonly decodes: boolean
  make(event: MakeEvent, contracts: ContractAddresses): NodeEvent
}

const [FIRST = '', SECOND = ''] = TRADERS
const ACCOUNT = { type: 'address', value: FIRST } as const satisfies ScArgument
const OTHER_ACCOUNT: ScArgument = { type: 'address', value: SECOND }
const NAMED = [FIRST]
const BTC: ScArgument = { type: 'symbol', value: 'BTC' }
const CODE: ScArgument = { type: 'string', value: 'AB1' }
const YES: ScArgument = { type: 'bool', value: true }
const i128 = (value: bigint): ScArgument => ({ type: 'i128', value })
const u64 = (value: bigint): ScArgument => ({ type: 'u64', value })
const u32 = (value: number): ScArgument => ({ type: 'u32', value })
const VAULT_ID = u32(3)
/** A position and an order that do not exist. */
const NO_ID = u64(9_999_999n)

type Row = readonly [topic: string, names: readonly string[], data: readonly ScArgument[], secondTopic?: ScArgument]

const rowsOf = (contract: 'market' | 'vault' | 'vaultFactory' | 'referral', rows: readonly Row[]): OtherEvent[] =>
  rows.map(([topic, names, data, secondTopic]) => ({
    topic, names, decodes: true, make: (event, contracts) => event(contracts[contract], topic, data, secondTopic),
  }))

/** Data that is the only value itself. */
function bareEvent(topic: string, names: readonly string[], value: ScArgument): OtherEvent {
  return { topic, names, decodes: true, make: (event, { referral }) => ({ ...event(referral, topic, []), valueXdr: encodeScVal(value) }) }
}

const MARKET_2: readonly Row[] = [
  ['paused', [], [u32(2), u64(1n)]], ['unpaused', [], []], ['pause_degraded', [], [u32(2), u32(1)]], ['asset_halt_set', [], [YES], BTC],
  ['fee_split_set', [], [ACCOUNT, u32(2_000)]], ['referral_set', [], [ACCOUNT]], ['admin_rotated', [FIRST, SECOND], [ACCOUNT, OTHER_ACCOUNT]],
  ['asset_risk_set', [], [BTC, u32(10), u32(400), u32(200)]], ['funding_applied', [], [BTC, i128(2_500n), u64(1n), i128(-7n)]],
  ['funding_migrated', [], [BTC, i128(7n)]], ['funding_reseeded', [], [NO_ID, i128(7n), i128(8n)]], ['adl_triggered', [], [BTC, u32(1), i128(0n), i128(0n)]],
  ['adl_cleared', [], [BTC, u32(0), i128(1n), i128(2n)]], ['initialized', [], [ACCOUNT, ACCOUNT, ACCOUNT]],
]

const VAULT_2: readonly Row[] = [
  ['payout_shortfall', NAMED, [ACCOUNT, i128(9n), i128(5n), i128(4n)]], ['buffer_seeded', [], [i128(9n), i128(4n)]],
  ['buffer_funded', [], [i128(9n), i128(4n)]], ['shortfall_repaid', NAMED, [ACCOUNT, i128(4n), i128(0n)]],
  ['bounty_paid', NAMED, [ACCOUNT, i128(5n), i128(0n)]], ['protocol_fee_routed', [], [i128(5n), i128(2n), i128(3n)]],
  ['buffer_drawn', [], [i128(5n), i128(5n)]], ['treasury_unreachable', [], [ACCOUNT, i128(5n)]],
  ['buffer_paid', [], [ACCOUNT, i128(5n), i128(5n)]], ['deposit_cap_set', [], [i128(5n)]],
  ['aum_cap_set', [], [i128(5n)]], ['withdraw_cooldown_set', [], [u64(1_800n)]], ['buffer_target_set', [], [u32(1_000)]],
  ['reserve_cap_set', [], [u32(7_000)]], ['shortfall_bps_set', [], [u32(5_000)]], ['asset_cap_set', [], [BTC, u32(2_500)]],
  ['skew_cap_set', [], [BTC, u32(1_500)]], ['asset_cap_abs_set', [], [BTC, i128(5n)]], ['recovery_init', [], [ACCOUNT]],
  ['recovery_proposed', [], [i128(5n), u64(172_800n)]], ['recovery_executed', [], [i128(5n), ACCOUNT]], ['recovery_cancelled', [], []],
  ['initialized', [], [ACCOUNT, ACCOUNT, ACCOUNT, ACCOUNT]], ['deposit', NAMED, [ACCOUNT, i128(5n), i128(4n), i128(1n)]],
  ['withdraw', NAMED, [ACCOUNT, i128(4n), i128(5n), i128(1n)]], ['pnl_settled', [], [i128(5n)]], ['loss_received', [], [i128(5n)]],
  ['exposure_synced', [], [i128(5n), i128(6n), i128(7n)], BTC], ['market_updated', [], [ACCOUNT, OTHER_ACCOUNT]],
  ['deposit_fee_updated', [], [u32(30)]], ['withdraw_fee_updated', [], [u32(30)]], ['paused', [], []], ['unpaused', [], []],
  ['admin_updated', [FIRST, SECOND], [ACCOUNT, OTHER_ACCOUNT]],
]

const FACTORY_2: readonly Row[] = [
  ['leader_sl', NAMED, [ACCOUNT, NO_ID, NO_ID], VAULT_ID], ['leader_tp', NAMED, [ACCOUNT, NO_ID, NO_ID], VAULT_ID],
  ['leader_trail', NAMED, [ACCOUNT, NO_ID, NO_ID], VAULT_ID], ['leader_stop_limit', NAMED, [ACCOUNT, NO_ID], VAULT_ID],
  ['leader_limit', NAMED, [ACCOUNT, NO_ID], VAULT_ID], ['leader_cancel', NAMED, [ACCOUNT, NO_ID], VAULT_ID],
  ['order_reconciled', [], [NO_ID, u64(0n), i128(5n)], VAULT_ID], ['position_reconciled', [], [NO_ID, i128(5n)], VAULT_ID],
  ['allowlist_set', [], [{ type: 'vec', value: [ACCOUNT, OTHER_ACCOUNT] }]], ['max_vaults_set', [], [u32(4)]],
  ['admin_rotated', [FIRST, SECOND], [ACCOUNT, OTHER_ACCOUNT]], ['deposit', NAMED, [ACCOUNT, i128(5n), i128(5n)], VAULT_ID],
  ['fees_claimed', NAMED, [ACCOUNT, i128(5n), i128(10_000_000n)], VAULT_ID], ['paused', [], [], VAULT_ID], ['admin_unpaused', [], [], VAULT_ID],
]

const REFERRAL_2: readonly Row[] = [
  ['trade_recorded', [SECOND, FIRST], [OTHER_ACCOUNT, ACCOUNT, i128(50n), i128(2n), i128(5n), i128(1_000n)]],
  // Without the volume, as in generation 1.
  ['trade_recorded', [SECOND, FIRST], [OTHER_ACCOUNT, ACCOUNT, i128(50n), i128(2n), i128(5n)]],
  ['code_revoked', NAMED, [ACCOUNT, CODE]], ['code_unrevoked', NAMED, [ACCOUNT, CODE]], ['claimed', NAMED, [ACCOUNT, i128(5n)]],
  ['code_created', NAMED, [ACCOUNT, { type: 'string', value: 'ÄB1' }]],
  // Two accounts in one event, the same account twice, and a text that the database cannot store unescaped.
  ['referrer_set', [FIRST, SECOND], [OTHER_ACCOUNT, ACCOUNT, CODE]], ['referrer_set', NAMED, [ACCOUNT, ACCOUNT, CODE]],
  ['code_created', NAMED, [ACCOUNT, { type: 'string', value: 'a\0b' }]],
]

/** A transfer of 7 stroops, which no list shows. */
function transferOf(side: 'router' | 'account'): OtherEvent {
  return {
    topic: 'transfer', names: [], decodes: true,
    make(event, { usdcToken, market, router }) {
      const [from, to] = side === 'router' ? [market, router] : [ACCOUNT.value, market]
      const topics: ScArgument[] = [
        { type: 'symbol', value: 'transfer' }, { type: 'address', value: from }, { type: 'address', value: to }, { type: 'string', value: 'USDC:ISSUER' },
      ]
      return { ...event(usdcToken, 'transfer', []), topicsXdr: topics.map(encodeScVal), valueXdr: encodeScVal(i128(7n)) }
    },
  }
}

export const OTHER_EVENTS: readonly OtherEvent[] = [
  ...rowsOf('market', [['funding_applied', [], [i128(1_250n), u64(1n)]], ['paused', [], []]]),
  ...rowsOf('market', MARKET_2), ...rowsOf('vault', VAULT_2), ...rowsOf('vaultFactory', FACTORY_2), ...rowsOf('referral', REFERRAL_2),
  bareEvent('unbound', [FIRST], ACCOUNT), bareEvent('registry_paused', [], YES),
  transferOf('account'), transferOf('router'),
  // A tuple with too few values, one with an extra value, a topic whose tuple is not known, an id too large for a JSON number, an event without a topic.
  { topic: 'position_partial_liq', names: [], decodes: false, make: (event, { market }) => event(market, 'position_partial_liq', [i128(5n)]) },
  { topic: 'pnl_settled', names: [], decodes: false, make: (event, { vault }) => event(vault, 'pnl_settled', [ACCOUNT, i128(5n)]) },
  { topic: 'vault_migrated', names: [], decodes: false, make: (event, { vault }) => event(vault, 'vault_migrated', [ACCOUNT, i128(5n)]) },
  {
    topic: 'order_cancelled', names: [], decodes: false,
    make: (event, { market }) => event(market, 'order_cancelled', [u64(2n ** 53n), { type: 'symbol', value: 'user' }]),
  },
  { topic: '', names: [], decodes: false, make: (event, { market }) => ({ ...event(market, 'paused', []), topicsXdr: [] }) },
]
