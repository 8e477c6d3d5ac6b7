// Authorizations that contracts share.

import type { ContractEnv } from './host.ts'

/** Requires both authorizations. The host accepts one per address and call, so an equal address is required once. */
export function requireBothAuth(env: ContractEnv, first: string, second: string): void {
  env.requireAuth(first)
  if (second !== first) env.requireAuth(second)
}
