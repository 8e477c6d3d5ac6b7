// The log of pages in responses: records, proofs, and the directory of keys. Bytes are base64.

import { Type } from 'typebox'
import type { TUnsafe } from 'typebox'
import { integerOrNull, textOrNull } from './fields.ts'

export const EXAMPLE_HASH = 'K+3YUDUxkM8aL+2sMdKyZ0oTt+UJ8vHo2yiYjqvnuhU='
export const EXAMPLE_EVENT_ID = '0005153960755200000-0000000001'

const hash = (description: string) => Type.String({ description, examples: [EXAMPLE_HASH] })
const hashes = (description: string) => Type.Array(Type.String(), { description, examples: [[EXAMPLE_HASH]] })
const count = (description: string): TUnsafe<number> => Type.Unsafe<number>({ type: 'integer', minimum: 0, description })

const record = Type.String({ description: 'The 169 bytes of the record.' })
const leafIndex = count('Place of the record in the log, from 0.')

export const EXAMPLE_NOTE = [
  'localhost/local/local', '5121', EXAMPLE_HASH, '',
  '\u2014 localhost/local/local x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=', '',
].join('\n')

export const LoggedEventBytes = Type.Object(
  {
    eventId: Type.String({ description: 'Event id, as in GET /v1/events.', examples: [EXAMPLE_EVENT_ID] }),
    bytes: Type.String({ description: 'The bytes of the event, a leaf of the tree whose root the record has.' }),
  },
  { $id: 'LoggedEventBytes', description: 'An event of a record, as the record commits to it.' },
)

/** The members of a record's response that are the same on each of its pages. */
export const LOG_RECORD = {
  record, leafIndex,
  correctedBy: integerOrNull({ description: 'The newest correction that replaces the record. Its events are not served any more. Null: none.' }),
}

export const InclusionProof = Type.Object(
  {
    record, leafIndex,
    treeSize: count('Number of records of the tree that the proof is for.'),
    root: hash('Root of that tree.'),
    hashes: hashes('Audit path from the record to the root (RFC 6962), from the leaf upwards.'),
    event: Type.Object({
      index: count('Place of the event in the record, from 0.'),
      hashes: hashes('Audit path from the event to the root that the record has.'),
    }),
    checkpoint: textOrNull({ description: 'Signed checkpoint of that tree. Null without a signing key.', examples: [EXAMPLE_NOTE] }),
  },
  { $id: 'InclusionProof', description: 'Proof that an event is in a record, and the record in the log.' },
)

export const ConsistencyProof = Type.Object(
  { hashes: hashes('Consistency proof (RFC 6962). Empty if a tree has no records, or both are the same.') },
  { $id: 'ConsistencyProof', description: 'Proof that one tree begins another one.' },
)

export const KeyDirectory = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.Literal('OKP'), crv: Type.Literal('Ed25519'), x: Type.String({ description: 'The public key, base64url.' }),
        kid: Type.String({ description: 'JWK thumbprint of the key (RFC 7638).' }), use: Type.Literal('sig'),
        nbf: count('The key signs from this time on, Unix seconds.'), exp: count('End of its use, Unix seconds.'),
      }),
      { description: 'The key that signs first, then the one that it replaces. Empty without a signing key.' },
    ),
  },
  { $id: 'KeyDirectory', description: 'The keys that sign for this gateway, as a JSON Web Key Set.' },
)

const message = (example: string) => Type.String({ description: 'What happened, and what to do.', examples: [example] })

/** 404 of the endpoints of the log of pages. */
export const NotInLog = Type.Object(
  {
    error: Type.Literal('not_in_log'),
    message: message('The log does not have it, or not yet. GET /v1/log/checkpoint reports how many records it has.'),
  },
  { $id: 'NotInLog', description: 'The log has no such tile, record, size or event.' },
)

/** 503 of GET /v1/log/checkpoint. */
export const SigningDisabled = Type.Object(
  {
    error: Type.Literal('signing_disabled'),
    message: message('This gateway has no signing key. Its log is kept all the same: read its tiles and records.'),
  },
  { $id: 'SigningDisabled', description: 'The gateway has no signing key.' },
)
