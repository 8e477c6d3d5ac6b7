// The assets of the local network's exchange, in listing order (specification, "Supported assets").

import { createAssetList } from '../src/exchange/assets.ts'
import type { Asset } from '../src/exchange/assets.ts'
import type { LocalGeneration } from './setup.ts'

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

/** The assets of generation 2. */
const ASSETS_2: readonly Asset[] = [
  ...ASSETS,
  { symbol: 'PUMP', name: 'Pump', decimals: 7, klinesPair: 'PUMPUSDT' },
  { symbol: 'UNI', name: 'Uniswap', decimals: 7, klinesPair: 'UNIUSDT' },
]

/** Every asset with a price. Generation 2 knows gold, but its market opens no position in it. */
export const PRICED_SYMBOLS: readonly string[] = [...ASSETS_2.map(({ symbol }) => symbol), 'PAXG', 'XAUT']

/** The listed assets of a generation. */
export const assetsOf = (generation: LocalGeneration): readonly Asset[] => (generation === '1' ? ASSETS : ASSETS_2)

/** The assets whose prices the publisher writes. */
export const publishedSymbols = (generation: LocalGeneration): readonly string[] => (generation === '1' ? ASSET_SYMBOLS : PRICED_SYMBOLS)
