// The call of a submitted transaction, its declared entries, and the entry that it used without declaring it.

import { xdr } from '@stellar/stellar-sdk'
import { isTemporary } from '../../exchange/contracts/footprint-keys.ts'
import { contractDataKeyOf } from './ledger-keys.ts'
import type { Invocation } from './prepared-envelope.ts'
import { readInvocation } from './prepared-envelope.ts'
import { readScVal, SCV, typeOfScVal } from './scval.ts'
import { sourceOf, unwrapEnvelope } from './transaction.ts'
import type { RawXdr } from './xdr-reader.ts'
import { readXdr } from './xdr-reader.ts'

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
    const { tx } = unwrapEnvelope(readXdr(xdr.TransactionEnvelope, envelopeXdr))
    const invocation = readInvocation(tx.operations)
    if (invocation === undefined || tx.ext.v !== 1) return undefined
    const { readOnly, readWrite } = tx.ext.sorobanData.resources.footprint
    const keys = (list: readonly RawXdr[]): readonly string[] => list.map(({ raw }) => raw.toString('base64'))
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

/** The discriminants of the error that names the entry. */
const STORAGE = 3
const EXCEEDED_LIMIT = xdr.ScErrorCode.scecExceededLimit.value

function undeclaredEntryIn(eventXdr: string): string | undefined {
  try {
    const { topics, data } = readXdr(xdr.DiagnosticEvent, eventXdr).event.body.v0
    const error = topics[1] === undefined || typeOfScVal(topics[1]) !== SCV.error ? undefined : readXdr(xdr.ScVal, topics[1].raw)
    if (error?.type !== SCV.error || error.error.type !== STORAGE || error.error.code !== EXCEEDED_LIMIT) return undefined
    const values = itemsOf(data)
    const owner = values.find((value) => typeOfScVal(value) === SCV.address)
    const key = values.find((value) => typeOfScVal(value) === SCV.vec) ?? INSTANCE_KEY
    const address = owner === undefined ? undefined : readScVal(owner)
    if (owner === undefined || address?.type !== 'address' || !address.value.startsWith('C')) return undefined
    return contractDataKeyOf({ contract: { raw: owner.raw.subarray(4) }, key, durability: isTemporary(nameOf(key)) ? 0 : 1 })
  } catch {
    return undefined
  }
}

const INSTANCE_KEY: RawXdr = { raw: Buffer.from(xdr.ScVal.scvLedgerKeyContractInstance().toXdr()) }

function itemsOf(value: RawXdr): readonly RawXdr[] {
  if (typeOfScVal(value) !== SCV.vec) return []
  const vector = readXdr(xdr.ScVal, value.raw)
  return vector.type === SCV.vec ? vector.vec ?? [] : []
}

function nameOf(key: RawXdr): string {
  const [first] = itemsOf(key)
  const name = first === undefined ? undefined : readScVal(first)
  return name?.type === 'symbol' ? name.value : ''
}
