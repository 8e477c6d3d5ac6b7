// What a person is told of a call that the network refused: what was wrong and what to do, in words of this program. The node's own words stay inside.

import type { RaisedError } from '../chain/outcome.ts'
import type { ContractKey } from '../exchange/contracts.ts'
import { REFERRAL_ERRORS, SHARED_ERRORS, TRADER_VAULT_ERRORS } from '../exchange/errors.ts'

/** By the names of the shared table, as far as one of the ten operations can meet them. */
const SHARED_ADVICE: Readonly<Record<string, string>> = {
  NotInitialized: 'the exchange is not set up yet.',
  Paused: 'trading is paused. Cancelling an order works all the same.',
  InvalidParameter:
    'a parameter does not fit. An isolated position is closed by close_position, a cross position by close_position_cross.',
  Overflow: 'an amount or a price is too large to be reckoned with.',
  DivisionByZero: 'an amount or a price cannot be reckoned with.',
  PositionNotFound: 'no position with this id is open.',
  InvalidLeverage: 'the leverage must be 1 to 10.',
  InsufficientCollateral: 'the collateral is below the least of 10 USDC, or the opening fee would use it up.',
  PositionTooLarge: 'collateral times leverage is above the largest position, 100,000 USD.',
  NotPositionOwner: 'the position belongs to another account.',
  PriceStale: 'the price on chain is older than 60 seconds. Try again once it has been renewed.',
  InvalidPrice: 'there is no usable price of this asset on chain.',
  OracleUnavailable: 'the oracle has no price of this asset yet. Try again later.',
  InsufficientLiquidity: 'the liquidity vault cannot cover this position now. Try a smaller one, or later.',
  InvalidAmount: 'an amount must be above zero.',
  OrderNotFound: 'there is no order with this id.',
  OrderNotPending: 'the order was executed or cancelled before.',
  NotOrderOwner: 'the order belongs to another account.',
  InvalidTriggerPrice:
    'the trigger or limit price is zero, or on the wrong side of the entry price: a stop-loss stands where the position loses, a take-profit where it gains.',
  InvalidSlippageTolerance: 'slippageToleranceBps must be 1 to 10000 on chain.',
  OrderAlreadyExists: 'the position has an order of this kind already. Cancel that one first.',
  InvalidTrailingPercent: 'trailingPercentBps must be 1 to 5000 on chain.',
  CrossMarginInsufficientBalance: 'the cross margin pool holds less than that.',
  CrossMarginInsufficientFreeMargin: 'the cross margin account would be left with too little free margin. Use more collateral or a smaller position.',
  CrossMarginOrderNotSupported: 'stop-loss, take-profit and trailing stop cannot be attached to a cross position.',
  PriceDeviationTooHigh: 'the price has just moved by more than 1 %, so nothing can be opened for the moment. Closing works all the same.',
  OpenInterestCapExceeded: 'open interest has reached its cap. Try a smaller position, or later.',
}

/** By the codes of the built-in asset contract; `what` is the token's name. */
const TOKEN_ADVICE: Readonly<Record<number, (what: string) => string>> = {
  6: () => 'the account does not exist on the network.',
  9: (what) => `more ${what} would be pulled than the account has allowed. Prepare the allowance first.`,
  10: (what) => `the account holds too little ${what} for this.`,
  11: (what) => `the account is not allowed to hold ${what}.`,
  13: (what) => `the account has no trustline for ${what}. Open one first (an operation change_trust), and prepare again.`,
  14: () => 'the account holds too little XLM for the network\'s reserve.',
}

