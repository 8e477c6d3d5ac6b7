// The RPC handler on a fake chain and a virtual clock. Tests write the ledgers of the fake; its transactions support what friendbot needs and nothing else.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Keypair, Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { Chain, SendOutcome, LedgerEntryResult } from '../chain.ts'
import { createFaults } from '../faults.ts'
import type { Faults, FaultsOptions } from '../faults.ts'
import type { EventRecord, History, LedgerRecord, TransactionRecord } from '../history.ts'
import { TEST_PROTOCOL } from '../../test/support/protocol.ts'
import { encodeHeader, encodeHeaderEntry, headerHash } from '../ledger/header.ts'
import { encodeCloseMeta } from '../ledger/meta.ts'
import { ZERO_HASH } from '../ledger/stellar-value.ts'
import { createValidator } from '../ledger/validator.ts'
import { toHex } from '../ledger/xdr-writer.ts'
import { eventId } from './event-cursor.ts'
import { createFriendbot } from './friendbot.ts'
import { createRpcHandler } from './handler.ts'
import type { ExtraMethod, RpcHandler } from './handler.ts'
import { RpcError } from './rpc-error.ts'
import { toid } from './toid.ts'

export const FAKE_PASSPHRASE = 'Standalone Network ; February 2017'
const FAKE_FIRST_CLOSE_TIME_SEC = 1_800_000_000
const SECONDS_PER_LEDGER = 5

export interface ChainFixture {
  readonly chain: FakeChain
  readonly clock: VirtualClock
  readonly faults: Faults
  readonly rpc: RpcHandler
  /** The result of a method, as parsed from JSON. */
  call(method: string, params?: unknown): Promise<Record<string, unknown>>
}

/** The chain has one empty ledger. */
export function createChainFixture(
  options: { extraMethods?: Record<string, ExtraMethod>; faults?: FaultsOptions; protocol?: number } = {},
): ChainFixture {
  const chain = createFakeChain(options.protocol)
  chain.closeLedgerWith()
  const clock = createVirtualClock(FAKE_FIRST_CLOSE_TIME_SEC * 1000)
  const faults = createFaults(options.faults)
  const friendbot = createFriendbot({ chain, clock })
  const rpc = createRpcHandler({ chain, faults, friendbot, clock, log: silentLog, extraMethods: options.extraMethods ?? {} })
  return {
    chain, clock, faults, rpc,
    call: async (method, params) => JSON.parse(JSON.stringify(await rpc.call(method, params))) as Record<string, unknown>,
  }
}

/** Expects a JSON-RPC error with this code and message. */
export async function rejectsWith(call: Promise<unknown>, code: number, message: string | RegExp): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof RpcError, String(error))
    if (typeof message === 'string') assert.equal(error.message, message)
    else assert.match(error.message, message)
    assert.equal(error.code, code)
    return true
  })
}

