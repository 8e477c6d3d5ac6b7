// Checks that a prepared transaction does what the request asks, before it is signed. The gateway or anyone between could have changed it. The client signs
// only the requested call, by the signer's account, with a bounded fee and a bounded validity.

import { expectedCall } from './calls.ts'
import type { ContractAddresses, TradeRequest } from './calls.ts'
import { readCallTransaction } from './envelope.ts'
import type { CallTransaction } from './envelope.ts'
import { RefusedToSign } from './errors.ts'
import type { Difference } from './errors.ts'
import { MalformedXdr } from './xdr.ts'
import type { Authorization, ContractCall, ContractValue } from './xdr.ts'

/** The terms that a transaction must match to be signed. */
export interface SigningTerms {
  readonly request: TradeRequest
  /** The signer's account, `G…`. */
  readonly signer: string
  readonly contracts: ContractAddresses
  /** The highest fee that it may offer, stroops. */
  readonly maxFeeStroops: number
  /** The longest validity, seconds. Until a transaction expires, anyone who holds it can choose when to submit it. */
  readonly maxValiditySec: number
  readonly nowMs: number
}

/**
 * Reads `envelopeXdr` and returns the transaction if it matches `terms`. Throws RefusedToSign with every difference, and TypeError for an invalid request.
 */
export function verifyTransaction(envelopeXdr: string, terms: SigningTerms): CallTransaction {
  const { request, signer, contracts } = terms
  expectedCall(request, signer, contracts)
  const tx = readPrepared(envelopeXdr)
  const expected = expectedCall(request, signer, contracts, tx.call.args.length)
  const differences: Difference[] = []
  const compare = (what: string, wanted: unknown, actual: unknown): void => {
    if (wanted !== actual) differences.push({ what, expected: String(wanted), found: String(actual) })
  }
  compare('source account', signer, tx.source)
  if (tx.feeStroops > terms.maxFeeStroops) differences.push({ what: 'fee', expected: `at most ${terms.maxFeeStroops} stroops`, found: `${tx.feeStroops}` })
  compare('minimum time', 0n, tx.minTime)
  const validSec = Number(tx.maxTime) - Math.floor(terms.nowMs / 1000)
  if (tx.maxTime === 0n || validSec > terms.maxValiditySec) {
    const found = tx.maxTime === 0n ? 'missing' : `${validSec} s from now`
    differences.push({ what: 'expiry', expected: `at most ${terms.maxValiditySec} s from now`, found })
  }
  if (tx.sequence <= 0n) differences.push({ what: 'sequence number', expected: 'a positive number', found: String(tx.sequence) })
  differences.push(...callDifferences('', expected.call, tx.call))
  let unspent = expected.spends?.amount ?? 0n
  for (const allowed of tx.authorizations) {
    differences.push(...callDifferences('authorized ', expected.call, allowed))
    for (const subCall of allowed.subCalls) unspent = spend(subCall, unspent)
  }
  if (tx.authorizations.length > 1) differences.push({ what: 'number of authorizations', expected: 'at most 1', found: String(tx.authorizations.length) })
  if (differences.length > 0) throw new RefusedToSign(differences)
  return tx

  /** The only sub-calls allowed are transfers of the spent token to the exchange's contracts, up to the request's amount. Returns what remains of it. */
  function spend(subCall: Authorization, available: bigint): bigint {
    const [from, to, amount] = subCall.args
    const isTransfer = expected.spends !== null && subCall.contract === expected.spends.token && subCall.functionName === 'transfer'
      && subCall.args.length === 3
      && from?.type === 'address' && from.value === signer && to?.type === 'address' && Object.values(contracts).includes(String(to.value))
      && amount?.type === 'i128' && subCall.subCalls.length === 0
    const rest = available - (isTransfer && typeof amount.value === 'bigint' && amount.value > 0n ? amount.value : 0n)
    if (isTransfer && rest >= 0n) return rest
    const expectation = expected.spends === null ? 'nothing' : `a transfer of at most ${expected.spends.amount} to the exchange`
    differences.push({ what: 'authorized sub-call', expected: expectation, found: describe(subCall) })
    return available
  }
}

function readPrepared(envelopeXdr: string): CallTransaction {
  try {
    return readCallTransaction(envelopeXdr)
  } catch (error) {
    if (!(error instanceof MalformedXdr)) throw error
    throw new RefusedToSign([{ what: 'transaction', expected: 'an unsigned contract call', found: `something else (${error.message})` }])
  }
}

function callDifferences(prefix: string, wanted: ContractCall, actual: ContractCall): Difference[] {
  const differences: Difference[] = []
  const compare = (what: string, expected: string, found: string): void => {
    if (expected !== found) differences.push({ what: `${prefix}${what}`, expected, found })
  }
  compare('contract', wanted.contract, actual.contract)
  compare('function', wanted.functionName, actual.functionName)
  compare('number of arguments', String(wanted.args.length), String(actual.args.length))
  wanted.args.forEach((argument, index) => compare(`argument ${index + 1}`, show(argument), show(actual.args[index])))
  return differences
}

/** A value with its type. Two values are equal exactly when their texts are. */
function show(value: ContractValue | undefined): string {
  return value === undefined ? 'missing' : `${value.type} ${JSON.stringify(typeof value.value === 'bigint' ? String(value.value) : value.value)}`
}

function describe({ contract, functionName, args }: ContractCall): string {
  return `${functionName}(${args.map(show).join(', ')}) on ${contract}`
}
