// The contracts' error codes, copied by hand from the specification's three tables and compared with the code's.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import type { ContractKey } from '../../src/exchange/contracts/contracts.ts'
import { findGuidance } from '../../src/exchange/errors/error-guide.ts'
import { contractErrorName, REFERRAL_ERRORS, SHARED_ERRORS, TRADER_VAULT_ERRORS } from '../../src/exchange/errors/errors.ts'
import { GENERATIONS } from '../../src/exchange/contracts/generations.ts'

/** "Shared contract errors (market, liquidity vault, price shim, router)". */
const SHARED = `
  1 NotInitialized
  2 AlreadyInitialized
  3 Unauthorized
  4 Paused
  5 InvalidParameter
  6 Overflow
  7 DivisionByZero
  20 PositionNotFound
  21 InvalidLeverage
  22 InsufficientCollateral
  23 PositionTooLarge
  24 NotPositionOwner
  25 InsufficientMargin
  30 PriceStale
  31 InvalidPrice
  32 OracleUnavailable
  40 InsufficientLiquidity
  41 InvalidAmount
  42 InsufficientBalance
  43 DepositCapExceeded
  50 NotLiquidatable
  51 LiquidationFailed
  55 FundingIntervalNotElapsed
  60 OrderNotFound
  61 OrderNotPending
  62 OrderNotTriggered
  63 SlippageExceeded
  64 NotOrderOwner
  65 InvalidTriggerPrice
  66 InvalidSlippageTolerance
  67 OrderAlreadyExists
  68 InvalidLimitPrice
  69 InvalidTrailingPercent
  70 PostOnlyViolation
  76 CrossMarginInsufficientBalance
  77 CrossMarginInsufficientFreeMargin
  78 CrossMarginNotLiquidatable
  79 CrossMarginNoPositions
  80 CrossMarginOrderNotSupported
  81 PriceDeviationTooHigh
  82 OpenInterestCapExceeded
`

/** "Trader vault errors". */
const TRADER_VAULT = `
  1 AlreadyInitialized
  2 NotInitialized
  3 InvalidParameter
  4 InvalidName
  5 VaultNotFound
  6 NotLeader
  7 NotAdmin
  8 AmountMustBePositive
  9 InsufficientShares
  10 InsufficientBalance
  11 LeaderMinimumViolated
  12 Paused
  13 Overflow
  14 NavCalculationFailed
  15 NoFeesToClaim
`

/** "Referral errors". */
const REFERRAL = `
  1 AlreadyInitialized
  2 NotInitialized
  3 NotAdmin
  4 NotMarket
  5 InvalidParameter
  6 CodeTooShort
  7 CodeTooLong
  8 CodeAlreadyTaken
  9 AlreadyHasCode
  10 UnknownCode
  11 AlreadyHasReferrer
  12 SelfReferral
  13 InsufficientVolume
  14 NothingToClaim
  15 Overflow
`

/** "On-chain error decoding": this code has a name, and the gateway does not decode it. */
const NOT_DECODED = 43
const UNKNOWN = 'UnknownContractError'

/** "Each contract has its own code space": the tokens' codes belong to the platform, so none of them has a name here. */
const TABLE_OF: Readonly<Record<ContractKey, string>> = {
  market: SHARED,
  vault: SHARED,
  oracleShim: SHARED,
  router: SHARED,
  usdcToken: '',
  lpToken: '',
  vaultFactory: TRADER_VAULT,
  referral: REFERRAL,
}

function parse(table: string): Map<number, string> {
  const rows = table.trim().split('\n').filter((row) => row.trim() !== '')
  return new Map(rows.map((row) => row.trim().split(' ')).map(([code, name]) => [Number(code), name ?? '']))
}

function entries(table: Readonly<Record<number, string>>): Map<number, string> {
  return new Map(Object.entries(table).map(([code, name]) => [Number(code), name]))
}

