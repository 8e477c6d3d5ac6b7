// The messages of PostgreSQL's extended query protocol for one statement, in one buffer of exactly their length. PGlite would send them one by one and copy
// each parameter seven times on the way, and a page of events has parameters of megabytes.

import type { EncodedParam } from '../values.ts'

export interface StatementMessage {
  readonly sql: string
  readonly params: readonly EncodedParam[]
  /** The session keeps a statement with a name. Without one, it is the empty text. */
  readonly name: string
  /** The session knows the name, so the text is not sent again. */
  readonly isParsed: boolean
}

/** A message's type and its length. */
const HEADER_BYTES = 5
const TEXT_FORMAT = 0
const BINARY_FORMAT = 1
const NULL_LENGTH = -1
/** Describe and Execute of the unnamed portal, for all rows, and Sync. */
const RUN = Buffer.from('D\0\0\0\x06P\0E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04', 'latin1')

/** Parses, binds, describes and executes a statement. The parameters have the format that they are given in, the results are text. */
export function encodeStatement({ sql, params, name, isParsed }: StatementMessage): Uint8Array {
  const nameBytes = Buffer.byteLength(name) + 1
  const closeBytes = 1 + nameBytes
  const parseBytes = nameBytes + Buffer.byteLength(sql) + 1 + 2
  const lengths = params.map(byteLength)
  const bindBytes = 1 + nameBytes + 2 + 2 * params.length + 2 + lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), 0) + 2
  const buffer = Buffer.allocUnsafe((isParsed ? 0 : HEADER_BYTES + closeBytes + HEADER_BYTES + parseBytes) + HEADER_BYTES + bindBytes + RUN.length)
  let at = 0

  function begin(type: string, bytes: number): void {
    at += buffer.write(type, at, 'latin1')
    at = buffer.writeInt32BE(bytes + 4, at)
  }
  function addText(text: string): void {
    at += buffer.write(text, at)
    at = buffer.writeUInt8(0, at)
  }
  function addParam(param: EncodedParam, length: number): void {
    at = buffer.writeInt32BE(length, at)
    if (param === null) return
    if (typeof param === 'string') buffer.write(param, at)
    else buffer.set(param, at)
    at += length
  }

  if (!isParsed) {
    // If its execution failed, the session knows the name already. Closing a name that it does not know is no error.
    begin('C', closeBytes)
    at += buffer.write('S', at, 'latin1')
    addText(name)
    begin('P', parseBytes)
    addText(name)
    addText(sql)
    at = buffer.writeUInt16BE(0, at)
  }
  begin('B', bindBytes)
  addText('')
  addText(name)
  at = buffer.writeUInt16BE(params.length, at)
  for (const param of params) at = buffer.writeUInt16BE(param instanceof Uint8Array ? BINARY_FORMAT : TEXT_FORMAT, at)
  at = buffer.writeUInt16BE(params.length, at)
  for (const [index, param] of params.entries()) addParam(param, lengths[index] ?? NULL_LENGTH)
  at = buffer.writeUInt16BE(0, at)
  buffer.set(RUN, at)
  return buffer
}

function byteLength(param: EncodedParam): number {
  if (param === null) return NULL_LENGTH
  return typeof param === 'string' ? Buffer.byteLength(param) : param.byteLength
}
