// PostgreSQL's binary form of arrays. The database reads a long array faster in this form than as text. Both drivers encode arrays as text only.
// Format: src/backend/utils/adt/arrayfuncs.c (array_recv) and numeric.c (numeric_recv).

/** An element of an array parameter. */
export type Element = string | number | bigint | boolean | null

interface ElementType {
  /** Object id of the type of one element (catalogue pg_type). */
  readonly oid: number
  /** The array's elements, each after its length; undefined when one of them has no exact binary form here. */
  encode(elements: readonly Element[]): Buffer | undefined
}

const HEADER_LENGTH = 20
const LENGTH_LENGTH = 4
const NULL_LENGTH = -1
const DIMENSIONS = 1
const LOWER_BOUND = 1

/** An array in its binary form; undefined where the text form is needed: for other types, and for elements that the type may refuse. */
export function encodeBinaryArray(type: string, elements: readonly Element[]): Uint8Array | undefined {
  const elementType = ELEMENT_TYPES[type]
  const bytes = elements.length === 0 ? undefined : elementType?.encode(elements)
  if (elementType === undefined || bytes === undefined) return undefined
  bytes.writeInt32BE(DIMENSIONS, 0)
  bytes.writeInt32BE(elements.includes(null) ? 1 : 0, 4)
  bytes.writeInt32BE(elementType.oid, 8)
  bytes.writeInt32BE(elements.length, 12)
  bytes.writeInt32BE(LOWER_BOUND, 16)
  return bytes
}

/** Not from the shared pool: a thread that receives the array would get the whole pool. */
function allocate(length: number): Buffer {
  return Buffer.allocUnsafeSlow(length)
}

/** Encodes elements of one size. `write` returns false for a value that it cannot write. */
function fixed(size: number, write: (bytes: Buffer, value: Element, at: number) => boolean): ElementType['encode'] {
  return (elements) => {
    const nulls = elements.reduce<number>((count, element) => (element === null ? count + 1 : count), 0)
    const bytes = allocate(HEADER_LENGTH + elements.length * (LENGTH_LENGTH + size) - nulls * size)
    let at = HEADER_LENGTH
    for (const element of elements) {
      at = bytes.writeInt32BE(element === null ? NULL_LENGTH : size, at)
      if (element === null) continue
      if (!write(bytes, element, at)) return undefined
      at += size
    }
    return bytes
  }
}

const HIGH_WORD = 2 ** 32

function writeInt8(bytes: Buffer, value: Element, at: number): boolean {
  if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) !== value) return false
    bytes.writeBigInt64BE(value, at)
    return true
  }
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return false
  const high = Math.floor(value / HIGH_WORD)
  bytes.writeInt32BE(high, at)
  bytes.writeUInt32BE(value - high * HIGH_WORD, at + 4)
  return true
}

function writeInt4(bytes: Buffer, value: Element, at: number): boolean {
  if (typeof value !== 'number' || (value | 0) !== value) return false
  bytes.writeInt32BE(value, at)
  return true
}

function writeBoolean(bytes: Buffer, value: Element, at: number): boolean {
  if (typeof value !== 'boolean') return false
  bytes[at] = value ? 1 : 0
  return true
}

function encodeTexts(elements: readonly Element[]): Buffer | undefined {
  for (const element of elements) if (element !== null && typeof element !== 'string') return undefined
  const texts = elements as readonly (string | null)[]
  return encodeAscii(texts) ?? encodeUtf8(texts)
}

/**
 * Texts in ASCII, whose characters are bytes, as the lengths are too: one conversion for all costs less than one for each. Undefined for other texts: as UTF-8
 * those would have more bytes.
 */
function encodeAscii(texts: readonly (string | null)[]): Buffer | undefined {
  const parts: string[] = []
  let lengthBytes = 0
  for (const text of texts) {
    const length = lengthPrefix(text === null ? NULL_LENGTH : text.length)
    lengthBytes += length.utf8Length
    parts.push(length.characters)
    if (text !== null) parts.push(text)
  }
  const all = parts.join('')
  if (Buffer.byteLength(all) !== all.length - texts.length * LENGTH_LENGTH + lengthBytes) return undefined
  const bytes = allocate(HEADER_LENGTH + all.length)
  bytes.write(all, HEADER_LENGTH, 'latin1')
  return bytes
}

/** The four bytes of a length as characters, and how many bytes they would have as UTF-8. */
interface LengthPrefix {
  readonly characters: string
  readonly utf8Length: number
}

const prefixes = new Map<number, LengthPrefix>()
/** Long texts are rare, and have many lengths. */
const KEPT_PREFIXES_MAX = 1_024

function lengthPrefix(length: number): LengthPrefix {
  const known = prefixes.get(length)
  if (known !== undefined) return known
  const characters = String.fromCharCode(length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff)
  const prefix = { characters, utf8Length: Buffer.byteLength(characters) }
  if (length < KEPT_PREFIXES_MAX) prefixes.set(length, prefix)
  return prefix
}

