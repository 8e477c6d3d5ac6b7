// Whether a signed envelope proves that its sender owns an address (specification, "Obtaining a key (wallet challenge)").

import { timingSafeEqual } from 'node:crypto'
import { Transaction, xdr } from '@stellar/stellar-sdk'
import { accountPublicKey } from '../base/strkey.ts'
import { createVerifier } from './ed25519.ts'

export interface SignedChallenge {
  /** Base64 of the signed transaction envelope, as it came. */
  readonly envelope: string
  /** The address that is claimed. */
  readonly address: string
  /** 32 bytes, in hex. */
  readonly challengeHex: string
  readonly networkPassphrase: string
}

/**
 * True when the envelope is a plain transaction, its first operation manage-data with the challenge's bytes as its value, and one of its signatures
 * verifies for the address under the passphrase. Never throws: whatever does not decode proves nothing.
 */
export function provesOwnership(signed: SignedChallenge): boolean {
  try {
    return verifyEnvelope(signed)
  } catch {
    // The envelope is a stranger's: whatever its decoder or its encoder raises, too deep a nesting included, means that it proves nothing.
    return false
  }
}

function verifyEnvelope(signed: SignedChallenge): boolean {
  const publicKey = accountPublicKey(signed.address)
  const verifies = publicKey === undefined ? undefined : createVerifier(publicKey)
  if (verifies === undefined) return false
  const transaction = decode(signed.envelope, signed.networkPassphrase)
  if (transaction === undefined || !containsChallenge(transaction, signed.challengeHex)) return false
  const hash = transaction.hash()
  // A hint is four bytes that anybody can write, so all signatures are tried: a transaction has twenty at most.
  return transaction.signatures.some(({ signature }) => verifies(hash, signature.toBytes()))
}

/** Undefined for a fee bump. Throws for what does not decode. */
function decode(envelope: string, networkPassphrase: string): Transaction | undefined {
  const decoded = xdr.TransactionEnvelope.fromXdr(envelope, 'base64')
  return decoded.type === 'envelopeTypeTxFeeBump' ? undefined : new Transaction(decoded, networkPassphrase)
}

/** The source is a throwaway and not looked at, but it must be an account: a muxed address (`M…`) names a part of one. */
function containsChallenge(transaction: Transaction, challengeHex: string): boolean {
  const first = transaction.operations[0]
  if (first?.type !== 'manageData' || isMuxed(transaction.source) || isMuxed(first.source)) return false
  const challenge = Buffer.from(challengeHex, 'hex')
  return first.value !== undefined && first.value.length === challenge.length && timingSafeEqual(first.value, challenge)
}

function isMuxed(source: string | undefined): boolean {
  return source?.startsWith('M') === true
}
