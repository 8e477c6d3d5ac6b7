// The preview of a prepared transaction, from its simulation.

import { amountText } from '../base/fixed-point.ts'
import { decodeStateChanges } from '../chain/entry-changes.ts'
import type { SimulationResponse } from '../chain/responses.ts'
import { decodeScVal, MalformedScVal, structField } from '../chain/scval.ts'
import type { ScValue } from '../chain/scval.ts'
import { readSimulatedEvents } from '../chain/simulated-events.ts'
import type { ReadPrice, SimulatedEvent } from '../chain/simulated-events.ts'
import type { EventContractKey } from '../exchange/contracts.ts'
import { EVENT_CONTRACT_KEYS } from '../exchange/contracts.ts'
import type { Deployment } from '../exchange/deployment.ts'
import { tradeEffects } from '../exchange/trade-effects.ts'
import type { EffectEvent, EffectTransfer, TradeEffects } from '../exchange/trade-effects.ts'
import type { TradePreview } from '../resources/trade-preview.ts'

/** The payload of an event of the exchange; null when it cannot be decoded. */
export type DecodePayload = (contract: EventContractKey, event: SimulatedEvent) => Readonly<Record<string, unknown>> | null

export interface SimulatedTrade {
  readonly effects: TradeEffects
  readonly preview: TradePreview
}

/** Reads what a successful simulation of a call by `trader` would do. `contract` is what it calls. */
export function previewSimulation(
  simulation: SimulationResponse,
  { trader, contract, exchange, decodePayload }: {
    readonly trader: string
    readonly contract: string
    readonly exchange: Deployment
    readonly decodePayload: DecodePayload
  },
): SimulatedTrade {
  const { market, vaultFactory, oracleShim, usdcToken } = exchange.contracts
  const changes = decodeStateChanges(simulation.stateChanges, market)
  const simulated = readSimulatedEvents(simulation.eventsXdr, oracleShim)
  // A leader trades for the vault: the market sees the vault factory.
  const tradesForVault = contract === vaultFactory && [...changes?.positions.values() ?? [], ...changes?.orders.values() ?? []].length > 0
  const account = tradesForVault ? vaultFactory : trader
  const others = new Set(EVENT_CONTRACT_KEYS.map((key) => exchange.contracts[key]).filter((address) => address !== account))
  const effects = tradeEffects({
    account, changes,
    events: simulated?.events.flatMap((event) => toEffectEvent(event, exchange, decodePayload)) ?? null,
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

function toEffectEvent(event: SimulatedEvent, exchange: Deployment, decodePayload: DecodePayload): EffectEvent[] {
  const contract = EVENT_CONTRACT_KEYS.find((key) => exchange.contracts[key] === event.contract)
  const payload = contract === undefined ? null : decodePayload(contract, event)
  if (contract === undefined || payload === null || typeof payload['topic'] !== 'string') return []
  return [{ contract, topic: payload['topic'], payload }]
}

/** A transfer of the token; its data is the amount, or a struct with it. */
function transferIn({ topicsXdr, valueXdr }: SimulatedEvent): EffectTransfer[] {
  try {
    const [name, from, to] = topicsXdr.map(decodeScVal)
    const amount = amountOf(decodeScVal(valueXdr))
    if (name?.type !== 'symbol' || name.value !== 'transfer' || from?.type !== 'address' || to?.type !== 'address' || amount === null) return []
    return [{ from: from.value, to: to.value, amount }]
  } catch (error) {
    if (error instanceof MalformedScVal) return []
    throw error
  }
}

function amountOf(data: ScValue): bigint | null {
  const amount = data.type === 'map' ? structField(data, 'amount') : data
  return amount?.type === 'i128' ? amount.value : null
}
