// Explains a rejected call to a person: what went wrong and what to do. Never includes the node's own error text.

import type { RaisedError } from '../chain/outcome.ts'
import type { ContractKey } from '../exchange/contracts.ts'
import { REFERRAL_ERRORS, SHARED_ERRORS, TRADER_VAULT_ERRORS } from '../exchange/errors.ts'

/** By error name, for the errors that the ten order operations can raise. */
const SHARED_ADVICE: Readonly<Record<string, string>> = {
  NotInitialized: 'the exchange is not initialized yet.',
  Paused: 'trading is paused. Orders can still be cancelled.',
  InvalidParameter:
    'a parameter is invalid. Close isolated positions with close_position and cross positions with close_position_cross.',
  Overflow: 'an amount or price overflows. Use smaller values.',
  DivisionByZero: 'an amount or price leads to a division by zero. Check the values.',
  PositionNotFound: 'no open position has this id.',
  InvalidLeverage: 'leverage must be 1 to 10.',
  InsufficientCollateral: 'collateral is below the 10 USDC minimum, or the opening fee would consume it.',
  PositionTooLarge: 'collateral times leverage exceeds the 100,000 USD maximum position size.',
  NotPositionOwner: 'the position belongs to another account.',
  PriceStale: 'the on-chain price is older than 60 seconds. Try again after its next update.',
  InvalidPrice: 'there is no usable on-chain price for this asset.',
  OracleUnavailable: 'the oracle has no price for this asset yet. Try again later.',
  InsufficientLiquidity: 'the liquidity vault cannot cover this position now. Open a smaller position or try again later.',
  InvalidAmount: 'the amount must be positive.',
  OrderNotFound: 'no order has this id.',
  OrderNotPending: 'the order was already executed or cancelled.',
  NotOrderOwner: 'the order belongs to another account.',
  InvalidTriggerPrice:
    'the trigger or limit price is zero, or on the wrong side of the entry price. Put a stop-loss on the losing side and a take-profit on the winning side.',
  InvalidSlippageTolerance: 'the contract accepts a slippageToleranceBps of 1 to 10000.',
  OrderAlreadyExists: 'the position already has an order of this type. Cancel that order first.',
  InvalidTrailingPercent: 'the contract accepts a trailingPercentBps of 1 to 5000.',
  CrossMarginInsufficientBalance: 'the cross margin balance is too low.',
  CrossMarginInsufficientFreeMargin: 'the cross margin account would have too little free margin. Use more collateral or a smaller position.',
  CrossMarginOrderNotSupported: 'cross positions do not support stop-loss, take-profit or trailing-stop orders.',
  PriceDeviationTooHigh: 'the price has just moved by more than 1%, so positions cannot be opened for now. Positions can still be closed.',
  OpenInterestCapExceeded: 'open interest has reached its cap. Open a smaller position or try again later.',
}

/** By error code of the built-in asset contract, for the token with this name. */
const TOKEN_ADVICE: Readonly<Record<number, (token: string) => string>> = {
  6: () => 'the account does not exist on the network.',
  9: (token) => `the ${token} amount exceeds the account's allowance. Approve the allowance first.`,
  10: (token) => `the account's ${token} balance is too low.`,
  11: (token) => `the account is not authorized to hold ${token}.`,
  13: (token) => `the account has no trustline for ${token}. Create one with a change_trust operation, then prepare again.`,
  14: () => 'the account\'s XLM balance is below the network\'s minimum reserve.',
}

/** By error name of the trader vault factory. */
const TRADER_VAULT_ADVICE: Readonly<Record<string, string>> = {
  NotInitialized: 'trader vaults are not initialized yet.',
  InvalidParameter: 'a parameter is invalid.',
  InvalidName: 'the name must be 1 to 64 bytes long.',
  VaultNotFound: 'no vault has this id.',
  NotLeader: 'only the vault\'s leader can do this.',
  AmountMustBePositive: 'the amount is zero or worth less than one share.',
  InsufficientShares: 'the account holds fewer shares of this vault than requested.',
  InsufficientBalance: 'the vault has less free USDC than requested: the rest backs open positions.',
  LeaderMinimumViolated: 'the leader must hold at least 5% of the vault\'s shares. The first deposit must come from the leader.',
  Paused: 'the vault is paused.',
  Overflow: 'an amount overflows. Use smaller values.',
  NavCalculationFailed: 'the vault\'s net asset value cannot be calculated now. Try again later.',
  NoFeesToClaim: 'there is no profit above the high-water mark, so there are no fees to claim.',
}

