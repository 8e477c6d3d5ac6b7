// Decodes contract events from XDR to payloads, using the event shapes of src/exchange. Never throws: an event without a payload has a reason. It is archived
// raw, unless its XDR is damaged.

import type { EventSpec } from '../../exchange/contracts/contract-spec.ts'
import type { ArchivedContractKey } from '../../exchange/contracts/contracts.ts'
import { shapesOf } from '../../exchange/event-shapes.ts'
import type { EventField, EventShape } from '../../exchange/events.ts'
import type { Generation } from '../../exchange/contracts/generations.ts'
import { NewerThanKnown } from '../../chain/codec/newer-than-known.ts'
import type { ChainEvent } from '../../chain/rpc/responses.ts'
import type { ScValue } from '../../chain/codec/scval.ts'
import { decodeScVal, MalformedScVal, structField } from '../../chain/codec/scval.ts'
import { NEWER_PREFIX } from '../../projections/log/archived-event.ts'
import type { ArchivedEvent, Payload, PayloadValue } from '../../projections/log/archived-event.ts'
import { readDeclaredPayload } from './declared-events.ts'

/** A decoded event. Exactly one of payload and problem is null. */
export interface Decoded {
  /** Empty when the event has no readable topic. */
  readonly topic: string
  readonly payload: Payload | null
  readonly problem: string | null
}

/** Begins the problem of an event whose XDR does not decode: its page is refused. */
const MALFORMED_PREFIX = 'malformed: '
/** Event names are short symbols; nothing else is stored as a topic. */
const TOPIC_PATTERN = /^[A-Za-z0-9_]{1,32}$/

/** A value that does not have the type of its field. Raised and caught in this file. */
class ShapeMismatch extends Error {
  override readonly name = 'ShapeMismatch'
}

/** The events that a contract declares at one position of its history. */
export interface EventInterface extends EventSpec {
  /** Null: unknown. */
  readonly generation: Generation | null
}

/** Code built before this was possible declares no events. */
export const NO_EVENTS: EventSpec = { events: [], structs: [] }
export const UNKNOWN_INTERFACE: EventInterface = { generation: null, ...NO_EVENTS }

/** The length of an event's XDR, in characters of base64. */
export function xdrLength({ topicsXdr, valueXdr }: { readonly topicsXdr: readonly string[]; readonly valueXdr: string }): number {
  return topicsXdr.reduce((sum, topic) => sum + topic.length, valueXdr.length)
}

/** Decodes one event of a contract by the interface in force at its position (specification, "Events"). */
export function decodeEvent(contract: ArchivedContractKey, topicsXdr: readonly string[], valueXdr: string, declared: EventInterface): Decoded {
  let topic = ''
  try {
    const [firstXdr, ...furtherXdr] = topicsXdr
    const first = firstXdr === undefined ? undefined : decodeScVal(firstXdr)
    topic = nameOf(first)
    const topics = first === undefined ? [] : [first, ...furtherXdr.map(decodeScVal)]
    const data = decodeScVal(valueXdr)
    if (contract === 'usdcToken') return { topic, payload: readTransfer(topic, topics.slice(1), data), problem: null }
    const shapes = topic === '' ? [] : shapesOf(contract, topic, declared.generation)
    if (topic === '') return { topic, payload: null, problem: 'no topic' }
    if (shapes.length === 0) {
      // Only for topics of no table: the projections rely on the payloads of the tables.
      const payload = readDeclaredPayload(declared, { topic, topics, data })
      return payload === undefined ? { topic, payload: null, problem: 'unknown topic' } : { topic, payload, problem: null }
    }
    return { topic, payload: readFirstMatch(topic, shapes, topics.slice(1), data), problem: null }
  } catch (error) {
    if (error instanceof ShapeMismatch) return { topic, payload: null, problem: error.message }
    if (error instanceof NewerThanKnown) return { topic, payload: null, problem: `${NEWER_PREFIX}${error.what}` }
    if (error instanceof MalformedScVal) return { topic, payload: null, problem: `${MALFORMED_PREFIX}${error.message}` }
    throw error
  }
}

/** The damage that decoding has found; null: none. */
export function damageIn({ problem }: Pick<ArchivedEvent, 'problem'>): string | null {
  return problem?.startsWith(MALFORMED_PREFIX) === true ? problem.slice(MALFORMED_PREFIX.length) : null
}

/**
 * Finds damage in an event: topics or a value that are not XDR. Null when there is none, also for forms of a later protocol. The chain cannot hold such an
 * event, so the node or a proxy has damaged it.
 */
