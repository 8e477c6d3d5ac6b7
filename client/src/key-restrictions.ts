// What a key can be limited to.

import type { operations } from './generated/openapi.ts'

/** What makes a key less than its account, all optional: scopes, an end in milliseconds, networks, and caps in 7-decimal USDC. */
export type KeyRestrictions = Omit<operations['lendKey']['requestBody']['content']['application/json'], 'label'>
