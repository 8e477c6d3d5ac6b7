// A log of decoded events that a test writes page by page, as the indexer does: for histories that are easier to write than to trade.

import type { ArchivedContractKey, EventContractKey } from '../../exchange/contracts/contracts.ts'
import { applyEvents } from '../apply.ts'
import type { ArchivedEvent, Payload } from './archived-event.ts'
import type { Epoch } from '../state/epochs.ts'
import { beginEpochRange, insertEpoch } from '../state/epochs.ts'
import { insertEvents } from './events.ts'
import { PROJECTIONS, PROJECTIONS_VERSION } from '../state/tables.ts'
import type { Queryable, Store } from '../../store/store.ts'

const CONTRACTS = { market: 'CMARKET', vault: 'CVAULT', vaultFactory: 'CFACTORY', referral: 'CREFERRAL', usdcToken: 'CUSDC', router: 'CROUTER' } as const
const FIRST_CLOSE_SEC = 1_783_339_200

interface Leg {
  readonly trader: string
  readonly positionId: number
}

export interface TestLog {
  /** The address that all vaults trade under. */
  readonly factory: string
  /** Queues one event, in its own transaction unless `tx` names one. */
  append(contract: ArchivedContractKey, topic: string, payload: Payload, tx?: string): void
  /** Seconds that pass before the next event, besides the usual five. */
  wait(seconds: number): void
  /** The event of the market, then that of the factory, in one transaction. */
  leaderOpens(what: { vaultId: number; leader: string; positionId: number; collateral: string }): void
  leaderCloses(what: { vaultId: number; leader: string; positionId: number; pnl: string }): void
  positionCloses(what: Leg & { pnl: string }): void
  positionLiquidated(what: Leg): void
  orderOpens(what: Leg & { orderId: number }): void
  /** The last queued event. */
  last(): ArchivedEvent
  pending(): readonly ArchivedEvent[]
  /**
   * Applies the queue in pages of at least this many events, each one transaction of the database. A page ends with a transaction of the chain, unless
   * `anywhere` is set: a ledger can be longer than a page.
   */
  commit(pageLength?: number, anywhere?: boolean): Promise<void>
  epoch(): Epoch
  /** Clears the projections and applies all events again, as a rebuild does. */
  replay(): Promise<void>
  /** Resets the network; the contracts stay the same. */
  reset(): Promise<void>
  /** Continues an earlier epoch, because its chain has returned. */
  continueEpoch(number: number): Promise<void>
  /** Replaces one contract on the same chain. */
  replaceContract(contract: EventContractKey): Promise<void>
  /** Clears everything except the epoch. */
  clear(): Promise<void>
  /** Every row of these tables, as text. */
  dump(tables: readonly string[]): Promise<unknown>
}

const TERMS = { asset: 'BTC', direction: 0, size: '1000' }

