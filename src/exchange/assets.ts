// The fourteen assets of the exchange, in listing order (specification, "Supported assets").

export interface Asset {
  readonly symbol: string
  readonly name: string
  /** Display metadata only; prices on the API keep seven decimals. */
  readonly decimals: number
  /** USDT pair on the external exchange that serves klines; null if it lists none. */
  readonly klinesPair: string | null
}

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

export const ASSET_SYMBOLS: readonly string[] = ASSETS.map((asset) => asset.symbol)

const bySymbol = new Map(ASSETS.map((asset) => [asset.symbol, asset]))

/** Finds an asset by its upper-case symbol. */
export function findAsset(symbol: string): Asset | undefined {
  return bySymbol.get(symbol)
}
