// Challenges that wallets sign (specification, "Key-issuance challenge"). They authenticate themselves, so no flood of requests can evict one. What is
// remembered, in a table of fixed size, only makes them invalid earlier (docs/decisions/challenges.md).

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import { CHALLENGE_TTL_MS } from '../limits.ts'
import type { KeyChallenge } from '../resources/api-key.ts'

/** The client that requests or uses a challenge. */
interface Claimant {
  /** The network address that clients are counted by. */
  readonly client: string
  /** The address to prove. */
  readonly wallet: string
}

/** A challenge that was used. */
interface UsedChallenge {
  /** The restrictions of the key as text. Empty: none. */
  readonly restrictions: string
}

export interface Challenges {
  /**
   * Creates a challenge, bound to a text of restrictions, empty without any. It replaces the one that the same client requested for the same wallet before, and
   * no other.
   */
  create(claimant: Claimant, restrictions?: string): Promise<KeyChallenge>
  /**
   * Uses up a challenge, and the pending one of this client and wallet. Undefined unless the challenge was issued for this wallet, to any client, and has not
   * expired or been replaced or used. Only its receiver can present it, so the client may have changed its address.
   */
  use(claimant: Claimant, challengeHex: string): Promise<UsedChallenge | undefined>
}

/** State that challenges share: in memory, or between several instances. Both methods may reject with ChallengesUnavailable. */
export interface ChallengeState {
  /** The secret that authenticates challenges: the proposed one, unless there is one already. */
  secret(proposed: Uint8Array): Promise<Uint8Array>
  /** Stores an entry, and overwrites what the slot held. */
  set(slot: number, entry: SlotEntry): Promise<void>
  /**
   * Stores that the challenge of the tag is used, atomically. False when the slot showed that this one was used or replaced before; true when it held this one,
   * nothing, or the entry of another tag, which shows nothing.
   */
  use(slot: number, entry: SlotEntry): Promise<boolean>
  /** The restrictions of the challenge that the slot holds, empty when it holds another one or none. */
  restrictions(slot: number, entry: SlotEntry): Promise<string>
}

interface SlotEntry {
  /** Identifies client and wallet, in hex. */
  readonly tag: string
  /** The pending challenge of the tag, in hex; null when it was used. */
  readonly nonce: string | null
  /** Of the pending challenge. Absent: none. */
  readonly restrictions?: string
}

/** Raised when the shared state does not confirm an operation. Retryable with a new challenge. */
export class ChallengesUnavailable extends Error {
  override readonly name = 'ChallengesUnavailable'
}

/** Slots of the table: about ten megabytes when all are taken. A challenge's slot is derived from its tag, secretly, so nobody can aim at one. */
export const CHALLENGE_SLOTS = 65_536

const SECRET_BYTES = 32
/** A challenge is a MAC, then a masked payload: expiry, tag and nonce. */
const MAC_BYTES = 16
const EXPIRY_BYTES = 6
const TAG_BYTES = 6
const NONCE_BYTES = 4
const CHALLENGE_HEX = /^[0-9a-f]{64}$/

export interface ChallengesParts {
  readonly clock: Clock
  readonly random: Random
  readonly state: ChallengeState
}

export function createChallenges({ clock, random, state }: ChallengesParts): Challenges {
  const proposedSecret = random.bytes(SECRET_BYTES)
  return {
    async create({ client, wallet }, restrictions = '') {
      const secret = await state.secret(proposedSecret)
      const expiresAt = clock.nowMs() + CHALLENGE_TTL_MS
      const tag = tagOf(secret, { client, wallet })
      const nonce = Buffer.from(random.bytes(NONCE_BYTES))
      await state.set(slotOf(tag), { tag: tag.toString('hex'), nonce: nonce.toString('hex'), ...(restrictions === '' ? {} : { restrictions }) })
      return { challengeHex: seal(secret, { wallet, restrictions }, Buffer.concat([expiryBytes(expiresAt), tag, nonce])), expiresAt }
    },
    async use({ client, wallet }, challengeHex) {
      const secret = await state.secret(proposedSecret)
      const payload = await openBound(secret, wallet, challengeHex)
      const isPending = payload !== undefined && await state.use(slotOf(payload.tag), entryOf(payload))
      const ownTag = tagOf(secret, { client, wallet })
      if (payload?.tag.equals(ownTag) !== true) await state.set(slotOf(ownTag), { tag: ownTag.toString('hex'), nonce: null })
      return isPending && clock.nowMs() < payload.expiresAtMs ? { restrictions: payload.restrictions } : undefined
    },
  }

  /** Opens a challenge. Its restrictions are in its slot only: when another entry has taken the slot, the challenge is not valid. */
  async function openBound(secret: Uint8Array, wallet: string, challengeHex: string): Promise<(Payload & UsedChallenge) | undefined> {
    const payload = unmask(secret, challengeHex)
    if (payload === undefined) return undefined
    if (isSealed(secret, { wallet, restrictions: '' }, payload)) return { ...payload, restrictions: '' }
    const restrictions = await state.restrictions(slotOf(payload.tag), entryOf(payload))
    return restrictions !== '' && isSealed(secret, { wallet, restrictions }, payload) ? { ...payload, restrictions } : undefined
  }
}

