// Examples shared by several operations of the OpenAPI document.

import type { Correction } from '../resources/correction.ts'
import type { PreparedTransaction } from '../resources/prepared-transaction.ts'
import type { TradePreview } from '../resources/trade-preview.ts'
import type { TransactionRow } from '../resources/transaction.ts'
import type { TradeQuote } from '../resources/trade-quote.ts'
import { EXAMPLE_TRADER, EXAMPLE_TX_HASH } from '../resources/fields.ts'
import type { Fill } from '../resources/fill.ts'

export const EXAMPLE_PRICE = {
  asset: 'BTC', price: '1084215000000', priceFloat: 108421.5, timestamp: 1_783_339_200, stale: false, ageSec: 4, ledger: 1_234_567,
}

const EXAMPLE_DAY = { change24h: 1.25, high24h: '1091000000000', low24h: '1068000000000' }

export const EXAMPLE_MARKET = { asset: { symbol: 'BTC', name: 'Bitcoin', decimals: 8 }, oracle: EXAMPLE_PRICE, ...EXAMPLE_DAY }

export const EXAMPLE_STATS = {
  asset: 'BTC',
  openInterestLong: '12500000000',
  openInterestShort: '9000000000',
  openInterestNet: '3500000000',
  openPositions: 7,
  volume24h: '48000000000',
  ...EXAMPLE_DAY,
}

export const EXAMPLE_CAPACITY = {
  headroomLong: '1000000000000', headroomShort: '1000000000000', bindingLong: 'maxPosition', bindingShort: 'maxPosition', oiLong: '12500000000',
  oiShort: '9000000000', netSkew: '3500000000', sideCap: '2500000000000', skewCap: '1500000000000', assetCapBps: 2_500, capAbs: '0', skewCapBps: 1_500,
  maxPositionSize: '1000000000000', maxLeverage: 10,
}

export const EXAMPLE_POOL_CAPACITY = {
  aum: '10000000000000', reservedPayout: '21500000000', usdcBalance: '10000000000000', shortfallReserve: '0', reserveCapBps: 7_000,
  reserveCap: '7000000000000', aggregateHeadroom: '6978500000000', aggregateBinding: 'aggregate', asOfLedger: 1_234_567, ts: 1_783_339_202_481, stale: false,
}

export const EXAMPLE_SOLVENCY = { cumulativeBadDebtCovered: '0', cumulativeBadDebtLpAbsorbed: '0', badDebtEvents: 0 }

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

export const EXAMPLE_FILL = {
  seq: 1_042,
  kind: 'close',
  positionId: 42,
  orderId: null,
  asset: 'BTC',
  direction: 0,
  price: '1090000000000',
  size: '500000000',
  pnl: '2667828',
  fee: '0',
  funding: '12000',
  payout: '102405828',
  ledger: 1_234_567,
  ts: 1_783_339_200,
  txHash: EXAMPLE_TX_HASH,
} satisfies Fill

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
  orderId: null,
  eventId: '0005302424969220096-0000000004',
  seq: 1_042,
  epoch: '667e41f1',
}

