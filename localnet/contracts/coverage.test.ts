import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { REFERRAL_ERRORS as BASIC_REFERRAL_ERRORS, TRADER_VAULT_ERRORS as BASIC_TRADER_VAULT_ERRORS } from '../../src/exchange/errors/errors.ts'
import { REFERRAL_ERRORS, SHARED_ERRORS, TRADER_VAULT_ERRORS } from './generation-2/errors.ts'
import * as generation2LiquidityVault from './generation-2/liquidity-vault/liquidity-vault.ts'
import * as generation2Market from './generation-2/market/market.ts'
import * as generation2PriceOracle from './generation-2/price-oracle.ts'
import * as generation2PriceShim from './generation-2/price-shim.ts'
import * as generation2Referral from './generation-2/referral.ts'
import * as generation2Router from './generation-2/router.ts'
import * as generation2TraderVaults from './generation-2/trader-vaults/trader-vaults.ts'
import type { ContractCode, SpecType } from './shared/host.ts'
import * as generation1LiquidityVault from './generation-1/liquidity-vault.ts'
import * as generation1Market from './generation-1/market/market.ts'
import * as generation1PriceOracle from './shared/price-oracle.ts'
import * as generation1PriceShim from './shared/price-shim.ts'
import * as generation1Referral from './shared/referral.ts'
import * as generation1Router from './shared/router.ts'
import { createTestHost, sampleArg, toNative } from '../test/contracts/test-host.ts'
import { assetContract } from './shared/token.ts'
import * as generation1TraderVaults from './shared/trader-vaults.ts'
import { ALICE } from '../test/contracts/generation-1/test-exchange.ts'

const CONTRACTS: Readonly<Record<string, ContractCode>> = {
  'Asset contract': assetContract('USDC:GISSUER'),
  'Price oracle': generation1PriceOracle.priceOracleContract(),
  'Price shim': generation1PriceShim.priceShimContract(),
  'Liquidity vault': generation1LiquidityVault.liquidityVaultContract(),
  Market: generation1Market.marketContract(),
  Router: generation1Router.routerContract(),
  'Trader vaults': generation1TraderVaults.traderVaultsContract(),
  Referral: generation1Referral.referralContract(),
  'Price oracle, generation 2': generation2PriceOracle.priceOracleContract(),
  'Price shim, generation 2': generation2PriceShim.priceShimContract(),
  'Liquidity vault, generation 2': generation2LiquidityVault.liquidityVaultContract('2.3'),
  'Market, generation 2': generation2Market.marketContract('2.3'),
  'Router, generation 2': generation2Router.routerContract(),
  'Trader vaults, generation 2': generation2TraderVaults.traderVaultsContract('2.3'),
  'Referral, generation 2': generation2Referral.referralContract(),
}

const ERROR_TABLES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'Shared error codes': generation1LiquidityVault.LIQUIDITY_VAULT_ERRORS,
  'Trader vault error codes': BASIC_TRADER_VAULT_ERRORS,
  'Referral error codes': BASIC_REFERRAL_ERRORS,
  'Shared error codes, generation 2': SHARED_ERRORS,
  'Trader vault error codes, generation 2': TRADER_VAULT_ERRORS,
  'Referral error codes, generation 2': REFERRAL_ERRORS,
}

const GRADES = ['full', 'structural', 'absent']

/** The page's tables by section: rows of cells, without heading and separator rows. */
function readSections(): Map<string, string[][]> {
  const sections = new Map<string, string[][]>()
  let rows: string[][] = []
  for (const line of readFileSync(new URL('../COVERAGE.md', import.meta.url), 'utf8').split('\n')) {
    if (line.startsWith('## ')) sections.set(line.slice(3), (rows = []))
    const cells = line.startsWith('|') ? line.slice(1, -1).split('|').map((cell) => cell.trim()) : []
    if (cells.length > 0 && !/^(-+|Entry point|Rule|Code)$/.test(cells[0] ?? '')) rows.push(cells)
  }
  return sections
}

const sections = readSections()

test('the page grades exactly the entry points of each contract', () => {
  for (const [section, code] of Object.entries(CONTRACTS)) {
    const rows = sections.get(section) ?? assert.fail(`no section ${section}`)
    const named = rows.flatMap(([cell]) => /^`(\w+)`$/.exec(cell ?? '')?.[1] ?? [])
    assert.deepEqual(named.toSorted(), Object.keys(code.entryPoints).toSorted(), section)
    for (const [name, grade] of rows) assert.ok(GRADES.includes(grade ?? ''), `${section}: ${name} is graded ${grade}`)
  }
})

test('the page grades every error code with its name', () => {
  for (const [section, table] of Object.entries(ERROR_TABLES)) {
    const rows = sections.get(section) ?? assert.fail(`no section ${section}`)
    assert.deepEqual(Object.fromEntries(rows.map(([code, name]) => [code, name])), Object.fromEntries(Object.entries(table)), section)
    for (const [code, , grade] of rows) assert.ok(GRADES.includes(grade ?? ''), `${section}: ${code} is graded ${grade}`)
  }
})

test('the page has one section per contract and per table of error codes', () => {
  assert.deepEqual([...sections.keys()], [...Object.keys(CONTRACTS), ...Object.keys(ERROR_TABLES)])
})

test('a published interface defines all structs that it uses, with fields in wire order', () => {
  for (const [section, code] of Object.entries(CONTRACTS)) {
    for (const [name, fields] of Object.entries(code.structs ?? {})) {
      const names = fields.map(([field]) => field)
      assert.deepEqual(names, names.toSorted(), `${section}: ${name}`)
    }
    for (const [name, entry] of Object.entries(code.entryPoints)) {
      for (const type of [...entry.inputs.map(([, input]) => input), entry.output]) {
        for (const struct of structsIn(type)) assert.ok(code.structs?.[struct] !== undefined, `${section}.${name}: ${struct}`)
      }
    }
  }
})

/** Results of an uninitialized contract where they are not error 2. */
const EMPTY_RESULTS: Readonly<Record<string, unknown>> = {
  'Trader vaults.get_vault_ids': [], 'Trader vaults.vault_count': 0, 'Trader vaults.shares_of': 0n, 'Trader vaults.version': 'vault_factory_v0',
  'Referral.get_referrer': null, 'Referral.resolve_code': null,
  'Referral.version': 'referral_v1',
}
const OTHER_ERRORS: Readonly<Record<string, number>> = {
  'Trader vaults.get_vault': 5, 'Trader vaults.view_vault': 5,
}

test('uninitialized trader vaults and referral fail with 2 or return empty values', () => {
  for (const [section, notInitialized] of [['Trader vaults', 2], ['Referral', 2]] as const) {
    const code = CONTRACTS[section] ?? assert.fail()
    const host = createTestHost({ C: code })
    for (const [name, entry] of Object.entries(code.entryPoints)) {
      if (name === 'initialize') continue
      const result = host.invoke('C', name, entry.inputs.map(([, type]) => sampleArg(type)), [ALICE])
      const actual = result.ok ? toNative(result.value) : result.error
      const id = `${section}.${name}`
      const expected = id in EMPTY_RESULTS ? EMPTY_RESULTS[id] : `Error(Contract, #${OTHER_ERRORS[id] ?? notInitialized})`
      assert.deepEqual(actual, expected, id)
    }
  }
})

function structsIn(type: SpecType): string[] {
  if (typeof type === 'string') return []
  if ('struct' in type) return [type.struct]
  if ('option' in type) return structsIn(type.option)
  if ('vec' in type) return structsIn(type.vec)
  return 'tuple' in type ? type.tuple.flatMap(structsIn) : []
}
