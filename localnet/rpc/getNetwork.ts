import type { MethodContext } from './method.ts'
import { protocolVersion } from './method.ts'

/** getNetwork (soroban-rpc, "getNetwork"): `friendbotUrl` is left out when no friendbot is served. */
export function getNetwork({ chain, history, friendbotUrl }: MethodContext): unknown {
  return {
    ...(friendbotUrl === null ? {} : { friendbotUrl }),
    passphrase: chain.networkPassphrase,
    protocolVersion: protocolVersion(history),
  }
}
