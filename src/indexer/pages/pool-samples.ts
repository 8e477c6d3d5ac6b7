// Samples the liquidity vault; no event reports its value.

import { readPool } from '../../chain/views/pool-view.ts'
import type { NewPoolSample } from '../../projections/markets/pool-samples.ts'
import { insertPoolSamples, listMissingSamples } from '../../projections/markets/pool-samples.ts'
import type { EntrySubject } from './entry-observer.ts'

export const POOL: EntrySubject<{ readonly time: number }, NewPoolSample> = {
  name: 'the pool',
  batch: 1,
  idOf: ({ time }) => time,
  listUnknown: async (db, _epoch, { except, nowMs }) => (await listMissingSamples(db, nowMs)).filter(({ time }) => !except.includes(time)),
  async observe(rpc, { vault }, unsampled, indexedLedger, options) {
    const pool = await readPool(rpc, vault, options)
    const { ledger, aum, lpPrice, lpSupply, reservedPayout, unrealizedPnl } = pool
    if (ledger < indexedLedger) return undefined
    if (aum === null || lpPrice === null || lpSupply === null) return []
    return unsampled.map(({ time }) => ({ time, ledger, aum, lpPrice, lpSupply, reservedPayout, unrealizedPnl }))
  },
  record: (tx, _epoch, samples) => insertPoolSamples(tx, samples),
}
