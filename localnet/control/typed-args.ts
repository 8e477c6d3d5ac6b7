// Contract arguments as typed JSON: `{"type": "u32", "value": 30}`. Wide integers are digit strings, bytes are hex, a vec is a list of such arguments, a map a
// list of pairs of them.

import { StrKey } from '@stellar/stellar-sdk'
import { I128_MAX, I128_MIN } from '../../src/base/fixed-point.ts'
import { address, bool, bytes, i128, symbol, text, u32, u64, VOID } from '../contracts/shared/host.ts'
import type { Val } from '../contracts/shared/host.ts'
import { invalidParams } from '../rpc/rpc-error.ts'

const U32_MAX = 2 ** 32 - 1
const U64_MAX = 2n ** 64n - 1n
/** Nesting of arguments. */
const MAX_DEPTH = 8

type Reader = (value: unknown, depth: number) => Val | undefined

const READERS: Readonly<Record<string, Reader>> = {
  void: (value) => (value === undefined || value === null ? VOID : undefined),
  bool: (value) => (typeof value === 'boolean' ? bool(value) : undefined),
  u32: (value) => (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= U32_MAX ? u32(value) : undefined),
  u64: (value) => readBigint(value, 0n, U64_MAX, u64),
  i128: (value) => readBigint(value, I128_MIN, I128_MAX, i128),
  symbol: (value) => (typeof value === 'string' && /^\w{1,32}$/.test(value) ? symbol(value) : undefined),
  string: (value) => (typeof value === 'string' ? text(value) : undefined),
  bytes: (value) => (typeof value === 'string' && /^([0-9a-f]{2})*$/i.test(value) ? bytes(new Uint8Array(Buffer.from(value, 'hex'))) : undefined),
  address: (value) =>
    typeof value === 'string' && (StrKey.isValidEd25519PublicKey(value) || StrKey.isValidContract(value)) ? address(value) : undefined,
  vec: (value, depth) => (Array.isArray(value) ? { type: 'vec', value: value.map((item) => readArg(item, depth + 1)) } : undefined),
  map: (value, depth) => (Array.isArray(value) ? { type: 'map', value: value.map((item) => readPair(item, depth + 1)) } : undefined),
}

/** The arguments of a call. Throws RpcError -32602 that names the invalid argument. */
export function readArgs(args: readonly unknown[]): readonly Val[] {
  return args.map((arg, index) => {
    try {
      return readArg(arg, 0)
    } catch (error) {
      throw error instanceof RangeError ? invalidParams(`args[${index}]: ${error.message}`) : error
    }
  })
}

function readArg(arg: unknown, depth: number): Val {
  if (depth > MAX_DEPTH) throw new RangeError(`nested more than ${MAX_DEPTH} deep`)
  if (typeof arg !== 'object' || arg === null || Array.isArray(arg)) throw new RangeError('must be {"type": …, "value": …}')
  const { type, value, ...rest } = arg as Record<string, unknown>
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new RangeError(`unknown field ${unknown}`)
  if (typeof type !== 'string' || !Object.hasOwn(READERS, type)) throw new RangeError(`type must be one of ${Object.keys(READERS).join(', ')}`)
  const read = READERS[type]?.(value, depth)
  if (read === undefined) throw new RangeError(`value is not a valid ${type}`)
  return read
}

function readPair(pair: unknown, depth: number): readonly [Val, Val] {
  if (!Array.isArray(pair) || pair.length !== 2) throw new RangeError('a map must be a list of [key, value] pairs')
  return [readArg(pair[0], depth), readArg(pair[1], depth)]
}

function readBigint(value: unknown, min: bigint, max: bigint, wrap: (value: bigint) => Val): Val | undefined {
  if (typeof value !== 'string' || !/^-?\d{1,39}$/.test(value)) return undefined
  const number = BigInt(value)
  return number < min || number > max ? undefined : wrap(number)
}
