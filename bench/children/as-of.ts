// Measures reads as of past ledgers and the same reads of the present state, on a database that another child filled.

import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import type { AsOf } from '../../src/projections/state/as-of.ts'
import { listLeaders, readLeaderRank } from '../../src/projections/traders/leaders.ts'
import { readMarketStats } from '../../src/projections/markets/market-stats.ts'
import { readPnlCurve } from '../../src/projections/traders/pnl-curve.ts'
import { listOpenPositions } from '../../src/projections/positions/positions.ts'
import { listTrades } from '../../src/projections/trades/trades.ts'
import { listVaults } from '../../src/projections/vaults/vaults.ts'
import { readTraderVolume } from '../../src/projections/trades/volumes.ts'
import { openStore } from '../../src/store/open.ts'
import type { Queryable } from '../../src/store/store.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import { closeSecOf, someTrader } from '../support/history.ts'
import { serveParent } from '../support/in-child.ts'
import { interleave } from '../support/rounds.ts'

const READS: Readonly<Record<string, (db: Queryable, asOf: AsOf, nowSec: number) => Promise<unknown>>> = {
  'open positions': (db, asOf) => listOpenPositions(db, asOf),
  'open positions of a trader': (db, asOf) => listOpenPositions(db, { ...asOf, trader: someTrader() }),
  'trades': (db, asOf) => listTrades(db, { ...asOf, limit: 50 }),
  'trades of a trader': (db, asOf) => listTrades(db, { ...asOf, limit: 50, trader: someTrader() }),
  'market statistics': (db, asOf, nowSec) => readMarketStats(db, { ...asOf, nowSec, assets: ASSET_SYMBOLS }),
  'leaderboard': (db, asOf) => listLeaders(db, { ...asOf, sort: 'pnl', limit: 50 }),
  'rank': (db, asOf) => readLeaderRank(db, { ...asOf, sort: 'volume', trader: someTrader() }),
  'volume of an account': (db, asOf, nowSec) => readTraderVolume(db, { ...asOf, nowSec, trader: someTrader() }),
  'PnL curve of an account': (db, asOf, nowSec) =>
    readPnlCurve(db, { ...asOf, trader: someTrader(), interval: '1d', fromSec: nowSec - 100 * 86_400, toSec: nowSec + 1 }),
  'vaults': (db, asOf, nowSec) => listVaults(db, { ...asOf, limit: 50, nowSec }),
}

/** Per kind of read. */
const BUDGET_MS = 6_000

export type ReadRounds = Readonly<Record<string, readonly { readonly ours: number; readonly baseline: number }[]>>

interface Options {
  readonly location: DatabaseLocation
  readonly firstLedger: number
  readonly lastLedger: number
  readonly rounds: number
  readonly readsPerRound: number
}

/** Milliseconds per read: `ours` as of ledgers all over the history, `baseline` the present. */
async function measure({ location, firstLedger, lastLedger, rounds, readsPerRound }: Options): Promise<ReadRounds> {
  await using store = await openStore({ ...location, clock: createSystemClock(), log: silentLog })
  await store.write.query('analyze')
  const nowSec = closeSecOf(lastLedger)
  let next = 0
  const pastLedger = (): number => firstLedger + 100 + ((next++ * 7_919) % (lastLedger - firstLedger - 100))
  const timed = async (read: () => Promise<unknown>): Promise<number> => {
    const started = performance.now()
    for (let count = 0; count < readsPerRound; count++) await read()
    return (performance.now() - started) / readsPerRound
  }
  const result: Record<string, ReadRounds[string]> = {}
  for (const [name, read] of Object.entries(READS)) {
    result[name] = await interleave(
      () => timed(() => read(store.read, { atLedger: pastLedger() }, nowSec)),
      () => timed(() => read(store.read, {}, nowSec)),
      { rounds, budgetMs: BUDGET_MS, onRound: () => {} },
    )
  }
  return result
}

serveParent({ measure }, async () => {})
