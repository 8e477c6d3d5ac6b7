// Whether a prepared transaction is what was asked for. Whoever stands between the wallet and the network could have changed it; a signature is given to
// nothing but the very call, by the very account, at a bounded price, for a bounded time.

import { expectedCall } from './calls.ts'
import type { ContractAddresses, TradeRequest } from './calls.ts'
import { readCallTransaction } from './envelope.ts'
import type { CallTransaction } from './envelope.ts'
import { RefusedToSign } from './errors.ts'
import type { Difference } from './errors.ts'
import { MalformedXdr } from './xdr.ts'
import type { Authorization, ContractCall, ContractValue } from './xdr.ts'

/** Against what a transaction is held. */
export interface SigningTerms {
  readonly request: TradeRequest
  /** Who signs. */
  readonly signer: string
  readonly contracts: ContractAddresses
  /** More than this it may not offer for its fee, stroops. */
  readonly maxFeeStroops: number
  /** Longer than this it may not be good for, seconds: who keeps it could send it at a better moment. */
  readonly maxValiditySec: number
  readonly nowMs: number
}

/**
 * Reads `envelopeXdr` and returns it when it is what `terms` ask for. Throws RefusedToSign with every difference; TypeError when the request itself is none.
 */
export function verifyTransaction(envelopeXdr: string, terms: SigningTerms): CallTransaction {
  const { request, signer, contracts } = terms
  const expected = expectedCall(request, signer, contracts)
  const tx = readPrepared(envelopeXdr)
  const differences: Difference[] = []
  const compare = (what: string, want: unknown, have: unknown): void => {
    if (want !== have) differences.push({ what, expected: String(want), found: String(have) })
  }
  compare('its source account', signer, tx.source)
  if (tx.feeStroops > terms.maxFeeStroops) differences.push({ what: 'its fee', expected: `at most ${terms.maxFeeStroops} stroops`, found: `${tx.feeStroops}` })
  compare('the time that it begins at', 0n, tx.minTime)
  const validSec = Number(tx.maxTime) - Math.floor(terms.nowMs / 1000)
  if (tx.maxTime === 0n || validSec > terms.maxValiditySec) {
    differences.push({ what: 'its end', expected: `within ${terms.maxValiditySec} s`, found: tx.maxTime === 0n ? 'never' : `in ${validSec} s by this clock` })
  }
  if (tx.sequence <= 0n) differences.push({ what: 'its sequence number', expected: 'a positive one', found: String(tx.sequence) })
  differences.push(...callDifferences('', expected.call, tx.call))
  let left = expected.spends?.amount ?? 0n
  for (const allowed of tx.authorizations) {
    differences.push(...callDifferences('what it allows: ', expected.call, allowed))
    for (const sub of allowed.subCalls) left = spend(sub, left)
  }
  if (tx.authorizations.length > 1) differences.push({ what: 'how often it allows the call', expected: 'once', found: String(tx.authorizations.length) })
  if (differences.length > 0) throw new RefusedToSign(differences)
  return tx

  /** The call may in turn move what it spends from the account to the exchange, and nothing else. */
  function spend(sub: Authorization, available: bigint): bigint {
    const [from, to, amount] = sub.args
    const isTransfer = expected.spends !== null && sub.contract === expected.spends.token && sub.functionName === 'transfer' && sub.args.length === 3
      && from?.type === 'address' && from.value === signer && to?.type === 'address' && Object.values(contracts).includes(String(to.value))
      && amount?.type === 'i128' && sub.subCalls.length === 0
    const rest = available - (isTransfer && typeof amount.value === 'bigint' && amount.value > 0n ? amount.value : 0n)
    if (isTransfer && rest >= 0n) return rest
    const expectation = expected.spends === null ? 'nothing' : `a transfer of at most ${expected.spends.amount} to the exchange`
    differences.push({ what: 'what it lets the contract do for the account', expected: expectation, found: describe(sub) })
    return available
  }
}

function readPrepared(envelopeXdr: string): CallTransaction {
  try {
    return readCallTransaction(envelopeXdr)
  } catch (error) {
    if (!(error instanceof MalformedXdr)) throw error
    throw new RefusedToSign([{ what: 'the transaction', expected: 'one contract call', found: `something else (${error.message})` }])
  }
}

function callDifferences(where: string, want: ContractCall, have: ContractCall): Difference[] {
  const differences: Difference[] = []
  const compare = (what: string, expected: string, found: string): void => {
    if (expected !== found) differences.push({ what: `${where}${what}`, expected, found })
  }
  compare('the contract', want.contract, have.contract)
  compare('the function', want.functionName, have.functionName)
  compare('the number of arguments', String(want.args.length), String(have.args.length))
  want.args.forEach((argument, index) => compare(`argument ${index + 1}`, show(argument), show(have.args[index])))
  return differences
}

/** A value with its type, so that two are the same exactly when their texts are. */
function show(value: ContractValue | undefined): string {
  return value === undefined ? 'missing' : `${value.type} ${JSON.stringify(typeof value.value === 'bigint' ? String(value.value) : value.value)}`
}

function describe({ contract, functionName, args }: ContractCall): string {
  return `${functionName}(${args.map(show).join(', ')}) on ${contract}`
}
