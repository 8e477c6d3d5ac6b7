// Reads the keys that sign checkpoints from their files. Problems name the file, and nothing of its content.

import { createPrivateKey } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Random } from '../base/random.ts'
import { createSigningKey } from '../base/proofs/signing.ts'
import type { SigningKey } from '../base/proofs/signing.ts'

/** Permissions of others than the owner. */
const OTHERS = 0o077
const OWNER_ONLY = 0o600
/** An Ed25519 key in PKCS 8, before its bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const KEY_BYTES = 32
/** The new key and the one that it replaces. */
const SIGNING_KEYS_MAX = 2

/** The keys of these files, the new one first, and what is wrong with them. */
export function readSigningKeys(files: readonly string[]): { readonly keys: readonly SigningKey[]; readonly problems: readonly string[] } {
  if (files.length > SIGNING_KEYS_MAX) return { keys: [], problems: ['SIGNING_KEY_FILE: name the new key and the one that it replaces, not more'] }
  const results = files.map(readSigningKey)
  const keys = results.filter((result) => typeof result !== 'string')
  const isRepeated = new Set(keys.map(({ keyId }) => keyId)).size < keys.length
  const problems = [...results.filter((result) => typeof result === 'string'), ...(isRepeated ? ['both files have the same key'] : [])]
  return { keys, problems: problems.map((problem) => `SIGNING_KEY_FILE: ${problem}`) }
}

/** Returns a sentence when the file cannot be used. */
function readSigningKey(file: string): SigningKey | string {
  try {
    const { mode, mtimeMs } = statSync(file)
    if ((mode & OTHERS) !== 0) return `others may read ${file}. Run chmod 600`
    return createSigningKey(createPrivateKey(readFileSync(file)), Math.floor(mtimeMs / 1000)) ?? `${file} is not an Ed25519 key`
  } catch (error) {
    const { code = 'unknown' } = error as { code?: string }
    return `cannot read ${file} as a private key in PEM format (${code})`
  }
}

/** The key of a local network, from 32 random bytes when its file does not exist. Throws when the file cannot be used. */
export function localSigningKeys(file: string, random: Random): readonly SigningKey[] {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(dirname(file), { recursive: true })
    const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, random.bytes(KEY_BYTES)]), format: 'der', type: 'pkcs8' })
    writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: OWNER_ONLY, flag: 'wx' })
  }
  const { keys, problems } = readSigningKeys([file])
  if (problems.length > 0) throw new Error(problems.join('; '))
  return keys
}
