// Runs one command line: parses it, prints help or runs the command, and returns the exit code.

import { createClient } from '../client.ts'
import type { Client, ClientOptions } from '../client.ts'
import type { Clock } from '../clock.ts'
import { displayText, escapeHidden } from '../display.ts'
import { secretSigner } from '../signer.ts'
import type { HashSigner } from '../signer.ts'
import { parseArguments } from './arguments.ts'
import type { ParsedArguments } from './arguments.ts'
import { flagText } from './command.ts'
import type { Context } from './command.ts'
import { COMMANDS } from './commands.ts'
import { fromUnits, toUnits } from './decimal.ts'
import { failureJson, describeFailure, failureText, OutputClosed } from './failures.ts'
import { commandHelp, groupHelp, overview, PROGRAM } from './help.ts'
import { createProgress } from './progress.ts'
import { findKey, findSecret } from './secrets.ts'
import { shortAddress } from './table.ts'
import { UsageError } from './usage-error.ts'

/** Parts of the process that a command line needs. */
export interface ProcessContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly isErrorTerminal: boolean
  writeOut(text: string): void
  writeError(text: string): void
  readInput(): Promise<string>
}

const DEFAULT_URL = 'http://127.0.0.1:8080'
const TIMEOUT_MAX_SEC = 600

/** Runs the words after the program's name. Resolves with the exit code. */
export async function run(words: readonly string[], processContext: ProcessContext): Promise<number> {
  const { signal, version } = processContext
  const { writeOut, writeError } = safeOutput(processContext)
  // Errors in the arguments are printed as JSON, too.
  const isJson = words.includes('--json')
  try {
    if (words.length === 1 && words[0] === '--version') {
      writeOut(`${PROGRAM} ${version}\n`)
      return 0
    }
    const parsed = parseArguments(words, COMMANDS)
    const help = helpFor(parsed)
    if (help !== null) {
      const isRequested = parsed.flags['help'] === true
      const write = isRequested ? writeOut : writeError
      write(help)
      return isRequested ? 0 : 2
    }
    await parsed.command?.run(createContext(parsed, processContext))
    return 0
  } catch (error) {
    // After an abort most errors are its consequence, so the abort's reason is reported.
    const cause: unknown = signal.aborted && !isConclusive(error) ? signal.reason : error
    if (cause instanceof OutputClosed) return 0
    const failure = describeFailure(cause)
    writeError(isJson ? failureJson(failure) : failureText(failure))
    return failure.exitCode
  }
}

/** Writes nothing that a terminal could interpret, whatever the gateway sent. */
function safeOutput({ writeOut, writeError }: ProcessContext): Pick<ProcessContext, 'writeOut' | 'writeError'> {
  return { writeOut: (text) => writeOut(escapeHidden(text)), writeError: (text) => writeError(escapeHidden(text)) }
}

/** True if an error says something about the command's outcome, even after an abort. */
function isConclusive(error: unknown): boolean {
  return describeFailure(error).exitCode > 3
}

function helpFor({ command, group, flags, rest }: ParsedArguments): string | null {
  if (group !== null) return groupHelp(group, COMMANDS)
  if (command === null) return overview(COMMANDS)
  return flags['help'] === true ? commandHelp(command, rest) : null
}

function createContext(parsed: ParsedArguments, processContext: ProcessContext): Context {
  const { flags } = parsed
  const { environment, clock, signal } = processContext
  const { writeOut, writeError } = safeOutput(processContext)
  const [isJson, isRaw, isWide] = [flags['json'] === true, flags['raw'] === true, flags['wide'] === true]
  const keyFile = flagText(parsed, 'key-file') ?? null
  const url = gatewayUrl(flagText(parsed, 'url') ?? environment['URL'])
  const options = { url, timeoutMs: timeoutOf(flagText(parsed, 'timeout')), clock }
  const progress = createProgress({ clock, isShown: processContext.isErrorTerminal && flags['quiet'] !== true, write: processContext.writeError })

  function open(credentials: Pick<ClientOptions, 'signer' | 'key' | 'log'>): Client {
    return createClient({ ...options, ...credentials })
  }

  function optionalKey(): Pick<ClientOptions, 'key'> {
    const key = findKey(environment, keyFile ?? undefined)
    return key === undefined ? {} : { key }
  }

  function requiredKey(): Pick<ClientOptions, 'key'> {
    const found = optionalKey()
    if (found.key === undefined) throw new UsageError('No API key configured.', 'Create one with `key new`, then set KEY, KEY_FILE or --key-file.')
    return found
  }

  async function loadSigner(): Promise<HashSigner> {
    const secret = findSecret(environment, flagText(parsed, 'secret-file'))
    if (secret === undefined) throw new UsageError('No secret key configured.', 'Set SECRET, SECRET_FILE or --secret-file.')
    return secretSigner(secret).catch((error: unknown) => {
      throw error instanceof TypeError ? new UsageError('Not a valid secret key (S…, 56 characters).') : error
    })
  }

  return {
    ...parsed, signal, progress, isJson, keyFile,
    client: (log = {}) => open({ ...optionalKey(), log }),
    clientWithKey: () => open(requiredKey()),
    signingClient: async (needsKey) => open({ signer: await loadSigner(), ...(needsKey ? requiredKey() : {}) }),
    show: (value, text) => writeOut(isJson ? `${JSON.stringify(value)}\n` : text),
    showLine: (value, text) => writeOut(isJson ? `${JSON.stringify(value)}\n` : `${text}\n`),
    note: (text) => writeError(isJson ? `${JSON.stringify({ note: text })}\n` : `${displayText(text)}\n`),
    parseUnits(text, what) {
      if (!isRaw) return toUnits(text, what)
      if (!/^\d{1,38}$/.test(text)) throw new UsageError(`${what}: ${JSON.stringify(text)} is not an integer, as --raw requires.`)
      return String(BigInt(text))
    },
    format: (units) => (units === null || units === undefined ? null : isRaw ? units : fromUnits(units)),
    formatAddress: (address) => (address === null || address === undefined ? null : isWide ? address : shortAddress(address)),
    readInput: () => processContext.readInput(),
  }
}

function gatewayUrl(configured: string | undefined): string {
  const text = configured === undefined || configured === '' ? DEFAULT_URL : configured
  const { protocol, username, password } = parseUrl(text)
  if (protocol !== 'http:' && protocol !== 'https:') throw new UsageError(`${text} is not a gateway address.`, 'It must begin with http:// or https://.')
  if (username !== '' || password !== '') throw new UsageError('The gateway\'s address must not contain a user name or password.')
  return text
}

function parseUrl(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw new UsageError(`${JSON.stringify(text)} is not a URL.`, `Write it like ${DEFAULT_URL} (--url, or URL in the environment).`)
  }
}

function timeoutOf(text: string | undefined): number {
  const seconds = text === undefined ? 10 : Number(text)
  if (!(seconds > 0 && seconds <= TIMEOUT_MAX_SEC)) throw new UsageError(`--timeout needs a number of seconds, at most ${TIMEOUT_MAX_SEC}.`)
  return seconds * 1000
}

