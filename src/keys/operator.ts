// Key administration on the command line: `npm run keys -- …`. The specification has no HTTP endpoints for it.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parseAddressList } from '../base/address-list.ts'
import { defined } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import { CommandRejected } from '../base/command-rejected.ts'
import type { Random } from '../base/random.ts'
import { isAccountAddress } from '../base/strkey.ts'
import { KEY_LABEL_MAX_LENGTH, KEY_TIERS } from '../limits.ts'
import type { ApiKey, KeyTier } from '../resources/api-key.ts'
import { FolderInUse } from '../store/embedded/folder-lock.ts'
import type { Store } from '../store/store.ts'
import type { AllowlistSource } from './allowlist.ts'
import { issueKey, issueKeyWithin } from './keys.ts'
import { listKeys, revokeKey } from './records.ts'

const USAGE = [
  'npm run keys -- issue <address> [--tier standard|market_maker] [--label <text>] [--force]',
  'npm run keys -- list [<address>]',
  'npm run keys -- revoke <keyId>',
  'npm run keys -- allow <address>      (needs ALLOWLIST to be a file)',
  'npm run keys -- disallow <address>   (needs ALLOWLIST to be a file)',
]

/** Keys read at a time by `list`, which prints all of them. */
const LIST_PAGE = 1_000

export type KeysCommand =
  | { readonly name: 'issue'; readonly address: string; readonly tier: KeyTier; readonly label: string | null; readonly force: boolean }
  | { readonly name: 'list'; readonly address: string | null }
  | { readonly name: 'revoke'; readonly keyId: string }
  | { readonly name: 'allow' | 'disallow'; readonly address: string }

/** Parses the arguments after `keys`. Throws CommandRejected with the usage. */
export function parseKeysCommand(words: readonly string[]): KeysCommand {
  const { positionals: [name, subject, ...more], values } = parseWords(words)
  const { tier = KEY_TIERS[0], label = null, force = false } = values
  if (name !== 'issue' && Object.keys(values).length > 0) throw usageError('--tier, --label and --force are options of issue only')
  if (more.length > 0) throw usageError(`unexpected argument: ${more.join(' ')}`)
  switch (name) {
    case 'issue': {
      const keyTier = KEY_TIERS.find((one) => one === tier)
      if (keyTier === undefined) throw usageError(`--tier must be one of ${KEY_TIERS.join(', ')}`)
      if (label !== null && !isLabel(label)) throw usageError(`--label must have at most ${KEY_LABEL_MAX_LENGTH} characters and no control characters`)
      return { name, address: requireAccount(subject), tier: keyTier, label, force }
    }
    case 'list':
      return { name, address: subject === undefined ? null : requireAccount(subject) }
    case 'revoke':
      if (subject === undefined) throw usageError('missing key id')
      return { name, keyId: subject }
    case 'allow':
    case 'disallow':
      return { name, address: requireAccount(subject) }
    default:
      throw usageError(name === undefined ? 'missing command' : `unknown command: ${name}`)
  }
}

export interface OperatorParts {
  /** Called only by commands that use the database. */
  readonly openStore: () => Promise<Store>
  readonly allowlist: AllowlistSource | null
  readonly maxKeysPerOwner: number
  readonly clock: Clock
  readonly random: Random
  readonly print: (text: string) => void
}

/** Runs a command and prints the result. Throws CommandRejected and the store's errors. */
export async function runKeysCommand(command: KeysCommand, parts: OperatorParts): Promise<void> {
  const { print, clock, random } = parts
  if (command.name === 'allow' || command.name === 'disallow') return editAllowlist(command, parts)
  await using store = await openStore(parts)
  switch (command.name) {
    case 'issue': {
      const { address: owner, tier, label, force } = command
      const request = { owner, tier, label, clock, random }
      const issued = force ? await issueKey(store.write, request) : await issueKeyWithin(store.write, { ...request, challenge: null }, parts.maxKeysPerOwner)
      if (issued === 'key_limit_reached') throw keyLimitReached(owner, parts.maxKeysPerOwner)
      const { keyId, secret } = defined(issued, 'a key without a challenge')
      print(`Issued a ${tier} key to ${owner}. The secret is shown only once:\n\n  ${keyId}:${secret}\n`)
      return
    }
    case 'list':
      return await printKeys(store, command.address, print)
    case 'revoke': {
      const revoked = await revokeKey(store.write, { keyId: command.keyId, reach: null, revokedAtMs: clock.nowMs() })
      if (revoked.length === 0) throw new CommandRejected(`no active key has the id ${command.keyId}`)
      const all = [command.keyId, ...revoked.filter((keyId) => keyId !== command.keyId)].join(', ')
      print(`Revoked ${all}. All gateways on this database now reject ${revoked.length === 1 ? 'it' : 'them'}.`)
    }
  }
}