test('the shared table matches the specification, without the code that is not decoded', () => {
  const specified = parse(SHARED)
  specified.delete(NOT_DECODED)
  assert.equal(specified.size, 40)
  assert.deepEqual(entries(SHARED_ERRORS), specified)
})

test('the tables of trader vaults and referral match the specification', () => {
  assert.deepEqual(entries(TRADER_VAULT_ERRORS), parse(TRADER_VAULT))
  assert.deepEqual(entries(REFERRAL_ERRORS), parse(REFERRAL))
})

test('names a code by the contract that raised it, and unknown codes UnknownContractError', () => {
  for (const contract of CONTRACT_KEYS) {
    const table = parse(TABLE_OF[contract])
    for (let code = 0; code <= 100; code++) {
      const expected = code === NOT_DECODED ? UNKNOWN : (table.get(code) ?? UNKNOWN)
      assert.equal(contractErrorName(contract, code, '1'), expected, `${contract} ${code}`)
    }
    for (const code of [-1, 4_294_967_295, 1.5]) assert.equal(contractErrorName(contract, code, '1'), UNKNOWN)
  }
  assert.equal(contractErrorName(undefined, 1, '1'), UNKNOWN)
})

/** Generation 2, "Market error codes, new or changed", with the reserved names. */
const SHARED_CHANGED = `
  27 PositionTooSmall
  43 DepositCapExceeded
  83 LiquidationCooldown
  84 AdlNotActive
  85 AdlNotEligible
  86 LiquidationNotConfirmed
  87 AcceptablePriceExceeded
  88 AssetRiskNotConfigured
  89 SkewCapExceeded
  90 Frozen
  91 NetsToZero
  92 AssetHalted
  93 WithdrawCooldownActive
  94 AgentUnauthorized
  95 OrderNotExpired
  96 NoeSupplyExhausted
`
const SHARED_REMOVED = [51, 63, 68]

/** Generation 2, "Trader vaults" and "Referral". */
const TRADER_VAULT_NEW = `
  16 NotVaultPosition
  17 LiquidityDeployed
  18 ValuationUnavailable
  19 TooManyOpenSlots
  20 CreationRestricted
  21 MinOutputNotMet
`
const REFERRAL_NEW = `
  16 ClaimUnfunded
  17 RegistryPaused
  18 RevokedCode
`

test('names the codes of generation 2', () => {
  const shared = new Map([...parse(SHARED), ...parse(SHARED_CHANGED)])
  for (const code of SHARED_REMOVED) shared.delete(code)
  const tables: Readonly<Record<ContractKey, ReadonlyMap<number, string>>> = {
    market: shared, vault: shared, oracleShim: shared, router: shared, usdcToken: new Map(), lpToken: new Map(),
    vaultFactory: new Map([...parse(TRADER_VAULT), ...parse(TRADER_VAULT_NEW)]),
    referral: new Map([...parse(REFERRAL), ...parse(REFERRAL_NEW)]),
  }
  for (const contract of CONTRACT_KEYS) {
    for (const generation of GENERATIONS.slice(1)) {
      for (let code = 0; code <= 100; code++) {
        assert.equal(contractErrorName(contract, code, generation), tables[contract].get(code) ?? UNKNOWN, `${contract} ${code} ${generation}`)
      }
    }
  }
})

test('every named error has advice in every generation', () => {
  for (const contract of CONTRACT_KEYS) {
    for (const generation of GENERATIONS) {
      for (let code = 0; code <= 100; code++) {
        const name = contractErrorName(contract, code, generation)
        if (name !== UNKNOWN) assert.ok(findGuidance(contract, name, generation) !== undefined, `${contract} ${name} ${generation}`)
      }
    }
  }
})

test('advice follows the generation', () => {
  assert.match(findGuidance('market', 'InvalidLeverage', '1')?.[0] ?? '', /between 1 and 10/)
  assert.match(findGuidance('market', 'InvalidLeverage', '2.3')?.[0] ?? '', /limit of the asset/)
  assert.match(findGuidance('vault', 'InvalidSlippageTolerance', '2.1')?.[0] ?? '', /minOut/)
})
