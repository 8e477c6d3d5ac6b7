// Authorization (soroban-rpc, "Authorization"): require_auth is checked against the transaction's authorization entries, or recorded by a
// simulation.

import type { xdr } from '@stellar/stellar-sdk'
import type { Random } from '../../src/base/random.ts'
import { addressOf } from '../scval.ts'
import { type AddressCredentials, authenticate, consumeNonce, type CredentialsContext } from './auth-credentials.ts'
import { type AuthorizedCall, type AuthorizedInvocation, createInvocation, decodeInvocation, encodeAuthorizationEntry } from './auth-tree.ts'
import { hostFailure } from './failure.ts'
import { accountKey, nonceKey } from './keys.ts'
import { isAccountAddress } from './addresses.ts'

/** Tracks the call stack: the host pushes a frame before a contract runs and pops it afterwards. A failed call is rolled back. */
export interface Authorizer {
  pushFrame(): void
  popFrame(keep: boolean): void
  /** Throws Auth/InvalidAction when `address` did not authorize this call. */
  requireAuth(address: string, call: AuthorizedCall): void
}

export interface AuthContext extends CredentialsContext {
  /** The source account of the operation, which authorizes calls by signing the transaction. */
  readonly source: string
}

/** Allows everything. For the calls of the genesis ledger. */
export const allowAllAuthorizer: Authorizer = { pushFrame() {}, popFrame() {}, requireAuth() {} }

/** Matches the running calls against one authorization entry. */
interface AuthorizationTracker {
  readonly address: string
  readonly root: AuthorizedInvocation
  /** Per running call: the invocation that it matched, or null. */
  readonly matchStack: (AuthorizedInvocation | null)[]
  readonly used: Set<AuthorizedInvocation>
  /** Checked when the root invocation is matched; null for the source account. */
  readonly credentials: AddressCredentials | null
}

/** Rolls back changes of failed calls. */
function createUndoLog(): { record(undo: () => void): void; begin(): void; end(keep: boolean): void } {
  const undos: (() => void)[] = []
  const marks: number[] = []
  return {
    record: (undo) => void undos.push(undo),
    begin: () => void marks.push(undos.length),
    end(keep) {
      const mark = marks.pop() ?? 0
      if (keep) return
      while (undos.length > mark) undos.pop()?.()
    },
  }
}

function deepestMatch(matchStack: readonly (AuthorizedInvocation | null)[]): AuthorizedInvocation | undefined {
  return matchStack.findLast((node) => node !== null) ?? undefined
}