async function printKeys(store: Store, owner: string | null, print: OperatorParts['print']): Promise<void> {
  let before: number | null = null
  do {
    const page = await listKeys(store.write, { owner, before, limit: LIST_PAGE })
    print(page.keys.length === 0 ? 'No keys.' : page.keys.map(formatKey).join('\n'))
    before = page.next
  } while (before !== null)
}

function keyLimitReached(owner: string, max: number): CommandRejected {
  const advice = 'Revoke one, raise MAX_KEYS_PER_OWNER, or use --force.'
  return new CommandRejected(`${owner} already has the maximum of ${max} active keys (MAX_KEYS_PER_OWNER). ${advice}`)
}

async function openStore(parts: OperatorParts): Promise<Store> {
  try {
    return await parts.openStore()
  } catch (cause) {
    if (!(cause instanceof FolderInUse)) throw cause
    const advice = 'Stop the gateway and run this command again, or use a PostgreSQL server (DATABASE_URL) for both.'
    throw new CommandRejected(`Only one process can use the embedded database at a time. ${advice}\n(${cause.message})`, { cause })
  }
}

/** Adds or removes one line and preserves the others. Running gateways reload the file. */
function editAllowlist(command: { readonly name: 'allow' | 'disallow'; readonly address: string }, { allowlist, print }: OperatorParts): void {
  if (allowlist === null || !('file' in allowlist)) {
    throw new CommandRejected('ALLOWLIST is not a file. Set it to the path of a file, which may be empty, to limit key issuance to the addresses in it.')
  }
  const { name, address } = command
  const { file } = allowlist
  const text = readFileSync(file, 'utf8')
  const listed = parseAddressList(text).addresses.includes(address)
  if (listed === (name === 'allow')) return print(`${address} is ${listed ? 'already' : 'not'} on the list.`)
  const terminated = text === '' || text.endsWith('\n') ? text : `${text}\n`
  const remaining = text.split('\n').filter((line) => !parseAddressList(line).addresses.includes(address)).join('\n')
  replaceFile(file, name === 'allow' ? `${terminated}${address}\n` : remaining)
  print(`${address} ${name === 'allow' ? 'may now be issued keys' : 'was removed. Its existing keys stay valid'}. Gateways reload the list within two seconds.`)
}

/** Atomically, so that no gateway reads a partial file. */
function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${process.pid}`
  try {
    writeFileSync(temporary, text)
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function formatKey({ keyId, owner, tier, label, createdAt, lastUsedAt, revokedAt }: ApiKey): string {
  const state = revokedAt === null ? `used ${formatTime(lastUsedAt)}` : `revoked ${formatTime(revokedAt)}`
  return [keyId, owner, tier.padEnd('market_maker'.length), `issued ${formatTime(createdAt)}`, state, ...(label === null ? [] : [label])].join('  ')
}

function formatTime(atMs: number | null): string {
  return atMs === null ? 'never' : new Date(atMs).toISOString()
}

const OPTIONS = { tier: { type: 'string' }, label: { type: 'string' }, force: { type: 'boolean' } } as const

function parseWords(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options: OPTIONS })
  } catch (cause) {
    throw usageError(cause instanceof Error ? cause.message : String(cause))
  }
}

function requireAccount(subject: string | undefined): string {
  if (subject !== undefined && isAccountAddress(subject)) return subject
  throw usageError(subject === undefined ? 'missing address' : `${subject} is not an account address (G…, 56 characters with a valid checksum)`)
}

function isLabel(label: string): boolean {
  return Array.from(label).length <= KEY_LABEL_MAX_LENGTH && !/[\p{Cc}\p{Cs}]/u.test(label)
}

function usageError(problem: string): CommandRejected {
  return new CommandRejected(`${problem}\n\nUsage:\n${USAGE.map((line) => `  ${line}`).join('\n')}`)
}
