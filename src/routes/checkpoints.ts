// Signs the log's checkpoints: once for each size, however many ask.

import { checkpointText, signNote } from '../proofs/checkpoint.ts'
import type { SigningKey } from '../proofs/signing.ts'
import type { Hash } from '../proofs/tree.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'

/** What is signed of the log. */
export interface SignedState {
  readonly size: number
  readonly root: Hash
}

export interface CheckpointSigner {
  /** The note of a checkpoint; null without a key. */
  sign(state: SignedState): string | null
}

/** Signs with every key, the new one first. `logOrigin` begins the name of the log. */
export function createCheckpointSigner(
  { keys, logOrigin, deployment }: { readonly keys: readonly SigningKey[]; readonly logOrigin: string; readonly deployment: CurrentDeployment },
): CheckpointSigner {
  let last: { readonly text: string; readonly note: string } | undefined
  return {
    sign(state) {
      if (keys.length === 0) return null
      const { network, name } = deployment.current
      const origin = `${logOrigin}/${network}/${name}`
      const text = checkpointText({ origin, ...state })
      if (last?.text !== text) last = { text, note: signNote(text, keys.map(({ privateKey, publicKey }) => ({ name: origin, privateKey, publicKey }))) }
      return last.note
    },
  }
}
