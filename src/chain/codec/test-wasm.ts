// WASM modules that contain only a contract's interface, built from the SDK's entries.

import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'

const HEADER = Buffer.from('0061736d01000000', 'hex')

/** A module with one `contractspecv0` section of these entries. */
export function wasmOf(entries: readonly xdr.ScSpecEntry[]): Buffer {
  return Buffer.concat([HEADER, customSection('contractspecv0', Buffer.concat(entries.map((entry) => entry.toXdr())))])
}

export function customSection(name: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([leb128(name.length), Buffer.from(name), content])
  return Buffer.concat([Buffer.from([0]), leb128(body.length), body])
}

/** A function's entry. */
export function functionEntry(name: string, inputs: readonly (readonly [string, xdr.ScSpecTypeDef])[], outputs: xdr.ScSpecTypeDef[]): xdr.ScSpecEntry {
  const declared = inputs.map(([input, type]) => new xdr.ScSpecFunctionInputV0({ doc: '', name: input, type }))
  return xdr.ScSpecEntry.scSpecEntryFunctionV0(new xdr.ScSpecFunctionV0({ doc: '', name, inputs: declared, outputs }))
}

/** Lower-case hex. */
export function wasmHashOf(wasm: Uint8Array): string {
  return createHash('sha256').update(wasm).digest('hex')
}

function leb128(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest])
    bytes.push((rest & 0x7f) | 0x80)
  }
}
