import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { REFERRAL_ERRORS, TRADER_VAULT_ERRORS } from '../../src/exchange/errors.ts'
import type { ContractCode, SpecType } from './host.ts'
import { LIQUIDITY_VAULT_ERRORS, liquidityVaultContract } from './liquidity-vault.ts'
import { marketContract } from './market/market.ts'
import { priceOracleContract } from './price-oracle.ts'
import { priceShimContract } from './price-shim.ts'
import { referralContract } from './referral.ts'
import { routerContract } from './router.ts'
import { createTestHost, sampleArg, toNative } from './test-host.ts'
import { assetContract } from './token.ts'
import { traderVaultsContract } from './trader-vaults.ts'

const CONTRACTS: Readonly<Record<string, ContractCode>> = {
  'Asset contract': assetContract('USDC:GISSUER'),
  'Price oracle': priceOracleContract(),
  'Price shim': priceShimContract(),
  'Liquidity vault': liquidityVaultContract(),
  Market: marketContract(),
  Router: routerContract(),
  'Trader vaults': traderVaultsContract(),
  Referral: referralContract(),
}

const ERROR_TABLES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'Shared error codes': LIQUIDITY_VAULT_ERRORS,
  'Trader vault error codes': TRADER_VAULT_ERRORS,
  'Referral error codes': REFERRAL_ERRORS,
}

const GRADES = ['full', 'structural', 'absent']

/** The page's tables by section: rows of cells, heads and rules left out. */
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

test('every entry point of every contract is graded, and none that is not there', () => {
  for (const [section, code] of Object.entries(CONTRACTS)) {
    const rows = sections.get(section) ?? assert.fail(`no section ${section}`)
    const named = rows.flatMap(([cell]) => /^`(\w+)`$/.exec(cell ?? '')?.[1] ?? [])
    assert.deepEqual(named.toSorted(), Object.keys(code.entryPoints).toSorted(), section)
    for (const [what, grade] of rows) assert.ok(GRADES.includes(grade ?? ''), `${section}: ${what} is graded ${grade}`)
  }
})

test('every error code is graded under its name', () => {
  for (const [section, table] of Object.entries(ERROR_TABLES)) {
    const rows = sections.get(section) ?? assert.fail(`no section ${section}`)
    assert.deepEqual(Object.fromEntries(rows.map(([code, name]) => [code, name])), Object.fromEntries(Object.entries(table)), section)
    for (const [code, , grade] of rows) assert.ok(GRADES.includes(grade ?? ''), `${section}: ${code} is graded ${grade}`)
  }
})

test('the page has a section for each contract and each table of codes, and no other', () => {
  assert.deepEqual([...sections.keys()], [...Object.keys(CONTRACTS), ...Object.keys(ERROR_TABLES)])
})

test('a published interface names only structs that it publishes, with their fields in wire order', () => {
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

/** What a contract answers that nobody initialised: 2, or that it is empty. */
const EMPTY_ANSWERS: Readonly<Record<string, unknown>> = {
  'Trader vaults.get_vault_ids': [], 'Trader vaults.vault_count': 0, 'Trader vaults.shares_of': 0n, 'Trader vaults.version': 'v1',
  'Referral.get_referrer': null, 'Referral.resolve_code': null, 'Referral.get_config': [400, 1000, 100_000_000_000n],
  'Referral.version': 'v1',
}
const OTHER_REFUSALS: Readonly<Record<string, number>> = {
  'Trader vaults.get_vault': 5, 'Trader vaults.view_vault': 5, 'Referral.get_info': 10,
}

test('before they are initialised trader vaults and referral answer so, or as empty', () => {
  for (const [section, notInitialized] of [['Trader vaults', 2], ['Referral', 2]] as const) {
    const code = CONTRACTS[section] ?? assert.fail()
    const host = createTestHost({ C: code })
    for (const [name, entry] of Object.entries(code.entryPoints)) {
      if (name === 'initialize') continue
      const outcome = host.invoke('C', name, entry.inputs.map(([, type]) => sampleArg(type)), ['G'])
      const answer = outcome.ok ? toNative(outcome.value) : outcome.error
      const id = `${section}.${name}`
      const expected = id in EMPTY_ANSWERS ? EMPTY_ANSWERS[id] : `Error(Contract, #${OTHER_REFUSALS[id] ?? notInitialized})`
      assert.deepEqual(answer, expected, id)
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
