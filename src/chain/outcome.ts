// What became of a transaction: its result's code, and the contract's error, which is nowhere in the result but only in the diagnostic events.

import { StrKey, xdr } from '@stellar/stellar-sdk'

/** An error that a contract raised. */
export interface RaisedError {
  readonly code: number
  /** `C…` of the contract that raised it; null when the diagnostics do not say whose it is. */
  readonly contract: string | null
}

/**
 * The contract's error by which a transaction failed, out of its diagnostic events (base64). Null when it failed otherwise (resources, authorisation), and
 * when there is no verdict among the events: without one nothing is known, however many errors a contract met on its way.
 */
export function findContractError(diagnosticEventsXdr: readonly string[]): RaisedError | null {
  const events = readEvents(diagnosticEventsXdr)
  const verdict = events.find(({ name, contract }) => name === 'host_fn_failed' && contract === null)
  if (verdict?.error?.type !== 'sceContract') return null
  const code = verdict.error.contractCode
  return { code, contract: originOf(events, code) }
}

/**
 * The contract's error in a simulation that failed: the head line of its text is the verdict, lines further down may name errors that were caught on the way.
 * Whose it is tell the events; where there are none, the text's own log.
 */
export function findSimulationError(text: string, eventsXdr: readonly string[]): RaisedError | null {
  const head = /^HostError: Error\(Contract, #(\d{1,10})\)(?:\r?\n|$)/.exec(text)
  if (head === null) return null
  const code = Number(head[1])
  return { code, contract: originOf(readEvents(eventsXdr), code) ?? originInText(text, code) }
}

/** The first word of a simulation that failed otherwise: `Auth, InvalidAction` and the like. Null for texts that are no host error. */
export function readHostErrorType(text: string): { readonly type: string; readonly code: string } | null {
  const head = /^HostError: Error\((\w{1,20}), (\w{1,20})\)(?:\r?\n|$)/.exec(text)
  return head === null ? null : { type: head[1] ?? '', code: head[2] ?? '' }
}

interface Diagnostic {
  readonly contract: string | null
  /** The first topic, when it is a symbol. */
  readonly name: string
  /** The second topic, when it is an error. */
  readonly error: xdr.ScError | null
}

/** The events that say something about errors. What does not decode says nothing. */
function readEvents(diagnosticEventsXdr: readonly string[]): readonly Diagnostic[] {
  return diagnosticEventsXdr.flatMap((text) => {
    try {
      const { contractId, body, type } = xdr.DiagnosticEvent.fromXdr(text, 'base64').event
      const [name, error] = body.v0.topics
      if (type.name !== 'diagnostic' || name?.type !== 'scvSymbol' || error?.type !== 'scvError') return []
      const contract = contractId === null ? null : StrKey.encodeContract(contractId.value)
      return [{ contract, name: name.sym.toString(), error: error.error }]
    } catch {
      return []
    }
  })
}

/** Codes pass unchanged through calls between contracts: the first event that names it has the contract that raised it. */
function originOf(events: readonly Diagnostic[], code: number): string | null {
  return events.find(({ name, error }) => name === 'error' && error?.type === 'sceContract' && error.contractCode === code)?.contract ?? null
}

/** A line of the log that names a contract and its error. */
const ERROR_LINE =
  /^\s*\d+: \[(?:Failed )?Diagnostic Event(?: \(not emitted\))?\] contract:(C[A-Z2-7]{55}), topics:\[error, Error\(Contract, #(\d+)\)\]/gm

/** The log in the text is newest first, so the origin is its last line that fits. */
function originInText(text: string, code: number): string | null {
  return [...text.matchAll(ERROR_LINE)].findLast((line) => Number(line[2]) === code)?.[1] ?? null
}

/** A transaction's result, as far as it can be told to somebody. */
export interface TransactionResult {
  /** `txBadSeq` and the like; of the inner transaction, where a fee bump failed for its sake. */
  readonly code: string
  /** Of the first operation that failed: `invokeHostFunctionTrapped` and the like, or `opNoAccount`; null when none did. */
  readonly operation: string | null
  /** Stroops. In a refusal for too low a fee, the fee that would do. */
  readonly feeCharged: bigint
}

/** Reads a base64 TransactionResult; null when it does not decode, as one of a protocol to come. */
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
