// Whether an envelope is that of a transaction hash: a node can return any envelope for one.

import { NewerThanKnown } from '../../chain/codec/newer-than-known.ts'
import { decodeEnvelope, MalformedEnvelope, networkIdOf } from '../../chain/codec/transaction.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'

/** The transaction of an envelope with this hash; undefined for any other envelope, and what is newer than this gateway in one that it cannot read. */
export function readEnvelope(envelopeXdr: string, txHash: string, passphrase: string): SignedTransaction | NewerThanKnown | undefined {
  try {
    const signed = decodeEnvelope(envelopeXdr, networkIdOf(passphrase))
    return signed.hash === txHash ? signed : undefined
  } catch (error) {
    if (error instanceof NewerThanKnown) return error
    if (error instanceof MalformedEnvelope) return undefined
    throw error
  }
}
