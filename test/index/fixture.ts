// An indexer on a fake node and a real database, stepped by the test.

import { defined } from '../../src/base/assert.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { Log } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { ContractAddresses } from '../../src/exchange/contracts/contracts.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { CONFIRMING_CHECKS, LOCAL_NETWORK } from '../../src/indexer/identity/confirmation.ts'
import type { ChainTrust } from '../../src/indexer/identity/confirmation.ts'
import { createIndexer } from '../../src/indexer/indexer.ts'
import { requestVerify } from '../../src/indexer/repair/verify.ts'
import { isActive, readTask } from '../../src/projections/repair/tasks.ts'
import type { VerifyProgress } from '../../src/projections/repair/tasks.ts'
import type { Indexer } from '../../src/indexer/indexer.ts'
import type { StepResult } from '../../src/indexer/pages/step-result.ts'
import { POLL_INTERVAL_MS } from '../../src/limits.ts'
import type { Store, Transaction, Writer } from '../../src/store/store.ts'
import type { ExchangeEvent, LedgerFact, TestExchange } from './history.ts'
import { createTestExchange, testContracts } from './history.ts'
import { createFakeNode, eventId } from './node.ts'
import type { FakeNode } from './node.ts'
import { checkPageLog } from '../sim/checkers/page-log.ts'
import type { HeaderFields } from '../support/ledger-headers.ts'
import { currentDeploymentOf, deploymentOf } from '../support/deployments.ts'

/** The point at which the writer's connection breaks: before the n-th statement of a transaction, or after its commit, before the confirmation. */
export type WriterFault = { readonly beforeStatement: number } | 'after commit'

export class ConnectionBroken extends Error {
  override readonly name = 'ConnectionBroken'
}

export interface IndexFixture extends AsyncDisposable {
  readonly node: FakeNode
  readonly clock: VirtualClock
  readonly facts: LedgerFact[]
  /** Number of the current chain, from one; each reset starts another. */
  chain: number
  exchange: TestExchange
  indexer: Indexer
  /** The fault of the next transaction. */
  nextFault: WriterFault | undefined
  /** Adds an event to the next ledger. */
  queue(event: ExchangeEvent | undefined): void
  /** Closes a ledger with the queued events, and with a header that differs in these fields. */
  closeLedger(secondsLater?: number, header?: Partial<HeaderFields>): void
  /** Switches to another deployment, new or known: while the indexer runs, as a changed manifest does. */
  redeploy(contracts: ContractAddresses): void
  /** Resets the network and sets its clock back; the exchange is deployed again at the same addresses. */
  reset(options?: { secondsBack?: number }): void
  /** Replaces the indexer by a new one on the same database. */
  restart(): Promise<void>
  /** Steps until an epoch begins or continues: a reset is believed after several checks. Returns the results. */
  untilEpoch(): Promise<StepResult[]>
  /** Steps until the index is in sync; throws when it does not get there. */
  catchUp(): Promise<StepResult[]>
  /** Rebuilds the projections until nothing is left to rebuild. */
  finishRebuild(): Promise<void>
  /** Requests a verification, and works until it and the rebuild are complete. */
  verify(): Promise<VerifyProgress>
  readonly nowSec: () => number
}

export const PASSPHRASE = 'a network'
export const FIRST_CLOSE_SEC = 1_800_000_000

export interface IndexFixtureOptions {
  readonly firstLedger?: number
  readonly startLedger?: number | null
  /** Creates an archive node from the node. */
  readonly archive?: (node: FakeNode) => Rpc
  readonly log?: Log
  readonly clock?: VirtualClock
  /** Creates the client of the node; by default its own methods. */
  readonly rpcOf?: (node: FakeNode, clock: VirtualClock) => Rpc
  /** By default the network is trusted as the local one. */
  readonly trust?: ChainTrust
  /** True if the test ends with an archive that is not the indexer's. */
  readonly isTampered?: boolean
}

