// Authorized invocations: trees of contract calls with their arguments and sub-invocations.

import type { xdr } from '@stellar/stellar-sdk'
import type { Val } from '../contracts/shared/host.ts'
import { addressOf, encodeVal, SCV } from '../scval.ts'
import { putScAddress } from './addresses.ts'
import { encode, putBytes, putI64, putText, putU32, toBase64, type XdrWriter } from './xdr-writer.ts'

/** A contract call that an address authorizes. */
export interface AuthorizedCall {
  readonly contract: string
  readonly functionName: string
  readonly argsXdr: readonly Uint8Array[]
}

/** A call and its sub-invocations. Equal calls have equal ids. */
export interface AuthorizedInvocation {
  readonly call: AuthorizedCall
  readonly id: string
  readonly subInvocations: AuthorizedInvocation[]
}

export function createInvocation(call: AuthorizedCall): AuthorizedInvocation {
  return { call, id: callId(call), subInvocations: [] }
}

function callId(call: AuthorizedCall): string {
  return toBase64(encode((writer) => putInvokeContractArgs(writer, call)))
}

/** InvokeContractArgs. */
function putInvokeContractArgs(writer: XdrWriter, call: AuthorizedCall): void {
  putScAddress(writer, call.contract)
  putText(writer, call.functionName)
  putU32(writer, call.argsXdr.length)
  for (const arg of call.argsXdr) putBytes(writer, arg)
}

export function authorizedCall(contract: string, functionName: string, args: readonly Val[]): AuthorizedCall {
  return { contract, functionName, argsXdr: args.map(encodeVal) }
}

/** Decodes SorobanAuthorizedInvocation. Returns undefined for functions that this ledger cannot run (creating contracts). */
export function decodeInvocation(invocation: xdr.SorobanAuthorizedInvocation): AuthorizedInvocation | undefined {
  const called = invocation.function
  if (called.type !== 'sorobanAuthorizedFunctionTypeContractFn') return undefined
  const { contractAddress, functionName, args } = called.contractFn
  const contract = addressOf(contractAddress)
  if (contract === undefined) return undefined
  const node = createInvocation({ contract, functionName: functionName.toString(), argsXdr: args.map((arg) => arg.toXdr()) })
  for (const child of invocation.subInvocations) {
    const childNode = decodeInvocation(child)
    if (childNode !== undefined) node.subInvocations.push(childNode)
  }
  return node
}

/** SorobanAuthorizedInvocation. */
function putInvocation(writer: XdrWriter, node: AuthorizedInvocation): void {
  // SorobanAuthorizedFunctionType: contract function.
  putU32(writer, 0)
  putInvokeContractArgs(writer, node.call)
  putU32(writer, node.subInvocations.length)
  for (const child of node.subInvocations) putInvocation(writer, child)
}

/** SorobanCredentialsType. */
const CREDENTIALS = { sourceAccount: 0, address: 1, addressV2: 2 } as const

/** SorobanAuthorizationEntry as simulation records it: source account credentials, or unsigned address credentials with a new nonce. */
export function encodeAuthorizationEntry(
  credentials: 'source' | { readonly address: string; readonly nonce: bigint; readonly upgraded: boolean },
  root: AuthorizedInvocation,
): Uint8Array {
  return encode((writer) => {
    if (credentials === 'source') {
      putU32(writer, CREDENTIALS.sourceAccount)
    } else {
      putU32(writer, credentials.upgraded ? CREDENTIALS.addressV2 : CREDENTIALS.address)
      putScAddress(writer, credentials.address)
      putI64(writer, credentials.nonce)
      // No expiration ledger and no signature yet.
      putU32(writer, 0)
      putU32(writer, SCV.void)
    }
    putInvocation(writer, root)
  })
}
