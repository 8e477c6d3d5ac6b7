// The assets of the local network's exchange, in listing order (specification, "Supported assets").

import { createAssetList } from '../src/exchange/assets.ts'
import type { Asset } from '../src/exchange/assets.ts'

export const ASSETS: readonly Asset[] = [
  { symbol: 'BTC', name: 'Bitcoin', decimals: 8, klinesPair: 'BTCUSDT' },
  { symbol: 'ETH', name: 'Ethereum', decimals: 8, klinesPair: 'ETHUSDT' },
  { symbol: 'XLM', name: 'Stellar Lumens', decimals: 7, klinesPair: 'XLMUSDT' },
  { symbol: 'SOL', name: 'Solana', decimals: 7, klinesPair: 'SOLUSDT' },
  { symbol: 'XRP', name: 'XRP', decimals: 7, klinesPair: 'XRPUSDT' },
  { symbol: 'ADA', name: 'Cardano', decimals: 7, klinesPair: 'ADAUSDT' },
  { symbol: 'BNB', name: 'BNB', decimals: 7, klinesPair: 'BNBUSDT' },
  { symbol: 'TRX', name: 'Tron', decimals: 7, klinesPair: 'TRXUSDT' },
  { symbol: 'HYPE', name: 'Hyperliquid', decimals: 7, klinesPair: null },
  { symbol: 'DOGE', name: 'Dogecoin', decimals: 7, klinesPair: 'DOGEUSDT' },
  { symbol: 'ZEC', name: 'Zcash', decimals: 7, klinesPair: 'ZECUSDT' },
  { symbol: 'LINK', name: 'Chainlink', decimals: 7, klinesPair: 'LINKUSDT' },
  { symbol: 'BCH', name: 'Bitcoin Cash', decimals: 7, klinesPair: 'BCHUSDT' },
  { symbol: 'LTC', name: 'Litecoin', decimals: 7, klinesPair: 'LTCUSDT' },
]

export const { symbols: ASSET_SYMBOLS, find: findAsset } = createAssetList(ASSETS)
