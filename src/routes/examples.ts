// Examples of the OpenAPI document that several operations share.

import { EXAMPLE_TRADER, EXAMPLE_TX_HASH } from '../resources/fields.ts'

export const EXAMPLE_PRICE = { asset: 'BTC', price: '1084215000000', priceFloat: 108421.5, timestamp: 1_783_339_200 }

export const EXAMPLE_MARKET = { asset: { symbol: 'BTC', name: 'Bitcoin', decimals: 8 }, oracle: EXAMPLE_PRICE }

export const EXAMPLE_STATS = {
  asset: 'BTC',
  openInterestLong: '12500000000',
  openInterestShort: '9000000000',
  openInterestNet: '3500000000',
  openPositions: 7,
  volume24h: '48000000000',
}

export const EXAMPLE_POSITION = {
  positionId: 42,
  trader: EXAMPLE_TRADER,
  asset: 'BTC',
  direction: 0,
  size: '500000000',
  entryPrice: '1084215000000',
  openedAt: 1_783_339_200,
  openedTxHash: EXAMPLE_TX_HASH,
}

export const EXAMPLE_TRADE = {
  positionId: 42,
  trader: EXAMPLE_TRADER,
  kind: 'close',
  ledger: 1_234_567,
  ts: 1_783_342_800,
  txHash: EXAMPLE_TX_HASH,
  asset: 'BTC',
  direction: 0,
  size: '500000000',
  entryPrice: '1084215000000',
  closePrice: '1090000000000',
  pnl: '2667828',
}

export const EXAMPLE_EVENT = {
  eventId: '0005302424969216000-0000000003',
  contractId: 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC',
  topic: 'funding_applied',
  ledger: 1_234_567,
  ledgerCloseTs: 1_783_339_200,
  txHash: EXAMPLE_TX_HASH,
  payload: { topic: 'funding_applied', fundingRate: '1250', hoursElapsed: '1' },
  insertedAt: 1_783_339_202_481,
}

export const EXAMPLE_ORDER_EVENT = {
  ...EXAMPLE_EVENT,
  eventId: '0005302424969220096-0000000005',
  topic: 'order_executed',
  payload: { topic: 'order_executed', orderId: 17, keeperReward: '5250000' },
}

export const EXAMPLE_POSITION_EVENT = {
  ...EXAMPLE_EVENT,
  eventId: '0005302424969220096-0000000004',
  topic: 'position_opened',
  payload: {
    topic: 'position_opened', positionId: 42, trader: EXAMPLE_TRADER, asset: 'BTC', direction: 0, size: '500000000', entryPrice: '1084215000000',
  },
}

export const EXAMPLE_CANDLE = { time: 1_783_339_200, open: 108421.5, high: 108600, low: 108300.25, close: 108512.75 }

export const EXAMPLE_LEADER = { trader: EXAMPLE_TRADER, pnl: '-1500000', volume: '20000000000' }

export const EXAMPLE_PREPARED = { op: 'open_position', trader: EXAMPLE_TRADER, xdr: 'AAAAAgAAAAAb…', minResourceFee: '94813' }

export const EXAMPLE_SUBMITTED = { hash: EXAMPLE_TX_HASH, status: 'SUCCESS', ledger: 1_234_567 }
