// Decodes events before their page is numbered, while the database works on the page before it (docs/decisions/catch-up.md).

import { isDeepStrictEqual } from 'node:util'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { ChainEvent } from '../chain/responses.ts'
import type { ArchivedContractKey } from '../exchange/contracts.ts'
import type { Epoch } from '../projections/epochs.ts'
import { decodeEvent, xdrLength } from './decode.ts'
import type { Decoded, EventInterface } from './decode.ts'
import { eventScope } from './event-scope.ts'
import type { Interfaces } from './interfaces.ts'

/** Base64 that is decoded between two turns of the event loop: about 100 ordinary events, and a few milliseconds for the most expensive ones. */
export const DECODE_SLICE_LENGTH = 64 * 1024

export interface DecodeAhead {
  /** Decodes events by the interfaces that are known now, in slices between which the event loop turns. */
  decode(events: readonly ChainEvent[], by: { readonly epoch: Epoch; readonly interfaces: Interfaces }): Promise<void>
  /** The decoded event; undefined when it was not decoded by this interface. */
  find(event: ChainEvent, contract: ArchivedContractKey, declared: EventInterface): Decoded | undefined
}

export function createDecodeAhead(): DecodeAhead {
  const known = new WeakMap<ChainEvent, { readonly contract: ArchivedContractKey; readonly declared: EventInterface; readonly decoded: Decoded }>()
  const isSame = createComparison()
  return {
    async decode(events, { epoch, interfaces }) {
      const scope = eventScope(epoch)
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
        known.set(event, { contract, declared, decoded: decodeEvent(contract, event.topicsXdr, event.valueXdr, declared) })
      }
    },
    find(event, contract, declared) {
      const found = known.get(event)
      return found?.contract === contract && isSame(found.declared, declared) ? found.decoded : undefined
    },
  }
}

/** Compares interfaces. Every page reads them again, so the events that a contract declares are compared once per page and contract. */
function createComparison(): (a: EventInterface, b: EventInterface) => boolean {
  const equal = new WeakMap<EventInterface['events'], EventInterface['events']>()
  function areSameEvents(a: EventInterface['events'], b: EventInterface['events']): boolean {
    if (a === b || (a.length === 0 && b.length === 0) || equal.get(a) === b) return true
    if (!isDeepStrictEqual(a, b)) return false
    equal.set(a, b)
    return true
  }
  return (a, b) => a.generation === b.generation && areSameEvents(a.events, b.events)
}