/** By error name of the referral contract. */
const REFERRAL_ADVICE: Readonly<Record<string, string>> = {
  NotInitialized: 'referrals are not initialized yet.',
  CodeTooShort: 'the code is too short: the minimum is 3 characters.',
  CodeTooLong: 'the code is too long: the maximum is 16 bytes.',
  CodeAlreadyTaken: 'this code is already taken.',
  AlreadyHasCode: 'the account already has a code. Each account can have one.',
  UnknownCode: 'this code is not registered, or the account has no code.',
  AlreadyHasReferrer: 'the account already has a referrer, which cannot be changed.',
  SelfReferral: 'an account cannot refer itself.',
  NothingToClaim: 'there are no rewards to claim yet.',
}

/** Explains an error that a contract raised. */
export function adviceForContractError({ code }: RaisedError, raisedBy: ContractKey | undefined): string {
  return findAdvice(code, raisedBy) ?? `a contract rejected the call with error ${code}.`
}

function findAdvice(code: number, raisedBy: ContractKey | undefined): string | undefined {
  const named = (names: Readonly<Record<number, string>>, sentences: Readonly<Record<string, string>>): string | undefined => sentences[names[code] ?? '']
  switch (raisedBy) {
    case 'usdcToken':
      return TOKEN_ADVICE[code]?.('USDC')
    case 'lpToken':
      return TOKEN_ADVICE[code]?.('LP tokens')
    case 'market':
    case 'vault':
    case 'oracleShim':
    case 'router':
      return named(SHARED_ERRORS, SHARED_ADVICE)
    case 'vaultFactory':
      return named(TRADER_VAULT_ERRORS, TRADER_VAULT_ADVICE)
    case 'referral':
      return named(REFERRAL_ERRORS, REFERRAL_ADVICE)
    default:
      return undefined
  }
}

/** By host error type, when no contract raised the error. */
const HOST_ADVICE: Readonly<Record<string, string>> = {
  Auth: 'the account is not authorized to make this call.',
  Budget: 'the call needs more resources than the network allows.',
  Storage: 'the call needs ledger entries that are missing or archived.',
}

/** Explains a host error (`Auth`, `Budget`, …). */
export function adviceForHostError(type: string): string {
  return HOST_ADVICE[type] ?? 'the network could not run the call.'
}

/** What to do about a transaction that was rejected at submission, by result code. */
const REJECTION_ADVICE: Readonly<Record<string, string>> = {
  txFailed: 'An operation of the transaction is invalid or lacks a signature.',
  txTooEarly: 'The transaction is not valid yet. Check its time bounds.',
  txTooLate: 'The transaction has expired. Prepare a new one.',
  txMissingOperation: 'The transaction has no operations.',
  txBadSeq: 'The sequence number is not the account\'s next one, because the account has used it for another transaction. Prepare a new transaction.',
  txBadAuth: 'A signature is missing or invalid. Sign with a key of the source account, using this network\'s passphrase.',
  txBadAuthExtra: 'The transaction has an unnecessary signature. Sign with the keys of the source account only.',
  txInsufficientBalance: 'The account\'s XLM balance cannot cover the fee and the minimum reserve. Add XLM to the account.',
  txNoAccount: 'The source account does not exist on the network. Fund it first.',
  txInsufficientFee: 'The fee is too low. Try again later or raise the fee.',
  txBadSponsorship: 'The transaction begins a sponsorship that it does not end, or the other way round.',
  txBadMinSeqAgeOrGap: 'The transaction\'s minimum sequence age or ledger gap has not been reached.',
  txMalformed: 'The transaction is malformed. Prepare a new one and sign it unchanged.',
  txSorobanInvalid: 'The transaction declares invalid resources. Prepare a new one and sign it unchanged.',
  txFrozenKeyAccessed: 'The transaction accesses frozen ledger entries.',
  txNotSupported: 'The network does not support this transaction.',
}

/** Explains a rejection. `neededFee` is the required fee in stroops, when the network reported it. */
export function adviceForRejection(code: string | null, neededFee: bigint | null): string {
  if (code === 'txInsufficientFee' && neededFee !== null && neededFee > 0n) {
    return `The fee is too low: the network requires ${neededFee} stroops. Try again later or raise the fee.`
  }
  return REJECTION_ADVICE[code ?? ''] ?? 'The network rejected the transaction.'
}
