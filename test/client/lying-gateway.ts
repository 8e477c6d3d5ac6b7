// A gateway that lies, as its operator could: it changes the events of the log of pages, and signs a tree that fits the lie with the true key.

import { decodeRecord, encodeRecord } from '../../src/base/proofs/record.ts'
import type { LogRecord } from '../../src/base/proofs/record.ts'
import { checkpointText, signNote } from '../../src/base/proofs/checkpoint.ts'
import type { SigningKey } from '../../src/base/proofs/signing.ts'
import { ZERO_HASH } from '../../src/base/proofs/record.ts'
import { entriesTile } from '../../src/base/proofs/tiles.ts'
import { consistencyProof, hashLeaf, rootOf } from '../../src/base/proofs/tree.ts'
import type { Hash } from '../../src/base/proofs/tree.ts'
import { defined } from '../../src/base/assert.ts'

/** The bytes of the events of one record, and the id that each is served by. */
export type ServedEvents = readonly { readonly eventId: string; readonly bytes: string }[]

interface Page {
  readonly record: LogRecord
  readonly events: ServedEvents
}

export interface LyingGateway {
  /** The ids of the events of a record, as the log truly has them. */
  readonly pages: readonly Page[]
  /** Changes what the log says of one record, and all that follows from it. */
  lie(leafIndex: number, change: (events: ServedEvents) => ServedEvents): void
  /** Serves only the first records. */
  shrink(size: number): void
  /** Serves the lie instead of the log; everything else comes from the gateway. */
  readonly fetch: typeof fetch
}

/** Reads the log of a gateway, of less than 256 records without corrections. */
export async function createLyingGateway(url: string, key: SigningKey): Promise<LyingGateway> {
  const note = await (await fetch(`${url}/v1/log/checkpoint`)).text()
  const [origin = '', size = ''] = note.split('\n')
  const pages: Page[] = []
  for (let leaf = 0; leaf < Number(size); leaf++) {
    const body = await (await fetch(`${url}/v1/log/records/${leaf}`)).json() as { record: string; events: ServedEvents }
    pages.push({ record: defined(decodeRecord(Buffer.from(body.record, 'base64')), 'a record'), events: body.events })
  }
  let served: readonly Page[] = pages

  const records = (): readonly Buffer[] => served.map(({ record }) => encodeRecord(record))
  const leaves = (): readonly Hash[] => records().map(hashLeaf)

  function answer(path: string, query: URLSearchParams): Response | undefined | Promise<Response> {
    const [, leaf] = /^\/v1\/log\/records\/(\d+)$/.exec(path) ?? []
    if (path === '/v1/log/checkpoint') {
      const text = signNote(checkpointText({ origin, size: served.length, root: rootOf(leaves()) }), [{ name: origin, ...key }])
      return new Response(text, { headers: { 'content-type': 'text/plain' } })
    }
    if (path.startsWith('/v1/log/tile/entries')) {
      return new Response(new Uint8Array(entriesTile(records())), { headers: { 'content-type': 'application/octet-stream' } })
    }
    if (leaf !== undefined) {
      const page = defined(served[Number(leaf)], 'a page')
      return Response.json({
        record: encodeRecord(page.record).toString('base64'), leafIndex: Number(leaf), correctedBy: null, events: page.events, nextCursor: null, hasMore: false,
      })
    }
    if (path !== '/v1/log/consistency') return undefined
    const [from, to] = ['from', 'to'].map((name) => Number(query.get(name)))
    const all = leaves()
    return consistencyProof(from ?? 0, to ?? 0, async (level, index) => rootOf(all.slice(index * 2 ** level, (index + 1) * 2 ** level)))
      .then((hashes) => Response.json({ hashes: hashes.map((hash) => Buffer.from(hash).toString('base64')) }))
  }

  return {
    pages,
    lie(leafIndex, change) {
      let seqFirst = 1
      served = pages.map(({ record, events }, leaf) => {
        const said = leaf === leafIndex ? change(events) : events
        const root = said.length === 0 ? ZERO_HASH : rootOf(said.map(({ bytes }) => hashLeaf(Buffer.from(bytes, 'base64'))))
        const page = { record: { ...record, seqFirst, events: said.length, eventsRoot: root }, events: said }
        seqFirst += said.length
        return page
      })
    },
    shrink(to) {
      served = pages.slice(0, to)
    },
    async fetch(input, init) {
      const { pathname, searchParams } = new URL(input)
      return await answer(decodeURIComponent(pathname), searchParams) ?? await fetch(input, init)
    },
  }
}
