// The contracts of one deployment, under the names that health serves (specification, "Health").

export const CONTRACT_KEYS = ['market', 'vault', 'oracleShim', 'router', 'usdcToken', 'lpToken', 'vaultFactory', 'referral'] as const

export type ContractKey = (typeof CONTRACT_KEYS)[number]

/** Where a contract lives. */
export type ContractAddresses = Readonly<Record<ContractKey, string>>

/** The contracts whose events are the exchange's history. */
export const EVENT_CONTRACT_KEYS = ['market', 'vault', 'vaultFactory', 'referral'] as const

export type EventContractKey = (typeof EVENT_CONTRACT_KEYS)[number]
