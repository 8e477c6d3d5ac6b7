// Events of classic payments and fees, as asset contracts emit them (soroban-rpc, "Contract event XDR": unified events).

import type { xdr } from '@stellar/stellar-sdk'
import { address, bytes, i128, symbol, text, u64, type Val } from '../contracts/shared/host.ts'
import { assetContractAddress, issuerOf } from './addresses.ts'
import type { HostEvent } from './host-events.ts'

function assetEvent(networkId: Uint8Array, asset: string, topics: readonly Val[], data: Val): HostEvent {
  return { type: 'contract', contract: assetContractAddress(networkId, asset), topics, data, failed: false }
}

/** The memo as the `to_muxed_id` of an event. */
function memoVal(memo: xdr.Memo): Val | undefined {
  switch (memo.type) {
    case 'memoText':
      return text(memo.text.toString())
    case 'memoId':
      return u64(memo.id)
    case 'memoHash':
      return bytes(memo.hash.value)
    case 'memoReturn':
      return bytes(memo.retHash.value)
    default:
      return undefined
  }
}

/** A transfer event; mint when the issuer pays, burn when the issuer receives. */
export function paymentEvent(options: {
  readonly networkId: Uint8Array
  readonly asset: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly memo: xdr.Memo
  /** The multiplexed id of the destination. */
  readonly toMuxedId: bigint | null
}): HostEvent {
  const { networkId, asset, from, to, amount } = options
  const issuer = issuerOf(asset)
  const assetName = text(asset)
  if (from !== to && from === issuer) return assetEvent(networkId, asset, [symbol('mint'), address(to), assetName], amountWithMuxedId(options))
  if (from !== to && to === issuer) return assetEvent(networkId, asset, [symbol('burn'), address(from), assetName], i128(amount))
  return assetEvent(networkId, asset, [symbol('transfer'), address(from), address(to), assetName], amountWithMuxedId(options))
}

function amountWithMuxedId({ amount, memo, toMuxedId }: { amount: bigint; memo: xdr.Memo; toMuxedId: bigint | null }): Val {
  const muxed = toMuxedId === null ? memoVal(memo) : u64(toMuxedId)
  if (muxed === undefined) return i128(amount)
  return { type: 'map', value: [[symbol('amount'), i128(amount)], [symbol('to_muxed_id'), muxed]] }
}

/** A fee in stroops, or a refund when negative. It has no asset topic. */
export function feeEvent(networkId: Uint8Array, account: string, amount: bigint): HostEvent {
  return assetEvent(networkId, 'native', [symbol('fee'), address(account)], i128(amount))
}