export const EXAMPLE_CORRECTION: Correction = {
  seq: 1_042, epoch: '667e41f1', kind: 'changed', positionId: 42, vaultId: null, eventId: null, trader: EXAMPLE_TRADER, asset: 'BTC',
  ledger: 1_234_567, correctedAt: 1_783_339_202_481,
  before: {
    trader: EXAMPLE_TRADER, asset: 'BTC', direction: 0, size: '500000000', entryPrice: '1084215000000', openedAt: 1_783_339_200, marginMode: 'isolated',
  },
  after: {
    trader: EXAMPLE_TRADER, asset: 'BTC', direction: 0, size: '250000000', entryPrice: '1084215000000', openedAt: 1_783_339_200, marginMode: 'isolated',
  },
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
  seq: 1_042,
  epoch: '667e41f1',
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

export const EXAMPLE_CANDLE = {
  time: 1_783_339_200, open: 108421.5, high: 108600, low: 108300.25, close: 108512.75, volume: '48000000000', trades: 12, final: true, source: 'noeracle',
} as const

export const EXAMPLE_LEADER = { rank: 1, trader: EXAMPLE_TRADER, pnl: '-1500000', volume: '20000000000', trades: 12, liqCount: 0 }

const EXAMPLE_PREVIEW: TradePreview = {
  positionId: 43, orderId: null, entryPrice: '1084215000000', size: '500000000', collateral: '99750000', fee: '250000', keeperReward: null,
  liquidationPrice: '889056300000', pnl: null, payout: null, price: '1084215000000', priceTimestamp: 1_783_339_200, ledger: 1_234_567,
}

export const EXAMPLE_QUOTE: TradeQuote = { ...EXAMPLE_PREVIEW, headroom: '1000000000000', bindingLimit: 'maxPosition' }

export const EXAMPLE_PREPARED: PreparedTransaction = {
  op: 'open_position', trader: EXAMPLE_TRADER, xdr: 'AAAAAgAAAAAb…', minResourceFee: '94813', extraResourceFee: '512345', feeConfirmedBy: 2, nodes: 3,
  hash: EXAMPLE_TX_HASH, clientId: 'my-order-1', expiresAt: 1_783_339_500,
  intent: {
    op: 'open_position', contract: 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC', function: 'open_position',
    args: { trader: EXAMPLE_TRADER, asset: 'BTC', collateral: '100000000', leverage: 5, direction: 0 },
  },
  preview: EXAMPLE_PREVIEW,
  warnings: [],
}

export const EXAMPLE_TRANSACTION: TransactionRow = {
  hash: EXAMPLE_TX_HASH, status: 'SUCCESS', op: 'open_position', trader: EXAMPLE_TRADER, clientId: 'my-order-1', ledger: 1_234_567, ts: 1_783_339_200,
  expiresAt: 1_783_339_500, contractError: null, hostError: null, txResultCode: null, resultXdr: null, confirmedBy: 2, nodes: 3,
  events: [EXAMPLE_POSITION_EVENT], orderId: null, positionId: 42, outcome: null,
}

export const EXAMPLE_SUBMITTED = { hash: EXAMPLE_TX_HASH, status: 'SUCCESS', ledger: 1_234_567, confirmedBy: 2, nodes: 3 }

export const EXAMPLE_VAULT = {
  id: 0,
  leader: EXAMPLE_TRADER,
  name: 'North star',
  createdAt: 1_783_339_200,
  totalUsdc: '182672426343',
  circulatingShares: '181460734000',
  hwmNav: '10000000',
  realizedPnl: '0',
  leaderShares: '18146073400',
  profitShareBps: 1000,
  paused: false,
  updatedAt: 1_786_708_800_000,
  depositorCount: 4,
  openPositions: 1,
  tradeCount: 12,
  drawdownBps: 0,
  apyBps: 617,
  apyKind: 'annualized',
  closedTradePnl: '1211692361',
}

const EXAMPLE_ROW = { id: 4217, vaultId: 0, ledger: 1_234_567, ts: 1_783_339_200, txHash: EXAMPLE_TX_HASH }

export const EXAMPLE_VAULT_TRADE = {
  ...EXAMPLE_ROW, positionId: '42', action: 'close', leader: EXAMPLE_TRADER, collateral: '0', pnl: '2667828', asset: 'BTC', direction: 0,
  size: '500000000', price: '1090000000000',
}
export const EXAMPLE_VAULT_DEPOSIT = { ...EXAMPLE_ROW, principal: EXAMPLE_TRADER, amount: '1000000000', shares: '993366700' }
export const EXAMPLE_VAULT_WITHDRAW = { ...EXAMPLE_ROW, principal: EXAMPLE_TRADER, amount: '1006677000', shares: '1000000000' }
export const EXAMPLE_VAULT_FEE_CLAIM = { ...EXAMPLE_ROW, principal: EXAMPLE_TRADER, amount: '121169236' }

export const EXAMPLE_REFERRER = {
  referrer: EXAMPLE_TRADER,
  code: 'STAR',
  createdAt: 1_783_339_200,
  referredCount: 3,
  totalVolumeGenerated: '0',
  totalEarned: '0',
  claimable: '0',
  updatedAt: 1_783_339_200_000,
}

const EXAMPLE_REFEREE = 'GDMV46WFKSOK4BRIZUESETUVSTBOCYQR5MF2FRBHLT7BGAJM7F54E5L6'

export const EXAMPLE_BINDING = { referee: EXAMPLE_REFEREE, referrer: EXAMPLE_TRADER, code: 'STAR', boundAt: 1_783_339_200, txHash: EXAMPLE_TX_HASH }

export const EXAMPLE_REFERRAL_TRADE = {
  id: 4217,
  referee: EXAMPLE_REFEREE,
  referrer: EXAMPLE_TRADER,
  originalFee: '5000000',
  discount: '200000',
  payout: '500000',
  volume: '10000000000',
  ledger: 1_234_567,
  ts: 1_783_339_200,
  txHash: EXAMPLE_TX_HASH,
}

export const EXAMPLE_REFERRAL_CLAIM = {
  id: 4218, referrer: EXAMPLE_TRADER, amount: '500000', ledger: 1_234_569, ts: 1_783_339_210, txHash: EXAMPLE_TX_HASH,
}

export const EXAMPLE_VAULT_SAMPLE = {
  time: 1_783_339_200, ledger: 1_234_567, sharePrice: '10000000', totalUsdc: '50000000000', circulatingShares: '50000000000', hwmNav: '10000000',
  deposits: '1000000000', withdrawals: '0',
}
