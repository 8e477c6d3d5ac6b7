import type { MethodContext } from './method.ts'
import { protocolVersion } from './method.ts'

/**
 * getVersionInfo (soroban-rpc, "getVersionInfo"): identifies the local network. There is no build, hence no commit. The release is that of the protocol.
 */
export function getVersionInfo({ history }: MethodContext): unknown {
  return {
    version: `${protocolVersion(history)}.0.0-localnet`,
    commitHash: '0000000000000000000000000000000000000000',
    buildTimestamp: '1970-01-01T00:00:00',
    captiveCoreVersion: 'localnet (no stellar-core)',
    protocolVersion: protocolVersion(history),
  }
}