function encodeUtf8(texts: readonly (string | null)[]): Buffer {
  const lengths = texts.map((text) => (text === null ? 0 : Buffer.byteLength(text)))
  const bytes = allocate(lengths.reduce((sum, length) => sum + LENGTH_LENGTH + length, HEADER_LENGTH))
  let at = HEADER_LENGTH
  for (const [index, text] of texts.entries()) {
    at = bytes.writeInt32BE(text === null ? NULL_LENGTH : lengths[index] as number, at)
    if (text !== null) at += bytes.write(text, at)
  }
  return bytes
}

/** A numeric has a header of four words (digit count, weight, sign, scale) and digits of base 10,000, a word each. */
const NUMERIC_HEADER_LENGTH = 8
const BASE = 10_000
const BASE_DIGITS = 4
const WORD_LENGTH = 2
const NEGATIVE = 0x4000
const INTEGER = /^-?\d{1,1000}$/

/** Only integers. */
function encodeIntegers(elements: readonly Element[]): Buffer | undefined {
  const integers: (number | string | null)[] = []
  let length = HEADER_LENGTH
  for (const element of elements) {
    const integer = element === null ? null : toInteger(element)
    if (integer === undefined) return undefined
    integers.push(integer)
    length += LENGTH_LENGTH + (integer === null ? 0 : numericLength(integer))
  }
  const bytes = allocate(length)
  let at = HEADER_LENGTH
  for (const integer of integers) {
    at = bytes.writeInt32BE(integer === null ? NULL_LENGTH : numericLength(integer), at)
    if (integer !== null) at = writeInteger(bytes, integer, at)
  }
  return bytes
}

/** A number when that is exact, because it is divided fastest; otherwise decimal digits. Undefined: no integer. */
function toInteger(element: string | number | bigint | boolean): number | string | undefined {
  if (typeof element === 'bigint') {
    const number = Number(element)
    if (Number.isSafeInteger(number)) return number
  }
  if (typeof element === 'number' && Number.isSafeInteger(element)) return element
  const digits = String(element)
  return INTEGER.test(digits) ? digits : undefined
}

function isNegative(integer: number | string): boolean {
  return typeof integer === 'number' ? integer < 0 : integer.startsWith('-')
}

function baseDigits(integer: number | string): number {
  if (typeof integer === 'string') return Math.ceil((integer.length - (isNegative(integer) ? 1 : 0)) / BASE_DIGITS)
  let count = 1
  for (let rest = Math.abs(integer); rest >= BASE; rest /= BASE) count++
  return count
}

function numericLength(integer: number | string): number {
  return NUMERIC_HEADER_LENGTH + baseDigits(integer) * WORD_LENGTH
}

/** Writes a numeric and returns its end. */
function writeInteger(bytes: Buffer, integer: number | string, at: number): number {
  const count = baseDigits(integer)
  let end = writeWord(bytes, count, at)
  end = writeWord(bytes, count - 1, end)
  end = writeWord(bytes, isNegative(integer) ? NEGATIVE : 0, end)
  end = writeWord(bytes, 0, end)
  return typeof integer === 'number' ? writeNumber(bytes, Math.abs(integer), end, count) : writeDigits(bytes, integer, end)
}

/** Writes `count` digits of base 10,000. */
function writeNumber(bytes: Buffer, number: number, at: number, count: number): number {
  const end = at + count * WORD_LENGTH
  let rest = number
  for (let word = end - WORD_LENGTH; word >= at; word -= WORD_LENGTH) {
    const higher = Math.floor(rest / BASE)
    writeWord(bytes, rest - higher * BASE, word)
    rest = higher
  }
  return end
}

/** Writes decimal digits, four per digit of base 10,000, aligned at their end. */
function writeDigits(bytes: Buffer, integer: string, at: number): number {
  const digits = integer.length - (isNegative(integer) ? 1 : 0)
  let end = at
  for (let to = integer.length - digits + ((digits - 1) % BASE_DIGITS) + 1; to <= integer.length; to += BASE_DIGITS) {
    end = writeWord(bytes, Number(integer.slice(Math.max(to - BASE_DIGITS, integer.length - digits), to)), end)
  }
  return end
}

function writeWord(bytes: Buffer, word: number, at: number): number {
  bytes[at] = word >> 8
  bytes[at + 1] = word & 0xff
  return at + WORD_LENGTH
}

const ELEMENT_TYPES: Readonly<Record<string, ElementType>> = {
  boolean: { oid: 16, encode: fixed(1, writeBoolean) },
  bigint: { oid: 20, encode: fixed(8, writeInt8) },
  integer: { oid: 23, encode: fixed(4, writeInt4) },
  text: { oid: 25, encode: encodeTexts },
  numeric: { oid: 1700, encode: encodeIntegers },
}
