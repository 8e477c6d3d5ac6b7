// What an adapter needs to know about a market before it trades, from the contracts' present settings and what their code accepts.

import { toFloat } from '../base/fixed-point.ts'
import { actionDefinition } from '../exchange/actions.ts'
import { findForm } from '../exchange/contracts/call-forms.ts'
import type { CallDefinition } from '../exchange/contracts/call-forms.ts'
import type { Deployment } from '../exchange/deployment.ts'
import { operationDefinition } from '../exchange/operations.ts'
import type { OperationName } from '../exchange/operations.ts'
import { CLIENT_ID_MAX_LENGTH, FUNDING_INTERVAL_SEC, LEVERAGE, TIMES_IN_FORCE } from '../limits.ts'
import type { Book, Instrument, InstrumentOrderType } from '../resources/instrument.ts'
import type { MarketLimits } from '../resources/market-limits.ts'
import type { TradeQuote } from '../resources/trade-quote.ts'
import { displayDecimals } from './display-decimals.ts'
import type { QuoteTerms } from './quote.ts'
import type { ReadQuote } from './quotes.ts'

const DECIMALS = 7
const STEP = '1'
const ONE_E7 = '10000000'
const SETTLEMENT = 'USDC'
/** Rates with seven decimals per tenth of a basis point. */
const DECI_BPS_E7 = 100

/** The operation that places each type of order. */
const OPERATIONS: readonly (readonly [type: InstrumentOrderType, op: OperationName])[] = [
  ['market', 'open_position'], ['limit', 'place_limit_order'], ['stop_limit', 'place_stop_limit_order'], ['stop_loss', 'set_stop_loss'],
  ['take_profit', 'set_take_profit'], ['trailing_stop', 'place_trailing_stop'],
]

export function describeInstrument(
  symbol: string, limits: MarketLimits, { price, liquidationPenaltyBps, deployment }: {
    /** Undefined: unknown. */
    readonly price: bigint | undefined
    readonly liquidationPenaltyBps: number | null
    readonly deployment: Pick<Deployment, 'targetOf'>
  },
): Instrument {
  const accepts = (definition: CallDefinition): boolean => findForm(definition, deployment.targetOf(definition.contract)) !== undefined
  const { minCollateral, maxPositionSize, maxLeverage, initialMarginBps, maintenanceMarginBps, feeTiers, keeperFee } = limits
  return {
    symbol, base: symbol, quote: SETTLEMENT, settlement: SETTLEMENT, kind: 'perpetual',
    priceDecimals: DECIMALS, displayDecimals: displayDecimals(price === undefined ? undefined : toFloat(price)),
    tickSize: STEP, amountStep: STEP, contractSize: ONE_E7,
    minCollateral, minNotional: minCollateral, maxNotional: maxPositionSize, maxLeverage: maxLeverage === null ? null : String(maxLeverage), leverageStep: STEP,
    initialMarginBps, maintenanceMarginBps, liquidationPenaltyBps,
    feeTiers: (feeTiers ?? []).map(({ minVolume, makerRate, takerRate }) => (
      { volume14d: minVolume, makerDeciBps: deciBpsOf(makerRate), takerDeciBps: deciBpsOf(takerRate) }
    )),
    keeperFee: { base: keeperFee.base, deciBps: keeperFee.rate === null ? null : deciBpsOf(keeperFee.rate) },
    fundingIntervalSec: FUNDING_INTERVAL_SEC, marginModes: ['isolated', 'cross'], positionMode: 'hedged',
    orderTypes: OPERATIONS.filter(([, op]) => accepts(operationDefinition(op))).map(([type]) => type),
    timeInForce: TIMES_IN_FORCE.map((name, value) => ({ name, value })),
    canReduce: accepts(actionDefinition('close_position_partial')), clientIdMaxLength: CLIENT_ID_MAX_LENGTH,
    open: maxLeverage !== null && limits.tradingPaused === false && (limits.pauseMode ?? 0) === 0 && limits.assetHalted !== true && limits.adlActive !== true,
  }
}

function deciBpsOf(rate: string): number {
  return Number(rate) / DECI_BPS_E7
}

/** A book of one level per side: what the smallest open of that side costs, and the room that is left for it. */
export async function readBook(asset: string, minCollateral: string | null, quote: ReadQuote): Promise<Book> {
  const terms = (direction: number): QuoteTerms => (
    { asset, direction, collateral: BigInt(minCollateral ?? ONE_E7), leverage: LEVERAGE.min, marginMode: 'isolated' }
  )
  const [long, short] = await Promise.all([quote(terms(0), null), quote(terms(1), null)])
  return { asset, bids: levelOf(short), asks: levelOf(long), ledger: Math.min(long.ledger, short.ledger), synthetic: true }
}

function levelOf({ entryPrice, price, headroom }: TradeQuote): [string, string][] {
  const at = entryPrice ?? price
  return at === null || headroom === null || BigInt(headroom) <= 0n ? [] : [[at, headroom]]
}
