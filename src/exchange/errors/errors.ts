// Error codes of the contracts (specification, "Shared contract errors", "Trader vault errors", "Referral errors"), and those of generation 2.
// The first shared table omits 43 (DepositCapExceeded) because the specification serves it as UnknownContractError.

import type { ContractKey } from '../contracts/contracts.ts'
import type { Generation } from '../contracts/generations.ts'

type ErrorTable = Readonly<Record<number, string>>

export const SHARED_ERRORS = {
  1: 'NotInitialized', 2: 'AlreadyInitialized', 3: 'Unauthorized', 4: 'Paused', 5: 'InvalidParameter', 6: 'Overflow', 7: 'DivisionByZero',
  20: 'PositionNotFound', 21: 'InvalidLeverage', 22: 'InsufficientCollateral', 23: 'PositionTooLarge', 24: 'NotPositionOwner',
  25: 'InsufficientMargin', 30: 'PriceStale', 31: 'InvalidPrice', 32: 'OracleUnavailable', 40: 'InsufficientLiquidity',
  41: 'InvalidAmount', 42: 'InsufficientBalance', 50: 'NotLiquidatable', 51: 'LiquidationFailed', 55: 'FundingIntervalNotElapsed',
  60: 'OrderNotFound', 61: 'OrderNotPending', 62: 'OrderNotTriggered', 63: 'SlippageExceeded', 64: 'NotOrderOwner',
  65: 'InvalidTriggerPrice', 66: 'InvalidSlippageTolerance', 67: 'OrderAlreadyExists', 68: 'InvalidLimitPrice',
  69: 'InvalidTrailingPercent', 70: 'PostOnlyViolation', 76: 'CrossMarginInsufficientBalance', 77: 'CrossMarginInsufficientFreeMargin',
  78: 'CrossMarginNotLiquidatable', 79: 'CrossMarginNoPositions', 80: 'CrossMarginOrderNotSupported', 81: 'PriceDeviationTooHigh',
  82: 'OpenInterestCapExceeded',
} as const satisfies ErrorTable

export const TRADER_VAULT_ERRORS = {
  1: 'AlreadyInitialized', 2: 'NotInitialized', 3: 'InvalidParameter', 4: 'InvalidName', 5: 'VaultNotFound', 6: 'NotLeader', 7: 'NotAdmin',
  8: 'AmountMustBePositive', 9: 'InsufficientShares', 10: 'InsufficientBalance', 11: 'LeaderMinimumViolated', 12: 'Paused', 13: 'Overflow',
  14: 'NavCalculationFailed', 15: 'NoFeesToClaim',
} as const satisfies ErrorTable

export const REFERRAL_ERRORS = {
  1: 'AlreadyInitialized', 2: 'NotInitialized', 3: 'NotAdmin', 4: 'NotMarket', 5: 'InvalidParameter', 6: 'CodeTooShort', 7: 'CodeTooLong',
  8: 'CodeAlreadyTaken', 9: 'AlreadyHasCode', 10: 'UnknownCode', 11: 'AlreadyHasReferrer', 12: 'SelfReferral', 13: 'InsufficientVolume',
  14: 'NothingToClaim', 15: 'Overflow',
} as const satisfies ErrorTable

/** Errors that generation 2 added. 94 to 96 are reserved: no known contract raises them. */
export const SHARED_ADDED = {
  27: 'PositionTooSmall', 43: 'DepositCapExceeded', 83: 'LiquidationCooldown', 84: 'AdlNotActive', 85: 'AdlNotEligible', 86: 'LiquidationNotConfirmed',
  87: 'AcceptablePriceExceeded', 88: 'AssetRiskNotConfigured', 89: 'SkewCapExceeded', 90: 'Frozen', 91: 'NetsToZero', 92: 'AssetHalted',
  93: 'WithdrawCooldownActive', 94: 'AgentUnauthorized', 95: 'OrderNotExpired', 96: 'NoeSupplyExhausted',
} as const satisfies ErrorTable

export const TRADER_VAULT_ADDED = {
  16: 'NotVaultPosition', 17: 'LiquidityDeployed', 18: 'ValuationUnavailable', 19: 'TooManyOpenSlots', 20: 'CreationRestricted', 21: 'MinOutputNotMet',
} as const satisfies ErrorTable

export const REFERRAL_ADDED = { 16: 'ClaimUnfunded', 17: 'RegistryPaused', 18: 'RevokedCode' } as const satisfies ErrorTable

export const UNKNOWN_CONTRACT_ERROR = 'UnknownContractError'

/** By generation: the first, and all later ones. */
interface Tables {
  readonly first: ErrorTable
  readonly later: ErrorTable
}

const { 51: _liquidationFailed, 63: _slippageExceeded, 68: _invalidLimitPrice, ...SHARED_KEPT } = SHARED_ERRORS
const SHARED: Tables = { first: SHARED_ERRORS, later: { ...SHARED_KEPT, ...SHARED_ADDED } }
/** The tokens are built-in asset contracts: the same code has a different meaning there. */
const TOKEN: Tables = { first: {}, later: {} }

const TABLES: Readonly<Record<ContractKey, Tables>> = {
  market: SHARED,
  vault: SHARED,
  oracleShim: SHARED,
  router: SHARED,
  vaultFactory: { first: TRADER_VAULT_ERRORS, later: { ...TRADER_VAULT_ERRORS, ...TRADER_VAULT_ADDED } },
  referral: { first: REFERRAL_ERRORS, later: { ...REFERRAL_ERRORS, ...REFERRAL_ADDED } },
  usdcToken: TOKEN,
  lpToken: TOKEN,
}

/** The name of an error code. Each contract has its own code space (specification, "On-chain error decoding"). */
export function contractErrorName(raisedBy: ContractKey | undefined, code: number, generation: Generation): string {
  if (raisedBy === undefined) return UNKNOWN_CONTRACT_ERROR
  const { first, later } = TABLES[raisedBy]
  return (generation === '1' ? first : later)[code] ?? UNKNOWN_CONTRACT_ERROR
}
