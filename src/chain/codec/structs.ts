// Reads structs and lists in contract values by the shapes that the contracts document.

import type { ScValue } from './scval.ts'
import { structField } from './scval.ts'

/** The stored type of a field. `count` is a u64 within the safe integers: an id or Unix seconds. */
export type FieldType = 'symbol' | 'address' | 'i128' | 'u32' | 'count' | 'bool'

/** The value of a field of this type. */
export type FieldValue<Type extends FieldType> = Type extends 'i128' ? bigint : Type extends 'u32' | 'count' ? number : Type extends 'bool' ? boolean : string

/** The fields of a struct. */
export type Struct<Shape extends Readonly<Record<string, FieldType>>> = { readonly [Key in keyof Shape]: FieldValue<Shape[Key]> }

/** The items of a list; undefined for anything else, and when an item cannot be read. */
export function readList<T>(value: ScValue | undefined, read: (item: ScValue) => T | undefined): readonly T[] | undefined {
  if (value?.type !== 'vec') return undefined
  const items = value.value.map(read).filter((item) => item !== undefined)
  return items.length === value.value.length ? items : undefined
}

/** The fields of a struct that has at least these: later versions of a contract add fields. */
export function readStruct<Shape extends Readonly<Record<string, FieldType>>>(value: ScValue | undefined, shape: Shape): Struct<Shape> | undefined {
  if (value === undefined) return undefined
  const fields: [string, bigint | number | boolean | string][] = []
  for (const [name, type] of Object.entries(shape)) {
    const field = readField(structField(value, name), type)
    if (field === undefined) return undefined
    fields.push([name, field])
  }
  return Object.fromEntries(fields) as unknown as Struct<Shape>
}

/** A single value; undefined for any other type. */
export function readField<Type extends FieldType>(value: ScValue | undefined, type: Type): FieldValue<Type> | undefined {
  return plain(value, type) as FieldValue<Type> | undefined
}

function plain(value: ScValue | undefined, type: FieldType): bigint | number | boolean | string | undefined {
  switch (value?.type) {
    case 'u64':
      return type === 'count' && value.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value.value) : undefined
    case 'bool':
    case 'u32':
    case 'i128':
    case 'symbol':
    case 'address':
      return value.type === type ? value.value : undefined
    default:
      return undefined
  }
}
