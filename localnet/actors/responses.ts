// Reads what the node answers: shapes first, then the codes inside.

import { xdr } from '@stellar/stellar-sdk'

/** The node's answer does not have the documented shape. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedAnswer'
}

/** A field of an answer, whatever it holds. */
export function fieldIn(answer: unknown, name: string): unknown {
  if (typeof answer !== 'object' || answer === null) throw new MalformedResponse(`no object where ${name} should be`)
  return (answer as Record<string, unknown>)[name]
}

/** A text field. */
export function stringIn(answer: unknown, name: string): string {
  const value = fieldIn(answer, name)
  if (typeof value !== 'string') throw new MalformedResponse(`${name} is not a text`)
  return value
}

/** A list; absent and null are an empty one. */
export function listIn(answer: unknown, name: string): readonly unknown[] {
  const value = fieldIn(answer, name)
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new MalformedResponse(`${name} is not a list`)
  return value as readonly unknown[]
}

/** The contract's code in the head line of a simulation's error: `HostError: Error(Contract, #30)`. Deeper lines may name other codes. */
export function simulatedContractCode(error: string): number | null {
  const match = /^HostError: Error\(Contract, #(\d+)\)/.exec(error)
  return match === null ? null : Number(match[1])
}

/** `txBadSeq` and the like, from a TransactionResult. */
export function resultName(resultXdr: string): string {
  return xdr.TransactionResult.fromXdr(resultXdr, 'base64').result.type
}

/** The contract's code by which a transaction failed, read from its diagnostic events (soroban-rpc, "getTransaction outcomes"); null for other ends. */
export function failedContractCode(diagnosticEventsXdr: readonly unknown[]): number | null {
  for (const item of diagnosticEventsXdr) {
    const { event } = xdr.DiagnosticEvent.fromXdr(String(item), 'base64')
    const [name, error] = event.body.v0.topics
    const isVerdict = event.contractId === null && name?.type === 'scvSymbol' && name.sym.toString() === 'host_fn_failed'
    if (isVerdict && error?.type === 'scvError') return error.error.type === 'sceContract' ? error.error.contractCode : null
  }
  return null
}