export function findDamage({ topicsXdr, valueXdr }: Pick<ChainEvent, 'topicsXdr' | 'valueXdr'>): string | null {
  try {
    for (const each of [...topicsXdr, valueXdr]) decodeScVal(each)
    return null
  } catch (error) {
    if (error instanceof NewerThanKnown) return null
    if (error instanceof MalformedScVal) return error.message
    throw error
  }
}

/** The parties of the token's movements, in the order of their topics. The name of the asset follows. */
const TRANSFER_PARTIES: Readonly<Record<string, readonly ('from' | 'to')[]>> = {
  transfer: ['from', 'to'], mint: ['to'], burn: ['from'], clawback: ['from'],
}

/** The amount is the value itself, or a field beside the receiver's muxed id. */
function readTransfer(topic: string, furtherTopics: readonly ScValue[], data: ScValue): Payload {
  const parties = Object.hasOwn(TRANSFER_PARTIES, topic) ? TRANSFER_PARTIES[topic] ?? [] : []
  if (parties.length === 0) throw new ShapeMismatch('unknown topic')
  if (furtherTopics.length !== parties.length + 1) throw new ShapeMismatch(`unexpected number of topics: ${furtherTopics.length + 1}`)
  const addresses = parties.map((party, index) => [party, readField([party, 'address'], furtherTopics[index])] as const)
  const amount = data.type === 'map' ? structField(data, 'amount') : data
  return { topic, ...Object.fromEntries(addresses), amount: readField(['amount', 'i128'], amount) }
}

/** The payload by the first shape that fits. Throws the first mismatch when none does. */
function readFirstMatch(topic: string, shapes: readonly EventShape[], furtherTopics: readonly ScValue[], data: ScValue): Payload {
  let first: ShapeMismatch | undefined
  for (const shape of shapes) {
    try {
      return readPayload(topic, shape, furtherTopics, data)
    } catch (error) {
      if (!(error instanceof ShapeMismatch)) throw error
      first ??= error
    }
  }
  throw first ?? new ShapeMismatch('unknown topic')
}

function nameOf(value: ScValue | undefined): string {
  return value?.type === 'symbol' && TOPIC_PATTERN.test(value.value) ? value.value : ''
}

function readPayload(topic: string, shape: EventShape, furtherTopics: readonly ScValue[], data: ScValue): Payload {
  const second = shape.secondTopic === undefined ? [] : [shape.secondTopic]
  const values = shape.bare === true ? [data] : valuesOf(data, shape.data.length)
  if (furtherTopics.length !== second.length) throw new ShapeMismatch(`unexpected number of topics: ${furtherTopics.length + 1}`)
  if (values.length !== shape.data.length) throw new ShapeMismatch(`unexpected number of data values: ${values.length}`)
  const fields = [...second, ...shape.data]
  const found = [...furtherTopics, ...values]
  return Object.fromEntries([['topic', topic], ...fields.map((field, index) => [field[0], readField(field, found[index])] as const)])
}

/** Data is a vector in tuple order, even for a single value; void when there are no values. */
function valuesOf(data: ScValue, expected: number): readonly ScValue[] {
  if (data.type === 'vec' && expected > 0) return data.value
  if (expected === 0 && (data.type === 'void' || (data.type === 'vec' && data.value.length === 0))) return []
  throw new ShapeMismatch(`unexpected data type ${data.type}`)
}

function readField([key, type]: EventField, value: ScValue | undefined): PayloadValue {
  switch (type) {
    case 'bool':
      if (value?.type === 'bool') return value.value
      break
    case 'addresses':
      if (value?.type === 'vec') return value.value.map((item) => readField([key, 'address'], item))
      break
    case 'address':
    case 'symbol':
    case 'string':
      if (value?.type === type) return value.value
      break
    case 'i128':
    case 'u64':
      if (value?.type === type) return value.value.toString()
      break
    case 'u32':
      if (value?.type === 'u32') return direction(key, value.value)
      break
    case 'id':
      if (value?.type === 'u64') return id(key, value.value)
      break
    case 'idText':
      if (value?.type === 'u64') return value.value.toString()
      break
  }
  throw new ShapeMismatch(`${key} is not of type ${type}`)
}

/** Ids are served as JSON numbers, which are exact up to 2^53 - 1. */
function id(key: string, value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ShapeMismatch(`${key} exceeds 2^53 - 1`)
  return Number(value)
}

function direction(key: string, value: number): number {
  if (key === 'direction' && value > 1) throw new ShapeMismatch('direction is neither long (0) nor short (1)')
  return value
}
