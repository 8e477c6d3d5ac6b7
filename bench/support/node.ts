// An RPC node in memory, as a transport: it returns one price for every asset and one history, without delay. A measurement includes what the
// gateway's RPC client does with a response, but not the time a node needs to produce it.

import { nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { encodeHeader, encodeHeaderEntry, headerHash } from '../../localnet/ledger/header.ts'
import { DEFAULT_PROTOCOL } from '../../localnet/ledger/protocol.ts'
import { ZERO_HASH } from '../../localnet/ledger/stellar-value.ts'
import { createValidator } from '../../localnet/ledger/validator.ts'
import type { Transport } from '../../src/chain/rpc/transport.ts'
import { closeSecOf, FIRST_LEDGER } from './history.ts'
import type { History } from './history.ts'

const PRICE_E7 = 631_234_567_890n
const ATTESTED_SEC = 1_783_339_200
const LAST_INDEX = 4_294_967_295

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: { readonly startLedger?: number; readonly pagination?: { readonly cursor?: string; readonly limit?: number } }
}

/** Handles JSON-RPC bodies, with at most `pageCap` events in a page. Prices are constant, so that responses with prices do not change. */
export function createNode(
  passphrase: string, history: History = { events: [], lastLedger: FIRST_LEDGER }, pageCap: number = Number.MAX_SAFE_INTEGER,
): Transport {
  const price = xdr.ScVal.scvVec([nativeToScVal(PRICE_E7, { type: 'i128' }), nativeToScVal(ATTESTED_SEC, { type: 'u64' })])
  const simulation = { latestLedger: history.lastLedger, results: [{ auth: [], xdr: price.toXdr('base64') }], minResourceFee: '0' }
  const range = {
    latestLedger: history.lastLedger,
    latestLedgerCloseTime: String(closeSecOf(history.lastLedger)),
    oldestLedger: FIRST_LEDGER,
    oldestLedgerCloseTime: String(closeSecOf(FIRST_LEDGER)),
  }

  function resultOf({ method, params }: Call): string {
    switch (method) {
      case 'getHealth':
        return JSON.stringify({ status: 'healthy', ledgerRetentionWindow: 120_960, ...range })
      case 'getNetwork':
        return JSON.stringify({ passphrase, protocolVersion: 27 })
      case 'simulateTransaction':
        return JSON.stringify(simulation)
      case 'getLatestLedger':
        return JSON.stringify({ id: '0'.repeat(64), protocolVersion: 27, sequence: history.lastLedger })
      case 'getLedgers':
        return JSON.stringify({ ledgers: ledgersFrom(history, params), ...range })
      case 'getLedgerEntries':
        return JSON.stringify({ entries: [], latestLedger: history.lastLedger })
      case 'getEvents':
        return eventsPage(history, params, { range: JSON.stringify(range), pageCap })
      default:
        throw new Error(`The bench node does not support ${method}`)
    }
  }

  return async (_url, body) => {
    const call = JSON.parse(body) as Call
    return { status: 200, body: `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":${resultOf(call)}}` }
  }
}

function ledgersFrom({ lastLedger }: History, params: Call['params']): object[] {
  const first = params?.startLedger ?? FIRST_LEDGER
  const count = Math.min(params?.pagination?.limit ?? 1, lastLedger - first + 1)
  return Array.from({ length: count }, (_, index) => ledgerAt(first + index))
}

/** A ledger contains the hash of the one before, and so of all others: the second time it is known. */
function ledgerAt(sequence: number): object {
  const { hash, header } = headerAt(sequence)
  const headerXdr = Buffer.from(encodeHeaderEntry(hash, header)).toString('base64')
  return { sequence, hash: Buffer.from(hash).toString('hex'), ledgerCloseTime: String(closeSecOf(sequence)), headerXdr }
}

const VALIDATOR = createValidator('A network for measurements')
const headers = new Map<number, { readonly hash: Uint8Array; readonly header: Uint8Array }>()

function headerAt(sequence: number): { readonly hash: Uint8Array; readonly header: Uint8Array } {
  for (let next = FIRST_LEDGER + headers.size; next <= sequence; next++) {
    const header = encodeHeader(
      {
        sequence: next, previousHash: headers.get(next - 1)?.hash ?? ZERO_HASH, previousProtocol: DEFAULT_PROTOCOL, upgradeTo: null,
        closeTimeMs: closeSecOf(next) * 1_000, isSetDropped: false, txSetHash: ZERO_HASH, resultsHash: ZERO_HASH, stateHash: ZERO_HASH, feePool: 0n,
      },
      VALIDATOR,
    )
    headers.set(next, { hash: headerHash(header), header })
  }
  return defined(headers.get(sequence), `ledger ${sequence}`)
}

/** The page after the cursor. Its events are already serialized. */
function eventsPage(
  { events, lastLedger }: History, params: Call['params'], { range, pageCap }: { readonly range: string; readonly pageCap: number },
): string {
  const limit = Math.min(params?.pagination?.limit ?? 100, pageCap)
  const after = params?.pagination?.cursor ?? endOf((params?.startLedger ?? FIRST_LEDGER) - 1)
  const from = firstAfter(events, after)
  const page = events.slice(from, from + limit)
  const cursor = page.length === limit ? page.at(-1)?.id : endOf(lastLedger)
  return `{"events":[${page.map(({ json }) => json).join(',')}],"cursor":"${cursor}",${range.slice(1)}`
}

function firstAfter(events: History['events'], after: string): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle]?.id ?? '') > after) high = middle
    else low = middle + 1
  }
  return low
}

function endOf(ledger: number): string {
  return `${(((BigInt(ledger) + 1n) << 32n) - 1n).toString().padStart(19, '0')}-${LAST_INDEX}`
}