/** By the names of the trader vaults' table. */
const TRADER_VAULT_ADVICE: Readonly<Record<string, string>> = {
  NotInitialized: 'trader vaults are not set up yet.',
  InvalidParameter: 'a parameter does not fit.',
  InvalidName: 'the name must have 1 to 64 bytes.',
  VaultNotFound: 'there is no vault with this id.',
  NotLeader: 'only the vault\'s leader can do this.',
  AmountMustBePositive: 'the amount is zero, or too small for a single share.',
  InsufficientShares: 'the account holds fewer shares of this vault.',
  InsufficientBalance: 'the vault holds less USDC than that outside of its positions.',
  LeaderMinimumViolated: 'the leader must hold at least 5 % of the vault\'s shares: nobody else can make the first deposit.',
  Paused: 'the vault is paused.',
  Overflow: 'an amount is too large to be reckoned with.',
  NavCalculationFailed: 'the vault\'s value cannot be reckoned now.',
  NoFeesToClaim: 'there is no profit above the high-water mark to share.',
}

/** By the names of the referral table. */
const REFERRAL_ADVICE: Readonly<Record<string, string>> = {
  NotInitialized: 'referral is not set up yet.',
  CodeTooShort: 'a code has at least 3 characters.',
  CodeTooLong: 'a code has at most 16 bytes.',
  CodeAlreadyTaken: 'this code belongs to somebody already.',
  AlreadyHasCode: 'the account has a code already; there is one per account.',
  UnknownCode: 'nobody owns this code, or the account has none of its own.',
  AlreadyHasReferrer: 'the account was referred before, once and for good.',
  SelfReferral: 'nobody can refer themselves.',
  NothingToClaim: 'there is nothing to claim yet.',
}

/** A sentence on an error that a contract raised. */
export function adviceForContractError({ code }: RaisedError, raisedBy: ContractKey | undefined): string {
  return findAdvice(code, raisedBy) ?? `a contract refused it with error ${code}.`
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

/** By the type of a host error, where no contract raised it. */
const HOST_ADVICE: Readonly<Record<string, string>> = {
  Auth: 'the account cannot authorise this call.',
  Budget: 'the call needs more resources than the network allows.',
  Storage: 'the call needs state that the network does not have at hand.',
}

/** A sentence on an error of the host (`Auth`, `Budget`, …). */
export function adviceForHostError(type: string): string {
  return HOST_ADVICE[type] ?? 'the network could not run the call.'
}

/** What to do about a transaction that was refused at submission, by the code of its result. */
const REJECTION_ADVICE: Readonly<Record<string, string>> = {
  txFailed: 'An operation of the transaction is not valid or not signed for.',
  txTooEarly: 'The transaction is not valid yet: look at its time bounds.',
  txTooLate: 'The transaction has expired. Prepare a new one.',
  txMissingOperation: 'The transaction has no operation.',
  txBadSeq: 'The sequence number is not the account\'s next one: another transaction came between. Prepare a new one.',
  txBadAuth: 'The signatures do not fit: sign with a key of the source account, for this network\'s passphrase.',
  txBadAuthExtra: 'The transaction bears a signature that it does not need: sign with the keys of the source account only.',
  txInsufficientBalance: 'The account holds too little XLM for the fee above its reserve.',
  txNoAccount: 'The source account does not exist on the network: fund it first.',
  txInsufficientFee: 'The fee is too low for the moment.',
  txBadSponsorship: 'The transaction\'s sponsorship is not complete.',
  txBadMinSeqAgeOrGap: 'A precondition on the sequence number does not hold.',
  txMalformed: 'The transaction is malformed: prepare a new one and sign it unchanged.',
  txSorobanInvalid: 'The resources that the transaction declares are not valid. Prepare a new one and sign it unchanged.',
  txFrozenKeyAccessed: 'The transaction touches state that the network has frozen.',
  txNotSupported: 'The network does not support this transaction.',
}

/** A sentence on a refusal; `neededFee` in stroops where the network named the fee that would do. */
export function adviceForRejection(code: string | null, neededFee: bigint | null): string {
  if (code === 'txInsufficientFee' && neededFee !== null && neededFee > 0n) {
    return `The fee is too low for the moment: the network asks for ${neededFee} stroops. Try again later, or raise the fee.`
  }
  return REJECTION_ADVICE[code ?? ''] ?? 'The network refused the transaction.'
}
