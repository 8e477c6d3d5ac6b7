import type { Agreement } from '../../src/chain/rpc/agreement.ts'
import type { ReadConditions } from '../../src/trading/relay/warnings.ts'

/** For relays whose warnings do not matter: the state of the market is unknown, and nothing is recorded of what nodes agree on. */
export const NO_WARNINGS: { readonly readConditions: ReadConditions; readonly agreement: Pick<Agreement, 'record'> } = {
  readConditions: () => Promise.resolve(null), agreement: { record: () => {} },
}
