// Who agreed to what (soroban-rpc, "Authorization"): demanded by contracts, found in the transaction's authorization entries, or recorded
// by a simulation.

import type { xdr } from '@stellar/stellar-sdk'
import type { Random } from '../../src/base/random.ts'
import { addressOf } from '../scval.ts'
import { authenticate, type AddressCredentials, consumeNonce } from './auth-credentials.ts'
import { type AuthorizedCall, type AuthorizedInvocation, createInvocation, encodeAuthorizationEntry, decodeInvocation } from './auth-tree.ts'
import { hostFailure } from './failure.ts'
import type { HostStorage } from './host-storage.ts'
import { accountKey, nonceKey } from './keys.ts'
import { isAccountAddress } from './addresses.ts'
import type { Meter } from './meter.ts'

/** Asked by the host. Calls nest: `enter` before a contract runs, `leave` after it; a failed call leaves no trace. */
export interface Authorizer {
  pushFrame(): void
  popFrame(keep: boolean): void
  /** Throws Auth/InvalidAction when `address` did not agree to this call. */
  requireAuth(address: string, call: AuthorizedCall): void
}

/** What judging needs of its surroundings. */
export interface AuthContext {
  readonly storage: HostStorage
  readonly meter: Meter
  readonly networkId: Uint8Array
  readonly sequence: number
  /** The operation's source: it agreed by signing the transaction. */
  readonly source: string
}

/** Every demand passes: the calls that the ledger makes itself before its first ledger. */
export const allowAllAuthorizer: Authorizer = { pushFrame() {}, popFrame() {}, requireAuth() {} }

/** One authorization entry at work: where in its tree the running calls stand. */
interface AuthorizationTracker {
  readonly address: string
  readonly root: AuthorizedInvocation
  /** One slot per running call: the node that it matched. */
  readonly matchStack: (AuthorizedInvocation | null)[]
  readonly used: Set<AuthorizedInvocation>
  /** Judged when the tree is first used; null for the source account. */
  readonly credentials: AddressCredentials | null
}

/** Undoes what a failed call did to the trackers. */
function createUndoLog(): { note(undo: () => void): void; enter(): void; leave(keep: boolean): void } {
  const undos: (() => void)[] = []
  const marks: number[] = []
  return {
    note: (undo) => void undos.push(undo),
    enter: () => void marks.push(undos.length),
    leave(keep) {
      const mark = marks.pop() ?? 0
      if (keep) return
      while (undos.length > mark) undos.pop()?.()
    },
  }
}

const deepestMatch = (slots: readonly (AuthorizedInvocation | null)[]): AuthorizedInvocation | undefined => slots.findLast((node) => node !== null) ?? undefined

/** Holds a run to the authorization entries of its operation. */
export function createEnforcingAuthorizer(context: AuthContext, entries: readonly xdr.SorobanAuthorizationEntry[]): Authorizer {
  const journal = createUndoLog()
  const trackers: AuthorizationTracker[] = []
  for (const entry of entries) {
    const root = decodeInvocation(entry.rootInvocation)
    const credentials = credentialsOf(entry)
    if (root === undefined || credentials === undefined) continue
    trackers.push({ address: credentials?.address ?? context.source, root, matchStack: [], used: new Set(), credentials })
  }

  function use(tracker: AuthorizationTracker, node: AuthorizedInvocation): void {
    tracker.matchStack[tracker.matchStack.length - 1] = node
    tracker.used.add(node)
    journal.note(() => tracker.used.delete(node))
  }

  /** The node of a tracker that this call matches: beneath the deepest running match, or the root of a tree not yet begun. */
  function match(tracker: AuthorizationTracker, id: string): AuthorizedInvocation | undefined {
    const active = deepestMatch(tracker.matchStack)
    const candidates = active === undefined ? [tracker.root] : active.subInvocations
    return candidates.find((node) => node.id === id && !tracker.used.has(node))
  }

  return {
    pushFrame() {
      journal.enter()
      for (const tracker of trackers) tracker.matchStack.push(null)
    },
    popFrame(keep) {
      journal.leave(keep)
      for (const tracker of trackers) tracker.matchStack.pop()
    },
    requireAuth(address, call) {
      context.meter.charge('auth')
      const { id } = createInvocation(call)
      for (const tracker of trackers) {
        if (tracker.address !== address) continue
        if (tracker.matchStack.at(-1) !== null) throw hostFailure('Auth', 'ExistingValue', 'frame is already authorized', addressVal(address))
        const node = match(tracker, id)
        if (node === undefined) continue
        if (node === tracker.root && tracker.credentials !== null) {
          authenticate(context, tracker.credentials)
          consumeNonce(context, tracker.credentials)
        }
        return use(tracker, node)
      }
      throw hostFailure('Auth', 'InvalidAction', 'Unauthorized function call for address', addressVal(address))
    },
  }
}

