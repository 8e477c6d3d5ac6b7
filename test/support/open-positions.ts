// Open positions as the ledger has them, and as they are served.

import { readMarketState } from '../../src/chain/market-state.ts'
import { createRpc } from '../../src/chain/rpc.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { OpenPosition } from '../../src/resources/open-position.ts'
import type { GatewayFixture } from './gateway-fixture.ts'

/** An open position in the form of the list. */
export type PositionRow = readonly string[]

/** Open positions as the ledger has them. */
export async function readPositionsFromChain(fixture: GatewayFixture): Promise<readonly PositionRow[]> {
  const { network, clock } = fixture
  const rpc = createRpc({
    urls: ['http://local/rpc'], clock, random: createSeededRandom('ledger'), log: silentLog,
    transport: async (_url, body) => {
      const { status, body: text } = await network.rpc.handle(body)
      return { status, body: text ?? '' }
    },
  })
  const { openIds } = await readMarketState(rpc, network.contracts, [], {})
  const { positions } = await readMarketState(rpc, network.contracts, [...(openIds ?? [])], {})
  return [...positions.values()].map((one) => shown(one?.id, one?.trader, one?.asset, one?.direction, one?.size, one?.entry_price, one?.timestamp))
    .toSorted(byText)
}

/** Open positions as clients get them. */
export async function readPositionsFromApi(fixture: GatewayFixture): Promise<readonly PositionRow[]> {
  const { body } = await fixture.get<{ positions: readonly OpenPosition[] }>('/v1/positions/open')
  return body.positions.map((one) => shown(one.positionId, one.trader, one.asset, one.direction, one.size, one.entryPrice, one.openedAt)).toSorted(byText)
}

const shown = (...parts: readonly unknown[]): PositionRow => parts.map(String)
const byText = (a: PositionRow, b: PositionRow): number => (a.join() < b.join() ? -1 : 1)

/** Compares until nothing is left to compare. */
export async function reconcileAll(fixture: GatewayFixture): Promise<number> {
  let corrections = 0
  for (let parts = 0; parts < 20; parts++) {
    const made = await fixture.indexer.compare()
    if (made === null) return corrections
    corrections += made
  }
  throw new Error('the comparison does not end')
}
