// client.verify: loads the code that verifies at its first use, so that programs that do not verify never load it.

import type { Clock } from './clock.ts'
import type { FrameVerifier } from './frame-gate.ts'
import type { FetchLike } from './platform.ts'
import type { LogEndpoints } from './proofs/log.ts'
import type { StreamVerifierOptions } from './proofs/stream-verifier.ts'
import type { LogTrust, Verify } from './verify-types.ts'

/** The `Accept-Signature` header of a request whose answer is to be verified. */
export const ACCEPT_SIGNATURE = 'pxg=("@status" "content-digest" "content-type" "x-epoch" "x-ledger" "x-seq" "@method";req "@target-uri";req);alg="ed25519"'

/** The verification of one gateway. */
export function createVerification(
  options: { readonly log: LogEndpoints; readonly fetch: FetchLike; readonly clock: Clock; readonly trust: LogTrust },
): Verify {
  let loading: Promise<Verify> | undefined
  const load = (): Promise<Verify> => (loading ??= import('./proofs/verifier.ts').then(({ createVerifier }) => createVerifier(options)))
  return {
    event: async (...input) => (await load()).event(...input),
    inclusion: async (...input) => (await load()).inclusion(...input),
    checkpoint: async (...input) => (await load()).checkpoint(...input),
    consistency: async (...input) => (await load()).consistency(...input),
    newest: async (...input) => (await load()).newest(...input),
    answer: async (...input) => (await load()).answer(...input),
  }
}

/** A verifier of a stream's frames. Its code is loaded with the first checkpoint. */
export function createLazyStreamVerifier(options: StreamVerifierOptions): FrameVerifier {
  let verifier: FrameVerifier | undefined
  return {
    onGap: () => verifier?.onGap(),
    async check(checkpoint, frames) {
      verifier ??= (await import('./proofs/stream-verifier.ts')).createStreamVerifier(options)
      await verifier.check(checkpoint, frames)
    },
  }
}
