// A history of the exchange as a node would return it: positions that open and close, with the vault's events. The same count gives the same bytes.

import { StrKey } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { encodeScVal } from '../../src/chain/codec/scval.ts'
import type { ScArgument } from '../../src/chain/codec/scval.ts'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import type { ContractAddresses } from '../../src/exchange/contracts/contracts.ts'

export const FIRST_LEDGER = 100_000
const FIRST_CLOSE_SEC = 1_780_000_000
const SECONDS_PER_LEDGER = 5
export const EVENTS_PER_LEDGER = 8
/** A position closes when this many others have opened after it. */
const OPEN_FOR = 200
const TRADERS = Array.from({ length: 50 }, (_, index) => StrKey.encodeEd25519PublicKey(new Uint8Array(32).fill(index + 1)))

/** An event with its id and ledger, and as JSON from the node. */
interface HistoricEvent {
  readonly id: string
  readonly ledger: number
  readonly json: string
}

export interface History {
  readonly events: readonly HistoricEvent[]
  readonly lastLedger: number
}

/** The close time of a ledger in Unix seconds. */
export function closeSecOf(ledger: number): number {
  return FIRST_CLOSE_SEC + (ledger - FIRST_LEDGER) * SECONDS_PER_LEDGER
}

/** The address of a trader with an average number of positions. */
export function someTrader(): string {
  return defined(TRADERS[7], 'a trader')
}

/** Builds `count` events. Two in five open or close a position. */
export function createHistory(contracts: ContractAddresses, count: number): History {
  const events: HistoricEvent[] = []
  for (let position = 0; events.length < count; position++) {
    const contractEvents = [...opening(contracts, position), ...(position < OPEN_FOR ? [] : closing(contracts, position - OPEN_FOR))]
    for (const event of contractEvents) if (events.length < count) events.push(toHistoricEvent(event, events.length))
  }
  return { events, lastLedger: FIRST_LEDGER + Math.ceil(count / EVENTS_PER_LEDGER) - 1 }
}

interface ContractEvent {
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

function opening({ market, vault }: ContractAddresses, position: number): ContractEvent[] {
  return [
    { contractId: market, topics: [symbol('position_opened')], data: leg(position) },
    exposure(vault, position),
  ]
}

function closing({ market, vault }: ContractAddresses, position: number): ContractEvent[] {
  const pnl = BigInt(((position * 104_729) % 2_000_003) - 1_000_001)
  return [
    { contractId: market, topics: [symbol('position_closed')], data: [...leg(position), i128(entryPriceOf(position) + pnl), i128(pnl)] },
    { contractId: vault, topics: [symbol('pnl_settled')], data: [i128(pnl)] },
    exposure(vault, position),
  ]
}

function exposure(vault: string, position: number): ContractEvent {
  const amount = BigInt(position) * 1_234_567n
  return { contractId: vault, topics: [symbol('exposure_synced'), symbol(assetOf(position))], data: [i128(amount), i128(-amount), i128(0n)] }
}

function toHistoricEvent({ contractId, topics, data }: ContractEvent, index: number): HistoricEvent {
  const ledger = FIRST_LEDGER + Math.floor(index / EVENTS_PER_LEDGER)
  const transaction = (index % EVENTS_PER_LEDGER) + 1
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
    txHash: (BigInt(index) * 0x9e3779b97f4a7c15n).toString(16).padStart(64, '0').slice(-64),
    inSuccessfulContractCall: true,
    topic: topics.map(encodeScVal),
    value: encodeScVal({ type: 'vec', value: data }),
  })
  return { id, ledger, json }
}
