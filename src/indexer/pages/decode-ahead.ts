// Decodes events before their page is numbered, while the database works on the page before it (docs/decisions/catch-up.md).

import { isDeepStrictEqual } from 'node:util'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { ChainEvent } from '../../chain/rpc/responses.ts'
import type { ArchivedContractKey } from '../../exchange/contracts/contracts.ts'
import type { ArchivedEvent } from '../../projections/log/archived-event.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import { eventLeaf } from '../../base/proofs/events.ts'
import type { Hash } from '../../base/proofs/tree.ts'
import { decodeEvent, xdrLength } from './decode.ts'
import type { EventInterface } from './decode.ts'
import { publicEventId } from '../identity/epochs.ts'
import { eventScope } from './event-scope.ts'
import type { Interfaces } from './interfaces.ts'

/** Base64 that is decoded between two turns of the event loop: about 100 ordinary events, and a few milliseconds for the most expensive ones. */
export const DECODE_SLICE_LENGTH = 64 * 1024

/** An event as it will be archived, without its place in the log. */
type UnnumberedEvent = Omit<ArchivedEvent, 'seq'>

/** The conditions under which an event was decoded. */
export interface DecodedAs {
  readonly epoch: Epoch
  readonly contract: ArchivedContractKey
  readonly declared: EventInterface
}

export interface DecodeAhead {
  /** Decodes events by the interfaces that are known now, in slices between which the event loop turns. */
  decode(events: readonly ChainEvent[], by: { readonly epoch: Epoch; readonly interfaces: Interfaces }): Promise<void>
  /** The decoded event; undefined when it was not decoded by this interface and for this epoch. */
  find(event: ChainEvent, as: DecodedAs): HashedEvent | undefined
  /** Forgets the page. */
  clear(): void
}

interface Known {
  readonly event: ChainEvent
  readonly epoch: Epoch
  readonly declared: EventInterface
  readonly hashed: HashedEvent
}

/** A decoded event, and its hash as a leaf of its page's tree. */
export interface HashedEvent {
  readonly decoded: UnnumberedEvent
  readonly leaf: Hash
}

export function createDecodeAhead(): DecodeAhead {
  /** By id, because objects as keys cost more. Only of the last page. */
  const known = new Map<string, Known>()
  const isSame = createComparison()
  return {
    async decode(events, { epoch, interfaces }) {
      const scope = eventScope(epoch)
      known.clear()
      let sliceLength = 0
      for (const event of events) {
        const contract = scope.contractOf(event)
        if (contract === undefined) continue
        sliceLength += xdrLength(event)
        if (sliceLength > DECODE_SLICE_LENGTH) {
          sliceLength = 0
          await yieldToEventLoop()
        }
        const declared = interfaces.at(event.contractId, event.id)
        known.set(event.id, { event, epoch, declared, hashed: decodeAndHash(event, { epoch, contract, declared }) })
      }
    },
    find(event, { epoch, contract, declared }) {
      const found = known.get(event.id)
      if (found?.event !== event || found.hashed.decoded.contract !== contract || !isSame(found.declared, declared)) return undefined
      return found.epoch.number === epoch.number && found.epoch.epoch === epoch.epoch ? found.hashed : undefined
    },
    clear: () => known.clear(),
  }
}

/** Decodes an event, and hashes what the node returned of it. */
export function decodeAndHash(event: ChainEvent, as: DecodedAs): HashedEvent {
  return { decoded: toUnnumberedEvent(event, as), leaf: eventLeaf(event) }
}

function toUnnumberedEvent(event: ChainEvent, { epoch, contract, declared }: DecodedAs): UnnumberedEvent {
  const { topic, payload, problem } = decodeEvent(contract, event.topicsXdr, event.valueXdr, declared)
  return {
    eventId: publicEventId(epoch, event.id),
    contractId: event.contractId,
    contract,
    topic,
    ledger: event.ledger,
    ledgerCloseTs: event.closeSec,
    txHash: event.txHash,
    topicsXdr: event.topicsXdr,
    valueXdr: event.valueXdr,
    payload,
    problem,
  }
}

/** Compares interfaces. Every page reads them again, so what a contract declares is compared once per page and contract. */
function createComparison(): (a: EventInterface, b: EventInterface) => boolean {
  const equal = new WeakMap<readonly unknown[], readonly unknown[]>()
  function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
    if (a === b || (a.length === 0 && b.length === 0) || equal.get(a) === b) return true
    if (!isDeepStrictEqual(a, b)) return false
    equal.set(a, b)
    return true
  }
  return (a, b) => a.generation === b.generation && areSame(a.events, b.events) && areSame(a.structs, b.structs)
}
