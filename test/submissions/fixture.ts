// Instances of the gateway's submissions on one real database, against a model of the network, all on a virtual clock.

import { after } from 'node:test'
import { Account, Contract, Keypair, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { createLedgerWatermarks } from '../../src/chain/rpc/ledger-watermarks.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { accountKey, decodeEnvelope, networkIdOf } from '../../src/chain/codec/transaction.ts'
import type { SignedTransaction } from '../../src/chain/codec/transaction.ts'
import { createRelay } from '../../src/trading/relay/relay.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import type { Store, WriterLock } from '../../src/store/store.ts'
import { createSubmissionService } from '../../src/trading/submission-service.ts'
import type { SubmissionService, Submitted } from '../../src/trading/submission-service.ts'
import type { TransactionRow } from '../../src/resources/transaction.ts'
import { APPLIED_XDR, CONTRACTS, resultXdr, TRAPPED_XDR } from '../relay/responses.ts'
import { createScriptedTransport } from '../relay/scripted-node.ts'
import type { NodeResponse } from '../relay/scripted-node.ts'
import { openTestStore } from '../support/database.ts'
import { currentDeploymentOf } from '../support/deployments.ts'
import { createCallCounter, wrapStore } from '../support/tracked-store.ts'
import { NO_WARNINGS } from '../support/no-warnings.ts'
import { stepUntilSettled } from '../support/until.ts'

const START_MS = 1_783_339_200_000
const PASSPHRASE = 'Test SDF Network ; September 2015'
const LEDGER_SEC = 5
/** Shorter than what the gateway prepares, so that tests pass less time. */
export const VALID_SEC = 40
const QUIET_TURNS = 8

const TRADER = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(7))
export const OWNER = TRADER.publicKey()
export const OTHER_OWNER = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(8)).publicKey()
const REQUESTER = { address: '192.0.2.1', key: 'nk_1' }

/** The fault of calls of one kind. */
type Fault = 'none' | 'swallowed' | 'lost request' | 'lost response' | 'refused' | 'try again later' | 'rejected'

interface ModelNode {
  send: Fault
  /** Ledgers by which its answers lag. */
  lag: number
  /** `lies`: it has no transaction. `invents`: every transaction succeeded. `denies success`: every transaction failed. */
  lookup: 'well' | 'fails' | 'lies' | 'invents' | 'denies success'
}

interface Applied {
  readonly ledger: number
  readonly closeSec: number
  readonly succeeded: boolean
}

/** The network: it applies what is queued when a ledger closes, unless it drops it. */
interface ModelChain {
  readonly sequences: Map<string, bigint>
  readonly sent: string[]
  readonly applied: Map<string, Applied>
  /** The first ledger that the nodes still have. */
  oldest: number
  close(applying?: 'all' | 'nothing' | 'failing'): void
  /** Drops the queue. */
  drop(): void
  /** Begins another chain. */
  reset(): void
}

interface Instance {
  readonly service: SubmissionService
  /** Every statement fails while `isDown`. While `losesAnswers`, it takes effect and its answer is lost. */
  database: { isDown: boolean; failAfter: number; losesAnswers: boolean }
  /** Ends its driver cleanly. */
  stop(): Promise<void>
  /** Ends it as kill -9 does: nothing of it reaches the database or the network from now on. */
  kill(): void
}

export interface SubmissionFixture extends AsyncDisposable {
  readonly clock: VirtualClock
  readonly store: Store
  readonly chain: ModelChain
  /** Two, unless the test chooses. */
  readonly nodes: readonly [ModelNode, ModelNode, ...ModelNode[]]
  /** `aheadMs`: by how much its wall clock is ahead. */
  start(options?: { readonly aheadMs?: number }): Instance
  /** Signs a call of the trader. `validSec` null: without a time bound. */
  sign(sequence: number, options?: { readonly validSec?: number | null; readonly signer?: Keypair }): SignedTransaction
  /** Submits without waiting long; resolves with the answer. */
  submit(instance: Instance, signed: SignedTransaction, options?: { owner?: string; clientId?: string | null; pollTimeoutMs?: number }): Promise<Submitted>
  /** The row that its owner sees. */
  row(instance: Instance, hash: string, owner?: string): Promise<TransactionRow | undefined>
  /** Closes a ledger every five seconds. */
  pass(seconds: number, applying?: 'all' | 'nothing' | 'failing'): Promise<void>
  /** The states of a transaction in the order in which they were recorded. */
  changes(hash: string): Promise<readonly string[]>
  settle<T>(promise: Promise<T>): Promise<T>
}

