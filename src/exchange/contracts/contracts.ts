// The contracts of one deployment, named as in GET /v1/health (specification, "Health").

export const CONTRACT_KEYS = ['market', 'vault', 'oracleShim', 'router', 'usdcToken', 'lpToken', 'vaultFactory', 'referral'] as const

export type ContractKey = (typeof CONTRACT_KEYS)[number]

export type ContractAddresses = Readonly<Record<ContractKey, string>>

/** The names that the deployed service uses for some contracts, besides the specification's. */
export const CONTRACT_ALIASES = {
  noeracleShim: 'oracleShim', noetherRouter: 'router', noeToken: 'lpToken',
} as const satisfies Readonly<Record<string, ContractKey>>

/** The contracts whose events the indexer archives. */
export const EVENT_CONTRACT_KEYS = ['market', 'vault', 'vaultFactory', 'referral'] as const

export type EventContractKey = (typeof EVENT_CONTRACT_KEYS)[number]

/** The contracts whose transfers of the token are archived: all that can hold it. */
export const TRANSFER_PARTY_KEYS = [...EVENT_CONTRACT_KEYS, 'router'] as const

/** The contract of an archived event: one of the exchange, or the token for a transfer from or to one of them. */
export type ArchivedContractKey = EventContractKey | 'usdcToken'
