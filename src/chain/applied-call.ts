// What a submitted transaction called and declared, and the entry that it used without declaring it.

import { Address, xdr } from '@stellar/stellar-sdk'
import { isTemporary } from '../exchange/footprint-keys.ts'
import { textOfBytes } from '../base/text.ts'
import type { Invocation } from './prepared-envelope.ts'
import { readInvocation } from './prepared-envelope.ts'
import { sourceOf, unwrapEnvelope } from './transaction.ts'

export interface AppliedCall extends Invocation {
  /** The account that signed it (`G…`). */
  readonly source: string
  /** Base64 LedgerKeys. */
  readonly readOnly: readonly string[]
  readonly readWrite: readonly string[]
}

/** Reads a base64 envelope; undefined for everything but one contract call. */
export function readAppliedCall(envelopeXdr: string): AppliedCall | undefined {
  try {
    const { tx } = unwrapEnvelope(xdr.TransactionEnvelope.fromXdr(envelopeXdr, 'base64'))
    const invocation = readInvocation(tx.operations)
    if (invocation === undefined || tx.ext.type !== 'sorobanData') return undefined
    const { readOnly, readWrite } = tx.ext.sorobanData.resources.footprint
    const keys = (list: readonly xdr.LedgerKey[]): readonly string[] => list.map((key) => key.toXdr('base64'))
    return { ...invocation, source: sourceOf(tx), readOnly: keys(readOnly), readWrite: keys(readWrite) }
  } catch {
    return undefined
  }
}

/**
 * The entry that a failed transaction used without declaring it, as a base64 LedgerKey, from its diagnostic events (base64). The host reports the contract and
 * the key, but not whether the entry is temporary.
 */
export function findUndeclaredEntry(diagnosticEventsXdr: readonly string[]): string | undefined {
  for (const text of diagnosticEventsXdr) {
    const key = undeclaredEntryIn(text)
    if (key !== undefined) return key
  }
  return undefined
}

function undeclaredEntryIn(eventXdr: string): string | undefined {
  try {
    const { topics, data } = xdr.DiagnosticEvent.fromXdr(eventXdr, 'base64').event.body.v0
    const error = topics[1]
    if (error?.type !== 'scvError' || error.error.type !== 'sceStorage' || error.error.code.name !== 'scecExceededLimit') return undefined
    const values = data.type === 'scvVec' ? (data.vec ?? []) : []
    const owner = values.find((value) => value.type === 'scvAddress')
    const key = values.find((value) => value.type === 'scvVec') ?? xdr.ScVal.scvLedgerKeyContractInstance()
    if (owner === undefined || !Address.fromScVal(owner).toString().startsWith('C')) return undefined
    const durability = xdr.ContractDataDurability[isTemporary(nameOf(key)) ? 'temporary' : 'persistent']
    return xdr.LedgerKey.contractData(new xdr.LedgerKeyContractData({ contract: Address.fromScVal(owner).toScAddress(), key, durability })).toXdr('base64')
  } catch {
    return undefined
  }
}

function nameOf(key: xdr.ScVal): string {
  const [name] = key.type === 'scvVec' ? (key.vec ?? []) : []
  return name?.type === 'scvSymbol' ? textOfBytes(name.sym.bytes) : ''
}