/** Enforces the authorization entries of an operation. */
export function createEnforcingAuthorizer(context: AuthContext, entries: readonly xdr.SorobanAuthorizationEntry[]): Authorizer {
  const undoLog = createUndoLog()
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
    undoLog.record(() => tracker.used.delete(node))
  }

  /** The invocation that a call matches: a sub-invocation of the deepest match, or the root when nothing has matched yet. */
  function match(tracker: AuthorizationTracker, id: string): AuthorizedInvocation | undefined {
    const active = deepestMatch(tracker.matchStack)
    const candidates = active === undefined ? [tracker.root] : active.subInvocations
    return candidates.find((node) => node.id === id && !tracker.used.has(node))
  }

  return {
    pushFrame() {
      undoLog.begin()
      for (const tracker of trackers) tracker.matchStack.push(null)
    },
    popFrame(keep) {
      undoLog.end(keep)
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

/** null for the source account; undefined for unsupported credentials. */
function credentialsOf(entry: xdr.SorobanAuthorizationEntry): AddressCredentials | null | undefined {
  const { credentials } = entry
  if (credentials.type === 'sorobanCredentialsSourceAccount') return null
  if (credentials.type === 'sorobanCredentialsAddress') return readAddressCredentials(credentials.address, entry, false)
  if (credentials.type === 'sorobanCredentialsAddressV2') return readAddressCredentials(credentials.addressV2, entry, true)
  return undefined
}

function readAddressCredentials(
  addressCredentials: xdr.SorobanAddressCredentials,
  entry: xdr.SorobanAuthorizationEntry,
  upgraded: boolean,
): AddressCredentials | undefined {
  const address = addressOf(addressCredentials.address)
  if (address === undefined) return undefined
  return {
    address,
    nonce: addressCredentials.nonce,
    expirationLedger: addressCredentials.signatureExpirationLedger,
    signature: addressCredentials.signature,
    invocationXdr: entry.rootInvocation.toXdr(),
    addressXdr: upgraded ? addressCredentials.address.toXdr() : null,
  }
}

/** Records the authorization entries that a simulated call needs. */
export interface RecordingAuthorizer extends Authorizer {
  /** One SorobanAuthorizationEntry per item, in the order of first use. */
  entries(): readonly Uint8Array[]
}

interface RecordedInvocation {
  readonly address: string
  readonly root: AuthorizedInvocation
  readonly matchStack: (AuthorizedInvocation | null)[]
  readonly nonce: bigint
}

/** `allowNonRoot` accepts authorization that is not tied to the outermost call. `upgraded` records addressV2 credentials. */
export function createRecordingAuthorizer(
  context: AuthContext,
  options: { readonly random: Random; readonly allowNonRoot: boolean; readonly upgraded: boolean },
): RecordingAuthorizer {
  const undoLog = createUndoLog()
  const trees: RecordedInvocation[] = []
  let depth = 0

  function recordRoot(address: string, call: AuthorizedCall): void {
    if (depth > 1 && !options.allowNonRoot) throw hostFailure('Auth', 'InvalidAction', NON_ROOT_FAILURE, addressVal(address))
    const nonce = address === context.source ? 0n : randomNonce(options.random)
    const root = createInvocation(call)
    const tree: RecordedInvocation = { address, root, matchStack: Array.from<AuthorizedInvocation | null>({ length: depth }).fill(null), nonce }
    tree.matchStack[depth - 1] = root
    trees.push(tree)
    undoLog.record(() => void trees.splice(trees.indexOf(tree), 1))
    if (address === context.source) return
    // Enforcing accesses the signer's account and the nonce, so they must be in the footprint.
    if (isAccountAddress(address)) context.storage.get(accountKey(address))
    context.meter.charge('signature')
    // Read before write, as enforcing does, so that the recorded resources are enough.
    context.storage.get(nonceKey(address, nonce))
    context.storage.put(nonceKey(address, nonce), { kind: 'nonce', address, nonce })
  }

  return {
    pushFrame() {
      depth += 1
      undoLog.begin()
      for (const tree of trees) tree.matchStack.push(null)
    },
    popFrame(keep) {
      depth -= 1
      undoLog.end(keep)
      for (const tree of trees) tree.matchStack.length = depth
    },
    requireAuth(address, call) {
      context.meter.charge('auth')
      const ofAddress = trees.filter((tree) => tree.address === address)
      if (ofAddress.some((tree) => (tree.matchStack[depth - 1] ?? null) !== null)) {
        throw hostFailure('Auth', 'ExistingValue', 'frame is already authorized', addressVal(address))
      }
      for (const tree of ofAddress) {
        const active = deepestMatch(tree.matchStack)
        if (active === undefined) continue
        const node = createInvocation(call)
        active.subInvocations.push(node)
        tree.matchStack[depth - 1] = node
        undoLog.record(() => void active.subInvocations.pop())
        return
      }
      recordRoot(address, call)
    },
    entries: () =>
      trees.map(({ address, nonce, root }) =>
        encodeAuthorizationEntry(address === context.source ? 'source' : { address, nonce, upgraded: options.upgraded }, root),
      ),
  }
}

const NON_ROOT_FAILURE =
  '[recording authorization only] encountered authorization not tied to the root contract invocation for an address. ' +
  'Use `require_auth()` in the top invocation or enable non-root authorization.'

function randomNonce(random: Random): bigint {
  return Buffer.from(random.bytes(8)).readBigInt64BE(0)
}