/** The body of a JSON-RPC request. */
export function requestBody(method: string, params?: unknown, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** Contents of a fake ledger. */
interface FakeLedger {
  readonly transactions?: readonly Partial<TransactionRecord>[]
  readonly events?: readonly Partial<EventRecord>[]
}

interface FakeChain extends Chain {
  /** Closes a ledger with these contents. */
  closeLedgerWith(ledger?: FakeLedger): LedgerRecord
  /** Drops the history before this ledger. */
  forgetBefore(sequence: number): void
  readonly accounts: Map<string, { balance: bigint; sequence: bigint }>
  /** Results of the next sends, in place of their own. */
  readonly sendResults: SendOutcome['status'][]
  readonly sent: string[]
}

/** The first ledger is 1. */
export function createFakeChain(protocol = TEST_PROTOCOL): FakeChain {
  const ledgers: LedgerRecord[] = []
  let transactions: TransactionRecord[] = []
  let events: EventRecord[] = []
  let queue: Transaction[] = []
  let nextSequence = 1
  const listeners = new Set<(sequence: number) => void>()
  const accounts: FakeChain['accounts'] = new Map()
  const sendResults: SendOutcome['status'][] = []
  const sent: string[] = []

  function closeLedgerWith({ transactions: added = [], events: emitted = [] }: FakeLedger = {}): LedgerRecord {
    const sequence = nextSequence++
    const ledger = fakeLedger(protocol, sequence, ledgers.at(-1)?.hash)
    ledgers.push(ledger)
    transactions = [...transactions, ...added.map((each, index) => fakeTransaction(ledger, index + 1, each))]
    events = [...events, ...emitted.map((each, index) => fakeEvent(ledger, index, each))].sort((a, b) => (a.id < b.id ? -1 : 1))
    for (const listener of listeners) listener(sequence)
    return ledger
  }

  function apply(transaction: Transaction): Partial<TransactionRecord> {
    const source = accounts.get(transaction.source)
    if (source !== undefined) source.sequence = BigInt(transaction.sequence)
    const isDuplicate = transaction.operations.some((operation) => operation.type === 'createAccount' && accounts.has(operation.destination))
    const record = { hash: hashOf(transaction), envelopeXdr: transaction.toXdr(), status: isDuplicate ? ('FAILED' as const) : ('SUCCESS' as const) }
    if (isDuplicate) return record
    for (const operation of transaction.operations) {
      if (operation.type === 'createAccount') accounts.set(operation.destination, { balance: stroops(operation.startingBalance), sequence: 1n })
      if (operation.type === 'payment') defined(accounts.get(operation.destination), operation.destination).balance += stroops(operation.amount)
    }
    return record
  }

  const history: History = {
    latest: () => defined(ledgers.at(-1), 'a ledger'),
    oldest: () => defined(ledgers[0], 'a ledger'),
    ledger: (sequence) => ledgers.find((ledger) => ledger.sequence === sequence),
    ledgers: (from, limit) => ledgers.filter((ledger) => ledger.sequence >= from).slice(0, limit),
    transaction: (hash) => transactions.find((record) => record.hash === hash || record.innerHash === hash),
    transactionsAfter: (ledger, order, limit) =>
      transactions.filter((each) => each.ledger > ledger || (each.ledger === ledger && each.applicationOrder > order)).slice(0, limit),
    *events({ afterId, fromLedger, untilLedger, contractIds }) {
      for (const event of events) {
        if (event.ledger < fromLedger || event.ledger >= untilLedger || (afterId !== null && event.id <= afterId)) continue
        if (contractIds === null || contractIds.includes(event.contractId)) yield event
      }
    },
  }

  return {
    networkPassphrase: FAKE_PASSPHRASE,
    history,
    accounts,
    sendResults,
    sent,
    closeLedgerWith,
    forgetBefore(sequence) {
      while ((ledgers[0]?.sequence ?? sequence) < sequence) ledgers.shift()
      transactions = transactions.filter((record) => record.ledger >= sequence)
      events = events.filter((event) => event.ledger >= sequence)
    },
    entries: (keys) => keys.flatMap((key) => accountEntry(key, accounts)),
    simulate: () => ({ latestLedger: history.latest().sequence, results: [], transactionData: '', minResourceFee: '1', events: [] }),
    send(envelopeXdr) {
      const transaction = TransactionBuilder.fromXdr(envelopeXdr, FAKE_PASSPHRASE)
      if (!(transaction instanceof Transaction)) throw new RangeError('invalid_xdr')
      sent.push(envelopeXdr)
      const chosen = sendResults.shift()
      const busy = queue.some((each) => each.source === transaction.source)
      const status = chosen ?? (busy ? 'TRY_AGAIN_LATER' : 'PENDING')
      if (status === 'PENDING') queue.push(transaction)
      return { status, hash: hashOf(transaction), ...(status === 'ERROR' ? { errorResultXdr: 'AAAAAAAAAGT////7AAAAAA==' } : {}) }
    },
    genesisLabel: '',
    protocol,
    upgradeProtocol: () => 0,
    setting: () => undefined,
    setSetting() {},
    codeOf: () => undefined,
    pending: () => queue.length,
    closeLedger() {
      const applied = queue.map(apply)
      queue = []
      return closeLedgerWith({ transactions: applied }).sequence
    },
    clockOffsetSec: 0,
    advance() {},
    onClose(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    grant() {},
    snapshot: () => 'fake',
    restore() {},
    reset() {},
    [Symbol.dispose]() {},
  }
}

/** The close time of a fake ledger, Unix seconds. */
export function fakeCloseTimeSec(sequence: number): number {
  return FAKE_FIRST_CLOSE_TIME_SEC + (sequence - 1) * SECONDS_PER_LEDGER
}

const VALIDATOR = createValidator(FAKE_PASSPHRASE)

function fakeLedger(protocol: number, sequence: number, previousHash = '00'.repeat(32)): LedgerRecord {
  const closeTimeSec = fakeCloseTimeSec(sequence)
  const previous = Buffer.from(previousHash, 'hex')
  const header = encodeHeader(
    {
      sequence, previousHash: previous, previousProtocol: protocol, closeTimeMs: closeTimeSec * 1_000, upgradeTo: null, isSetDropped: false,
      txSetHash: ZERO_HASH, resultsHash: ZERO_HASH, stateHash: ZERO_HASH, feePool: 0n,
    },
    VALIDATOR,
  )
  const hash = headerHash(header)
  const headerEntry = encodeHeaderEntry(hash, header)
  const meta = encodeCloseMeta({ headerEntry, previousHash: previous, upgrades: [], transactions: [], evicted: [] })
  return {
    sequence, previousHash, closeTimeSec, protocol,
    hash: toHex(hash),
    headerXdr: Buffer.from(header).toString('base64'),
    headerEntryXdr: Buffer.from(headerEntry).toString('base64'),
    metadataXdr: Buffer.from(meta).toString('base64'),
  }
}

function fakeTransaction(ledger: LedgerRecord, applicationOrder: number, given: Partial<TransactionRecord>): TransactionRecord {
  return {
    hash: createHash('sha256').update(`${ledger.sequence}/${applicationOrder}`).digest('hex'),
    innerHash: null,
    ledger: ledger.sequence,
    applicationOrder,
    closeTimeSec: ledger.closeTimeSec,
    status: 'SUCCESS',
    envelopeXdr: 'envelope',
    resultXdr: 'result',
    resultMetaXdr: 'meta',
    diagnosticEventsXdr: [],
    transactionEventsXdr: [],
    contractEventsXdr: [],
    inclusionFee: 100,
    soroban: false,
    ...given,
  }
}

function fakeEvent(ledger: LedgerRecord, index: number, given: Partial<EventRecord>): EventRecord {
  const [transactionIndex, operationIndex] = [given.transactionIndex ?? 1, given.operationIndex ?? 0]
  return {
    id: eventId(toid(ledger.sequence, transactionIndex, operationIndex), BigInt(index)),
    ledger: ledger.sequence,
    closeTimeSec: ledger.closeTimeSec,
    transactionIndex,
    operationIndex,
    type: 'contract',
    contractId: '',
    txHash: 'ab'.repeat(32),
    successful: true,
    topics: [],
    value: 'AAAAAQ==',
    ...given,
  }
}

function accountEntry(keyXdr: string, accounts: FakeChain['accounts']): LedgerEntryResult[] {
  const key = xdr.LedgerKey.fromXdr(keyXdr, 'base64')
  if (key.type !== 'account') return []
  for (const [address, { balance, sequence }] of accounts) {
    const accountId = Keypair.fromPublicKey(address).xdrAccountId()
    if (accountId.toXdr('base64') !== key.account.accountId.toXdr('base64')) continue
    const entry = new xdr.AccountEntry({
      accountId,
      balance,
      seqNum: sequence,
      numSubEntries: 0,
      inflationDest: null,
      flags: 0,
      homeDomain: '',
      thresholds: new Uint8Array([1, 0, 0, 0]),
      signers: [],
      ext: xdr.AccountEntryExt.v0(),
    })
    return [{ keyXdr, dataXdr: xdr.LedgerEntryData.account(entry).toXdr('base64'), lastModifiedLedgerSeq: 1, liveUntilLedgerSeq: null }]
  }
  return []
}

function hashOf(transaction: Transaction): string {
  return Buffer.from(transaction.hash()).toString('hex')
}

function stroops(amount: string): bigint {
  return BigInt(Math.round(Number(amount) * 10_000_000))
}