export function createIndexFixture(store: Store, options: IndexFixtureOptions = {}): IndexFixture {
  const node = createFakeNode({ passphrase: PASSPHRASE, ...(options.firstLedger === undefined ? {} : { firstLedger: options.firstLedger }) })
  const clock = options.clock ?? createVirtualClock(FIRST_CLOSE_SEC * 1000)
  let random = 0
  let closeSec = FIRST_CLOSE_SEC
  let pending: ExchangeEvent[] = []
  const exchanges = new Map<string, TestExchange>()
  const rpc = options.rpcOf?.(node, clock) ?? node.rpc

  const deployment = currentDeploymentOf(testContracts(1), { passphrase: PASSPHRASE })

  function startIndexer(): Indexer {
    return createIndexer({
      store: withFaults(store, () => {
        const fault = fixture.nextFault
        fixture.nextFault = undefined
        return fault
      }),
      rpc, deployment, clock, random: createSeededRandom(`world ${random++}`),
      log: options.log ?? silentLog, pollIntervalMs: POLL_INTERVAL_MS, startLedger: options.startLedger ?? null,
      archive: options.archive?.(node) ?? null,
      trust: options.trust ?? LOCAL_NETWORK,
    })
  }

  const fixture: IndexFixture = {
    node,
    clock,
    facts: [],
    chain: 1,
    exchange: createTestExchange(testContracts(1)),
    indexer: undefined as unknown as Indexer,
    nextFault: undefined,
    queue(event) {
      if (event !== undefined) pending.push(event)
    },
    closeLedger(secondsLater = 5, header = {}) {
      closeSec += secondsLater
      clock.advance(secondsLater * 1000)
      const ledger = node.close(closeSec, pending.map(({ event }) => event), header)
      for (const [index, { fact, event }] of pending.entries()) {
        fixture.facts.push({ fact, chain: fixture.chain, ledger, closeSec, id: eventId(ledger, event.transaction, index), contractId: event.contractId })
      }
      pending = []
      node.positions = fixture.exchange.positions()
      node.orders = fixture.exchange.orders(closeSec)
    },
    redeploy(contracts) {
      exchanges.set(fixture.exchange.contracts.market, fixture.exchange)
      fixture.exchange = exchanges.get(contracts.market) ?? createTestExchange(contracts)
      fixture.exchange.contracts = contracts
      deployment.replace(deploymentOf(contracts, { passphrase: PASSPHRASE }))
    },
    reset({ secondsBack = 0 } = {}) {
      fixture.chain += 1
      closeSec -= secondsBack
      node.reset()
      exchanges.clear()
      fixture.exchange = createTestExchange(fixture.exchange.contracts)
      pending = []
    },
    async restart() {
      await fixture.indexer[Symbol.asyncDispose]()
      fixture.indexer = startIndexer()
    },
    async untilEpoch() {
      const results: StepResult[] = []
      while (results.at(-1)?.kind !== 'epoch') {
        if (results.length > CONFIRMING_CHECKS) throw new Error(`no epoch began: ${JSON.stringify(results)}`)
        results.push(await fixture.indexer.step())
      }
      return results
    },
    async catchUp() {
      const results: StepResult[] = []
      for (let steps = 0; steps < 2_000; steps++) {
        const result = await fixture.indexer.step()
        results.push(result)
        if (result.kind === 'indexed' && result.caughtUp) return results
        if (result.kind === 'waiting') throw new Error(`the index is waiting: ${result.reason}`)
      }
      throw new Error(`the index did not catch up: ${JSON.stringify(results.slice(-3))}`)
    },
    async finishRebuild() {
      while ((await fixture.indexer.rebuild()) !== 'none') { /* the next part */ }
    },
    async verify() {
      await requestVerify(store.write, clock.nowMs())
      for (let steps = 0; steps < 500; steps++) {
        const isVerifying = await fixture.indexer.verify()
        const isRebuilding = (await fixture.indexer.rebuild()) !== 'none'
        const task = defined(await readTask(store.read, 'verify'), 'the verification')
        if (!isVerifying && !isRebuilding && !isActive(task)) return task.progress
      }
      throw new Error(`the verification did not end: ${JSON.stringify(await readTask(store.read, 'verify'))}`)
    },
    nowSec: () => closeSec,
    async [Symbol.asyncDispose]() {
      await fixture.indexer[Symbol.asyncDispose]()
      // However the test has led the index: no page without a record, no record without a page.
      if (options.isTampered !== true) await checkPageLog(store.read)
    },
  }
  fixture.indexer = startIndexer()
  return fixture
}

/** A store whose writer transactions fail on demand. */
function withFaults(store: Store, next: () => WriterFault | undefined): Store {
  return {
    ...store,
    async tryLock(name) {
      const lock = await store.tryLock(name)
      return lock === undefined ? undefined : { ...lock, db: writerWithFaults(lock.db, next), [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() }
    },
  }
}

function writerWithFaults(db: Writer, next: () => WriterFault | undefined): Writer {
  return {
    query: (statement, params) => db.query(statement, params),
    run: (statement, params) => db.run(statement, params),
    async transaction(work) {
      const fault = next()
      const failsAt = typeof fault === 'object' ? fault.beforeStatement : undefined
      const result = await db.transaction((tx) => work(failsAt === undefined ? tx : failAtStatement(tx, failsAt)))
      if (fault === 'after commit') throw new ConnectionBroken('the confirmation of the commit was lost')
      return result
    },
  }
}

function failAtStatement(tx: Transaction, statement: number): Transaction {
  let sent = 0
  async function unlessBroken<T>(send: () => Promise<T>): Promise<T> {
    if (sent++ >= statement) throw new ConnectionBroken(`the connection broke before statement ${statement}`)
    return await send()
  }
  return {
    query: (text, params) => unlessBroken(() => tx.query(text, params)),
    run: (text, params) => unlessBroken(() => tx.run(text, params)),
    notify: (channel, text, params) => unlessBroken(() => tx.notify(channel, text, params)),
  }
}

