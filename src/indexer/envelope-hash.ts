// Whether an envelope is that of a transaction hash: a node can return any envelope for one.

import { NewerThanKnown } from '../chain/newer-than-known.ts'
import { decodeEnvelope, MalformedEnvelope, networkIdOf } from '../chain/transaction.ts'
import type { SignedTransaction } from '../chain/transaction.ts'

/** The transaction of an envelope with this hash; undefined for any other envelope. */
export function readEnvelope(envelopeXdr: string, txHash: string, passphrase: string): SignedTransaction | undefined {
  try {
    const signed = decodeEnvelope(envelopeXdr, networkIdOf(passphrase))
    return signed.hash === txHash ? signed : undefined
  } catch (error) {
    if (error instanceof MalformedEnvelope || error instanceof NewerThanKnown) return undefined
    throw error
  }
}
