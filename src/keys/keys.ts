// API keys: issued for a wallet's signature, listed and revoked by their owner (specification, "Authentication" and "API key").

import { hash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import { CHALLENGE_TTL_MS, KEYS_LISTED_MAX } from '../limits.ts'
import type { ApiKey, BetaStatus, IssuedKey, KeyChallenge, KeyTier } from '../resources/api-key.ts'
import type { Queryable, Store } from '../store/store.ts'
import type { Allowlist } from './allowlist.ts'
import { createAuthentication } from './authentication.ts'
import type { Authenticate } from './authentication.ts'
import { createMemoryChallenges } from './challenges.ts'
import type { ChallengeStore } from './challenges.ts'
import { createKeyCache } from './key-cache.ts'
import { insertKey, listKeys, revokeKey } from './records.ts'
import { provesOwnership } from './signed-challenge.ts'

/** The body of POST /v1/keys. */
export interface Claim {
  readonly address: string
  readonly challenge: string
  /** The signed transaction envelope in base64. */
  readonly signature: string
  readonly label: string | null
}

export interface Keys extends AsyncDisposable {
  readonly authenticate: Authenticate
  /** Whether the address may be issued a key; with null, whether everyone may. */
  betaStatus(address: string | null): BetaStatus
  /** Creates a challenge, which replaces the pending challenge of the address. */
  requestChallenge(address: string): Promise<KeyChallenge>
  /**
   * Issues a key for a proven address, or returns the reason for rejecting the claim. Checks the allowlist first; everything after that uses up the challenge.
   * Resolves after the commit.
   */
  issue(claim: Claim): Promise<IssuedKey | 'not_in_beta' | 'invalid_signature'>
  /** The owner's keys, newest first, including revoked ones. */
  list(owner: string): Promise<ApiKey[]>
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
  readonly challenges?: ChallengeStore
}

export function createKeys(parts: KeysParts): Keys {
  const { store, clock, random, log, networkPassphrase, allowlist, challenges = createMemoryChallenges() } = parts
  const cache = createKeyCache({ store, clock, log })
  // A replica may lack the newest key.
  const primary: Queryable = store.engine === 'embedded' ? store.read : store.write

  async function isProven(claim: Claim): Promise<boolean> {
    const pending = await challenges.take(claim.address)
    if (pending === undefined || clock.nowMs() >= pending.expiresAtMs || pending.challengeHex !== claim.challenge) return false
    const { address, signature: envelope } = claim
    return provesOwnership({ envelope, address, challengeHex: pending.challengeHex, networkPassphrase })
  }

  return {
    authenticate: createAuthentication({ keys: cache, clock, log }),
    betaStatus(address) {
      return { gated: allowlist.gated, allowed: !allowlist.gated || (address !== null && allowlist.allows(address)) }
    },
    async requestChallenge(address) {
      const challengeHex = Buffer.from(random.bytes(32)).toString('hex')
      const expiresAt = clock.nowMs() + CHALLENGE_TTL_MS
      await challenges.put(address, challengeHex, expiresAt)
      return { challengeHex, expiresAt }
    },
    async issue(claim) {
      if (!allowlist.allows(claim.address)) return 'not_in_beta'
      if (!(await isProven(claim))) return 'invalid_signature'
      return issueKey(store.write, { owner: claim.address, tier: 'standard', label: claim.label, clock, random })
    },
    async list(owner) {
      const rows = await listKeys(primary, owner, KEYS_LISTED_MAX)
      return rows.map((row) => ({ ...row, lastUsedAt: laterOf(row.lastUsedAt, cache.lastUsedAtMs(row.keyId)) }))
    },
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
      const found = cache.find(keyId)
      if (!(found instanceof Promise)) return found?.revoked ?? true
      return found.then((key) => key?.revoked ?? true, () => false)
    },
    [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose](),
  }
}

/** Stores a new key and returns it with its secret, which is not stored. Resolves after the commit. */
export async function issueKey(
  db: Queryable,
  key: { readonly owner: string; readonly tier: KeyTier; readonly label: string | null; readonly clock: Clock; readonly random: Random },
): Promise<IssuedKey> {
  const { owner, tier, label, clock, random } = key
  const keyId = `nk_${Buffer.from(random.bytes(12)).toString('hex')}`
  const secret = Buffer.from(random.bytes(32)).toString('hex')
  const createdAt = clock.nowMs()
  await insertKey(db, { keyId, owner, tier, label, secretSha256: hash('sha256', secret, 'buffer'), createdAtMs: createdAt })
  return { keyId, secret, tier, owner, createdAt }
}

function laterOf(storedMs: number | null, trackedMs: number | undefined): number | null {
  if (storedMs === null || trackedMs === undefined) return storedMs ?? trackedMs ?? null
  return Math.max(storedMs, trackedMs)
}
