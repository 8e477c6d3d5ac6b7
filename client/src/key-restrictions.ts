// What a key can be limited to.

import type { operations } from './generated/openapi.ts'

/** Limits of a key, all optional: scopes, an end in milliseconds, networks, and caps in 7-decimal USDC. */
export type KeyRestrictions = Omit<operations['lendKey']['requestBody']['content']['application/json'], 'label'>
