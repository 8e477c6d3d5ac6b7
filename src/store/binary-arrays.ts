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

/** Longer elements are copied by native code, whose call costs as much as this many bytes. */
const NATIVE_COPY_MIN = 48

function encodeTexts(elements: readonly Element[]): Buffer | undefined {
  for (const element of elements) if (element !== null && typeof element !== 'string') return undefined
  const texts = elements as readonly (string | null)[]
  const joined = Buffer.from(texts.join(''))
  const length = texts.reduce((sum, text) => sum + (text === null ? 0 : text.length), 0)
  return joined.length === length ? divideAscii(joined, texts) : encodeUtf8(texts)
}

/** A text in ASCII has as many bytes as characters. One conversion for all costs less than one for each. */
function divideAscii(joined: Buffer, texts: readonly (string | null)[]): Buffer {
  const bytes = allocate(HEADER_LENGTH + texts.length * LENGTH_LENGTH + joined.length)
  let at = HEADER_LENGTH
  let from = 0
  for (const text of texts) {
    at = bytes.writeInt32BE(text === null ? NULL_LENGTH : text.length, at)
    const to = from + (text === null ? 0 : text.length)
    if (to - from < NATIVE_COPY_MIN) while (from < to) bytes[at++] = joined[from++] as number
    else {
      at += joined.copy(bytes, at, from, to)
      from = to
    }
  }
  return bytes
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
const BASE_DIGITS = 4
const WORD_LENGTH = 2
const NEGATIVE = 0x4000
const INTEGER = /^-?\d{1,1000}$/
/** The character code of 0. */
const DIGIT_ZERO = 48

/** Only integers. Each has four decimal digits per digit of base 10,000, aligned at its end. */
function encodeIntegers(elements: readonly Element[]): Buffer | undefined {
  const integers: (string | null)[] = []
  let length = HEADER_LENGTH
  for (const element of elements) {
    const integer = element === null ? null : String(element)
    if (integer !== null && !INTEGER.test(integer)) return undefined
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

function isNegative(integer: string): boolean {
  return integer.startsWith('-')
}

function baseDigits(integer: string): number {
  return Math.ceil((integer.length - (isNegative(integer) ? 1 : 0)) / BASE_DIGITS)
}

function numericLength(integer: string): number {
  return NUMERIC_HEADER_LENGTH + baseDigits(integer) * WORD_LENGTH
}

/** Writes a numeric and returns its end. */
function writeInteger(bytes: Buffer, integer: string, at: number): number {
  const negative = isNegative(integer)
  const count = baseDigits(integer)
  let end = writeWord(bytes, count, at)
  end = writeWord(bytes, count - 1, end)
  end = writeWord(bytes, negative ? NEGATIVE : 0, end)
  end = writeWord(bytes, 0, end)
  let digit = 0
  for (let index = negative ? 1 : 0; index < integer.length; index++) {
    digit = digit * 10 + integer.charCodeAt(index) - DIGIT_ZERO
    if ((integer.length - index - 1) % BASE_DIGITS > 0) continue
    end = writeWord(bytes, digit, end)
    digit = 0
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
  int: { oid: 23, encode: fixed(4, writeInt4) },
  text: { oid: 25, encode: encodeTexts },
  numeric: { oid: 1700, encode: encodeIntegers },
}
