// The error enums of the generation 2 contracts, as their interfaces publish them.

import {
  REFERRAL_ERRORS as BASIC_REFERRAL_ERRORS, SHARED_ERRORS as BASIC_SHARED_ERRORS, TRADER_VAULT_ERRORS as BASIC_TRADER_VAULT_ERRORS,
} from '../../../src/exchange/errors/errors.ts'

const { 51: _liquidationFailed, 63: _slippageExceeded, 68: _invalidLimitPrice, ...KEPT_ERRORS } = BASIC_SHARED_ERRORS

/** Errors of market, liquidity vault, shim and router: exactly 50 names, the limit of the interface. */
export const SHARED_ERRORS = {
  ...KEPT_ERRORS,
  27: 'PositionTooSmall', 43: 'DepositCapExceeded', 83: 'LiquidationCooldown', 84: 'AdlNotActive', 85: 'AdlNotEligible',
  86: 'LiquidationNotConfirmed', 87: 'AcceptablePriceExceeded', 88: 'AssetRiskNotConfigured', 89: 'SkewCapExceeded', 90: 'Frozen',
  91: 'NetsToZero', 92: 'AssetHalted', 93: 'WithdrawCooldownActive',
} as const

export const TRADER_VAULT_ERRORS = {
  ...BASIC_TRADER_VAULT_ERRORS,
  16: 'NotVaultPosition', 17: 'LiquidityDeployed', 18: 'ValuationUnavailable', 19: 'TooManyOpenSlots', 20: 'CreationRestricted',
  21: 'MinOutputNotMet',
} as const

export const REFERRAL_ERRORS = { ...BASIC_REFERRAL_ERRORS, 16: 'ClaimUnfunded', 17: 'RegistryPaused', 18: 'RevokedCode' } as const
