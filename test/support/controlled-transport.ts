// The way to the local network's JSON-RPC, with controls that a test throws: what is refused, what is gone, what takes its time.

import type { Transport } from '../../src/chain/transport.ts'
import type { LocalNetwork } from '../../localnet/start.ts'

export interface RpcControls {
  /** Assets whose price the RPC refuses to tell, while they are in here: for good, so that nobody waits to try again. */
  readonly refusedPrices: Set<string>
  /** True: nobody answers but a proxy that knows no such host. */
  isDown: boolean
  /** Answers wait for this, when it is there. */
  heldUntil: Promise<void> | null
  /** The assets whose prices were asked for, in order. */
  readonly requestedPrices: string[]
}

/** Carries JSON-RPC bodies into the network's door as far as the controls let them through. */
export function createControlledTransport(network: LocalNetwork): { readonly controls: RpcControls; readonly transport: Transport } {
  const controls: RpcControls = { refusedPrices: new Set(), isDown: false, heldUntil: null, requestedPrices: [] }
  const transport: Transport = async (_url, body) => {
    const asset = priceAsked(body)
    if (asset !== undefined) controls.requestedPrices.push(asset)
    if (controls.heldUntil !== null) await controls.heldUntil
    if (controls.isDown) return { status: 404, body: 'no upstream at rpc.internal' }
    if (asset !== undefined && controls.refusedPrices.has(asset)) {
      const { id } = JSON.parse(body) as { id: unknown }
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: 'refused by rpc.internal' } }) }
    }
    const answer = await network.rpc.handle(body)
    const retryAfter = answer.headers['retry-after']
    return { status: answer.status, body: answer.body ?? '', ...(retryAfter === undefined ? {} : { retryAfterMs: Number(retryAfter) * 1_000 }) }
  }
  return { controls, transport }
}

/** The asset whose price this request simulates a read of. */
function priceAsked(body: string): string | undefined {
  if (!body.includes('simulateTransaction')) return undefined
  const { params } = JSON.parse(body) as { params: { transaction: string } }
  const envelope = Buffer.from(params.transaction, 'base64').toString('latin1')
  // The name, then one argument: the symbol's type, its length, its letters, padded.
  const [, call] = envelope.split('lastprice')
  return call === undefined ? undefined : /\0\0\0[^A-Z0-9]([A-Z0-9]+)/.exec(call)?.[1]
}
