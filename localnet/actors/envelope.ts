// Builds and signs contract calls with the SDK.

import { Account, Address, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { Transaction } from '@stellar/stellar-sdk'
import type { Val } from '../contracts/shared/host.ts'
import { toScVal } from '../scval.ts'
import type { Identity } from './identity.ts'

/** A contract call. */
export interface Invocation {
  readonly contract: string
  readonly functionName: string
  readonly args: readonly Val[]
}

/** Stroops bid per transaction, above the resource fee. */
const INCLUSION_FEE_STROOPS = 100

/** The network, sequence and time limit of a transaction. */
export interface TransactionBounds {
  readonly networkPassphrase: string
  /** The account's current sequence. The transaction uses the next one. */
  readonly sequence: bigint
  /** Unix seconds by the ledger's clock, which may differ from the machine's. */
  readonly maxTimeSec: number
}

/** The result of a simulation: auth entries, footprint, resources and their fee. */
export interface Assembly {
  readonly auth: readonly xdr.SorobanAuthorizationEntry[]
  readonly data: xdr.SorobanTransactionData
}

/** The unsigned transaction for a call. Without an assembly it can only be simulated. */
export function buildInvocation(source: string, invocation: Invocation, placement: TransactionBounds, assembly: Assembly | null): Transaction {
  const builder = new TransactionBuilder(new Account(source, placement.sequence.toString()), {
    fee: String(INCLUSION_FEE_STROOPS),
    networkPassphrase: placement.networkPassphrase,
    timebounds: { minTime: 0, maxTime: placement.maxTimeSec },
    ...(assembly === null ? {} : { sorobanData: assembly.data }),
  })
  const func = xdr.HostFunction.hostFunctionTypeInvokeContract(invokeArgs(invocation))
  return builder.addOperation(Operation.invokeHostFunction({ func, auth: assembly === null ? [] : [...assembly.auth] })).build()
}

/** The auth entry of a call that only its source account authorizes, without sub-invocations. */
export function sourceAuth(invocation: Invocation): xdr.SorobanAuthorizationEntry {
  return new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
    rootInvocation: new xdr.SorobanAuthorizedInvocation({
      function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(invokeArgs(invocation)),
      subInvocations: [],
    }),
  })
}

/** A signed envelope and its hash. */
export interface SignedEnvelope {
  /** Lower-case hex. */
  readonly hash: string
  /** Base64. */
  readonly envelopeXdr: string
}

/** Signs for one account. */
export function signTransaction(transaction: Transaction, identity: Identity): SignedEnvelope {
  const hash = transaction.hash()
  transaction.addDecoratedSignature(new xdr.DecoratedSignature({ hint: identity.publicKey.subarray(-4), signature: identity.sign(hash) }))
  return { hash: Buffer.from(hash).toString('hex'), envelopeXdr: transaction.toEnvelope().toXdr('base64') }
}

function invokeArgs(invocation: Invocation): xdr.InvokeContractArgs {
  return new xdr.InvokeContractArgs({
    contractAddress: new Address(invocation.contract).toScAddress(),
    functionName: invocation.functionName,
    args: invocation.args.map(toScVal),
  })
}
