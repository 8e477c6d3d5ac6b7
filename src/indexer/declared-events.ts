// Decodes events that no table of src/exchange names by what the contract's own code declares about them.

import type { SpecEvent } from '../exchange/contract-spec.ts'
import type { ScValue } from '../chain/scval.ts'
import type { Payload, PayloadValue } from '../projections/archived-event.ts'

/** The payload by the first declared event that fits; undefined when none does. */
export function readDeclaredPayload(
  events: readonly SpecEvent[], { topic, topics, data }: { readonly topic: string; readonly topics: readonly ScValue[]; readonly data: ScValue },
): Payload | undefined {
  for (const event of events) {
    const payload = readAs(event, topics, data)
    if (payload !== undefined) return { ...payload, topic }
  }
  return undefined
}

function readAs({ prefixTopics, params, dataFormat }: SpecEvent, topics: readonly ScValue[], data: ScValue): Payload | undefined {
  const further = params.filter(({ location }) => location === 'topic')
  const inData = params.filter(({ location }) => location === 'data')
  if (prefixTopics.length === 0 || topics.length !== prefixTopics.length + further.length) return undefined
  if (prefixTopics.some((name, index) => !isSymbol(topics[index], name))) return undefined
  const dataValues = valuesOf(data, dataFormat, inData.map(({ name }) => name))
  if (dataValues?.length !== inData.length) return undefined
  const payload: Record<string, PayloadValue> = {}
  for (const [index, { name, type }] of [...further, ...inData].entries()) {
    const value = [...topics.slice(prefixTopics.length), ...dataValues][index]
    const json = value === undefined || !hasType(value, type) ? undefined : toJson(value)
    if (json === undefined) return undefined
    payload[camelCase(name)] = json
  }
  return payload
}

/** The data values in the order of their parameters; undefined when the data has another format. */
function valuesOf(data: ScValue, format: SpecEvent['dataFormat'], names: readonly string[]): readonly ScValue[] | undefined {
  if (names.length === 0) return data.type === 'void' || ('value' in data && Array.isArray(data.value) && data.value.length === 0) ? [] : undefined
  if (format === 'single') return [data]
  if (format === 'vec') return data.type === 'vec' ? data.value : undefined
  if (data.type !== 'map' || data.value.length !== names.length) return undefined
  return names.flatMap((name) => data.value.filter(([key]) => isSymbol(key, name)).map(([, value]) => value))
}

function isSymbol(value: ScValue | undefined, name: string): boolean {
  return value?.type === 'symbol' && value.value === name
}

/** Types that one value identifies. Declared types such as structs are taken as they come. */
const PLAIN_TYPES: readonly string[] = ['bool', 'u32', 'u64', 'i128', 'symbol', 'string', 'address'] satisfies ScValue['type'][]

function hasType({ type }: ScValue, declared: string): boolean {
  return !PLAIN_TYPES.includes(declared) || type === declared
}

/** Wide integers become digits. Undefined for values of types that the gateway does not read. */
function toJson(value: ScValue): PayloadValue | undefined {
  switch (value.type) {
    case 'void':
      return null
    case 'u64':
    case 'i128':
      return value.value.toString()
    case 'vec': {
      const items = value.value.map(toJson)
      return items.some((item) => item === undefined) ? undefined : (items as PayloadValue[])
    }
    case 'map': {
      const entries = value.value.map(([key, item]) => [key.type === 'symbol' ? camelCase(key.value) : undefined, toJson(item)] as const)
      return entries.some(([key, item]) => key === undefined || item === undefined) ? undefined : (Object.fromEntries(entries) as Record<string, PayloadValue>)
    }
    case 'other':
      return undefined
    default:
      return value.value
  }
}

function camelCase(name: string): string {
  return name.replaceAll(/_+(\w)/g, (_all, letter: string) => letter.toUpperCase())
}
