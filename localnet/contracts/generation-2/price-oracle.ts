// The price oracle of generation 2: it also stores recent prices, for averages, and accepts a quorum of signed prices from the router.

import { SHARED_ERRORS } from './errors.ts'
import type { ContractCode, ContractEnv, EntryPoint, Val } from '../shared/host.ts'
import { bytes, u32, vec } from '../shared/host.ts'
import {
  administration, ATTESTATION_MAX_KEYS, attestationPayload, INVALID_PARAMETER, isPublisherKey, PRICE, PRICE_ORACLE_STRUCTS, type Price,
  prices, readAdmin, readPrice, relayPrice, storePrice, TAG_BYTES, UNAUTHORIZED,
} from '../shared/price-oracle.ts'
import { asBytes, asI128, asU32, asU64, asVec, entryPoint, fail, fieldOf, storageKey } from '../shared/values.ts'

/** Number of prices kept per tag. */
const HISTORY_MAX_PRICES = 8

/** Maximum number of tags per quorum update. */
const QUORUM_MAX_TAGS = 32

const historyKey = (tag: Uint8Array): Val => storageKey('History', bytes(tag))

/**
 * The oracle's code: that of generation 1 with two entry points. `get_prices_pers(tag, records)` returns the latest prices, newest first.
 * `update_quorum_ed25519_persistent(tags, timestamp, round_id, rounds)`, callable by anyone, stores the median of the publishers' prices for
 * each tag and returns the number of tags; each round has one publisher's prices in the order of the tags, and the signature over all.
 */
export function priceOracleContract(): ContractCode {
  return {
    name: 'price oracle',
    structs: {
      ...PRICE_ORACLE_STRUCTS,
      PublisherRound: [['prices', { vec: 'i128' }], ['pubkey', { bytesN: 32 }], ['sig', { bytesN: 64 }]],
    },
    errors: SHARED_ERRORS,
    entryPoints: {
      ...administration(), ...prices(storeWithHistory), relay_price: relayPrice(storeWithHistory),
      get_prices_pers: entryPoint({ tag: { bytesN: TAG_BYTES }, records: 'u32' }, { vec: { struct: 'Price' } }, (env, args) => {
        readAdmin(env)
        return vec(...readHistory(env, asBytes(args[0])).slice(0, asU32(args[1])))
      }),
      update_quorum_ed25519_persistent: quorumUpdate(),
    },
  }
}

/** Stores a price as the latest and in the history. A price with the time of the previous one replaces it. */
function storeWithHistory(env: ContractEnv, tag: Uint8Array, price: Price): void {
  const [previous, ...older] = readHistory(env, tag)
  const kept = previous === undefined || asU64(fieldOf(previous, 'timestamp')) === price.timestamp ? older : [previous, ...older]
  env.set('persistent', historyKey(tag), vec(PRICE.toVal(price), ...kept.slice(0, HISTORY_MAX_PRICES - 1)))
  storePrice(env, tag, price)
}

function readHistory(env: ContractEnv, tag: Uint8Array): readonly Val[] {
  const stored = env.get('persistent', historyKey(tag))
  return stored === undefined ? [] : asVec(stored)
}

function quorumUpdate(): EntryPoint {
  const inputs = {
    tags: { vec: { bytesN: TAG_BYTES } }, timestamp: 'u64', round_id: 'u64', rounds: { vec: { struct: 'PublisherRound' } },
  } as const
  return entryPoint(inputs, 'u32', (env, args) => {
    const [tags, rounds] = [asVec(args[0]).map(asBytes), asVec(args[3])]
    const [timestamp, roundId] = [asU64(args[1]), asU64(args[2])]
    readAdmin(env)
    if (tags.length === 0 || tags.length > QUORUM_MAX_TAGS || rounds.length > ATTESTATION_MAX_KEYS) fail(INVALID_PARAMETER)
    if (rounds.length === 0 || !rounds.every((round) => isPublisherKey(env, asBytes(fieldOf(round, 'pubkey'))))) fail(UNAUTHORIZED)
    const priceOf = (value: bigint): Price => ({ price: value, timestamp, round_id: roundId })
    const byPublisher = rounds.map((round) => asVec(fieldOf(round, 'prices')).map(asI128))
    for (const [index, values] of byPublisher.entries()) {
      if (values.length !== tags.length) fail(INVALID_PARAMETER)
      const lines = tags.map((tag, at) => attestationPayload(env.ledger.networkId, env.self, tag, priceOf(values[at] ?? 0n)))
      const round = rounds[index]
      env.verifySignature(asBytes(fieldOf(round, 'pubkey')), Buffer.concat(lines), asBytes(fieldOf(round, 'sig')))
    }
    for (const [at, tag] of tags.entries()) {
      const price = priceOf(median(byPublisher.map((values) => values[at] ?? 0n)))
      if ((readPrice(env, tag)?.timestamp ?? 0n) <= timestamp) storeWithHistory(env, tag, price)
    }
    return u32(tags.length)
  })
}

/** The middle value; the lower of the two for an even number. */
function median(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : 1))
  return sorted[(sorted.length - 1) >> 1] ?? 0n
}
