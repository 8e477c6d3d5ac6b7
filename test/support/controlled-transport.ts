// The transport to the local network's RPC, with faults that a test controls.

import type { Transport } from '../../src/chain/rpc/transport.ts'
import type { LocalNetwork } from '../../localnet/start.ts'

export interface RpcControls {
  /** Simulated reads of these assets' prices fail with an error that is not retried, and their entries are missing. */
  readonly refusedPrices: Set<string>
  /** True if every call returns a proxy's 404. */
  isDown: boolean
  /** Calls to these addresses get no response. */
  readonly hanging: Set<string>
  /** Lies of nodes, by address: the result that they return instead. */
  readonly lies: Map<string, Lie>
  /** Delays all responses until this resolves. */
  heldUntil: Promise<void> | null
  /** The assets of all price reads, in order. */
  readonly requestedPrices: string[]
  /** The keys of all reads of ledger entries, in order. */
  readonly requestedKeys: string[]
}

/** Changes the result of a method. */
export type Lie = (method: string, result: Readonly<Record<string, unknown>>) => unknown

export function createControlledTransport(network: LocalNetwork): { readonly controls: RpcControls; readonly transport: Transport } {
  const controls: RpcControls = {
    refusedPrices: new Set(), isDown: false, hanging: new Set(), lies: new Map(), heldUntil: null, requestedPrices: [], requestedKeys: [],
  }
  const transport: Transport = async (url, body) => {
    if (controls.hanging.has(url)) return await new Promise(() => {})
    const asset = requestedPrice(body)
    if (asset !== undefined) controls.requestedPrices.push(asset)
    controls.requestedKeys.push(...keysOf(body))
    if (controls.heldUntil !== null) await controls.heldUntil
    if (controls.isDown) return { status: 404, body: 'no upstream at rpc.internal' }
    if (asset !== undefined && controls.refusedPrices.has(asset)) {
      const { id } = JSON.parse(body) as { id: unknown }
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: 'refused by rpc.internal' } }) }
    }
    const response = await network.rpc.handle(body)
    const retryAfter = response.headers['retry-after']
    const text = withLie(controls.lies.get(url), body, withoutPrices(response.body ?? '', controls.refusedPrices))
    return { status: response.status, body: text, ...(retryAfter === undefined ? {} : { retryAfterMs: Number(retryAfter) * 1_000 }) }
  }
  return { controls, transport }
}

function withLie(lie: Lie | undefined, request: string, text: string): string {
  if (lie === undefined || text === '') return text
  const response = JSON.parse(text) as { result?: Readonly<Record<string, unknown>> }
  if (response.result === undefined) return text
  const { method } = JSON.parse(request) as { readonly method: string }
  return JSON.stringify({ ...response, result: lie(method, response.result) })
}

/** The response without the entries that hold prices of these assets. */
function withoutPrices(text: string, assets: ReadonlySet<string>): string {
  if (assets.size === 0 || !text.includes('"entries"')) return text
  const response = JSON.parse(text) as { result?: { entries?: { key: string }[] } }
  const tags = [...assets].map((asset) => `${asset}USD\0`)
  const isRefused = ({ key }: { key: string }): boolean => tags.some((tag) => Buffer.from(key, 'base64').toString('latin1').includes(tag))
  if (response.result?.entries !== undefined) response.result.entries = response.result.entries.filter((entry) => !isRefused(entry))
  return JSON.stringify(response)
}

/** The ledger entries that this request reads. */
function keysOf(body: string): readonly string[] {
  if (!body.includes('getLedgerEntries')) return []
  const { params } = JSON.parse(body) as { params: { keys: readonly string[] } }
  return params.keys
}

/** The asset whose price this request reads by simulation. */
function requestedPrice(body: string): string | undefined {
  if (!body.includes('simulateTransaction')) return undefined
  const { params } = JSON.parse(body) as { params: { transaction: string } }
  const envelope = Buffer.from(params.transaction, 'base64').toString('latin1')
  // The argument follows the function name: the type of a symbol, its length and its characters.
  const [, call] = envelope.split('lastprice')
  return call === undefined ? undefined : /\0\0\0[^A-Z0-9]([A-Z0-9]+)/.exec(call)?.[1]
}
