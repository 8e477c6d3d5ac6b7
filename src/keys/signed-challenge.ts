// Checks that a signed envelope proves the ownership of an address (specification, "Obtaining a key (wallet challenge)").

import { timingSafeEqual } from 'node:crypto'
import { Transaction, xdr } from '@stellar/stellar-sdk'
import { accountPublicKey } from '../base/strkey.ts'
import { createVerifier } from './ed25519.ts'

export interface SignedChallenge {
  /** The signed transaction envelope in base64. */
  readonly envelope: string
  /** The claimed address. */
  readonly address: string
  /** 32 bytes in hex. */
  readonly challengeHex: string
  readonly networkPassphrase: string
}

/**
 * True when the envelope is a plain transaction whose first operation is manage-data with the challenge as its value, and one of its signatures is the
 * address's under this network passphrase. Never throws.
 */
export function provesOwnership(signed: SignedChallenge): boolean {
  try {
    return verifyEnvelope(signed)
  } catch {
    // Untrusted input: any error of the decoder or encoder, such as too deep nesting, means no proof.
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
  // Signature hints are not trustworthy, so try all signatures: a transaction has at most 20.
  return transaction.signatures.some(({ signature }) => verifies(hash, signature.toBytes()))
}

/** Undefined for a fee-bump transaction. Throws for invalid input. */
function decode(envelope: string, networkPassphrase: string): Transaction | undefined {
  const decoded = xdr.TransactionEnvelope.fromXdr(envelope, 'base64')
  return decoded.type === 'envelopeTypeTxFeeBump' ? undefined : new Transaction(decoded, networkPassphrase)
}

/** The source may be any account, but not a muxed address (`M…`). */
function containsChallenge(transaction: Transaction, challengeHex: string): boolean {
  const first = transaction.operations[0]
  if (first?.type !== 'manageData' || isMuxed(transaction.source) || isMuxed(first.source)) return false
  const challenge = Buffer.from(challengeHex, 'hex')
  return first.value !== undefined && first.value.length === challenge.length && timingSafeEqual(first.value, challenge)
}

function isMuxed(source: string | undefined): boolean {
  return source?.startsWith('M') === true
}
