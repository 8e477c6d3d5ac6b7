// Checks values against the types of a contract's interface. The host does this before a contract runs, so contracts can rely on the types.

import type { ContractCode, SpecType, Val } from '../contracts/shared/host.ts'

export function matchesType(val: Val, type: SpecType, structs: ContractCode['structs']): boolean {
  if (typeof type === 'string') return type === 'val' || val.type === type
  if ('vec' in type) return val.type === 'vec' && val.value.every((item) => matchesType(item, type.vec, structs))
  if ('option' in type) return val.type === 'void' || matchesType(val, type.option, structs)
  if ('bytesN' in type) return val.type === 'bytes' && val.value.length === type.bytesN
  if ('tuple' in type) {
    if (val.type !== 'vec' || val.value.length !== type.tuple.length) return false
    return type.tuple.every((member, index) => {
      const item = val.value[index]
      return item !== undefined && matchesType(item, member, structs)
    })
  }
  return matchesStruct(val, type.struct, structs)
}

function matchesStruct(val: Val, name: string, structs: ContractCode['structs']): boolean {
  const fields = structs?.[name]
  if (fields === undefined || val.type !== 'map' || val.value.length !== fields.length) return false
  return fields.every(([field, type]) => {
    const entry = val.value.find(([key]) => key.type === 'symbol' && key.value === field)
    return entry !== undefined && matchesType(entry[1], type, structs)
  })
}
