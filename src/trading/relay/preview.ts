// The preview of a prepared transaction, from its simulation.

import { amountText } from '../../base/fixed-point.ts'
import { decodeStateChanges } from '../../chain/codec/entry-changes.ts'
import type { SimulationResponse } from '../../chain/rpc/responses.ts'
import { structField } from '../../chain/codec/scval.ts'
import type { ScValue } from '../../chain/codec/scval.ts'
import { readSimulatedEvents } from '../../chain/codec/simulated-events.ts'
import type { ReadPrice, SimulatedEvent } from '../../chain/codec/simulated-events.ts'
import { EVENT_CONTRACT_KEYS } from '../../exchange/contracts/contracts.ts'
import type { Deployment } from '../../exchange/deployment.ts'
import { shapesOf } from '../../exchange/event-shapes.ts'
import { tradeEffects } from '../../exchange/settlement/trade-effects.ts'
import type { EffectEvent, EffectTransfer, TradeEffects } from '../../exchange/settlement/trade-effects.ts'
import type { TradePreview } from '../../resources/trade-preview.ts'

/** More than the network lets one transaction change. */
const STATE_CHANGES_MAX = 300

export interface SimulatedTrade {
  readonly effects: TradeEffects
  readonly preview: TradePreview
}

/** Reads what a successful simulation of a call by `trader` would do. `contract` is what it calls. */
export function previewSimulation(
  simulation: SimulationResponse,
  { trader, contract, exchange }: { readonly trader: string; readonly contract: string; readonly exchange: Deployment },
): SimulatedTrade {
  const { market, vaultFactory, oracleShim, usdcToken } = exchange.contracts
  const changes = simulation.stateChanges.length > STATE_CHANGES_MAX ? null : decodeStateChanges(simulation.stateChanges, market)
  const simulated = readSimulatedEvents(simulation.eventsXdr, oracleShim)
  // A leader trades for the vault: the market sees the vault factory.
  const tradesForVault = contract === vaultFactory && [...changes?.positions.values() ?? [], ...changes?.orders.values() ?? []].length > 0
  const account = tradesForVault ? vaultFactory : trader
  const others = new Set(EVENT_CONTRACT_KEYS.map((key) => exchange.contracts[key]).filter((address) => address !== account))
  const effects = tradeEffects({
    account, changes,
    events: simulated?.events.flatMap((event) => toEffectEvent(event, exchange)) ?? null,
    transfers: simulated?.events.flatMap((event) => (event.contract === usdcToken ? transferIn(event) : []))
      .filter(({ from, to }) => (from === account && others.has(to)) || (to === account && others.has(from))) ?? [],
  })
  const quote = quoteOf(effects, simulated?.prices ?? [])
  return {
    effects,
    preview: {
      positionId: effects.positionId,
      orderId: effects.orderId,
      entryPrice: amountText(effects.entryPrice),
      size: amountText(effects.size),
      collateral: amountText(effects.collateral),
      fee: amountText(effects.fee),
      // Only keepers' calls pay one.
      keeperReward: null,
      liquidationPrice: amountText(effects.liquidationPrice),
      pnl: amountText(effects.pnl),
      payout: amountText(effects.payout),
      price: amountText(effects.price ?? quote?.price),
      priceTimestamp: quote?.timestampSec ?? null,
      ledger: simulation.latestLedger,
    },
  }
}

/** The price of the asset that the call read. Where it closes at another one, that one follows from this. */
function quoteOf({ asset, price }: TradeEffects, read: readonly ReadPrice[]): ReadPrice | undefined {
  if (asset === null) return read.findLast((quote) => quote.price === price)
  return read.findLast((quote) => quote.asset === asset)
}

/** An event by the tables of src/exchange; none for events that they do not describe. */
function toEffectEvent({ contract: address, topics: [name], data }: SimulatedEvent, exchange: Deployment): EffectEvent[] {
  const contract = EVENT_CONTRACT_KEYS.find((key) => exchange.contracts[key] === address)
  if (contract === undefined || name?.type !== 'symbol') return []
  const values = data.type === 'vec' ? data.value : []
  const shape = shapesOf(contract, name.value, exchange.generationOf(contract)).find((known) => known.data.length === values.length)
  if (shape === undefined) return []
  const payload = shape.data.map(([key], index) => [key, plainValue(values[index])] as const)
  return [{ contract, topic: name.value, payload: Object.fromEntries(payload) }]
}

/** Ids as numbers; undefined for anything but amounts, ids and text. */
function plainValue(value: ScValue | undefined): bigint | number | string | undefined {
  switch (value?.type) {
    case 'u64':
      return Number(value.value)
    case 'i128':
    case 'u32':
    case 'symbol':
    case 'address':
      return value.value
    default:
      return undefined
  }
}

/** A transfer of the token; its data is the amount, or a struct with it. */
function transferIn({ topics: [name, from, to], data }: SimulatedEvent): EffectTransfer[] {
  const amount = data.type === 'map' ? structField(data, 'amount') : data
  if (name?.type !== 'symbol' || name.value !== 'transfer' || from?.type !== 'address' || to?.type !== 'address' || amount?.type !== 'i128') return []
  return [{ from: from.value, to: to.value, amount: amount.value }]
}
