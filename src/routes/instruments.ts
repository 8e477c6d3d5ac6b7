// GET /v1/instruments, /v1/instruments/{asset} and /v1/markets/{asset}/book. Not in the specification.

import { Type } from 'typebox'
import { defined } from '../base/assert.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { App } from '../http/app.ts'
import { operation } from '../http/operation.ts'
import { CACHE_ONE_SECOND, prepareResponse, sendResponse } from '../http/response.ts'
import { readBook } from '../markets/instruments.ts'
import type { Venue } from '../markets/venue.ts'
import { ref } from '../resources/fields.ts'
import { Book, Instrument } from '../resources/instrument.ts'
import { knownAsset } from './known-asset.ts'
import { serialiseBody } from './page-response.ts'
import { listOf } from './parameters.ts'

const EXAMPLE: Instrument = {
  symbol: 'BTC', base: 'BTC', quote: 'USDC', settlement: 'USDC', kind: 'perpetual', priceDecimals: 7, displayDecimals: 2, tickSize: '1', amountStep: '1',
  contractSize: '10000000', minCollateral: '100000000', minNotional: '100000000', maxNotional: '1000000000000', maxLeverage: '10', leverageStep: '1',
  initialMarginBps: 400, maintenanceMarginBps: 200, liquidationPenaltyBps: 100, feeTiers: [{ volume14d: '0', makerDeciBps: 20, takerDeciBps: 50 }],
  keeperFee: { base: '0', deciBps: 10 }, fundingIntervalSec: 3_600, marginModes: ['isolated', 'cross'], positionMode: 'hedged',
  orderTypes: ['market', 'limit', 'stop_limit', 'stop_loss', 'take_profit', 'trailing_stop'],
  timeInForce: [{ name: 'gtc', value: 0 }, { name: 'ioc', value: 1 }, { name: 'post_only', value: 2 }], canReduce: true, clientIdMaxLength: 64, open: true,
}

const SETTINGS = 'Read from the present settings of the contracts and cached for 3 seconds. Values that could not be read are null.'

const listInstruments = operation(
  {
    id: 'listInstruments', tag: 'markets', summary: 'List instruments',
    description: `Returns what a program needs to know about each market before it trades: steps, limits, margins, fees and order types. ${SETTINGS}`,
    ok: listOf('instruments', ref(Instrument)), example: { instruments: [EXAMPLE] }, errors: [502],
  },
  {},
)

const params = Type.Object({ asset: Type.String({ description: 'Asset symbol, case-insensitive.', examples: ['BTC'] }) })

const getInstrument = operation(
  {
    id: 'getInstrument', tag: 'markets', summary: 'Get an instrument',
    description: `Returns what a program needs to know about a market before it trades. ${SETTINGS}`,
    ok: ref(Instrument), example: EXAMPLE, errors: [400, 404, 502],
  },
  { params },
)

const getBook = operation(
  {
    id: 'getBook', tag: 'markets', summary: 'Get the order book of a market',
    description:
      'Returns one level on each side around the oracle price, made from the quote of the smallest open; the size is the room on that side. Trades are made ' +
      'against the pool, so there is no real book. This one is for programs that need one.',
    ok: ref(Book),
    example: { asset: 'BTC', bids: [['1084215000000', '2491000000000']], asks: [['1084215000000', '2487500000000']], ledger: 1_234_567, synthetic: true },
    errors: [400, 404, 502],
  },
  { params },
)

export function instrumentsRoutes(app: App, { venue, deployment }: { readonly venue: Venue; readonly deployment: CurrentDeployment }): void {
  const headers = { 'cache-control': CACHE_ONE_SECOND }

  app.get('/v1/instruments', { schema: listInstruments }, async (request, reply) => {
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, { instruments: await venue.instruments(deployment.current.assets.symbols) }), headers))
  })

  app.get('/v1/instruments/:asset', { schema: getInstrument }, async (request, reply) => {
    const [instrument] = await venue.instruments([knownAsset(deployment.current.assets, request.params.asset).symbol])
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, defined(instrument, 'the instrument')), headers))
  })

  app.get('/v1/markets/:asset/book', { schema: getBook }, async (request, reply) => {
    const { symbol } = knownAsset(deployment.current.assets, request.params.asset)
    const { minCollateral } = await venue.limits(symbol)
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, await readBook(symbol, minCollateral, venue.quote)), headers))
  })
}
