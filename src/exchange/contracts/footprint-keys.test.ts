import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACT_KEYS } from './contracts.ts'
import type { ContractKey } from './contracts.ts'
import { bindVariables, coverCall, instantiate } from './footprint-keys.ts'
import type { EntryKey, ExchangeParties } from './footprint-keys.ts'
import { COVERED_FUNCTIONS, entriesOf } from './footprint-table.ts'
import { ACTION_NAMES, actionDefinition } from '../actions.ts'
import { OPERATION_NAMES, operationDefinition } from '../operations.ts'

const contracts = Object.fromEntries(CONTRACT_KEYS.map((key) => [key, `C-${key}`])) as Record<ContractKey, string>
const PARTIES: ExchangeParties = { contracts, usdcAsset: 'USDC:G-issuer', treasury: 'G-treasury', generation: '2.3' }

test('every template of the table names entries', () => {
  const values = new Map((['trader', 'position', 'order', 'vaultId', 'asset', 'priced', 'newPosition', 'newOrder', 'newVault'] as const)
    .map((variable) => [variable, [{ type: 'symbol', value: 'X' } as const]]))
  for (const [contract, functionName] of COVERED_FUNCTIONS) {
    for (const { reads = [], writes = [] } of entriesOf(contract, functionName)?.groups ?? []) {
      for (const template of [...reads, ...writes]) {
        const [key] = instantiate(template, values, PARTIES, 'G-caller')
        assert.ok(key !== undefined && !JSON.stringify(key).includes('undefined') && (key.kind !== 'data' || key.contract !== undefined), template)
      }
    }
  }
})

test('the table covers functions of operations and actions, and of keepers', () => {
  const definitions = [...OPERATION_NAMES.map(operationDefinition), ...ACTION_NAMES.map(actionDefinition)]
  const callable = new Set(definitions.map(({ contract, functionName }) => `${contract} ${functionName}`))
  const keepers = ['execute_order', 'liquidate', 'liquidate_cross_account', 'adl_close', 'check_adl_trigger', 'update_trailing_peak', 'sync_asset_pnl']
  for (const name of keepers) callable.add(`market ${name}`)
  assert.deepEqual(COVERED_FUNCTIONS.map(([contract, name]) => `${contract} ${name}`).filter((name) => !callable.has(name)), [])
  const uncovered = OPERATION_NAMES.filter((op) => entriesOf('market', op) === undefined)
  assert.deepEqual(uncovered, [])
})

test('takes variables from the arguments, then from the simulated entries', () => {
  const data = (name: string, ...parts: Extract<EntryKey, { kind: 'data' }>['parts']): EntryKey =>
    ({ kind: 'data', contract: contracts.market, durability: 'persistent', name, parts })
  const touched = [
    data('AssetExposure', { type: 'symbol', value: 'BTC' }), data('TraderVolume', { type: 'address', value: 'G-other' }),
    data('Position', { type: 'u64', value: 3n }), data('Position', { type: 'u64', value: 9n }),
    data('Price', { type: 'bytes', value: new TextEncoder().encode('ETHUSD\0\0') }),
  ]
  const args = [{ type: 'address', value: 'G-me' }, { type: 'u64', value: 3n }] as const
  const close = { contract: 'market', functionName: 'close_position', args, caller: 'G-me' } as const
  const values = bindVariables(close, touched, PARTIES, 2)
  const plain = Object.fromEntries([...values].map(([name, parts]) => [name, parts.map(({ value }) => String(value))]))
  assert.deepEqual(plain, { trader: ['G-me'], position: ['3'], asset: ['BTC'], priced: ['BTC', 'ETH'], newPosition: ['9', '10'] })
  const execution = { contract: 'market', functionName: 'execute_order', args: [{ type: 'address', value: 'G-keeper' }], caller: 'G-keeper' } as const
  assert.deepEqual(bindVariables(execution, touched, PARTIES, 2).get('trader')?.map(({ value }) => value), ['G-other'])
})

test('names the balance of an account as its trustline, and that of an issuer not at all', () => {
  const args = (trader: string) => [{ type: 'address', value: trader }] as const
  const close = (trader: string) => ({ contract: 'market', functionName: 'close_position', args: args(trader), caller: trader }) as const
  const trustlines = (trader: string) => coverCall(close(trader), [], PARTIES, 8).flatMap(({ key }) => (key.kind === 'trustline' ? [key.account] : []))
  assert.deepEqual([trustlines('G-me'), trustlines('G-issuer')], [['G-me'], []])
})
