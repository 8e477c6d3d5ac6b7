import type { ReadConditions } from '../../src/relay/warnings.ts'

/** For relays whose warnings do not matter: the state of the market is unknown. */
export const NO_WARNINGS: { readonly readConditions: ReadConditions } = { readConditions: () => Promise.resolve(null) }
