import type { MethodContext } from './method.ts'
import { protocolVersion } from './method.ts'

/** getNetwork (soroban-rpc, "getNetwork"): `friendbotUrl` is absent without a friendbot. */
export function getNetwork({ chain, history, friendbotUrl }: MethodContext): unknown {
  return {
    ...(friendbotUrl === null ? {} : { friendbotUrl }),
    passphrase: chain.networkPassphrase,
    protocolVersion: protocolVersion(history),
  }
}
