// A history of the exchange as a node would tell it: positions that open and close, with what the vault says to each. The same count gives the same bytes.

import { StrKey } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { encodeScVal } from '../../src/chain/scval.ts'
import type { ScArgument } from '../../src/chain/scval.ts'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import type { ContractAddresses } from '../../src/exchange/contracts.ts'

export const FIRST_LEDGER = 100_000
export const FIRST_CLOSE_SEC = 1_780_000_000
export const SECONDS_PER_LEDGER = 5
export const EVENTS_PER_LEDGER = 8
/** Positions stay open for so many others. */
const OPEN_FOR = 200
const TRADERS = Array.from({ length: 50 }, (_, index) => StrKey.encodeEd25519PublicKey(new Uint8Array(32).fill(index + 1)))

/** An event with its place, and as the node writes it. */
export interface HistoricEvent {
  readonly id: string
  readonly ledger: number
  readonly json: string
}

export interface History {
  readonly events: readonly HistoricEvent[]
  readonly lastLedger: number
}

/** When a ledger closed, unix seconds. */
export function closeSecOf(ledger: number): number {
  return FIRST_CLOSE_SEC + (ledger - FIRST_LEDGER) * SECONDS_PER_LEDGER
}

/** The address of a trader with a share of the positions like everybody's. */
export function someTrader(): string {
  return defined(TRADERS[7], 'a trader')
}

/** Builds `count` events, two in five of which open or close a position. */
export function createHistory(contracts: ContractAddresses, count: number): History {
  const events: HistoricEvent[] = []
  for (let position = 0; events.length < count; position++) {
    const told = [...opening(contracts, position), ...(position < OPEN_FOR ? [] : closing(contracts, position - OPEN_FOR))]
    for (const event of told) if (events.length < count) events.push(place(event, events.length))
  }
  return { events, lastLedger: FIRST_LEDGER + Math.ceil(count / EVENTS_PER_LEDGER) - 1 }
}

interface Told {
  readonly contractId: string
  readonly topics: readonly ScArgument[]
  readonly data: readonly ScArgument[]
}

const i128 = (value: bigint): ScArgument => ({ type: 'i128', value })
const symbol = (value: string): ScArgument => ({ type: 'symbol', value })

function leg(position: number): ScArgument[] {
  const trader = defined(TRADERS[position % TRADERS.length], 'a trader')
  return [
    { type: 'u64', value: BigInt(position + 1) }, { type: 'address', value: trader }, symbol(assetOf(position)), { type: 'u32', value: position % 2 },
    i128(1_000_000_000n + BigInt(position % 977) * 10_000_000n), i128(entryPriceOf(position)),
  ]
}

function assetOf(position: number): string {
  return defined(ASSET_SYMBOLS[position % ASSET_SYMBOLS.length], 'an asset')
}

function entryPriceOf(position: number): bigint {
  return 600_000_000_000n + BigInt((position * 7919) % 1_000_003) * 1_000n
}

function opening({ market, vault }: ContractAddresses, position: number): Told[] {
  return [
    { contractId: market, topics: [symbol('position_opened')], data: leg(position) },
    exposure(vault, position),
  ]
}

function closing({ market, vault }: ContractAddresses, position: number): Told[] {
  const pnl = BigInt(((position * 104_729) % 2_000_003) - 1_000_001)
  return [
    { contractId: market, topics: [symbol('position_closed')], data: [...leg(position), i128(entryPriceOf(position) + pnl), i128(pnl)] },
    { contractId: vault, topics: [symbol('pnl_settled')], data: [i128(pnl)] },
    exposure(vault, position),
  ]
}

function exposure(vault: string, position: number): Told {
  const amount = BigInt(position) * 1_234_567n
  return { contractId: vault, topics: [symbol('exposure_synced'), symbol(assetOf(position))], data: [i128(amount), i128(-amount), i128(0n)] }
}

function place({ contractId, topics, data }: Told, at: number): HistoricEvent {
  const ledger = FIRST_LEDGER + Math.floor(at / EVENTS_PER_LEDGER)
  const transaction = (at % EVENTS_PER_LEDGER) + 1
  const toid = (BigInt(ledger) << 32n) | (BigInt(transaction) << 12n)
  const id = `${toid.toString().padStart(19, '0')}-${'0'.padStart(10, '0')}`
  const json = JSON.stringify({
    type: 'contract',
    ledger,
    ledgerClosedAt: new Date(closeSecOf(ledger) * 1000).toISOString().replace('.000Z', 'Z'),
    contractId,
    id,
    operationIndex: 0,
    transactionIndex: transaction,
    txHash: (BigInt(at) * 0x9e3779b97f4a7c15n).toString(16).padStart(64, '0').slice(-64),
    inSuccessfulContractCall: true,
    topic: topics.map(encodeScVal),
    value: encodeScVal({ type: 'vec', value: data }),
  })
  return { id, ledger, json }
}
