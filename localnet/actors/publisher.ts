// The price publisher: writes all prices in one transaction, every two or three ledgers.

import type { Random } from '../../src/base/random.ts'
import { address, bytes, i128, struct, u64, vec } from '../contracts/shared/host.ts'
import { priceTag } from '../contracts/shared/price-oracle.ts'
import type { Actor } from './actor.ts'
import type { Client, LedgerView } from './client.ts'
import type { Invocation } from './envelope.ts'
import type { PriceFeed } from './price-feed.ts'

/** Ledgers between two writes: the minimum, and the exclusive bound of the random addition. */
const MIN_LEDGERS_BETWEEN = 2
const EXTRA_LEDGERS = 2

/** The publisher. `local_setPrice` uses its client and its call. */
export interface Publisher extends Actor {
  readonly client: Client
  /** The call that writes these assets' prices, attested at this time minus each quote's age. */
  writeCall(assets: readonly string[], timeSec: number, roundId: number): Invocation
}

/** Builds the publisher of a feed. */
export function createPublisher(options: { client: Client; feed: PriceFeed; oracle: string; assets: readonly string[]; random: Random }): Publisher {
  const { client, feed, oracle, assets: published, random } = options
  let dueSequence = 0

  function writing(assets: readonly string[], timeSec: number, roundId: number): Invocation {
    const prices = assets.map((asset) => {
      const quote = feed.quote(asset)
      return struct({
        price: i128(quote.price),
        round_id: u64(BigInt(roundId)),
        tag: bytes(priceTag(asset)),
        timestamp: u64(BigInt(Math.max(0, timeSec - quote.ageSec))),
      })
    })
    return { contract: oracle, functionName: 'write_prices', args: [address(client.address), vec(...prices)] }
  }

  async function act(view: LedgerView): Promise<void> {
    if ((await client.settle(view)).kind === 'pending') return
    if (view.sequence < dueSequence) return
    feed.advanceTo(view.closeTimeSec)
    const { kind } = await client.invoke(writing(published, view.closeTimeSec, view.sequence), view, { footprintName: 'all prices' })
    if (kind === 'sent') dueSequence = view.sequence + MIN_LEDGERS_BETWEEN + random.integer(EXTRA_LEDGERS)
  }

  return {
    name: 'publisher',
    client,
    writeCall: writing,
    act,
    forget() {
      client.forget()
      dueSequence = 0
    },
  }
}
