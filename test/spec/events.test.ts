// The contracts' events, copied by hand from the specification's tables and compared with the shapes that the indexer decodes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import type { EventContractKey } from '../../src/exchange/contracts/contracts.ts'
import { GENERATION_1_EVENTS } from '../../src/exchange/events.ts'
import type { EventField } from '../../src/exchange/events.ts'

/** "Events": `topic [second topic] : data tuple in order`, with the specification's names. */
const TABLES: Readonly<Record<EventContractKey, string>> = {
  market: `
    initialized : admin vault oracle_adapter
    paused :
    unpaused :
    position_opened : position_id trader asset direction size entry_price
    position_closed : position_id trader asset direction size entry_price current_price pnl
    position_liquidated : position_id trader asset direction size keeper_reward current_price
    cross_liq : trader total_pnl keeper_reward
    order_placed : order_id trader trigger_price
    order_cancelled : order_id reason
    order_executed : order_id reward
    funding_applied : funding_rate hours_elapsed
  `,
  vault: `
    initialized : admin market_contract usdc_token lp_token
    deposit : depositor usdc_amount lp_amount fee
    withdraw : withdrawer lp_amount net_usdc fee
    pnl_settled : pnl
    payout_shortfall : pnl paid short
    loss_received : amount
    exposure_synced asset : asset_unrealized_pnl total_unrealized_pnl release
    market_updated : old_market new_market
    deposit_fee_updated : fee_bps
    withdraw_fee_updated : fee_bps
    deposit_cap_set : cap
    buffer_seeded : amount
    buffer_funded : amount
    paused :
    unpaused :
    admin_updated : old_admin new_admin
    emergency_withdraw : amount recipient
  `,
  vaultFactory: `
    initialized : admin market usdc
    vault_created vault_id : leader name
    deposit vault_id : depositor amount shares
    withdraw vault_id : depositor shares usdc_out
    leader_open vault_id : leader position_id collateral
    leader_close vault_id : leader position_id
    leader_limit vault_id : leader order_id
    leader_cancel vault_id : leader order_id
    fees_claimed vault_id : leader owed new_nav
    paused vault_id :
    unpaused vault_id :
    admin_paused vault_id :
    admin_unpaused vault_id :
  `,
  referral: `
    initialized : admin market
    code_created : referrer code
    referrer_set : referee referrer code
    trade_recorded : referee referrer original_fee discount payout
    claimed : referrer amount
  `,
}

/** The on-chain type of each value by its name. All other values are amounts, prices, rates or results: i128. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  address: [
    'admin', 'vault', 'oracle_adapter', 'trader', 'market_contract', 'usdc_token', 'lp_token', 'depositor', 'withdrawer', 'old_market', 'new_market',
    'old_admin', 'new_admin', 'recipient', 'market', 'usdc', 'leader', 'referrer', 'referee',
  ],
  symbol: ['asset', 'reason'],
  string: ['name', 'code'],
  u32: ['direction', 'fee_bps', 'vault_id'],
  u64: ['position_id', 'order_id', 'hours_elapsed'],
}

/** Keys that the API serves under another name than the tuple's name in camel case. */
const RENAMED: Readonly<Record<string, string>> = {
  'market position_closed current_price': 'closePrice',
  'market position_liquidated current_price': 'closePrice',
  'market order_executed reward': 'keeperReward',
}

/** Values that the API serves as JSON numbers; all others are strings. Ids in the trader vaults' events are strings. */
const NUMBERS = ['direction', 'fee_bps', 'vault_id', 'market position_id', 'market order_id']

interface Field {
  readonly key: string
  readonly chainType: string
  readonly json: 'number' | 'string'
}

function specified(contract: EventContractKey, topic: string, name: string): Field {
  const chainType = Object.keys(TYPES).find((type) => TYPES[type]?.includes(name)) ?? 'i128'
  const key = RENAMED[`${contract} ${topic} ${name}`] ?? name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
  return { key, chainType, json: NUMBERS.includes(name) || NUMBERS.includes(`${contract} ${name}`) ? 'number' : 'string' }
}

/** A field of the code's shapes in the same terms. */
function implemented([key, type]: EventField): Field {
  const chainType = type === 'id' || type === 'idText' ? 'u64' : type
  return { key, chainType, json: type === 'id' || type === 'u32' ? 'number' : 'string' }
}

function rows(contract: EventContractKey): [topic: string, second: string | undefined, data: string[]][] {
  return TABLES[contract].trim().split('\n').map((row) => {
    const [head = '', tuple = ''] = row.split(':')
    const [topic = '', second] = head.trim().split(' ')
    return [topic, second, tuple.trim().split(' ').filter((name) => name !== '')]
  })
}

for (const contract of EVENT_CONTRACT_KEYS) {
  test(`the events of ${contract} match the specification value by value`, () => {
    const specifiedRows = rows(contract)
    assert.deepEqual(Object.keys(GENERATION_1_EVENTS[contract]).sort(), specifiedRows.map(([topic]) => topic).sort())
    for (const [topic, second, data] of specifiedRows) {
      const shape = GENERATION_1_EVENTS[contract][topic]
      assert.deepEqual(shape?.data.map(implemented), data.map((name) => specified(contract, topic, name)), `${contract} ${topic}`)
      const secondTopic = shape?.secondTopic === undefined ? undefined : implemented(shape.secondTopic)
      assert.deepEqual(secondTopic, second === undefined ? undefined : specified(contract, topic, second), `second topic of ${contract} ${topic}`)
    }
  })
}

test('the tables have as many events as the specification', () => {
  assert.deepEqual(EVENT_CONTRACT_KEYS.map((contract) => rows(contract).length), [11, 17, 13, 5])
})
