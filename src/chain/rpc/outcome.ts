// The outcome of a transaction: its result code, and the error of a contract or of the host, which only the diagnostic events contain.

import { xdr } from '@stellar/stellar-sdk'
import { encodeContract } from '../../base/strkey.ts'
import { readScVal, SCV, typeOfScVal } from '../codec/scval.ts'
import type { Decoded } from '../codec/xdr-reader.ts'
import { readXdr } from '../codec/xdr-reader.ts'

/** An error that a contract raised. */
export interface RaisedError {
  readonly code: number
  /** The contract that raised it (`C…`); null when the diagnostics do not show it. */
  readonly contract: string | null
}

/** An error of the host, such as `Storage` with `ExceededLimit`. */
export interface HostError {
  readonly type: string
  readonly code: string
}

/** The cause of a transaction's failure. At most one of the two is known. */
export interface FailureCause {
  readonly contractError: RaisedError | null
  readonly hostError: HostError | null
}

/**
 * Finds the cause of a failure in the diagnostic events (base64). The host's final error event decides: other error events may be of errors that a contract
 * caught. Failures outside of the contract call have no such event, but an error event without a contract.
 */
export function findFailureCause(diagnosticEventsXdr: readonly string[]): FailureCause {
  const events = readErrorEvents(diagnosticEventsXdr)
  const byHost = events.filter(({ contract }) => contract === null)
  const final = byHost.find(({ name }) => name === 'host_fn_failed') ?? byHost.findLast(({ name, error }) => name === 'error' && error.type !== CONTRACT_ERROR)
  if (final === undefined) return { contractError: null, hostError: null }
  const { error } = final
  if (error.type !== CONTRACT_ERROR) return { contractError: null, hostError: toHostError(error) }
  return { contractError: { code: error.contractCode, contract: originOf(events, error.contractCode) }, hostError: null }
}

type ScError = Extract<Decoded<typeof xdr.ScVal>, { readonly type: typeof SCV.error }>['error']
const CONTRACT_ERROR = 0
const DIAGNOSTIC_EVENT = 2

function toHostError({ type, code }: Exclude<ScError, { readonly type: typeof CONTRACT_ERROR }>): HostError {
  return { type: xdr.ScErrorType.fromValue(type).name.replace(/^sce/, ''), code: xdr.ScErrorCode.fromValue(code).name.replace(/^scec/, '') }
}

/**
 * The contract error of a failed simulation. Only the first line of its text counts: later lines may name errors that a contract caught. The contract that
 * raised it comes from the events, or from the log in the text when there are no events.
 */
export function findSimulationError(text: string, eventsXdr: readonly string[]): RaisedError | null {
  const head = /^HostError: Error\(Contract, #(\d{1,10})\)(?:\r?\n|$)/.exec(text)
  if (head === null) return null
  const code = Number(head[1])
  return { code, contract: originOf(readErrorEvents(eventsXdr), code) ?? originInText(text, code) }
}

/** The host error of a simulation that failed for another reason, such as `Auth, InvalidAction`. Null for texts that are not a host error. */
export function readHostError(text: string): HostError | null {
  const head = /^HostError: Error\((\w{1,20}), (\w{1,20})\)(?:\r?\n|$)/.exec(text)
  return head === null ? null : { type: head[1] ?? '', code: head[2] ?? '' }
}

interface Diagnostic {
  readonly contract: string | null
  /** The first topic, when it is a symbol. */
  readonly name: string
  /** The second topic. */
  readonly error: ScError
}

/** The error events. Events that do not decode are skipped. */
function readErrorEvents(diagnosticEventsXdr: readonly string[]): readonly Diagnostic[] {
  return diagnosticEventsXdr.flatMap((text) => {
    try {
      const { contractId, body, type } = readXdr(xdr.DiagnosticEvent, text).event
      const [first, second] = body.v0.topics
      if (type !== DIAGNOSTIC_EVENT || first === undefined || second === undefined || typeOfScVal(second) !== SCV.error) return []
      const [name, value] = [readScVal(first), readXdr(xdr.ScVal, second.raw)]
      if (name.type !== 'symbol' || value.type !== SCV.error) return []
      return [{ contract: contractId === null ? null : encodeContract(contractId), name: name.value, error: value.error }]
    } catch {
      return []
    }
  })
}

/** Contracts pass error codes to their callers unchanged, so the first event with the code is of the contract that raised it. */
function originOf(events: readonly Diagnostic[], code: number): string | null {
  return events.find(({ name, error }) => name === 'error' && error.type === CONTRACT_ERROR && error.contractCode === code)?.contract ?? null
}

/** A log line that names a contract and its error. */
const ERROR_LINE =
  /^\s*\d+: \[(?:Failed )?Diagnostic Event(?: \(not emitted\))?\] contract:(C[A-Z2-7]{55}), topics:\[error, Error\(Contract, #(\d+)\)\]/gm

/** The log in the text is newest first, so its last matching line is the origin. */
function originInText(text: string, code: number): string | null {
  return [...text.matchAll(ERROR_LINE)].findLast((line) => Number(line[2]) === code)?.[1] ?? null
}

/** The result of a transaction. */
export interface TransactionResult {
  /** Such as `txBadSeq`. For a fee bump whose inner transaction failed, the inner code. */
  readonly code: string
  /** The result of the first failed operation, such as `invokeHostFunctionTrapped` or `opNoAccount`; null when none failed. */
  readonly operation: string | null
  /** Stroops. When the fee was too low, the minimum fee. */
  readonly feeCharged: bigint
}

/** Reads a base64 TransactionResult; null when it does not decode, for example because of a newer protocol. */
export function readTransactionResult(resultXdr: string): TransactionResult | null {
  try {
    const { result, feeCharged } = xdr.TransactionResult.fromXdr(resultXdr, 'base64')
    const inner = result.type === 'txFeeBumpInnerFailed' || result.type === 'txFeeBumpInnerSuccess' ? result.innerResultPair.result.result : result
    return { code: inner.type, operation: inner.type === 'txFailed' ? failedOperation(inner.results) : null, feeCharged }
  } catch {
    return null
  }
}

function failedOperation(results: readonly xdr.OperationResult[]): string | null {
  for (const result of results) {
    if (result.type !== 'opInner') return result.type
    const { tr } = result
    if (tr.type === 'invokeHostFunction' && tr.invokeHostFunctionResult.type !== 'invokeHostFunctionSuccess') return tr.invokeHostFunctionResult.type
  }
  return null
}