export async function createTestLog(store: Store): Promise<TestLog> {
  let seq = 0
  let transactions = 0
  let waitedSec = 0
  let epoch = epochOf(1)
  let queue: ArchivedEvent[] = []
  let applied: ArchivedEvent[] = []
  let newest: ArchivedEvent | undefined
  await startEpoch(epoch)

  async function startEpoch(next: Epoch, isKnown = false): Promise<void> {
    epoch = next
    await store.write.transaction(async (tx) => {
      await (isKnown ? beginEpochRange(tx, next.number, seq + 1) : insertEpoch(tx, next, seq + 1, 0))
      await tx.query('update idx.cursor set epoch = $1', [next.number])
    })
  }

  function closeTs(): number {
    return FIRST_CLOSE_SEC + 5 * seq + waitedSec
  }

  function append(contract: ArchivedContractKey, topic: string, payload: Payload, tx = `tx${++transactions}`): void {
    seq += 1
    newest = {
      seq, eventId: `${epoch.number}-${seq}`, contractId: CONTRACTS[contract], contract, topic, ledger: 10 + seq, ledgerCloseTs: closeTs(),
      txHash: tx, topicsXdr: [], valueXdr: '', payload: { topic, ...payload }, problem: null,
    }
    queue.push(newest)
  }

  function closes({ trader, positionId, pnl }: Leg & { pnl: string }, tx?: string): void {
    append('market', 'position_closed', { positionId, trader, ...TERMS, entryPrice: '5', closePrice: '6', pnl }, tx)
  }

  const log: TestLog = {
    factory: CONTRACTS.vaultFactory,
    append,
    wait(seconds) {
      waitedSec += seconds
    },
    leaderOpens({ vaultId, leader, positionId, collateral }) {
      const tx = `open ${positionId}`
      append('market', 'position_opened', { positionId, trader: CONTRACTS.vaultFactory, ...TERMS, entryPrice: '5' }, tx)
      append('vaultFactory', 'leader_open', { vaultId, leader, positionId: String(positionId), collateral }, tx)
    },
    leaderCloses({ vaultId, leader, positionId, pnl }) {
      const tx = `close ${positionId}`
      closes({ trader: CONTRACTS.vaultFactory, positionId, pnl }, tx)
      append('vaultFactory', 'leader_close', { vaultId, leader, positionId: String(positionId) }, tx)
    },
    positionCloses: (what) => closes(what),
    positionLiquidated({ trader, positionId }) {
      append('market', 'position_liquidated', { positionId, trader, ...TERMS, keeperReward: '1', closePrice: '6' })
    },
    orderOpens({ trader, positionId, orderId }) {
      const tx = `order ${orderId}`
      append('market', 'position_opened', { positionId, trader, ...TERMS, entryPrice: '5' }, tx)
      append('market', 'order_executed', { orderId, keeperReward: '1' }, tx)
    },
    last() {
      if (newest === undefined) throw new Error('no event was queued yet')
      return newest
    },
    pending: () => queue,
    async commit(pageLength = Infinity, anywhere = false) {
      for (let rest = queue; rest.length > 0;) {
        let end = Math.min(pageLength, rest.length)
        while (!anywhere && end < rest.length && rest[end]?.txHash === rest[end - 1]?.txHash) end += 1
        const page = rest.slice(0, end)
        rest = rest.slice(end)
        await store.write.transaction(async (tx) => {
          for (const { ledger, ledgerCloseTs, seq: eventSeq } of page) {
            await tx.query('insert into idx.ledgers values ($1, $2, $3, $4, $4)', [epoch.number, ledger, ledgerCloseTs, eventSeq])
          }
          await insertEvents(tx, epoch.number, page, 0)
          await applyEvents(tx, epoch, page)
        })
      }
      await store.write.query(
        'update idx.cursor set last_seq = $1, last_ledger = $2, last_ledger_close_ts = $3, projections_version = $4',
        [seq, 10 + seq, closeTs(), PROJECTIONS_VERSION],
      )
      applied.push(...queue)
      queue = []
    },
    epoch: () => epoch,
    async replay() {
      await store.write.transaction(async (tx) => {
        await clearProjections(tx)
        await applyEvents(tx, epoch, applied)
      })
    },
    reset: () => startEpoch(epochOf(epoch.number + 1)),
    continueEpoch: (number) => startEpoch(epochOf(number), true),
    async replaceContract(contract) {
      const { contracts, chain } = epoch
      await startEpoch({ ...epochOf(epoch.number + 1), chain, contracts: { ...contracts, [contract]: `${contracts[contract]}2` } })
    },
    async clear() {
      await store.write.transaction(async (tx) => {
        await clearProjections(tx)
        await tx.query('delete from idx.ledgers')
        await tx.query('delete from idx.events')
      })
      applied = []
      seq = 0
      transactions = 0
      waitedSec = 0
    },
    async dump(tables) {
      const rows = await Promise.all(tables.map((table) => store.read.query<{ row: string }>(`select t::text as row from idx.${table} t order by 1`)))
      return Object.fromEntries(tables.map((table, index) => [table, rows[index]?.map(({ row }) => row)]))
    },
  }
  return log
}

function epochOf(number: number): Epoch {
  return {
    number, epoch: `e${number}`, chain: number, contractEpoch: number, reason: number === 1 ? 'first' : 'reset', passphrase: 'test', contracts: CONTRACTS,
    startLedger: 1, finalCursor: null, name: `e${number}`,
  }
}

async function clearProjections(tx: Queryable): Promise<void> {
  for (const table of PROJECTIONS) await tx.query(`delete from idx.${table}`)
}
