// API keys: issued for a wallet's signature, lent by other keys, listed, rotated and revoked by their owner (specification, "Authentication" and "API key").

import { hash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import { MAX_KEYS_PER_OWNER } from '../limits.ts'
import { createBatchedLookup } from '../base/batched-lookup.ts'
import type { BetaStatus, IssuedKey, KeyChallenge, KeyTier, RotatedKey } from '../resources/api-key.ts'
import type { KeyRestrictions, RestrictionsRequest } from '../resources/key-restrictions.ts'
import type { Queryable, Store, Writer } from '../store/store.ts'
import type { Allowlist } from './allowlist.ts'
import { createAuthentication, identityOf } from './authentication.ts'
import type { Authenticate } from './authentication.ts'
import { createChallenges, createMemoryChallengeState } from './challenges.ts'
import type { ChallengeState } from './challenges.ts'
import { findExceededCap, readDayUses, renameUse, reserveUse } from './cap-uses.ts'
import type { CapExceeded, DayUse, EntryUse } from './cap-uses.ts'
import { createKeyCache } from './key-cache.ts'
import type { CachedKey, KeyIdentity } from './key-cache.ts'
import { findLabels, insertKey, insertKeyWithin, listKeys, revokeKey, revokeOthers, rotateKey } from './records.ts'
import type { KeyPage, KeyReach, NewKey } from './records.ts'
import { readRestrictions, restrictChild, showRestrictions, textOfRestrictions, UNRESTRICTED } from './restrictions.ts'
import type { ExceedingMember } from './restrictions.ts'
import { provesOwnership } from './signed-challenge.ts'

/** The body of POST /v1/keys. */
interface Claim {
  readonly address: string
  readonly challenge: string
  /** The signed transaction envelope in base64. */
  readonly signature: string
  readonly label: string | null
}

/** The state of a login: the end of its secret, null for the current one, or the reason why it has ended. */
type LoginState = { readonly secretUntil: number | null } | 'key_revoked' | 'key_expired'

/** The reasons why a key lends none. `expires_in_the_past`: the new key would have expired already. */
type LendRefusal =
  | 'key_not_found' | 'key_limit_reached' | 'expires_in_the_past' | 'already_rotated' | { readonly notASubset: ExceedingMember }

export interface Keys extends AsyncDisposable {
  readonly authenticate: Authenticate
  /** Reads the ids of all keys ahead of the first request. Resolves also when that fails. */
  load(): Promise<void>
  /** Returns whether the address may be issued a key; with null, whether everyone may. */
  betaStatus(address: string | null): BetaStatus
  /** Creates a challenge, which replaces the pending one that the same client requested for the address. The key will have these restrictions. */
  requestChallenge(address: string, client: string, restrictions?: RestrictionsRequest): Promise<KeyChallenge | 'expires_in_the_past'>
  /**
   * Issues a key for a proven address, or returns the reason for rejecting the claim. Checks the allowlist first, and the number of keys last; everything after
   * the allowlist uses up the challenge. Resolves after the commit.
   */
  issue(claim: Claim, client: string): Promise<IssuedKey | 'not_in_beta' | 'invalid_signature' | 'key_limit_reached'>
  /** The owner's keys, newest first, including revoked ones. `before` is the `next` of the previous page. */
  list(owner: string, page: { readonly before: number | null; readonly limit: number }): Promise<KeyPage>
  /** The maximum number of active keys that `issue` leaves an owner with. */
  readonly maxPerOwner: number
  /** Creates a key that is a subset of this one, and ends with it. Resolves after the commit. */
  lend(parent: KeyIdentity, request: RestrictionsRequest & { readonly label: string | null }): Promise<IssuedKey | LendRefusal>
  /** Gives an active key in the caller's reach a new secret. The one before is valid for `overlapSec`. Resolves after the commit. */
  rotate(caller: KeyIdentity, keyId: string, overlapSec: number): Promise<RotatedKey | 'key_not_found' | 'already_rotated'>
  /**
   * Revokes an active key in the caller's reach and the keys that it lent; false when there is none with this id. Other instances reject them as soon as they
   * receive the notification.
   */
  revoke(caller: KeyIdentity, keyId: string): Promise<boolean>
  /** Revokes all keys in the caller's reach but its own and those above it. Returns how many. */
  revokeOthers(caller: KeyIdentity): Promise<number>
  /** The key's label and time of issue, and what it has used today. Undefined when it has just been deleted. */
  describe(keyId: string): Promise<KeyDescription | undefined>
  /** The daily cap of the key, or of one above it, that an entry of this notional would exceed. Reserves nothing. */
  findExceededCap(keyId: string, notional: bigint): Promise<CapExceeded | null>
  /** Reserves an entry of the daily caps of the key and of those above it, or returns the cap that it exceeds. */
  reserve(keyId: string, use: EntryUse & { readonly innerHash: string | null }): Promise<CapExceeded | null>
  /** The state of a login with a key and one of its secrets. It counts as valid while it cannot be looked up. Never rejects. */
  loginState(login: Pick<KeyIdentity, 'keyId' | 'rotation'>): LoginState | Promise<LoginState>
}

interface KeyDescription {
  readonly label: string | null
  readonly createdAt: number
  readonly used: DayUse
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

  const describe = createBatchedLookup({
    clock,
    async find(keyIds) {
      const [labels, uses] = await Promise.all([findLabels(primary, keyIds), readDayUses(primary, keyIds, clock.nowMs())])
      return new Map(labels.flatMap(({ keyId, label, createdAt }) => {
        const used = uses.get(keyId)
        return used === undefined ? [] : [[keyId, { label, createdAt, used }] as const]
      }))
    },
  })

  /** The restrictions that a signed challenge is bound to; undefined when it proves nothing. */
  async function prove({ address, challenge, signature }: Claim, client: string): Promise<KeyRestrictions | undefined> {
    const used = await challenges.use({ client, wallet: address }, challenge)
    if (used === undefined || !provesOwnership({ envelope: signature, address, challengeHex: challenge, networkPassphrase })) return undefined
    return used.restrictions === '' ? UNRESTRICTED : JSON.parse(used.restrictions) as KeyRestrictions
  }

  async function issueWithin(
    request: Omit<KeyRequest, 'clock' | 'random'>, challenge: Uint8Array | null,
  ): Promise<IssuedKey | 'key_limit_reached' | undefined> {
    const issued = await issueKeyWithin(store.write, { ...request, challenge, clock, random }, maxPerOwner)
    if (typeof issued === 'object') cache.markIssued(issued.keyId)
    return issued
  }

  /** Runs a change of keys. When it fails, it may have been committed. */
  async function changeKeys<Result>(keyId: string, change: () => Promise<Result>): Promise<Result> {
    try {
      return await change()
    } catch (cause) {
      cache.invalidate(keyId)
      throw cause
    }
  }

  function isPast({ expiresAt }: RestrictionsRequest): boolean {
    return typeof expiresAt === 'number' && expiresAt <= clock.nowMs()
  }

  return {
    authenticate: createAuthentication({ keys: cache, clock, log, requireTimestamp }),
    load: cache.load,
    betaStatus(address) {
      return { gated: allowlist.gated, allowed: !allowlist.gated || (address !== null && allowlist.allows(address)) }
    },
    async requestChallenge(address, client, restrictions = {}) {
      if (isPast(restrictions)) return 'expires_in_the_past'
      return await challenges.create({ client, wallet: address }, textOfRestrictions(readRestrictions(restrictions)))
    },
    async issue(claim, client) {
      if (!allowlist.allows(claim.address)) return 'not_in_beta'
      const restrictions = await prove(claim, client)
      if (restrictions === undefined) return 'invalid_signature'
      const challenge = Buffer.from(claim.challenge, 'hex')
      const request = { owner: claim.address, tier: 'standard', label: claim.label, restrictions } as const
      return await issueWithin(request, challenge) ?? 'invalid_signature'
    },
    async list(owner, page) {
      const { keys, next } = await listKeys(primary, { owner, ...page })
      return { keys: keys.map((key) => ({ ...key, lastUsedAt: laterOf(key.lastUsedAt, cache.lastUsedAtMs(key.keyId)) })), next }
    },
    maxPerOwner,
    async lend(parent, { label, ...request }) {
      if (parent.secretUntil !== null) return 'already_rotated'
      if (isPast(request)) return 'expires_in_the_past'
      const restrictions = restrictChild(parent.restrictions, request)
      if (typeof restrictions === 'string') return { notASubset: restrictions }
      const { owner, tier, keyId } = parent
      return await issueWithin({ owner, tier, label, restrictions, parent: keyId }, null) ?? 'key_not_found'
    },
    async rotate(caller, keyId, overlapSec) {
      if (keyId === caller.keyId && caller.secretUntil !== null) return 'already_rotated'
      const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('hex')
      const nowMs = clock.nowMs()
      const previousUntilMs = nowMs + overlapSec * 1_000
      const rotation = { keyId, reach: reachOf(caller), secretSha256: hash('sha256', secret, 'buffer'), previousUntilMs, nowMs }
      const rotated = await changeKeys(keyId, () => rotateKey(store.write, rotation))
      if (rotated === undefined) return 'key_not_found'
      cache.invalidate(keyId)
      const { owner, tier, createdAt, parent, ...restrictions } = rotated
      return { keyId, secret, tier, owner, createdAt, ...showRestrictions(restrictions), parent, previousUntil: previousUntilMs }
    },
    async revoke(caller, keyId) {
      const revoked = await changeKeys(keyId, () => revokeKey(store.write, { keyId, reach: reachOf(caller), revokedAtMs: clock.nowMs() }))
      revoked.forEach(cache.markRevoked)
      return revoked.length > 0
    },
    async revokeOthers(caller) {
      const { keyId } = caller
      const revoked = await revokeOthers(store.write, { keyId, reach: reachOf(caller), revokedAtMs: clock.nowMs() })
      revoked.forEach(cache.markRevoked)
      return revoked.length
    },
    describe,
    findExceededCap: (keyId, notional) => findExceededCap(primary, keyId, notional, clock.nowMs()),
    async reserve(keyId, { innerHash, ...use }) {
      if (innerHash !== null) await renameUse(store.write, innerHash, use.hash)
      return await reserveUse(store.write, keyId, use, clock.nowMs())
    },
    loginState({ keyId, rotation }) {
      const found = cache.find(keyId, null)
      if (!(found instanceof Promise)) return stateOf(found, rotation, clock.nowMs())
      return found.then((key) => stateOf(key, rotation, clock.nowMs()), () => ({ secretUntil: null }))
    },
    [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose](),
  }
}

/** The state of a login with a key and one of its secrets. */
function stateOf(key: CachedKey | undefined, rotation: number, nowMs: number): LoginState {
  if (key?.revoked !== false) return 'key_revoked'
  const identity = identityOf(key, rotation)
  const { expiresAt } = key.identity.restrictions
  if (identity === undefined || (identity.secretUntil ?? Infinity) <= nowMs || (expiresAt ?? Infinity) <= nowMs) return 'key_expired'
  return { secretUntil: identity.secretUntil }
}

/** A key that was lent changes itself and the keys below it, because it must not be more than its parent. */
function reachOf({ owner, parent, keyId }: KeyIdentity): KeyReach {
  return { owner, within: parent === null ? null : keyId }
}

const SECRET_BYTES = 32

interface KeyRequest {
  readonly owner: string
  readonly tier: KeyTier
  readonly label: string | null
  readonly clock: Clock
  readonly random: Random
  /** None by default. */
  readonly restrictions?: KeyRestrictions
  /** The key that lends it; none by default. */
  readonly parent?: string
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

function createKey(request: KeyRequest, challenge: Uint8Array | null): { readonly issued: IssuedKey; readonly record: NewKey } {
  const { owner, tier, label, clock, random, restrictions = UNRESTRICTED, parent = null } = request
  const keyId = `nk_${Buffer.from(random.bytes(12)).toString('hex')}`
  const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('hex')
  const createdAt = clock.nowMs()
  return {
    issued: { keyId, secret, tier, owner, createdAt, ...showRestrictions(restrictions), parent },
    record: { keyId, owner, tier, label, secretSha256: hash('sha256', secret, 'buffer'), createdAtMs: createdAt, challenge, ...restrictions, parent },
  }
}

function laterOf(storedMs: number | null, trackedMs: number | undefined): number | null {
  if (storedMs === null || trackedMs === undefined) return storedMs ?? trackedMs ?? null
  return Math.max(storedMs, trackedMs)
}