function createChain(clock: VirtualClock): {
  chain: ModelChain
  /** Makes an envelope known, which a node returns with its transaction. */
  remember(signed: SignedTransaction): void
  respond(node: ModelNode, method: string, params: Readonly<Record<string, unknown>>): NodeResponse
} {
  let ledger = 1_000
  let firstOfChain = 1
  const closeSecs = new Map<number, number>()
  const queue = new Map<string, SignedTransaction>()
  /** Of everything that was signed. */
  const envelopes = new Map<string, string>()
  const closeSecOf = (number: number): number => closeSecs.get(number) ?? Math.floor(START_MS / 1_000) - (1_000 - number) * LEDGER_SEC
  const networkId = networkIdOf(PASSPHRASE)
  const chain: ModelChain = {
    sequences: new Map([[OWNER, 0n]]), sent: [], applied: new Map(), oldest: 500,
    close(applying = 'all') {
      ledger += 1
      closeSecs.set(ledger, Math.floor(clock.nowMs() / 1_000))
      if (applying === 'nothing') return
      for (const [hash, { source, sequence, expiresAt }] of queue) {
        queue.delete(hash)
        if (sequence !== (chain.sequences.get(source) ?? -1n) + 1n || (expiresAt !== null && closeSecOf(ledger) > expiresAt)) continue
        chain.sequences.set(source, sequence)
        chain.applied.set(hash, { ledger, closeSec: closeSecOf(ledger), succeeded: applying === 'all' })
      }
    },
    drop: () => queue.clear(),
    reset() {
      queue.clear()
      chain.applied.clear()
      chain.sequences.clear()
      ledger = 1
      firstOfChain = 1
      chain.oldest = 1
      closeSecs.clear()
      closeSecs.set(1, Math.floor(clock.nowMs() / 1_000))
    },
  }

  function receive(signed: SignedTransaction): NodeResponse {
    const respondWith = (status: string, more: object = {}): NodeResponse => ({ result: { status, hash: signed.hash, latestLedger: ledger, ...more } })
    const rejected = (result: xdr.TransactionResultResult): NodeResponse => respondWith('ERROR', { errorResultXdr: resultXdr(result) })
    if (queue.has(signed.hash)) return respondWith('DUPLICATE')
    if (signed.expiresAt !== null && clock.nowMs() / 1_000 > signed.expiresAt) return rejected(xdr.TransactionResultResult.txTooLate())
    const current = chain.sequences.get(signed.source)
    if (current === undefined) return rejected(xdr.TransactionResultResult.txNoAccount())
    if (signed.sequence !== current + 1n) return rejected(xdr.TransactionResultResult.txBadSeq())
    if (!isSignedBy(signed.envelopeXdr, TRADER)) return rejected(xdr.TransactionResultResult.txBadAuth())
    queue.set(signed.hash, signed)
    return respondWith('PENDING')
  }

  function send(node: ModelNode, signed: SignedTransaction): NodeResponse {
    if (node.send === 'refused') return { broken: 'ECONNREFUSED' }
    if (node.send === 'lost request') return 'silence'
    if (node.send === 'swallowed') return { result: { status: 'PENDING', hash: signed.hash, latestLedger: ledger } }
    if (node.send === 'try again later') return { result: { status: 'TRY_AGAIN_LATER', hash: signed.hash, latestLedger: ledger } }
    if (node.send === 'rejected') {
      const errorResultXdr = resultXdr(xdr.TransactionResultResult.txInsufficientFee())
      return { result: { status: 'ERROR', hash: signed.hash, latestLedger: ledger, errorResultXdr } }
    }
    chain.sent.push(signed.envelopeXdr)
    const response = receive(signed)
    return node.send === 'lost response' ? 'silence' : response
  }

  function lookUp(node: ModelNode, hash: string): NodeResponse {
    if (node.lookup === 'fails') return { http: 503 }
    const latestLedger = Math.max(firstOfChain, ledger - node.lag)
    const range = {
      latestLedger, latestLedgerCloseTime: String(closeSecOf(latestLedger)),
      oldestLedger: chain.oldest, oldestLedgerCloseTime: String(closeSecOf(chain.oldest)),
    }
    const found = lieOf(node, chain.applied.get(hash), { ledger: latestLedger, closeSec: closeSecOf(latestLedger), succeeded: true })
    if (found === undefined || found.ledger > latestLedger || found.ledger < chain.oldest) {
      return { result: { status: 'NOT_FOUND', ledger: 0, ...range } }
    }
    const at = { ledger: found.ledger, createdAt: String(found.closeSec), ...range, envelopeXdr: envelopes.get(hash) }
    if (found.succeeded) return { result: { status: 'SUCCESS', ...at, resultXdr: APPLIED_XDR } }
    return { result: { status: 'FAILED', ...at, resultXdr: TRAPPED_XDR, diagnosticEventsXdr: [] } }
  }

  /** Returns the node's version of a transaction. */
  function lieOf({ lookup }: ModelNode, truth: Applied | undefined, invented: Applied): Applied | undefined {
    if (lookup === 'lies') return undefined
    if (lookup === 'invents') return truth ?? invented
    return lookup === 'denies success' && truth !== undefined ? { ...truth, succeeded: false } : truth
  }

  function readHealth(node: ModelNode): NodeResponse {
    if (node.lookup === 'fails') return { http: 503 }
    const latestLedger = Math.max(firstOfChain, ledger - node.lag)
    return { result: { status: 'healthy', latestLedger, oldestLedger: chain.oldest, ledgerRetentionWindow: 120_960 } }
  }

  function readEntries(node: ModelNode, keys: readonly string[]): NodeResponse {
    const entries = [...chain.sequences].filter(([address]) => keys.includes(accountKey(address)))
      .map(([address, sequence]) => ({ key: accountKey(address), xdr: accountEntry(address, sequence), lastModifiedLedgerSeq: 1 }))
    return { result: { entries, latestLedger: ledger - node.lag } }
  }

  return {
    chain,
    remember: ({ hash, envelopeXdr }) => void envelopes.set(hash, envelopeXdr),
    respond(node, method, params) {
      if (method === 'sendTransaction') return send(node, decodeEnvelope(String(params['transaction']), networkId))
      if (method === 'getTransaction') return lookUp(node, String(params['hash']))
      if (method === 'getLedgerEntries') return node.lookup === 'fails' ? { http: 503 } : readEntries(node, params['keys'] as readonly string[])
      if (method === 'getHealth') return readHealth(node)
      return { error: { code: -32601, message: 'method not found' } }
    },
  }
}

