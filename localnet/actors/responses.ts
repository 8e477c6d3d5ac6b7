// Reads the node's responses.

import { xdr } from '@stellar/stellar-sdk'

/** The node's response does not have the documented shape. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedAnswer'
}

/** A field of any type. */
export function fieldIn(response: unknown, name: string): unknown {
  if (typeof response !== 'object' || response === null) throw new MalformedResponse(`expected an object with ${name}`)
  return (response as Record<string, unknown>)[name]
}

/** A string field. */
export function stringIn(response: unknown, name: string): string {
  const value = fieldIn(response, name)
  if (typeof value !== 'string') throw new MalformedResponse(`${name} is not a string`)
  return value
}

/** A list field, empty when it is absent or null. */
export function listIn(response: unknown, name: string): readonly unknown[] {
  const value = fieldIn(response, name)
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new MalformedResponse(`${name} is not a list`)
  return value as readonly unknown[]
}

/** The contract code in the first line of a simulation error, `HostError: Error(Contract, #30)`. Later lines may contain other codes. */
export function simulatedContractCode(error: string): number | null {
  const match = /^HostError: Error\(Contract, #(\d+)\)/.exec(error)
  return match === null ? null : Number(match[1])
}

/** `txBadSeq` and the like, from a TransactionResult. */
export function resultName(resultXdr: string): string {
  return xdr.TransactionResult.fromXdr(resultXdr, 'base64').result.type
}

/** The contract code of a failed transaction, from its diagnostic events (soroban-rpc, "getTransaction outcomes"); null for other failures. */
export function failedContractCode(diagnosticEventsXdr: readonly unknown[]): number | null {
  for (const item of diagnosticEventsXdr) {
    const { event } = xdr.DiagnosticEvent.fromXdr(String(item), 'base64')
    const [name, error] = event.body.v0.topics
    const isFailure = event.contractId === null && name?.type === 'scvSymbol' && name.sym.toString() === 'host_fn_failed'
    if (isFailure && error?.type === 'scvError') return error.error.type === 'sceContract' ? error.error.contractCode : null
  }
  return null
}

/** True if a transaction failed because it used an entry or resources that it had not declared. */
export function exceededDeclaration(diagnosticEventsXdr: readonly unknown[]): boolean {
  return diagnosticEventsXdr.some((item) => {
    const { event } = xdr.DiagnosticEvent.fromXdr(String(item), 'base64')
    const error = event.body.v0.topics[1]
    if (event.contractId !== null || error?.type !== 'scvError' || error.error.type === 'sceContract') return false
    return error.error.code.name === 'scecExceededLimit' && (error.error.type === 'sceStorage' || error.error.type === 'sceBudget')
  })
}