const addressVal = (value: string) => ({ type: 'address', value }) as const

/** null for the source account; undefined for credentials that this ledger does not know. */
function credentialsOf(entry: xdr.SorobanAuthorizationEntry): AddressCredentials | null | undefined {
  const { credentials } = entry
  if (credentials.type === 'sorobanCredentialsSourceAccount') return null
  if (credentials.type === 'sorobanCredentialsAddress') return readAddressCredentials(credentials.address, entry, false)
  if (credentials.type === 'sorobanCredentialsAddressV2') return readAddressCredentials(credentials.addressV2, entry, true)
  return undefined
}

function readAddressCredentials(
  given: xdr.SorobanAddressCredentials,
  entry: xdr.SorobanAuthorizationEntry,
  upgraded: boolean,
): AddressCredentials | undefined {
  const address = addressOf(given.address)
  if (address === undefined) return undefined
  return {
    address,
    nonce: given.nonce,
    expirationLedger: given.signatureExpirationLedger,
    signature: given.signature,
    invocationXdr: entry.rootInvocation.toXdr(),
    addressXdr: upgraded ? given.address.toXdr() : null,
  }
}

/** Records what a simulated call would need. */
export interface RecordingAuthorizer extends Authorizer {
  /** SorobanAuthorizationEntry each, in the order of first demand. */
  entries(): readonly Uint8Array[]
}

interface RecordedInvocation {
  readonly address: string
  readonly root: AuthorizedInvocation
  readonly matchStack: (AuthorizedInvocation | null)[]
  readonly nonce: bigint
}

/** A recorder. `allowNonRoot` lets addresses agree to calls below the outermost one alone; `upgraded` records addressV2 credentials. */
export function createRecordingAuthorizer(
  context: AuthContext,
  options: { readonly random: Random; readonly allowNonRoot: boolean; readonly upgraded: boolean },
): RecordingAuthorizer {
  const journal = createUndoLog()
  const trees: RecordedInvocation[] = []
  let depth = 0

  function begin(address: string, call: AuthorizedCall): void {
    if (depth > 1 && !options.allowNonRoot) throw hostFailure('Auth', 'InvalidAction', NON_ROOT_REFUSED, addressVal(address))
    const nonce = address === context.source ? 0n : randomNonce(options.random)
    const root = createInvocation(call)
    const tree: RecordedInvocation = { address, root, matchStack: Array.from<AuthorizedInvocation | null>({ length: depth }).fill(null), nonce }
    tree.matchStack[depth - 1] = root
    trees.push(tree)
    journal.note(() => void trees.splice(trees.indexOf(tree), 1))
    if (address === context.source) return
    // What enforcing will touch belongs to the footprint: the signer's account and the nonce.
    if (isAccountAddress(address)) context.storage.get(accountKey(address))
    context.meter.charge('signature')
    // Looked up before it is written, as enforcing will: what is recorded must be enough for that.
    context.storage.get(nonceKey(address, nonce))
    context.storage.put(nonceKey(address, nonce), { kind: 'nonce', address, nonce })
  }

  return {
    pushFrame() {
      depth += 1
      journal.enter()
      for (const tree of trees) tree.matchStack.push(null)
    },
    popFrame(keep) {
      depth -= 1
      journal.leave(keep)
      for (const tree of trees) tree.matchStack.length = depth
    },
    requireAuth(address, call) {
      context.meter.charge('auth')
      const own = trees.filter((tree) => tree.address === address)
      if (own.some((tree) => (tree.matchStack[depth - 1] ?? null) !== null)) {
        throw hostFailure('Auth', 'ExistingValue', 'frame is already authorized', addressVal(address))
      }
      for (const tree of own) {
        const active = deepestMatch(tree.matchStack)
        if (active === undefined) continue
        const node = createInvocation(call)
        active.subInvocations.push(node)
        tree.matchStack[depth - 1] = node
        journal.note(() => void active.subInvocations.pop())
        return
      }
      begin(address, call)
    },
    entries: () =>
      trees.map(({ address, nonce, root }) =>
        encodeAuthorizationEntry(address === context.source ? 'source' : { address, nonce, upgraded: options.upgraded }, root),
      ),
  }
}

const NON_ROOT_REFUSED =
  '[recording authorization only] encountered authorization not tied to the root contract invocation for an address. ' +
  'Use `require_auth()` in the top invocation or enable non-root authorization.'

function randomNonce(random: Random): bigint {
  return Buffer.from(random.bytes(8)).readBigInt64BE(0)
}

