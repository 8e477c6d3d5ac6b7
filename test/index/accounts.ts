// The accounts of the exchange's test histories.

import { Keypair } from '@stellar/stellar-sdk'

export const TRADERS: readonly string[] = Array.from({ length: 4 }, (_, index) => Keypair.fromRawEd25519Seed(Buffer.alloc(32, index + 1)).publicKey())
