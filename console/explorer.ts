// Pages of a block explorer about what is on a public network. No explorer knows a local network, although it may have a public network's passphrase.

interface Network {
  readonly networkPassphrase: string
  /** Null on every network but a local one. */
  readonly localRpcUrl: string | null
}

export type ExplorerPage = 'tx' | 'account' | 'contract'

const EXPLORER = 'https://stellar.expert/explorer'
const NETWORKS: Readonly<Record<string, string>> = {
  'Test SDF Network ; September 2015': 'testnet',
  'Public Global Stellar Network ; September 2015': 'public',
}

/** The URL of a transaction's, account's or contract's page; null on a network without an explorer. `id`: hash or address. */
export function explorerUrl({ networkPassphrase, localRpcUrl }: Network, page: ExplorerPage, id: string): string | null {
  const network = localRpcUrl === null && Object.hasOwn(NETWORKS, networkPassphrase) ? NETWORKS[networkPassphrase] : undefined
  return network === undefined ? null : `${EXPLORER}/${network}/${page}/${encodeURIComponent(id)}`
}
