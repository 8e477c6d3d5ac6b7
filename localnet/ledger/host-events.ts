// Contract events and diagnostic events: their XDR, and the event log in the text of an error
// (soroban-rpc, "simulateTransaction: failure", "Contract event XDR").

import { ContractFailure, type HostFailure, type Val } from '../contracts/shared/host.ts'
import { putVal, SCV } from '../scval.ts'
import { addressBytes, contractAddress } from './addresses.ts'
import { encode, putBool, putBytes, putI32, putU32, toHex, type XdrWriter } from './xdr-writer.ts'

/** The reason why a call failed: a contract's error code, or a failure that the host detected. */
export type Failure = ContractFailure | HostFailure

/** Values in events: contract values, errors, and values of types that the contracts do not use, as XDR. */
export type EventVal =
  | Val
  | { readonly type: 'error'; readonly value: Failure }
  | { readonly type: 'foreign'; readonly xdr: Uint8Array; readonly text: string }
  | { readonly type: 'list'; readonly value: readonly EventVal[] }

export interface HostEvent {
  readonly type: 'system' | 'contract' | 'diagnostic'
  /** `C…`; null for events of the host itself. */
  readonly contract: string | null
  readonly topics: readonly EventVal[]
  readonly data: EventVal
  /** Set when an inner call that emitted the event failed. The event is then not emitted. */
  failed: boolean
}

const EVENT_TYPE = { system: 0, contract: 1, diagnostic: 2 } as const

/** ScErrorType. */
const ERROR_TYPES = [
  'Contract', 'WasmVm', 'Context', 'Storage', 'Object', 'Crypto', 'Events', 'Budget', 'Value', 'Auth',
] as const
/** ScErrorCode. */
const ERROR_CODES = [
  'ArithDomain', 'IndexBounds', 'InvalidInput', 'MissingValue', 'ExistingValue', 'ExceededLimit', 'InvalidAction', 'InternalError',
  'UnexpectedType', 'UnexpectedSize',
] as const

function putError(writer: XdrWriter, failure: Failure): void {
  putU32(writer, SCV.error)
  if (failure instanceof ContractFailure) {
    putU32(writer, 0)
    return putU32(writer, failure.code)
  }
  putU32(writer, ERROR_TYPES.indexOf(failure.errorType))
  putI32(writer, ERROR_CODES.indexOf(failure.errorCode))
}

function putEventVal(writer: XdrWriter, val: EventVal): void {
  switch (val.type) {
    case 'error':
      return putError(writer, val.value)
    case 'foreign':
      return putBytes(writer, val.xdr)
    case 'list':
      putU32(writer, SCV.vec)
      putU32(writer, 1)
      putU32(writer, val.value.length)
      for (const item of val.value) putEventVal(writer, item)
      return
    default:
      return putVal(writer, val)
  }
}

/** ContractEvent. */
export function encodeEvent(event: HostEvent): Uint8Array {
  return encode((writer) => {
    putU32(writer, 0)
    putU32(writer, event.contract === null ? 0 : 1)
    if (event.contract !== null) putBytes(writer, addressBytes(event.contract))
    putU32(writer, EVENT_TYPE[event.type])
    putU32(writer, 0)
    putU32(writer, event.topics.length)
    for (const topic of event.topics) putEventVal(writer, topic)
    putEventVal(writer, event.data)
  })
}

/** DiagnosticEvent of an encoded ContractEvent. */
export function diagnosticOf(event: Uint8Array, successful: boolean): Uint8Array {
  return encode((writer) => {
    putBool(writer, successful)
    putBytes(writer, event)
  })
}

/** ScVal of a topic or of data. */
export function encodeEventVal(val: EventVal): Uint8Array {
  return encode((writer) => putEventVal(writer, val))
}

/** Combines call arguments into one value: void for none, the value itself for one, a vec for more. */
export function joined(values: readonly EventVal[]): EventVal {
  const [first, ...others] = values
  if (first === undefined) return { type: 'void' }
  return others.length === 0 ? first : { type: 'list', value: values }
}

/** `Error(Contract, #5)`, `Error(Auth, InvalidAction)`. */
function failureText(failure: Failure): string {
  if (failure instanceof ContractFailure) return `Error(Contract, #${failure.code})`
  return `Error(${failure.errorType}, ${failure.errorCode})`
}

/** A value as the host prints it: strings quoted, symbols unquoted. */
function valText(val: EventVal): string {
  switch (val.type) {
    case 'void':
      return 'Void'
    case 'bool':
      return String(val.value)
    case 'u32':
    case 'u64':
    case 'i128':
      return val.value.toString()
    case 'symbol':
    case 'address':
      return val.value
    case 'string':
      return JSON.stringify(val.value)
    case 'bytes':
      return `Bytes(${toHex(val.value)})`
    case 'vec':
    case 'list':
      return `[${val.value.map(valText).join(', ')}]`
    case 'map':
      return `{${val.value.map(([key, value]) => `${valText(key)}: ${valText(value)}`).join(', ')}}`
    case 'error':
      return failureText(val.value)
    default:
      return val.text
  }
}

/** The log shows this many of the newest events and marks the rest as elided. */
const LOG_EVENTS_MAX = 25

/** The error text of a failed simulation: first line, empty line, event log with the newest event first. */
export function errorText(failure: Failure, events: readonly HostEvent[]): string {
  const shown = events.filter((event) => !isLog(event)).reverse()
  const lines = shown.slice(0, LOG_EVENTS_MAX).map((event, index) => `${String(index).padStart(4)}: ${eventText(event)}`)
  if (shown.length > LOG_EVENTS_MAX) lines.push(`${String(LOG_EVENTS_MAX).padStart(4)}: ... elided ...`)
  return `HostError: ${failureText(failure)}\n\nEvent log (newest first):\n${lines.map((line) => `${line}\n`).join('')}`
}

function isLog(event: HostEvent): boolean {
  const [first] = event.topics
  return event.type === 'diagnostic' && first?.type === 'symbol' && first.value === 'log'
}

const EVENT_KIND = { system: 'System Event', contract: 'Contract Event', diagnostic: 'Diagnostic Event' } as const

function eventText(event: HostEvent): string {
  const kind = EVENT_KIND[event.type]
  const prefix = event.failed ? `[Failed ${kind} (not emitted)]` : `[${kind}]`
  const contract = event.contract === null ? '' : ` contract:${event.contract},`
  return `${prefix}${contract} topics:[${topicTexts(event).join(', ')}], data:${valText(event.data)}`
}

/** In a fn_call event the callee is 32 raw bytes; the text shows it as an address. */
function topicTexts(event: HostEvent): readonly string[] {
  const [name] = event.topics
  const isCall = event.type === 'diagnostic' && name?.type === 'symbol' && name.value === 'fn_call'
  return event.topics.map((topic, index) => (isCall && index === 1 ? calleeText(topic) : valText(topic)))
}

function calleeText(topic: EventVal): string {
  return topic.type === 'bytes' ? contractAddress(topic.value) : valText(topic)
}
