// Test support: arbitrary addresses, contract values and ledger entries.

import { fc } from '../../test/support/fuzz.ts'
import type { Val } from '../contracts/shared/host.ts'
import { valToBase64 } from '../scval.ts'
import { accountAddress, contractAddress } from './addresses.ts'
import type { AccountEntry, Entry } from './entries.ts'

/** Records with a prototype, as in production code. */
const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> => fc.record<T>(model, { noNullPrototype: true })

const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length })
const positive64 = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })

const anyAccount = bytes(32).map(accountAddress)
const anyContract = bytes(32).map(contractAddress)
const anySymbol = fc.stringMatching(/^[a-zA-Z0-9_]{0,32}$/)

/** Any contract value; map entries are in the order of their keys. */
export const anyVal: fc.Arbitrary<Val> = fc.letrec<{ val: Val }>((tie) => ({
  val: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'val' },
    fc.constant<Val>({ type: 'void' }),
    plain({ type: fc.constant('bool' as const), value: fc.boolean() }),
    plain({ type: fc.constant('u32' as const), value: fc.integer({ min: 0, max: 0xffff_ffff }) }),
    plain({ type: fc.constant('u64' as const), value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }),
    plain({ type: fc.constant('i128' as const), value: fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }) }),
    plain({ type: fc.constant('symbol' as const), value: anySymbol }),
    plain({ type: fc.constant('string' as const), value: fc.string({ unit: 'grapheme' }) }),
    plain({ type: fc.constant('bytes' as const), value: fc.uint8Array({ maxLength: 70 }) }),
    plain({ type: fc.constant('address' as const), value: fc.oneof(anyAccount, anyContract) }),
    plain({ type: fc.constant('vec' as const), value: fc.array(tie('val'), { maxLength: 4 }) }),
    plain({
      type: fc.constant('map' as const),
      value: fc.uniqueArray(fc.tuple(anySymbol, tie('val')), { maxLength: 4, selector: ([name]) => name }).map((entries) =>
        entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [{ type: 'symbol', value: name }, value] as const),
      ),
    }),
  ),
})).val

/** An account. One that never consumed a sequence number has no third extension. */
const anyAccountEntry: fc.Arbitrary<AccountEntry> = plain({
  kind: fc.constant('account' as const),
  account: anyAccount,
  balance: positive64,
  seqNum: positive64,
  subEntries: fc.nat(1_000),
  flags: fc.constant(0),
  homeDomain: fc.stringMatching(/^[a-z.]{0,32}$/),
  thresholds: fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)),
  signers: fc.uniqueArray(plain({ key: anyAccount, weight: fc.nat(255) }), { maxLength: 3, selector: ({ key }) => key }),
  sequence: fc.oneof(fc.constant({ seqLedger: 0, seqTimeSec: 0 }), plain({ seqLedger: fc.integer({ min: 1, max: 1_000_000 }), seqTimeSec: fc.nat() })),
}).map(({ sequence, ...entry }) => ({ ...entry, ...sequence }))

const instanceStorage = fc.array(fc.tuple(anyVal, anyVal), { maxLength: 3 }).map((pairs) => new Map(pairs.map((pair) => [valToBase64(pair[0]), pair])))

/** Any entry that this ledger can store. */
export const anyEntry: fc.Arbitrary<Entry> = fc.oneof(
  anyAccountEntry,
  plain({
    kind: fc.constant('trustline' as const), account: anyAccount,
    asset: fc.tuple(fc.stringMatching(/^[a-zA-Z0-9]{1,12}$/), anyAccount).map(([code, issuer]) => `${code}:${issuer}`),
    balance: positive64, limit: positive64, flags: fc.constant(1),
  }),
  plain({
    kind: fc.constant('data' as const), account: anyAccount, name: fc.stringMatching(/^[a-z ]{1,64}$/), value: fc.uint8Array({ maxLength: 64 }),
  }),
  plain({
    kind: fc.constant('contractData' as const), contract: anyContract, key: anyVal, durability: fc.constantFrom('persistent' as const, 'temporary' as const),
    value: anyVal,
  }),
  plain({
    kind: fc.constant('instance' as const), contract: anyContract,
    wasmHash: fc.option(bytes(32).map((hash) => Buffer.from(hash).toString('hex'))), storage: instanceStorage,
  }),
  plain({ kind: fc.constant('code' as const), hash: bytes(32).map((hash) => Buffer.from(hash).toString('hex')), wasm: fc.uint8Array({ maxLength: 40 }) }),
  plain({ kind: fc.constant('nonce' as const), address: fc.oneof(anyAccount, anyContract), nonce: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
)
