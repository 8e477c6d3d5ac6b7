// What an operator does with keys from a console: `npm run keys -- …`. The specification has no way to these over HTTP.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parseAddressList } from '../base/address-list.ts'
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import { isAccountAddress } from '../base/strkey.ts'
import { KEY_LABEL_MAX_LENGTH, KEY_TIERS } from '../limits.ts'
import type { ApiKey, KeyTier } from '../resources/api-key.ts'
import { FolderInUse } from '../store/embedded/lock-file.ts'
import type { Store } from '../store/store.ts'
import type { AllowlistSource } from './allowlist.ts'
import { issueKey } from './keys.ts'
import { listKeys, revokeKey } from './records.ts'

const USAGE = [
  'npm run keys -- issue <address> [--tier standard|market_maker] [--label <text>]',
  'npm run keys -- list [<address>]',
  'npm run keys -- revoke <keyId>',
  'npm run keys -- allow <address>      (needs ALLOWLIST to be a file)',
  'npm run keys -- disallow <address>   (needs ALLOWLIST to be a file)',
]

/** A list on a console ends here. */
const LIST_MAX = 1_000

/** Raised for a command that cannot be carried out; its message is for the operator. */
export class CommandRejected extends Error {
  override readonly name = 'CommandRefused'
}

export type KeysCommand =
  | { readonly name: 'issue'; readonly address: string; readonly tier: KeyTier; readonly label: string | null }
  | { readonly name: 'list'; readonly address: string | null }
  | { readonly name: 'revoke'; readonly keyId: string }
  | { readonly name: 'allow' | 'disallow'; readonly address: string }

/** Reads the words behind `keys`. Raises CommandRefused with the usage. */
export function parseKeysCommand(words: readonly string[]): KeysCommand {
  const { positionals: [name, subject, ...more], values } = parseWords(words)
  const { tier = KEY_TIERS[0], label = null } = values
  if (name !== 'issue' && Object.keys(values).length > 0) throw usageError('--tier and --label belong to issue')
  if (more.length > 0) throw usageError(`what is ${more.join(' ')}?`)
  switch (name) {
    case 'issue': {
      const known = KEY_TIERS.find((one) => one === tier)
      if (known === undefined) throw usageError(`the tier is one of ${KEY_TIERS.join(', ')}`)
      if (label !== null && !isLabel(label)) throw usageError(`a label has at most ${KEY_LABEL_MAX_LENGTH} characters and no control characters`)
      return { name, address: requireAccount(subject), tier: known, label }
    }
    case 'list':
      return { name, address: subject === undefined ? null : requireAccount(subject) }
    case 'revoke':
      if (subject === undefined) throw usageError('revoke takes the id of a key')
      return { name, keyId: subject }
    case 'allow':
    case 'disallow':
      return { name, address: requireAccount(subject) }
    default:
      throw usageError(name === undefined ? 'what is to be done?' : `there is no ${name}`)
  }
}

export interface OperatorParts {
  /** Opened only by the commands that need it. */
  readonly openStore: () => Promise<Store>
  readonly allowlist: AllowlistSource | null
  readonly clock: Clock
  readonly random: Random
  readonly print: (text: string) => void
}

/** Carries a command out and says what was done. Raises CommandRefused, and the store's errors. */
export async function runKeysCommand(command: KeysCommand, parts: OperatorParts): Promise<void> {
  const { print, clock, random } = parts
  if (command.name === 'allow' || command.name === 'disallow') return editAllowlist(command, parts)
  await using store = await openStore(parts)
  switch (command.name) {
    case 'issue': {
      const { address: owner, tier, label } = command
      const { keyId, secret } = await issueKey(store.write, { owner, tier, label, clock, random })
      print(`Issued a ${tier} key to ${owner}. The secret is shown this once:\n\n  ${keyId}:${secret}\n`)
      return
    }
    case 'list': {
      const keys = await listKeys(store.write, command.address, LIST_MAX)
      print(keys.length === 0 ? 'No keys.' : keys.map(formatKey).join('\n'))
      if (keys.length === LIST_MAX) print(`These are the newest ${LIST_MAX}; name an address to see all of its keys.`)
      return
    }
    case 'revoke': {
      const done = await revokeKey(store.write, { keyId: command.keyId, owner: null, revokedAtMs: clock.nowMs() })
      if (!done) throw new CommandRejected(`there is no active key ${command.keyId}`)
      print(`Revoked ${command.keyId}; every gateway on this database refuses it from now on.`)
    }
  }
}

async function openStore(parts: OperatorParts): Promise<Store> {
  try {
    return await parts.openStore()
  } catch (cause) {
    if (!(cause instanceof FolderInUse)) throw cause
    const advice = 'Stop the gateway, run this command and start it again; or give both a PostgreSQL server (DATABASE_URL), which serves them side by side.'
    throw new CommandRejected(`The embedded database serves one process at a time. ${advice}\n(${cause.message})`, { cause })
  }
}

/** Adds or removes one line; running gateways read the file again by themselves. Comments and order stay as they are. */
function editAllowlist(command: { readonly name: 'allow' | 'disallow'; readonly address: string }, { allowlist, print }: OperatorParts): void {
  if (allowlist === null || !('file' in allowlist)) {
    throw new CommandRejected('ALLOWLIST does not name a file: set it to the path of one, which may be empty, and the gate is on and can be edited')
  }
  const { name, address } = command
  const { file } = allowlist
  const text = readFileSync(file, 'utf8')
  const listed = parseAddressList(text).addresses.includes(address)
  if (listed === (name === 'allow')) return print(`${address} is ${listed ? 'on the list already' : 'not on the list'}.`)
  const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`
  const kept = text.split('\n').filter((line) => !parseAddressList(line).addresses.includes(address)).join('\n')
  replaceFile(file, name === 'allow' ? `${ended}${address}\n` : kept)
  print(`${address} ${name === 'allow' ? 'may be issued keys' : 'is off the list; keys that it has stay valid'}. Gateways take it up within a second or two.`)
}

/** In one step, so that nobody reads half of it. */
function replaceFile(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}`
  try {
    writeFileSync(unfinished, text)
    renameSync(unfinished, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

function formatKey({ keyId, owner, tier, label, createdAt, lastUsedAt, revokedAt }: ApiKey): string {
  const state = revokedAt === null ? `used ${formatTime(lastUsedAt)}` : `revoked ${formatTime(revokedAt)}`
  return [keyId, owner, tier.padEnd('market_maker'.length), `issued ${formatTime(createdAt)}`, state, ...(label === null ? [] : [label])].join('  ')
}

function formatTime(atMs: number | null): string {
  return atMs === null ? 'never' : new Date(atMs).toISOString()
}

function parseWords(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options: { tier: { type: 'string' }, label: { type: 'string' } } })
  } catch (cause) {
    throw usageError(cause instanceof Error ? cause.message : String(cause))
  }
}

function requireAccount(subject: string | undefined): string {
  if (subject !== undefined && isAccountAddress(subject)) return subject
  throw usageError(subject === undefined ? 'an address is missing' : `${subject} is not an account address: G and 55 more characters, checksum included`)
}

function isLabel(label: string): boolean {
  return Array.from(label).length <= KEY_LABEL_MAX_LENGTH && !/[\p{Cc}\p{Cs}]/u.test(label)
}

function usageError(problem: string): CommandRejected {
  return new CommandRejected(`${problem}\n\nUsage:\n${USAGE.map((line) => `  ${line}`).join('\n')}`)
}
