// Names errors of contracts and of the host (specification, "On-chain error decoding"), and explains them to a person: what went wrong and what to do. Never
// includes the node's own words. Each contract has its own code space, and a code stays the same when it passes through calling contracts.

import type { HostError, RaisedError, TransactionResult } from '../../chain/rpc/outcome.ts'
import type { ContractKey } from '../../exchange/contracts/contracts.ts'
import type { CurrentDeployment } from '../../exchange/deployment.ts'
import { findGuidance } from '../../exchange/errors/error-guide.ts'
import { UNKNOWN_CONTRACT_ERROR } from '../../exchange/errors/errors.ts'
import type { Generation } from '../../exchange/contracts/generations.ts'
import { NOT_RAISED } from '../../exchange/errors/guidance.ts'
import type { Guidance } from '../../exchange/errors/guidance.ts'
import type { ContractError, HostErrorName } from '../../resources/submit-result.ts'

interface ExplainedError {
  /** The error as the API returns it. */
  readonly contractError: ContractError
  /** Its meaning and what to do, as the continuation of a sentence. */
  readonly advice: string
}

export interface ContractErrors {
  /** Names and explains an error. It counts as raised by the `invoked` contract when the diagnostics name none. */
  explain(raised: RaisedError, invoked: string | null): ExplainedError
}

export function createContractErrors(deployment: CurrentDeployment): ContractErrors {
  return {
    explain({ code, contract }, invoked) {
      const { contractOf, errorName, generationOf, generation } = deployment.current
      const address = contract ?? invoked
      const raisedBy = address === null ? undefined : contractOf(address)
      const contractError = { code, name: errorName(raisedBy, code) }
      const advice = adviceForContractError(contractError, { raisedBy, generation: raisedBy === undefined ? generation : generationOf(raisedBy) })
      return { contractError, advice }
    },
  }
}

/** A host error as the API returns it: `{type: "storage", code: "exceeded_limit"}`. */
export function describeHostError(error: HostError | null): HostErrorName | null {
  return error === null ? null : { type: snakeCase(error.type), code: snakeCase(error.code) }
}

function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase()
}

/** An error as the host prints it, which clients of the deployed service look for in messages. */
export function hostText(cause: RaisedError | HostError): string {
  return 'contract' in cause ? `[Error(Contract, #${cause.code})]` : `[Error(${cause.type}, ${cause.code})]`
}

/** By error code of the built-in asset contract, for the token with this name. */
const TOKEN_ADVICE: Readonly<Record<number, (token: string) => string>> = {
  6: () => 'the account does not exist on the network.',
  9: (token) => `the ${token} amount exceeds the account's allowance. Approve the allowance first.`,
  10: (token) => `the account's ${token} balance is too low.`,
  11: (token) => `the account is not authorized to hold ${token}.`,
  13: (token) => `the account, or the one that it pays, has no trustline for ${token}. Create one with a change_trust operation, then prepare again.`,
  14: () => 'the account\'s XLM balance is below the network\'s minimum reserve.',
}

/** Explains an error that a contract raised. `name` is the name of its code. */
function adviceForContractError(
  { code, name }: ContractError, contract: { readonly raisedBy: ContractKey | undefined; readonly generation: Generation },
): string {
  const { raisedBy, generation } = contract
  const token = raisedBy === 'usdcToken' ? 'USDC' : raisedBy === 'lpToken' ? 'LP tokens' : null
  const guidance = raisedBy === undefined ? undefined : findGuidance(raisedBy, name, generation)
  const advice = token === null ? adviceFrom(guidance) : TOKEN_ADVICE[code]?.(token)
  return advice ?? `a contract rejected the call with error ${code}${name === UNKNOWN_CONTRACT_ERROR ? '' : ` (${name})`}.`
}

/** The guidance as the continuation of a sentence. */
function adviceFrom(guidance: Guidance | undefined): string | undefined {
  if (guidance === undefined) return undefined
  const [meaning, resolution] = guidance
  const continued = meaning.charAt(0).toLowerCase() + meaning.slice(1)
  return resolution === NOT_RAISED ? continued : `${continued} ${resolution}`
}

/** By host error type, when no contract raised the error. */
const HOST_ADVICE: Readonly<Record<string, string>> = {
  Auth: 'the account is not authorized to make this call.',
  Budget: 'the call needs more resources than the network allows.',
  Storage: 'the call needs ledger entries that are missing or archived.',
}

/** Explains why a transaction failed in a ledger, when no contract raised the error. */
export function adviceForFailure(error: HostError | null): string {
  if (error === null) return 'the network recorded no contract error. The result XDR has the cause.'
  const isStale = (error.type === 'Storage' || error.type === 'Budget') && error.code === 'ExceededLimit'
  return isStale ? 'the state has changed since the transaction was prepared. Prepare a new transaction.' : adviceForHostError(error)
}

/** Explains a host error (`Auth`, `Budget`, …). */
export function adviceForHostError({ type }: HostError): string {
  return HOST_ADVICE[type] ?? 'the network could not run the call.'
}

/** Advice for a transaction that was rejected at submission, by result code. */
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

/** Explains a rejection by the network's result, null when it reported none. */
export function adviceForRejection(result: TransactionResult | null): string {
  if (result?.code === 'txInsufficientFee' && result.feeCharged > 0n) {
    return `The fee is too low: the network requires ${result.feeCharged} stroops. Try again later or raise the fee.`
  }
  return REJECTION_ADVICE[result?.code ?? ''] ?? 'The network rejected the transaction.'
}