/** A secret that ends with the process, so a restart voids all challenges. */
export function createMemoryChallengeState(): ChallengeState {
  const slots = new Map<number, SlotEntry>()
  let current: Uint8Array | undefined
  return {
    secret: async (proposed) => (current ??= proposed),
    async set(slot, entry) {
      slots.set(slot, entry)
    },
    async use(slot, { tag, nonce }) {
      const held = slots.get(slot)
      slots.set(slot, { tag, nonce: null })
      return held?.tag !== tag || held.nonce === nonce
    },
    async restrictions(slot, { tag, nonce }) {
      const held = slots.get(slot)
      return held?.tag === tag && held.nonce === nonce ? held.restrictions ?? '' : ''
    },
  }
}

/** The key that a challenge is for. */
interface Bound {
  readonly wallet: string
  readonly restrictions: string
}

interface Payload {
  readonly expiresAtMs: number
  readonly tag: Buffer
  readonly nonce: Buffer
  readonly mac: Buffer
  readonly bytes: Buffer
}

/** The MAC also masks the payload, so that all 32 bytes look random. */
function seal(secret: Uint8Array, bound: Bound, payload: Buffer): string {
  const mac = macOf(secret, bound, payload)
  return Buffer.concat([mac, mask(secret, mac, payload)]).toString('hex')
}

/** Reads a challenge, which may be anyone's. Undefined for a text of another form. */
function unmask(secret: Uint8Array, challengeHex: string): Payload | undefined {
  if (!CHALLENGE_HEX.test(challengeHex)) return undefined
  const challenge = Buffer.from(challengeHex, 'hex')
  const mac = challenge.subarray(0, MAC_BYTES)
  const bytes = mask(secret, mac, challenge.subarray(MAC_BYTES))
  const tagEnd = EXPIRY_BYTES + TAG_BYTES
  return { expiresAtMs: bytes.readUIntBE(0, EXPIRY_BYTES), tag: bytes.subarray(EXPIRY_BYTES, tagEnd), nonce: bytes.subarray(tagEnd), mac, bytes }
}

/** True when the challenge was issued for this wallet with these restrictions under this secret. */
function isSealed(secret: Uint8Array, bound: Bound, { mac, bytes }: Payload): boolean {
  return timingSafeEqual(mac, macOf(secret, bound, bytes))
}

function entryOf({ tag, nonce }: Payload): SlotEntry {
  return { tag: tag.toString('hex'), nonce: nonce.toString('hex') }
}

function expiryBytes(expiresAtMs: number): Buffer {
  const bytes = Buffer.alloc(EXPIRY_BYTES)
  bytes.writeUIntBE(expiresAtMs, 0, EXPIRY_BYTES)
  return bytes
}

/** Payload and wallet have fixed lengths, so payload, wallet and restrictions cannot be confused. */
function macOf(secret: Uint8Array, { wallet, restrictions }: Bound, payload: Uint8Array): Buffer {
  return createHmac('sha256', secret).update('mac').update(payload).update(wallet).update(restrictions).digest().subarray(0, MAC_BYTES)
}

function mask(secret: Uint8Array, mac: Uint8Array, payload: Uint8Array): Buffer {
  const pad = createHmac('sha256', secret).update('pad').update(mac).digest()
  return Buffer.from(payload.map((byte, index) => byte ^ (pad[index] ?? 0)))
}

/** A network address contains no zero byte, so client and wallet cannot be confused. */
function tagOf(secret: Uint8Array, { client, wallet }: Claimant): Buffer {
  return createHmac('sha256', secret).update(`tag${client}\0${wallet}`).digest().subarray(0, TAG_BYTES)
}

function slotOf(tag: Buffer): number {
  return tag.readUInt16BE(0) % CHALLENGE_SLOTS
}
