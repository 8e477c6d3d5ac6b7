// Decodes events that no table of src/exchange names by what the contract's own code declares about them. Contracts leave out empty fields of maps and may
// write more than they declare (CAP-86), so an absent field equals void, and undeclared fields are ignored, at every level.

import { typeArguments } from '../../exchange/contracts/contract-spec.ts'
import type { EventSpec, SpecEvent, SpecTypeText } from '../../exchange/contracts/contract-spec.ts'
import type { ScValue } from '../../chain/codec/scval.ts'
import { structField } from '../../chain/codec/scval.ts'
import type { Payload, PayloadValue } from '../../projections/log/archived-event.ts'

/** The payload by the first declared event that fits; undefined when none does. */
export function readDeclaredPayload(
  { events, structs }: EventSpec, { topic, topics, data }: { readonly topic: string; readonly topics: readonly ScValue[]; readonly data: ScValue },
): Payload | undefined {
  const fieldsOf: FieldsOf = (type) => structs.find(({ name }) => name === type)?.fields
  for (const event of events) {
    const payload = readAs(event, { topics, data, fieldsOf })
    if (payload !== undefined) return { ...payload, topic }
  }
  return undefined
}

/** The fields of a declared struct; undefined for every other type. */
type FieldsOf = (type: SpecTypeText) => readonly { readonly name: string; readonly type: SpecTypeText }[] | undefined

function readAs({ prefixTopics, params, dataFormat }: SpecEvent, { topics, data, fieldsOf }: {
  readonly topics: readonly ScValue[]
  readonly data: ScValue
  readonly fieldsOf: FieldsOf
}): Payload | undefined {
  const further = params.filter(({ location }) => location === 'topic')
  const inData = params.filter(({ location }) => location === 'data')
  if (prefixTopics.length === 0 || topics.length !== prefixTopics.length + further.length) return undefined
  if (prefixTopics.some((name, index) => !isSymbol(topics[index], name))) return undefined
  const dataValues = valuesOf(data, dataFormat, inData.map(({ name }) => name))
  if (dataValues?.length !== inData.length) return undefined
  const values = [...topics.slice(prefixTopics.length), ...dataValues]
  return readFields([...further, ...inData], (_name, index) => values[index], fieldsOf)
}

/** The data values in the order of their parameters; undefined when the data has another format. */
function valuesOf(data: ScValue, format: SpecEvent['dataFormat'], names: readonly string[]): readonly (ScValue | undefined)[] | undefined {
  if (format === 'map' && data.type === 'map') return names.map((name) => structField(data, name))
  if (names.length === 0) return data.type === 'void' || (data.type === 'vec' && data.value.length === 0) ? [] : undefined
  if (format === 'single') return [data]
  return format === 'vec' && data.type === 'vec' ? data.value : undefined
}

function isSymbol(value: ScValue | undefined, name: string): boolean {
  return value?.type === 'symbol' && value.value === name
}

function readFields(
  fields: readonly { readonly name: string; readonly type: SpecTypeText }[], valueOf: (name: string, index: number) => ScValue | undefined, fieldsOf: FieldsOf,
): Record<string, PayloadValue> | undefined {
  const found: Record<string, PayloadValue> = {}
  for (const [index, { name, type }] of fields.entries()) {
    const json = read(valueOf(name, index) ?? VOID, type, fieldsOf)
    if (json === undefined) return undefined
    found[camelCase(name)] = json
  }
  return found
}

const VOID: ScValue = { type: 'void' }
/** A type that any value has. Its fields, items and values have it too. */
const ANY = 'val'
/** Types that one value identifies. Declared types such as enums are taken as they come. */
const PLAIN_TYPES: readonly string[] = ['bool', 'u32', 'u64', 'i128', 'symbol', 'string', 'address'] satisfies ScValue['type'][]

/** A value as JSON, wide integers as digits. Undefined for a value of another type, and for types that the gateway does not read. */
function read(value: ScValue, type: SpecTypeText, fieldsOf: FieldsOf): PayloadValue | undefined {
  const [optional] = typeArguments('option', type) ?? []
  if (optional !== undefined) return value.type === 'void' ? null : read(value, optional, fieldsOf)
  if (PLAIN_TYPES.includes(type) && type !== value.type) return undefined
  switch (value.type) {
    case 'void':
      return type === 'void' || type === ANY ? null : undefined
    case 'u64':
    case 'i128':
      return value.value.toString()
    case 'vec':
      return readItems(value.value, type, fieldsOf)
    case 'map':
      return readMap(value, type, fieldsOf)
    case 'other':
      return undefined
    default:
      return value.value
  }
}

/** The items of a list, of a tuple, or of a struct without names. */
function readItems(items: readonly ScValue[], type: SpecTypeText, fieldsOf: FieldsOf): PayloadValue[] | undefined {
  const [itemType] = typeArguments('vec', type) ?? []
  const types = typeArguments('tuple', type) ?? fieldsOf(type)?.map((field) => field.type)
  const found = items.map((item, index) => read(item, itemType ?? types?.[index] ?? ANY, fieldsOf))
  return found.some((item) => item === undefined) ? undefined : (found as PayloadValue[])
}

function readMap(value: ScValue & { readonly type: 'map' }, type: SpecTypeText, fieldsOf: FieldsOf): Record<string, PayloadValue> | undefined {
  const fields = fieldsOf(type)
  if (fields !== undefined) return readFields(fields, (name) => structField(value, name), fieldsOf)
  const [, valueType = ANY] = typeArguments('map', type) ?? []
  const entries = value.value.map(([key, item]) => [key.type === 'symbol' ? camelCase(key.value) : undefined, read(item, valueType, fieldsOf)] as const)
  return entries.some(([key, item]) => key === undefined || item === undefined) ? undefined : (Object.fromEntries(entries) as Record<string, PayloadValue>)
}

function camelCase(name: string): string {
  return name.replaceAll(/_+(\w)/g, (_all, letter: string) => letter.toUpperCase())
}
