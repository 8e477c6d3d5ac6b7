// API keys: issued for a wallet's signature, listed and revoked by their owner (specification, "Authentication" and "API key").

import { hash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import { MAX_KEYS_PER_OWNER } from '../limits.ts'
import type { BetaStatus, IssuedKey, KeyChallenge, KeyTier } from '../resources/api-key.ts'
import type { Queryable, Store, Writer } from '../store/store.ts'
import type { Allowlist } from './allowlist.ts'
import { createAuthentication } from './authentication.ts'
import type { Authenticate } from './authentication.ts'
import { createChallenges, createMemoryChallengeState } from './challenges.ts'
import type { ChallengeState } from './challenges.ts'
import { createKeyCache } from './key-cache.ts'
import { insertKey, insertKeyWithin, listKeys, revokeKey } from './records.ts'
import type { KeyPage, NewKey } from './records.ts'
import { provesOwnership } from './signed-challenge.ts'

/** The body of POST /v1/keys. */
interface Claim {
  readonly address: string
  readonly challenge: string
  /** The signed transaction envelope in base64. */
  readonly signature: string
  readonly label: string | null
}

export interface Keys extends AsyncDisposable {
  readonly authenticate: Authenticate
  /** Reads the ids of all keys ahead of the first request. Resolves also when that fails. */
  load(): Promise<void>
  /** Returns whether the address may be issued a key; with null, whether everyone may. */
  betaStatus(address: string | null): BetaStatus
  /** Creates a challenge, which replaces the pending one that the same client requested for the address. */
  requestChallenge(address: string, client: string): Promise<KeyChallenge>
  /**
   * Issues a key for a proven address, or returns the reason for rejecting the claim. Checks the allowlist first, and the number of keys last; everything after
   * the allowlist uses up the challenge. Resolves after the commit.
   */
  issue(claim: Claim, client: string): Promise<IssuedKey | 'not_in_beta' | 'invalid_signature' | 'key_limit_reached'>
  /** The owner's keys, newest first, including revoked ones. `before` is the `next` of the previous page. */
  list(owner: string, page: { readonly before: number | null; readonly limit: number }): Promise<KeyPage>
  /** The maximum number of active keys that `issue` leaves an owner with. */
  readonly maxPerOwner: number
  /** Revokes an active key of the owner; false when there is none with this id. Other instances reject the key as soon as they receive the notification. */
  revoke(owner: string, keyId: string): Promise<boolean>
  /** True when the key is known to be revoked; false when it cannot be looked up. Never rejects. */
  isRevoked(keyId: string): boolean | Promise<boolean>
}

export interface KeysParts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly networkPassphrase: string
  readonly allowlist: Allowlist
  /** In memory by default. */
  readonly challengeState?: ChallengeState
  /** Active keys per owner. Owners with more keep them. */
  readonly maxPerOwner?: number
  /** Rejects requests without X-Timestamp. */
  readonly requireTimestamp?: boolean
}

export function createKeys(parts: KeysParts): Keys {
  const { store, clock, random, log, networkPassphrase, allowlist, maxPerOwner = MAX_KEYS_PER_OWNER, requireTimestamp = false } = parts
  const challenges = createChallenges({ clock, random, state: parts.challengeState ?? createMemoryChallengeState() })
  const cache = createKeyCache({ store, clock, log })
  // A replica may lack the newest key.
  const primary: Queryable = store.readsLag ? store.write : store.read

  async function isProven({ address, challenge, signature }: Claim, client: string): Promise<boolean> {
    if (!(await challenges.use({ client, wallet: address }, challenge))) return false
    return provesOwnership({ envelope: signature, address, challengeHex: challenge, networkPassphrase })
  }

  return {
    authenticate: createAuthentication({ keys: cache, clock, log, requireTimestamp }),
    load: cache.load,
    betaStatus(address) {
      return { gated: allowlist.gated, allowed: !allowlist.gated || (address !== null && allowlist.allows(address)) }
    },
    requestChallenge: (address, client) => challenges.create({ client, wallet: address }),
    async issue(claim, client) {
      if (!allowlist.allows(claim.address)) return 'not_in_beta'
      if (!(await isProven(claim, client))) return 'invalid_signature'
      const challenge = Buffer.from(claim.challenge, 'hex')
      const issued = await issueKeyWithin(store.write, { owner: claim.address, tier: 'standard', label: claim.label, challenge, clock, random }, maxPerOwner)
      if (typeof issued === 'object') cache.markIssued(issued.keyId)
      return issued ?? 'invalid_signature'
    },
    async list(owner, page) {
      const { keys, next } = await listKeys(primary, { owner, ...page })
      return { keys: keys.map((key) => ({ ...key, lastUsedAt: laterOf(key.lastUsedAt, cache.lastUsedAtMs(key.keyId)) })), next }
    },
    maxPerOwner,
    async revoke(owner, keyId) {
      try {
        const done = await revokeKey(store.write, { keyId, owner, revokedAtMs: clock.nowMs() })
        if (done) cache.markRevoked(keyId)
        return done
      } catch (cause) {
        // The revocation may have been committed.
        cache.invalidate(keyId)
        throw cause
      }
    },
    isRevoked(keyId) {
      const found = cache.find(keyId, null)
      if (!(found instanceof Promise)) return found?.revoked ?? true
      return found.then((key) => key?.revoked ?? true, () => false)
    },
    [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose](),
  }
}

interface KeyRequest {
  readonly owner: string
  readonly tier: KeyTier
  readonly label: string | null
  readonly clock: Clock
  readonly random: Random
}

/** Stores a new key and returns it with its secret, which is not stored. Resolves after the commit. */
export async function issueKey(db: Queryable, request: KeyRequest): Promise<IssuedKey> {
  const { issued, record } = createKey(request, null)
  await insertKey(db, record)
  return issued
}

/**
 * Issues a key unless its owner has `maxActive` active keys. `challenge` is the signed challenge, null for a key of the operator; undefined when it has yielded
 * a key already.
 */
export async function issueKeyWithin(
  db: Writer, request: KeyRequest & { readonly challenge: Uint8Array | null }, maxActive: number,
): Promise<IssuedKey | 'key_limit_reached' | undefined> {
  const { issued, record } = createKey(request, request.challenge)
  const inserted = await insertKeyWithin(db, record, maxActive)
  if (inserted === 'key_limit_reached') return inserted
  return inserted ? issued : undefined
}

function createKey({ owner, tier, label, clock, random }: KeyRequest, challenge: Uint8Array | null): { readonly issued: IssuedKey; readonly record: NewKey } {
  const keyId = `nk_${Buffer.from(random.bytes(12)).toString('hex')}`
  const secret = Buffer.from(random.bytes(32)).toString('hex')
  const createdAt = clock.nowMs()
  return {
    issued: { keyId, secret, tier, owner, createdAt },
    record: { keyId, owner, tier, label, secretSha256: hash('sha256', secret, 'buffer'), createdAtMs: createdAt, challenge },
  }
}

function laterOf(storedMs: number | null, trackedMs: number | undefined): number | null {
  if (storedMs === null || trackedMs === undefined) return storedMs ?? trackedMs ?? null
  return Math.max(storedMs, trackedMs)
}
