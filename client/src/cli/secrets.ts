// Secrets: from the environment or from files that only their owner may read; never from the command line, and never into an answer but once.

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import type { Key } from '../http.ts'
import { UsageError } from './usage-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

const OTHERS = 0o077
const OWNER_ONLY = 0o600
const KEY = /^([\w-]{1,100}):([0-9a-f]{64})$/

/** The text of a file of secrets. Throws UsageError where others could read it. */
function readSecretFile(path: string, what: string): string {
  try {
    // Windows has no such bits: what it tells of them says nothing.
    if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) {
      throw new UsageError(`${what} ${path} can be read by others.`, `Take that back first: chmod 600 ${path}`)
    }
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${what} ${path} cannot be read (${(error as { readonly code?: string }).code ?? 'unknown'}).`)
  }
}

/** The account's secret key; undefined when there is none. */
export function findSecret(environment: Environment, file: string | undefined): string | undefined {
  if (file !== undefined) return readSecretFile(file, 'The secret\'s file')
  if (isGiven(environment['SECRET'])) return environment['SECRET'].trim()
  return isGiven(environment['SECRET_FILE']) ? readSecretFile(environment['SECRET_FILE'], 'The secret\'s file') : undefined
}

/** The API key; undefined when there is none. */
export function findKey(environment: Environment, file: string | undefined): Key | undefined {
  const text = file !== undefined ? readSecretFile(file, 'The key\'s file')
    : isGiven(environment['KEY']) ? environment['KEY'].trim()
      : isGiven(environment['KEY_FILE']) ? readSecretFile(environment['KEY_FILE'], 'The key\'s file') : undefined
  if (text === undefined) return undefined
  const [, keyId, secret] = KEY.exec(text) ?? []
  if (keyId === undefined || secret === undefined) throw new UsageError('The key is none: it has the form nk_…:…, its name and its 64 hex characters.')
  return { keyId, secret }
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

/** Writes a key into a file that is new and its owner's alone. Throws UsageError where something is already. */
export function writeKeyFile(path: string, { keyId, secret }: Key): void {
  try {
    writeFileSync(path, `${keyId}:${secret}\n`, { mode: OWNER_ONLY, flag: 'wx' })
  } catch (error) {
    throw new UsageError(`The key's file ${path} cannot be written (${(error as { readonly code?: string }).code ?? 'unknown'}).`)
  }
}
