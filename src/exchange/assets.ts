// The assets of a deployment, in listing order (specification, "Supported assets").

export interface Asset {
  readonly symbol: string
  readonly name: string
  /** Display metadata only; prices on the API keep seven decimals. */
  readonly decimals: number
  /** USDT pair on the external exchange that serves klines; null if it lists none. */
  readonly klinesPair: string | null
}

export interface AssetList {
  /** In listing order. */
  readonly all: readonly Asset[]
  readonly symbols: readonly string[]
  /** Finds an asset by its upper-case symbol. */
  find(symbol: string): Asset | undefined
}

export function createAssetList(all: readonly Asset[]): AssetList {
  const bySymbol = new Map(all.map((asset) => [asset.symbol, asset]))
  return { all, symbols: all.map(({ symbol }) => symbol), find: (symbol) => bySymbol.get(symbol) }
}
