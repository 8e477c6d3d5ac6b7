// Reads secrets from the environment or from files that only their owner can read, and writes new keys to such files.

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import type { Key } from '../http.ts'
import { UsageError } from './usage-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

const GROUP_AND_OTHERS = 0o077
const OWNER_ONLY = 0o600
const KEY = /^([\w-]{1,100}):([0-9a-f]{64})$/

/** The text of a secret file. Throws UsageError when other users can read it. */
function readSecretFile(path: string, what: string): string {
  try {
    // Windows has no such permission bits.
    if (process.platform !== 'win32' && (statSync(path).mode & GROUP_AND_OTHERS) !== 0) {
      throw new UsageError(`${what} ${path} is readable by other users.`, `Run: chmod 600 ${path}`)
    }
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${what} ${path} cannot be read (${(error as { readonly code?: string }).code ?? 'unknown'}).`)
  }
}

/** The account's secret key; undefined when none is configured. */
export function findSecret(environment: Environment, file: string | undefined): string | undefined {
  if (file !== undefined) return readSecretFile(file, 'Secret file')
  if (isSet(environment['SECRET'])) return environment['SECRET'].trim()
  return isSet(environment['SECRET_FILE']) ? readSecretFile(environment['SECRET_FILE'], 'Secret file') : undefined
}

/** The API key; undefined when none is configured. */
export function findKey(environment: Environment, file: string | undefined): Key | undefined {
  const text = file !== undefined ? readSecretFile(file, 'Key file')
    : isSet(environment['KEY']) ? environment['KEY'].trim()
      : isSet(environment['KEY_FILE']) ? readSecretFile(environment['KEY_FILE'], 'Key file') : undefined
  if (text === undefined) return undefined
  const [, keyId, secret] = KEY.exec(text) ?? []
  if (keyId === undefined || secret === undefined) throw new UsageError('Not a valid API key. Its form is nk_…:… with 64 hex characters after the colon.')
  return { keyId, secret }
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

/** Writes a key to a new file that only its owner can read. Throws UsageError when the file exists. */
export function writeKeyFile(path: string, { keyId, secret }: Key): void {
  try {
    writeFileSync(path, `${keyId}:${secret}\n`, { mode: OWNER_ONLY, flag: 'wx' })
  } catch (error) {
    throw new UsageError(`Key file ${path} cannot be written (${(error as { readonly code?: string }).code ?? 'unknown'}).`)
  }
}
