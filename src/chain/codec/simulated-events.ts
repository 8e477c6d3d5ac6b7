// The events of a simulation: those that the contracts would emit, and the prices that the calls read. Only what is needed is decoded: a call has several
// times as many diagnostics as events.

import { StrKey, xdr } from '@stellar/stellar-sdk'

import { encodeContract } from '../../base/strkey.ts'
import type { ScValue } from './scval.ts'
import { readScVal } from './scval.ts'
import type { Decoded } from './xdr-reader.ts'
import { readXdr } from './xdr-reader.ts'

/** An event that a contract would emit. */
export interface SimulatedEvent {
  /** `C…` */
  readonly contract: string
  readonly topics: readonly ScValue[]
  readonly data: ScValue
}

/** A price that the call read. */
export interface ReadPrice {
  readonly asset: string
  /** 7-decimal. */
  readonly price: bigint
  readonly timestampSec: number
}

export interface SimulatedEvents {
  /** In their order. */
  readonly events: readonly SimulatedEvent[]
  /** In their order; empty when the node does not send diagnostics. */
  readonly prices: readonly ReadPrice[]
}

/** The network allows 16 kB of events per transaction; diagnostics are longer. Longer ones are not decoded. */
const EVENTS_MAX_LENGTH = 1024 * 1024
const EVENTS_MAX = 2_000

/** Reads the base64 DiagnosticEvents of a successful simulation. Null when they do not decode, or are too many. */
export function readSimulatedEvents(eventsXdr: readonly string[], shim: string): SimulatedEvents | null {
  if (eventsXdr.length > EVENTS_MAX || eventsXdr.reduce((sum, { length }) => sum + length, 0) > EVENTS_MAX_LENGTH) return null
  const shimId = Buffer.from(StrKey.decodeContract(shim))
  const events: SimulatedEvent[] = []
  const prices: ReadPrice[] = []
  /** The asset of the call of `lastprice` that has not returned yet. */
  let called: string | null = null
  try {
    for (const text of eventsXdr) {
      const bytes = Buffer.from(text, 'base64')
      const type = typeOf(bytes)
      if (type === null) return null
      if (type === CONTRACT) {
        const event = contractEvent(readXdr(xdr.DiagnosticEvent, bytes))
        if (event !== null) events.push(event)
      } else if (bytes.includes(shimId)) {
        const step = lastPriceStep(readXdr(xdr.DiagnosticEvent, bytes))
        if (step?.kind === 'fn_call') called = assetOf(step.data)
        else if (step?.kind === 'fn_return') prices.push(...priceOf(called, step.data))
      }
    }
  } catch {
    return null
  }
  return { events, prices }
}

type DiagnosticEvent = Decoded<typeof xdr.DiagnosticEvent>

/** A call of `lastprice` or its return; null for other diagnostics. */
function lastPriceStep({ event: { body } }: DiagnosticEvent): { readonly kind: string; readonly data: ScValue } | null {
  const [kind, ...topics] = body.v0.topics.map(readScVal)
  const isLastPrice = topics.some((topic) => topic.type === 'symbol' && topic.value === 'lastprice')
  return isLastPrice && kind?.type === 'symbol' ? { kind: kind.value, data: readScVal(body.v0.data) } : null
}

const CONTRACT = 1

/** The type of an event from its first bytes: a flag, a version, whether a contract follows, its 32 bytes, and the type. Null: too short. */
function typeOf(bytes: Buffer): number | null {
  const hasContract = bytes.length >= 12 && bytes.readUInt32BE(8) === 1
  const offset = hasContract ? 44 : 12
  return bytes.length >= offset + 4 ? bytes.readUInt32BE(offset) : null
}

function contractEvent({ inSuccessfulContractCall, event }: DiagnosticEvent): SimulatedEvent | null {
  const { contractId, body, type } = event
  if (!inSuccessfulContractCall || contractId === null || type !== CONTRACT) return null
  return {
    contract: encodeContract(contractId),
    topics: body.v0.topics.map(readScVal),
    data: readScVal(body.v0.data),
  }
}

/** A call's only argument is its data. */
function assetOf(data: ScValue): string | null {
  const argument = data.type === 'vec' ? data.value[0] : data
  return argument?.type === 'symbol' ? argument.value : null
}

function priceOf(asset: string | null, data: ScValue): ReadPrice[] {
  if (asset === null || data.type !== 'vec') return []
  const [price, timestamp] = data.value
  if (price?.type !== 'i128' || timestamp?.type !== 'u64' || timestamp.value > BigInt(Number.MAX_SAFE_INTEGER)) return []
  return [{ asset, price: price.value, timestampSec: Number(timestamp.value) }]
}
