// Reads the history for the RPC methods.

import { xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import type { EventRecord, History, LedgerRecord, TransactionRecord } from '../history.ts'
import { firstIdOf } from './archive.ts'
import type { LedgerDatabase } from './database.ts'
import { encodeHeaderEntry, protocolOf, upgradesIn } from './header.ts'
import { encodeCloseMeta } from './meta.ts'
import { branchOf, rangesBetween, type Timeline } from './timeline.ts'
import { type TransactionBody, unpackBody } from './transaction-body.ts'
import { fromHex, toBase64 } from './xdr-writer.ts'

type Row = Readonly<Record<string, unknown>>

/** Events are read in chunks, so that a reader that stops early costs little. */
const EVENTS_CHUNK_ROWS = 500

/** Reads the rows that `timeline` includes. `latest` and `oldest` are read very often and are cached per timeline. */
export function createHistory(database: LedgerDatabase, timeline: () => Timeline): History {
  const { sql } = database
  const ledgerRow = sql.prepare('select * from ledgers where branch = ? and sequence = ?')
  const ledgerRows = sql.prepare('select * from ledgers where branch = ? and sequence between ? and ? order by sequence limit ?')
  const transactionRows = sql.prepare('select * from transactions where branch = ? and ledger = ? order by position')
  const byHash = sql.prepare('select * from transactions where hash = ?1 or inner_hash = ?1 order by ledger desc')
  const transactionsFrom = sql.prepare(
    `select * from transactions where branch = ?1 and (ledger, position) > (?2, ?3) and ledger between ?4 and ?5
     order by ledger, position limit ?6`,
  )
  let cachedEnds: { latest: LedgerRecord; oldest: LedgerRecord; of: Timeline } | undefined

  function read(sequence: number): LedgerRecord | undefined {
    const branch = branchOf(timeline(), sequence)
    const row = branch === undefined ? undefined : ledgerRow.get(branch, sequence)
    return branch === undefined || row === undefined ? undefined : ledgerRecord(row, () => transactionRows.all(branch, sequence))
  }

  function ends(): { latest: LedgerRecord; oldest: LedgerRecord } {
    const now = timeline()
    if (cachedEnds?.of === now) return cachedEnds
    const oldest = defined(read(now[0]?.from ?? 0), 'the oldest ledger')
    cachedEnds = { latest: defined(read(now.at(-1)?.to ?? 0), 'the latest ledger'), oldest, of: now }
    return cachedEnds
  }

  return {
    latest: () => ends().latest,
    oldest: () => ends().oldest,
    ledger: read,
    ledgers(fromSequence, limit) {
      const records: LedgerRecord[] = []
      for (const { branch, from, to } of rangesBetween(timeline(), fromSequence, Infinity)) {
        const rows = ledgerRows.all(branch, from, to, limit - records.length)
        records.push(...rows.map((row) => ledgerRecord(row, () => transactionRows.all(branch, Number(row['sequence'])))))
        if (records.length >= limit) break
      }
      return records
    },
    transaction(hash) {
      const row = byHash.all(hash).find((found) => branchOf(timeline(), Number(found['ledger'])) === found['branch'])
      return row === undefined ? undefined : transactionRecord(row)
    },
    transactionsAfter(ledger, applicationOrder, limit) {
      const records: TransactionRecord[] = []
      for (const { branch, from, to } of rangesBetween(timeline(), ledger, Infinity)) {
        const rows = transactionsFrom.all(branch, ledger, applicationOrder, from, to, limit - records.length)
        records.push(...rows.map(transactionRecord))
        if (records.length >= limit) break
      }
      return records
    },
    events: (range) => eventsOf(database, timeline(), range),
  }
}

function blob(row: Row, column: string): Uint8Array {
  return row[column] as Uint8Array
}

/** The close meta is built on first read, because it repeats every transaction of the ledger. */
function ledgerRecord(row: Row, transactions: () => readonly Row[]): LedgerRecord {
  const hash = String(row['hash'])
  const previousHash = String(row['previous_hash'])
  const header = blob(row, 'header')
  let metadataXdr: string | undefined
  return {
    sequence: Number(row['sequence']),
    hash,
    previousHash,
    closeTimeSec: Number(row['close_time']),
    protocol: protocolOf(header),
    headerXdr: toBase64(header),
    headerEntryXdr: toBase64(encodeHeaderEntry(fromHex(hash), header)),
    get metadataXdr() {
      metadataXdr ??= toBase64(
        encodeCloseMeta({
          headerEntry: encodeHeaderEntry(fromHex(hash), header),
          previousHash: fromHex(previousHash),
          upgrades: upgradesIn(header),
          transactions: transactions().map((tx) => ({
            ...unpackBody(blob(tx, 'body')), hash: fromHex(String(tx['hash'])), soroban: tx['soroban'] === 1,
          })),
          evicted: xdr.decodeStream(xdr.LedgerKey, blob(row, 'evicted')).map((key) => key.toXdr()),
        }),
      )
      return metadataXdr
    },
  }
}

function transactionRecord(row: Row): TransactionRecord {
  let body: TransactionBody | undefined
  const unpacked = (): TransactionBody => (body ??= unpackBody(blob(row, 'body')))
  let meta: xdr.TransactionMetaV4 | undefined
  const decoded = (): xdr.TransactionMetaV4 => (meta ??= metaOf(unpacked().meta))
  return {
    hash: String(row['hash']),
    innerHash: typeof row['inner_hash'] === 'string' ? row['inner_hash'] : null,
    ledger: Number(row['ledger']),
    applicationOrder: Number(row['position']),
    closeTimeSec: Number(row['close_time']),
    status: row['success'] === 1 ? 'SUCCESS' : 'FAILED',
    inclusionFee: Number(row['inclusion_fee']),
    soroban: row['soroban'] === 1,
    get envelopeXdr() {
      return toBase64(unpacked().envelope)
    },
    get resultXdr() {
      return toBase64(unpacked().result)
    },
    get resultMetaXdr() {
      return toBase64(unpacked().meta)
    },
    get diagnosticEventsXdr() {
      return decoded().diagnosticEvents.map((event) => event.toXdr('base64'))
    },
    get transactionEventsXdr() {
      return decoded().events.map((event) => event.toXdr('base64'))
    },
    get contractEventsXdr() {
      return decoded().operations.map(({ events }) => events.map((event) => event.toXdr('base64')))
    },
  }
}

function metaOf(bytes: Uint8Array): xdr.TransactionMetaV4 {
  const meta = xdr.TransactionMeta.fromXdr(bytes)
  return defined(meta.type === 'v4' ? meta.v4 : undefined, 'meta of version 4')
}

type EventRange = Parameters<History['events']>[0]

function* eventsOf({ sql }: LedgerDatabase, timeline: Timeline, range: EventRange): Generator<EventRecord> {
  const { contractIds } = range
  const contracts = contractIds === null ? '' : `and contract in (${contractIds.map(() => '?').join(', ')})`
  const page = sql.prepare(
    `select * from events where branch = ? and id > ? and id < ? ${contracts} order by id limit ${EVENTS_CHUNK_ROWS}`,
  )
  for (const { branch, from, to } of rangesBetween(timeline, range.fromLedger, range.untilLedger)) {
    let after = firstIdOf(from)
    if (range.afterId !== null && range.afterId > after) after = range.afterId
    for (;;) {
      const rows = page.all(branch, after, firstIdOf(to + 1), ...(contractIds ?? []))
      for (const row of rows) yield eventRecord(row)
      const last = rows.at(-1)
      if (last === undefined || rows.length < EVENTS_CHUNK_ROWS) break
      after = String(last['id'])
    }
  }
}

function eventRecord(row: Row): EventRecord {
  const topics = String(row['topics'])
  return {
    id: String(row['id']),
    ledger: Number(row['ledger']),
    closeTimeSec: Number(row['close_time']),
    transactionIndex: Number(row['tx_index']),
    operationIndex: Number(row['operation_index']),
    type: row['type'] === 'system' ? 'system' : 'contract',
    contractId: String(row['contract']),
    txHash: String(row['tx_hash']),
    successful: row['success'] === 1,
    topics: topics === '' ? [] : topics.split(' '),
    value: String(row['value']),
  }
}
