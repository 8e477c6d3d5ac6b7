// A chain with nothing behind it: its past is written by the test, line by line, and its transactions do what friendbot needs and no more. For
// tests of the RPC door alone; everything larger runs on the real ledger.

import { createHash } from 'node:crypto'
import { Keypair, Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import type { Chain, SendOutcome, LedgerEntryResult } from '../../localnet/chain.ts'
import type { EventRecord, History, LedgerRecord, TransactionRecord } from '../../localnet/history.ts'
import { eventId } from '../../localnet/rpc/event-cursor.ts'
import { toid } from '../../localnet/rpc/toid.ts'

export const FAKE_PASSPHRASE = 'Standalone Network ; February 2017'
export const FAKE_PROTOCOL_VERSION = 27
export const FAKE_FIRST_CLOSE_TIME_SEC = 1_800_000_000
const SECONDS_PER_LEDGER = 5
const ZERO_HASH = new Uint8Array(32)

/** What a ledger of the fake holds. */
export interface FakeLedger {
  readonly transactions?: readonly Partial<TransactionRecord>[]
  readonly events?: readonly Partial<EventRecord>[]
}

export interface FakeChain extends Chain {
  /** Closes a ledger with exactly this in it. */
  closeLedgerWith(ledger?: FakeLedger): LedgerRecord
  /** Forgets everything before this ledger. */
  forgetBefore(sequence: number): void
  readonly accounts: Map<string, { balance: bigint; sequence: bigint }>
  /** What the next sends answer, before they are looked at. */
  readonly sendResults: SendOutcome['status'][]
  readonly sent: string[]
}

/** Builds a fake whose first ledger is 1. */
export function createFakeChain(): FakeChain {
  const ledgers: LedgerRecord[] = []
  let transactions: TransactionRecord[] = []
  let events: EventRecord[] = []
  let queue: Transaction[] = []
  let nextSequence = 1
  const listeners = new Set<(sequence: number) => void>()
  const accounts: FakeChain['accounts'] = new Map()
  const scriptedSends: SendOutcome['status'][] = []
  const sent: string[] = []

  function write({ transactions: added = [], events: emitted = [] }: FakeLedger = {}): LedgerRecord {
    const sequence = nextSequence++
    const ledger = fakeLedger(sequence, ledgers.at(-1)?.hash)
    ledgers.push(ledger)
    transactions = [...transactions, ...added.map((each, index) => fakeTransaction(ledger, index + 1, each))]
    events = [...events, ...emitted.map((each, index) => fakeEvent(ledger, index, each))].sort((a, b) => (a.id < b.id ? -1 : 1))
    for (const listener of listeners) listener(sequence)
    return ledger
  }

  function apply(transaction: Transaction): Partial<TransactionRecord> {
    const source = accounts.get(transaction.source)
    if (source !== undefined) source.sequence = BigInt(transaction.sequence)
    const clash = transaction.operations.some((operation) => operation.type === 'createAccount' && accounts.has(operation.destination))
    const record = { hash: hashOf(transaction), envelopeXdr: transaction.toXdr(), status: clash ? ('FAILED' as const) : ('SUCCESS' as const) }
    if (clash) return record
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
    sendResults: scriptedSends,
    sent,
    closeLedgerWith: write,
    forgetBefore(sequence) {
      while ((ledgers[0]?.sequence ?? sequence) < sequence) ledgers.shift()
      transactions = transactions.filter((record) => record.ledger >= sequence)
      events = events.filter((event) => event.ledger >= sequence)
    },
    entries: (keys) => keys.flatMap((key) => servedAccount(key, accounts)),
    simulate: () => ({ latestLedger: history.latest().sequence, results: [], transactionData: '', minResourceFee: '1', events: [] }),
    send(envelopeXdr) {
      const transaction = TransactionBuilder.fromXdr(envelopeXdr, FAKE_PASSPHRASE)
      if (!(transaction instanceof Transaction)) throw new RangeError('invalid_xdr')
      sent.push(envelopeXdr)
      const scripted = scriptedSends.shift()
      const busy = queue.some((each) => each.source === transaction.source)
      const status = scripted ?? (busy ? 'TRY_AGAIN_LATER' : 'PENDING')
      if (status === 'PENDING') queue.push(transaction)
      return { status, hash: hashOf(transaction), ...(status === 'ERROR' ? { errorResultXdr: 'AAAAAAAAAGT////7AAAAAA==' } : {}) }
    },
    pending: () => queue.length,
    closeLedger() {
      const applied = queue.map(apply)
      queue = []
      return write({ transactions: applied }).sequence
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

/** The close time of a ledger of the fake, Unix seconds. */
export function fakeCloseTimeSec(sequence: number): number {
  return FAKE_FIRST_CLOSE_TIME_SEC + (sequence - 1) * SECONDS_PER_LEDGER
}

function fakeLedger(sequence: number, previousHash: string | undefined): LedgerRecord {
  const closeTimeSec = fakeCloseTimeSec(sequence)
  const header = new xdr.LedgerHeader({
    ledgerVersion: FAKE_PROTOCOL_VERSION,
    previousLedgerHash: Buffer.from(previousHash ?? '00'.repeat(32), 'hex'),
    scpValue: new xdr.StellarValue({ txSetHash: ZERO_HASH, closeTime: BigInt(closeTimeSec), upgrades: [], ext: xdr.StellarValueExt.stellarValueBasic() }),
    txSetResultHash: ZERO_HASH,
    bucketListHash: ZERO_HASH,
    ledgerSeq: sequence,
    totalCoins: 0n,
    feePool: 0n,
    inflationSeq: 0,
    idPool: 0n,
    baseFee: 100,
    baseReserve: 5_000_000,
    maxTxSetSize: 100,
    skipList: [ZERO_HASH, ZERO_HASH, ZERO_HASH, ZERO_HASH],
    ext: xdr.LedgerHeaderExt.v0(),
  })
  const hash = createHash('sha256').update(header.toXdr()).digest()
  const entry = new xdr.LedgerHeaderHistoryEntry({ hash, header, ext: xdr.LedgerHeaderHistoryEntryExt.v0() })
  const txSet = new xdr.TransactionSet({ previousLedgerHash: ZERO_HASH, txs: [] })
  const meta = xdr.LedgerCloseMeta.v0(
    new xdr.LedgerCloseMetaV0({ ledgerHeader: entry, txSet, txProcessing: [], upgradesProcessing: [], scpInfo: [] }),
  )
  return {
    sequence,
    hash: hash.toString('hex'),
    previousHash: previousHash ?? '00'.repeat(32),
    closeTimeSec,
    headerXdr: header.toXdr('base64'),
    headerEntryXdr: entry.toXdr('base64'),
    metadataXdr: meta.toXdr('base64'),
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

function servedAccount(keyXdr: string, accounts: FakeChain['accounts']): LedgerEntryResult[] {
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
