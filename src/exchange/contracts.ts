// The contracts of one deployment, named as in GET /v1/health (specification, "Health").

export const CONTRACT_KEYS = ['market', 'vault', 'oracleShim', 'router', 'usdcToken', 'lpToken', 'vaultFactory', 'referral'] as const

export type ContractKey = (typeof CONTRACT_KEYS)[number]

export type ContractAddresses = Readonly<Record<ContractKey, string>>

/** The contracts whose events the indexer archives. */
export const EVENT_CONTRACT_KEYS = ['market', 'vault', 'vaultFactory', 'referral'] as const

export type EventContractKey = (typeof EVENT_CONTRACT_KEYS)[number]
