// Contract events from XDR to payloads, by the tables of src/exchange. Nothing here throws: what cannot be decoded is archived raw, with the reason.

import type { EventContractKey } from '../exchange/contracts.ts'
import type { EventField, EventShape } from '../exchange/events.ts'
import { EVENT_SHAPES } from '../exchange/events.ts'
import type { ScValue } from '../chain/scval.ts'
import { decodeScVal, MalformedScVal } from '../chain/scval.ts'
import type { Payload } from '../projections/archived-event.ts'

/** What was made of an event. Exactly one of payload and problem is null. */
export interface Decoded {
  /** Empty when the event has no topic that can be read. */
  readonly topic: string
  readonly payload: Payload | null
  readonly problem: string | null
}

/** Names of events are short symbols; anything else is not stored as a topic. */
const TOPIC_PATTERN = /^[A-Za-z0-9_]{1,32}$/

/** Raised inside this file for a value that does not fit its field. */
class ShapeMismatch extends Error {
  override readonly name = 'Misfit'
}

/** Decodes one event of a contract (specification, "Events"). */
export function decodeEvent(contract: EventContractKey, topicsXdr: readonly string[], valueXdr: string): Decoded {
  let topic = ''
  try {
    const topics = topicsXdr.map(decodeScVal)
    topic = nameOf(topics[0])
    const shape = topic === '' ? undefined : Object.entries(EVENT_SHAPES[contract]).find(([name]) => name === topic)?.[1]
    if (shape === undefined) return { topic, payload: null, problem: topic === '' ? 'no topic' : 'unknown topic' }
    return { topic, payload: readPayload(topic, shape, topics.slice(1), decodeScVal(valueXdr)), problem: null }
  } catch (error) {
    if (error instanceof ShapeMismatch || error instanceof MalformedScVal) return { topic, payload: null, problem: error.message }
    throw error
  }
}

function nameOf(value: ScValue | undefined): string {
  return value?.type === 'symbol' && TOPIC_PATTERN.test(value.value) ? value.value : ''
}

function readPayload(topic: string, shape: EventShape, furtherTopics: readonly ScValue[], data: ScValue): Payload {
  const second = shape.secondTopic === undefined ? [] : [shape.secondTopic]
  const values = valuesOf(data, shape.data.length)
  if (furtherTopics.length !== second.length) throw new ShapeMismatch(`it has ${furtherTopics.length + 1} topics`)
  if (values.length !== shape.data.length) throw new ShapeMismatch(`its data has ${values.length} values`)
  const fields = [...second, ...shape.data]
  const found = [...furtherTopics, ...values]
  return Object.fromEntries([['topic', topic], ...fields.map((field, place) => [field[0], readField(field, found[place])] as const)])
}

/** Data is a vector in tuple order even for a single value, and void for none. */
function valuesOf(data: ScValue, expected: number): readonly ScValue[] {
  if (data.type === 'vec' && expected > 0) return data.value
  if (data.type === 'void' && expected === 0) return []
  throw new ShapeMismatch(`its data is of type ${data.type}`)
}

function readField([key, type]: EventField, value: ScValue | undefined): string | number {
  switch (type) {
    case 'address':
    case 'symbol':
    case 'string':
      if (value?.type === type && value.value !== null) return storable(key, value.value)
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

/** Ids are served as JSON numbers, which are exact only so far. */
function id(key: string, value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ShapeMismatch(`${key} is beyond 2^53`)
  return Number(value)
}

/** PostgreSQL stores no zero byte in a text. */
function storable(key: string, value: string): string {
  if (value.includes('\0')) throw new ShapeMismatch(`${key} holds a zero byte`)
  return value
}

function direction(key: string, value: number): number {
  if (key === 'direction' && value > 1) throw new ShapeMismatch('direction is neither long nor short')
  return value
}
