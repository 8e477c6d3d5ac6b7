// The requests of a verification.

import { requestFor } from '../pages/event-scope.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { findDamage, xdrLength } from '../pages/decode.ts'
import { DECODE_SLICE_LENGTH } from '../pages/decode-ahead.ts'
import { afterLedger, BadPage, checkUndamaged, readEventsPage } from '../pages/events-page.ts'
import type { CheckedPage } from '../pages/events-page.ts'
import { RPC_CODES, RpcFailure } from '../../chain/rpc/failure.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import { readIndexCursor } from '../../projections/state/index-state.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import type { Queryable } from '../../store/store.ts'
import type { ComparedChain } from './compare-archive.ts'
import { readRange } from '../identity/chain-identity.ts'
import { readInterfaces } from '../pages/interfaces.ts'
import { createPageSize } from '../pages/page-size.ts'
import { endOfLedger, ledgerAfter, ledgerOf } from '../../projections/log/toid.ts'

/** The indexed chain, with its position. */
export interface CurrentChain extends ComparedChain {
  readonly indexCursor: IndexCursor
}

/** The indexed chain; undefined before its first page. */
export async function readChain(db: Queryable): Promise<CurrentChain | undefined> {
  const indexCursor = await readIndexCursor(db)
  const epochs = await listEpochs(db)
  const current = epochs.find(({ number }) => number === indexCursor?.epoch)
  if (indexCursor === null || indexCursor.lastLedger === null || current === undefined) return undefined
  const own: readonly Epoch[] = epochs.filter(({ chain }) => chain === current.chain)
  return {
    chain: current.chain, epochs: own, currentEpoch: current.number, cursor: indexCursor.cursor, indexCursor,
    interfaces: await readInterfaces(db, current.chain),
  }
}

/** The result of a request. */
export type NetworkResponse =
  | { readonly kind: 'range'; readonly fromLedger: number; readonly throughLedger: number }
  /** The same page, from one or more nodes. */
  | { readonly kind: 'pages'; readonly from: string; readonly pages: readonly CheckedPage[] }
  /** The nodes have dropped the ledgers up to this position. */
  | { readonly kind: 'dropped'; readonly cursor: string }
  | { readonly kind: 'failed'; readonly problem: string }

export interface NetworkReader {
  /** Requests the range of the network. Never rejects, except with the signal's reason. */
  readRange(chain: CurrentChain, signal: AbortSignal | undefined): Promise<NetworkResponse>
  /** Requests the page after `from`; with `confirm` from every node once more. Never rejects, except with the signal's reason. */
  readPage(chain: CurrentChain, from: string, options: { readonly confirm: boolean; readonly signal: AbortSignal | undefined }): Promise<NetworkResponse>
}

export function createNetworkReader(rpc: Rpc): NetworkReader {
  const pageSize = createPageSize()

  async function requestPages(chain: CurrentChain, from: string, confirm: boolean, call: CallOptions): Promise<NetworkResponse> {
    const requested = requestFor(chain.epochs)
    const position = afterLedger({ cursor: from, startLedger: ledgerOf(from) })
    const read = async (more: CallOptions): Promise<CheckedPage> => {
      const page = await readEventsPage(rpc, position, { ...call, ...more, ...requested, limit: pageSize.limit() })
      await checkXdr(page)
      return page
    }
    try {
      const page = await read({})
      pageSize.onSuccess()
      if (!confirm) return { kind: 'pages', from, pages: [page] }
      const confirmed = await Promise.allSettled(Array.from({ length: rpc.endpoints }, (_, endpoint) => read({ endpoint })))
      const others = confirmed.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      if (others.length === 0) return { kind: 'failed', problem: 'no node confirms a difference' }
      return { kind: 'pages', from, pages: [page, ...others] }
    } catch (error) {
      if (!(error instanceof RpcFailure) || error.code !== RPC_CODES.invalidRequest) throw error
      const { oldestLedger } = await readRange(rpc, call)
      if (oldestLedger <= ledgerAfter(from)) throw error
      return { kind: 'dropped', cursor: endOfLedger(oldestLedger - 1) }
    }
  }

  async function report(request: (call: CallOptions) => Promise<NetworkResponse>, signal: AbortSignal | undefined): Promise<NetworkResponse> {
    try {
      return await request(signal === undefined ? {} : { signal })
    } catch (error) {
      if (signal?.aborted === true) throw error
      if (!(error instanceof RpcFailure) && !(error instanceof BadPage)) throw error
      if (error instanceof RpcFailure) pageSize.onFailure(error)
      else rpc.reportFault?.(error.fault)
      return { kind: 'failed', problem: error.message }
    }
  }

  return {
    readRange: (chain, signal) => report((call) => requestRange(rpc, chain, call), signal),
    readPage: (chain, from, { confirm, signal }) => report((call) => requestPages(chain, from, confirm, call), signal),
  }
}

/** Throws BadPage when the XDR of an event is damaged. */
async function checkXdr({ events }: CheckedPage): Promise<void> {
  let sliceLength = 0
  for (const event of events) {
    sliceLength += xdrLength(event)
    if (sliceLength > DECODE_SLICE_LENGTH) {
      sliceLength = 0
      await yieldToEventLoop()
    }
    checkUndamaged(event, findDamage(event))
  }
}

async function requestRange(rpc: Rpc, chain: CurrentChain, call: CallOptions): Promise<NetworkResponse> {
  const { oldestLedger } = await readRange(rpc, call)
  const firstLedger = Math.min(...chain.epochs.map(({ startLedger }) => startLedger))
  return { kind: 'range', fromLedger: Math.max(oldestLedger, firstLedger), throughLedger: chain.indexCursor.lastLedger ?? 0 }
}
