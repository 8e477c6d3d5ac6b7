// Calls of the market as calls of the router, with a price that a publisher has signed.

import { createIdentity } from '../../localnet/actors/identity.ts'
import { address, bool, bytes, i128, struct, symbol, u64, vec } from '../../localnet/contracts/shared/host.ts'
import type { Val } from '../../localnet/contracts/shared/host.ts'
import { attestationPayload, priceTag } from '../../localnet/contracts/shared/price-oracle.ts'
import { ADMIN, MARKET, ORACLE, ROUTER, SHIM } from '../../localnet/test/contracts/generation-1/test-exchange.ts'
import { toNative } from '../../localnet/test/contracts/test-host.ts'
import type { TestHost } from '../../localnet/test/contracts/test-host.ts'

export type Call = readonly [contract: string, functionName: string, args: readonly Val[]]

const PUBLISHER = createIdentity('a test', 'publisher')
const CROSS_ASSETS = ['BTC', 'ETH'] as const

const ROUTED: Readonly<Record<string, string>> = {
  open_position: 'open_with_price', close_position: 'close_with_price', close_position_partial: 'close_partial_with_price', liquidate: 'liquidate_with_price',
  adl_close: 'adl_with_price', execute_order: 'execute_with_price', liquidate_cross_account: 'liquidate_cross_with_prices',
}

/** Connects the router of a new exchange. */
export function initializeRouter(host: TestHost): void {
  host.invokeOk(ROUTER, 'initialize', [address(ADMIN), address(MARKET), address(ORACLE)], [ADMIN])
  host.invokeOk(ORACLE, 'set_publisher_key', [bytes(PUBLISHER.publicKey), bool(true)], [ADMIN])
}

/** The call through the router at the present price of the asset; the call itself when the router has no such function. */
export function throughRouter(host: TestHost, generation: '1' | '2', call: Call, asset: string): Call {
  const [contract, functionName, args] = call
  const routed = ROUTED[functionName]
  if (contract !== MARKET || routed === undefined) return call
  const attest = generation === '1' ? attestation1 : attestation2
  if (functionName === 'liquidate_cross_account') return [ROUTER, routed, [...args, vec(...CROSS_ASSETS.map((each) => struct(attest(host, each))))]]
  if (generation === '1') {
    const { price, timestamp, round_id: round, pubkeys, sigs } = attestation1(host, asset)
    const named = functionName === 'open_position' ? args : [...args, symbol(asset)]
    return [ROUTER, routed, [...named, price, timestamp, round, pubkeys, sigs]]
  }
  const [trader, _asset, ...terms] = args
  const own = functionName === 'open_position' && trader !== undefined ? [trader, ...terms] : args
  return [ROUTER, routed, [...own, struct(attestation2(host, asset))]]
}

function signedPrice(host: TestHost, asset: string): { readonly price: bigint; readonly timestamp: bigint; readonly signature: Val } {
  const [price] = toNative(host.invokeOk(SHIM, 'lastprice', [symbol(asset)]).value) as [bigint, bigint]
  const timestamp = host.ledger.timestampSec
  const payload = attestationPayload(new Uint8Array(32), ORACLE, priceTag(asset), { price, timestamp, round_id: 7n })
  return { price, timestamp, signature: bytes(PUBLISHER.sign(payload)) }
}

function attestation1(host: TestHost, asset: string) {
  const { price, timestamp, signature } = signedPrice(host, asset)
  return {
    asset: symbol(asset), price: i128(price), pubkeys: vec(bytes(PUBLISHER.publicKey)), round_id: u64(7n), sigs: vec(signature), timestamp: u64(timestamp),
  }
}

function attestation2(host: TestHost, asset: string) {
  const { price, ...rest } = attestation1(host, asset)
  return { ...rest, prices: vec(price) }
}