function isSignedBy(envelopeXdr: string, signer: Keypair): boolean {
  const transaction = TransactionBuilder.fromXdr(envelopeXdr, PASSPHRASE)
  return transaction.signatures.some(({ signature }) => signer.verify(transaction.hash(), signature.value))
}

function accountEntry(address: string, sequence: bigint): string {
  const accountId = xdr.PublicKey.publicKeyTypeEd25519(Keypair.fromPublicKey(address).rawPublicKey())
  return xdr.LedgerEntryData.account(new xdr.AccountEntry({
    accountId, balance: 1_000_000_000n, seqNum: sequence, numSubEntries: 0, inflationDest: null, flags: 0, homeDomain: '',
    thresholds: new Uint8Array([1, 0, 0, 0]), signers: [], ext: xdr.AccountEntryExt.v0(),
  })).toXdr('base64')
}

let sharedStore: Promise<Store> | undefined

after(async () => await (await sharedStore)?.[Symbol.asyncDispose]())

/** The tests of a file share one database, because opening an embedded one takes longer than a test. */
export async function openSubmissions({ nodeCount = 2 }: { readonly nodeCount?: number } = {}): Promise<SubmissionFixture> {
  const clock = createVirtualClock(START_MS)
  const store = await (sharedStore ??= openTestStore())
  await store.write.query('truncate tx.prepared, tx.submissions, tx.client_ids, tx.submission_changes cascade')
  const calls = createCallCounter()
  const tracked = wrapStore(store, calls.track)
  const { chain, respond, remember } = createChain(clock)
  const createNode = (): ModelNode => ({ send: 'none', lag: 0, lookup: 'well' })
  const nodes: [ModelNode, ModelNode, ...ModelNode[]] = [createNode(), createNode(), ...Array.from({ length: nodeCount - 2 }, createNode)]
  const instances = new Set<Instance>()
  const networkId = networkIdOf(PASSPHRASE)
  let started = 0

  /** Until nothing happens without the clock. */
  const idle = (): Promise<void> => calls.idle(QUIET_TURNS)

  function start({ aheadMs = 0 }: { readonly aheadMs?: number } = {}): Instance {
    started += 1
    const ownClock = { ...clock, nowMs: () => clock.nowMs() + aheadMs }
    const random = createSeededRandom(`instance ${started}`)
    const database = { isDown: false, failAfter: Number.POSITIVE_INFINITY, losesAnswers: false }
    let isDead = false
    const locks = new Set<WriterLock>()
    const own = wrapStore({ ...tracked, tryLock }, (work) => {
      database.failAfter -= 1
      if (isDead) return new Promise(() => {})
      if (database.losesAnswers) return work().then(() => Promise.reject(new StoreUnavailable('the answer was lost')))
      return database.isDown || database.failAfter < 0 ? Promise.reject(new StoreUnavailable('the test closed the connection')) : work()
    })
    async function tryLock(name: string): Promise<WriterLock | undefined> {
      const lock = await tracked.tryLock(name)
      if (lock !== undefined) locks.add(lock)
      return lock
    }
    const rpc = createRpc({
      urls: nodes.map((_node, index) => `http://node-${index}/`), clock, random, log: silentLog,
      transport: createScriptedTransport((url, method, params) =>
        isDead ? 'silence' : respond(defined(nodes[Number(new URL(url).hostname.slice('node-'.length))], 'a node'), method, params)),
    })
    const deployment = currentDeploymentOf(CONTRACTS, { passphrase: PASSPHRASE })
    const relay = createRelay({ rpc, clock, log: silentLog, deployment, ledgerWatermarks: createLedgerWatermarks(clock), ...NO_WARNINGS })
    const service = createSubmissionService({
      store: own, relay, rpc, clock: ownClock, random, log: silentLog, readDatabaseTime: async () => clock.nowMs(),
    })
    const stop = new AbortController()
    const running = Promise.all([service.run(stop.signal), rpc.watch(stop.signal)])
    const instance: Instance = {
      service, database,
      async stop() {
        relay.flights.stop()
        stop.abort()
        instances.delete(instance)
        await running
      },
      kill() {
        isDead = true
        for (const lock of locks) void calls.track(async () => await lock[Symbol.asyncDispose]())
        stop.abort()
        instances.delete(instance)
      },
    }
    instances.add(instance)
    return instance
  }

  function settle<T>(promise: Promise<T>): Promise<T> {
    return stepUntilSettled(promise, { idle, step: () => clock.advance(1_000), stepsMax: 200 })
  }

  return {
    clock, store, chain, nodes, start, settle,
    sign(sequence, { validSec = VALID_SEC, signer = TRADER } = {}) {
      const source = new Account(OWNER, String(sequence - 1))
      const call = new Contract(CONTRACTS.market).call('close_position')
      const builder = new TransactionBuilder(source, { fee: '100', networkPassphrase: PASSPHRASE }).addOperation(call)
      const expiresAt = validSec === null ? 0 : Math.floor(clock.nowMs() / 1_000) + validSec
      const transaction = builder.setTimebounds(0, expiresAt).build()
      transaction.sign(signer)
      const signed = decodeEnvelope(transaction.toXdr(), networkId)
      remember(signed)
      return signed
    },
    submit(instance, signed, { owner = OWNER, clientId = null, pollTimeoutMs = 1_000 } = {}) {
      return settle(instance.service.submit(signed, { owner, clientId }, { pollTimeoutMs, requester: REQUESTER }))
    },
    row: async (instance, hash, owner = OWNER) => (await settle(instance.service.transactions.find(hash, { owner, requester: REQUESTER })))?.row,
    async pass(seconds, applying = 'all') {
      for (let second = 1; second <= seconds; second++) {
        await idle()
        clock.advance(1_000)
        if (second % LEDGER_SEC === 0) chain.close(applying)
      }
      await idle()
    },
    async changes(hash) {
      const rows = await store.read.query<{ status: string }>(
        'select row ->> \'status\' as status from tx.submission_changes where hash = $1 order by id', [hash],
      )
      return rows.map(({ status }) => status)
    },
    async [Symbol.asyncDispose]() {
      for (const instance of instances) await settle(instance.stop())
    },
  }
}
