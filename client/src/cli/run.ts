// One call of the command line: arguments, help, the command, and what it ends with.

import { createClient } from '../client.ts'
import type { Client, ClientOptions } from '../client.ts'
import type { Clock } from '../clock.ts'
import { secretSigner } from '../signer.ts'
import type { HashSigner } from '../signer.ts'
import { parseArguments } from './arguments.ts'
import type { Parsed } from './arguments.ts'
import { flagText } from './command.ts'
import type { Context } from './command.ts'
import { COMMANDS } from './commands.ts'
import { fromUnits, toUnits } from './decimal.ts'
import { failureJson, describeFailure, failureText, OutputClosed } from './failures.ts'
import { commandHelp, groupHelp, overview, PROGRAM } from './help.ts'
import { createProgress } from './progress.ts'
import { findKey, findSecret } from './secrets.ts'
import { plain, shortAddress } from './table.ts'
import { UsageError } from './usage-error.ts'

/** What the process lends to a call. */
export interface ProcessContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly clock: Clock
  readonly WebSocket: NonNullable<ClientOptions['WebSocket']>
  readonly signal: AbortSignal
  readonly isErrorTerminal: boolean
  writeOut(text: string): void
  writeError(text: string): void
  readInput(): Promise<string>
}

const DEFAULT_URL = 'http://127.0.0.1:8080'
const TIMEOUT_MAX_SEC = 600

/** Does what `words`, those behind the program's name, ask for. Resolves with the exit code. */
export async function run(words: readonly string[], surroundings: ProcessContext): Promise<number> {
  const { writeOut, writeError, signal, version } = surroundings
  // Whether a failure is told as JSON must be known before the arguments are.
  const isJson = words.includes('--json')
  try {
    if (words.length === 1 && words[0] === '--version') {
      writeOut(`${PROGRAM} ${version}\n`)
      return 0
    }
    const parsed = parseArguments(words, COMMANDS)
    const help = helpFor(parsed)
    if (help !== null) {
      const isAsked = parsed.flags['help'] === true
      const write = isAsked ? writeOut : writeError
      write(help)
      return isAsked ? 0 : 2
    }
    await parsed.command?.run(contextOf(parsed, surroundings))
    return 0
  } catch (error) {
    // What a signal's end causes on its way up is told as what it is.
    const cause: unknown = signal.aborted && !isFinal(error) ? signal.reason : error
    if (cause instanceof OutputClosed) return 0
    const failure = describeFailure(cause)
    writeError(isJson ? failureJson(failure) : failureText(failure))
    return failure.exitCode
  }
}

/** Whether an error says more than that somebody has ended the call. */
function isFinal(error: unknown): boolean {
  return describeFailure(error).exitCode > 3
}

function helpFor({ command, group, flags }: Parsed): string | null {
  if (group !== null) return groupHelp(group, COMMANDS)
  if (command === null) return overview(COMMANDS)
  return flags['help'] === true ? commandHelp(command) : null
}

function contextOf(parsed: Parsed, surroundings: ProcessContext): Context {
  const { flags } = parsed
  const { environment, clock, writeOut, writeError, signal } = surroundings
  const [isJson, isRaw, isWide] = [flags['json'] === true, flags['raw'] === true, flags['wide'] === true]
  const keyFile = flagText(parsed, 'key-file') ?? null
  const url = addressOf(flagText(parsed, 'url') ?? environment['URL'])
  const options = { url, timeoutMs: timeoutOf(flagText(parsed, 'timeout')), clock, WebSocket: surroundings.WebSocket }
  const progress = createProgress({ clock, isShown: surroundings.isErrorTerminal && flags['quiet'] !== true, write: writeError })

  function client(more: Pick<ClientOptions, 'signer' | 'key'> = {}): Client {
    return createClient({ ...options, ...more })
  }

  function key(): { readonly key: NonNullable<ReturnType<typeof findKey>> } | Record<string, never> {
    const found = findKey(environment, keyFile ?? undefined)
    return found === undefined ? {} : { key: found }
  }

  function neededKey(): { readonly key: NonNullable<ReturnType<typeof findKey>> } {
    const found = findKey(environment, keyFile ?? undefined)
    if (found === undefined) throw new UsageError('There is no API key.', 'Get one with `key new`, and give it by KEY, KEY_FILE or --key-file.')
    return { key: found }
  }

  async function signer(): Promise<HashSigner> {
    const secret = findSecret(environment, flagText(parsed, 'secret-file'))
    if (secret === undefined) throw new UsageError('There is no secret to sign with.', 'Give it by SECRET, SECRET_FILE or --secret-file.')
    return secretSigner(secret).catch((error: unknown) => {
      throw error instanceof TypeError ? new UsageError('The secret is none: it begins with S and has 56 characters.') : error
    })
  }

  const human = (units: string): string => (isRaw ? units : fromUnits(units))
  return {
    ...parsed, signal, progress, isJson, keyFile,
    client: () => client(key()),
    clientWithKey: () => client(neededKey()),
    signingClient: async (needsKey) => client({ signer: await signer(), ...(needsKey ? neededKey() : {}) }),
    show: (value, text) => writeOut(isJson ? `${JSON.stringify(value)}\n` : text),
    showLine: (value, text) => writeOut(isJson ? `${JSON.stringify(value)}\n` : `${text}\n`),
    note: (text) => writeError(isJson ? `${JSON.stringify({ note: text })}\n` : `${plain(text)}\n`),
    parseUnits(text, what) {
      if (!isRaw) return toUnits(text, what)
      if (!/^\d{1,38}$/.test(text)) throw new UsageError(`${what}: ${JSON.stringify(text)} is no integer, which --raw asks for.`)
      return String(BigInt(text))
    },
    format: (units) => (units === null || units === undefined ? null : human(units)),
    formatAddress: (address) => (address === null || address === undefined ? null : isWide ? address : shortAddress(address)),
    readInput: () => surroundings.readInput(),
  }
}

function addressOf(given: string | undefined): string {
  const text = given === undefined || given === '' ? DEFAULT_URL : given
  const { protocol, username, password } = parseUrl(text)
  if (protocol !== 'http:' && protocol !== 'https:') throw new UsageError(`${text} is no address of a gateway.`, 'It begins with http:// or https://.')
  if (username !== '' || password !== '') throw new UsageError('The gateway\'s address holds a password, which has no place there.')
  return text
}

function parseUrl(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw new UsageError(`${JSON.stringify(text)} is no address.`, `Write it like ${DEFAULT_URL} (--url, or URL in the environment).`)
  }
}

function timeoutOf(text: string | undefined): number {
  const seconds = text === undefined ? 10 : Number(text)
  if (!(seconds > 0 && seconds <= TIMEOUT_MAX_SEC)) throw new UsageError(`--timeout: ${text ?? ''} is no number of seconds up to ${TIMEOUT_MAX_SEC}.`)
  return seconds * 1000
}

