// Parses the command line into a command, its arguments and its options. node:util's parseArgs splits the words; this file checks them against the command.

import { parseArgs } from 'node:util'
import type { Command, Flag, ParsedInput } from './command.ts'
import { UsageError } from './usage-error.ts'

/** The options of every command. */
export const COMMON_FLAGS: readonly Flag[] = [
  { name: 'url', value: 'URL', help: 'the gateway\'s address; by default URL in the environment, else http://127.0.0.1:8080' },
  { name: 'json', help: 'print JSON as the gateway returns it: one value, or one per line for streams' },
  { name: 'raw', help: 'read and print amounts and prices as 7-decimal integers' },
  { name: 'wide', help: 'print full addresses in tables' },
  { name: 'quiet', help: 'do not show progress' },
  { name: 'timeout', value: 'SECONDS', help: 'how long to wait for one response; 10 by default' },
  { name: 'key-file', value: 'FILE', help: 'file with the API key; by default KEY in the environment, else the file named by KEY_FILE' },
  { name: 'secret-file', value: 'FILE', help: 'file with the account\'s secret key; by default SECRET in the environment, else the file named by SECRET_FILE' },
  { name: 'help', help: 'show help for the command' },
]

export interface ParsedArguments extends ParsedInput {
  readonly command: Command | null
  /** The first word, when it begins several commands and names none. */
  readonly group: string | null
}

/** Other users of the machine can read the command line, so secrets must not be there. */
const SECRET_OPTION = /^--(?:secret|key)(?:=|$)/
const SECRET_VALUE = /S[A-Z2-7]{55}|nk_\w+:\w+/

/** Parses the words after the program's name. Throws UsageError. */
export function parseArguments(words: readonly string[], commands: readonly Command[]): ParsedArguments {
  if (words.some((word) => SECRET_OPTION.test(word) || SECRET_VALUE.test(word))) {
    throw new UsageError(
      'Do not put a secret on the command line, where other users can see it.',
      'Use the environment (SECRET, KEY) or a file (--secret-file, --key-file). If the secret was real, treat it as compromised.',
    )
  }
  const { positionals, tokens } = tokenize(words, commands)
  const isHelp = tokens.some(({ name }) => name === 'help')
  const command = findCommand(positionals, commands)
  if (command === null) {
    const group = findGroup(positionals, commands, isHelp)
    return { command: null, group, args: {}, rest: [], flags: readFlags(tokens, COMMON_FLAGS, null) }
  }
  const flags = readFlags(tokens, [...COMMON_FLAGS, ...(command.flags ?? [])], command)
  // Help must work without the command's arguments.
  const given = positionals.slice(command.name.split(' ').length)
  if (isHelp) return { command, group: null, args: {}, rest: given, flags }
  return { command, group: null, flags, ...readArguments(command, given) }
}

interface OptionToken {
  readonly name: string
  /** As it was typed, like `--url` or `-h`. */
  readonly rawName: string
  readonly value: string | undefined
  /** True if the value was attached: `--name=value`. */
  readonly isInline: boolean
}

interface Words {
  readonly positionals: readonly string[]
  readonly tokens: readonly OptionToken[]
}

function tokenize(words: readonly string[], commands: readonly Command[]): Words {
  // An option's name means the same in every command that has it, so the command need not be known yet.
  const flags = [...COMMON_FLAGS, ...commands.flatMap((command) => command.flags ?? [])]
  const options = Object.fromEntries(flags.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' as const : 'string' as const }]))
  const parsed = parseArgs({
    args: [...words], options: { ...options, help: { type: 'boolean', short: 'h' } }, allowPositionals: true, strict: false, tokens: true,
  })
  const tokens = parsed.tokens.flatMap((token) =>
    token.kind === 'option' ? [{ name: token.name, rawName: token.rawName, value: token.value, isInline: token.inlineValue === true }] : [])
  return { positionals: parsed.positionals, tokens }
}

/** The command that the first two words or the first word name. */
function findCommand(positionals: readonly string[], commands: readonly Command[]): Command | null {
  const named = (count: number): Command | undefined => commands.find(({ name }) => name === positionals.slice(0, count).join(' '))
  return named(2) ?? named(1) ?? null
}

function findGroup(positionals: readonly string[], commands: readonly Command[], isHelp: boolean): string | null {
  const [group, ...others] = positionals
  if (group === undefined) return null
  const isGroup = commands.some(({ name }) => name.startsWith(`${group} `))
  if (!isGroup) throw new UsageError(`Unknown command ${JSON.stringify(group)}.`, 'Run --help to list the commands.')
  const [subcommand] = others
  if (subcommand !== undefined && !isHelp) {
    throw new UsageError(`Unknown command ${JSON.stringify(`${group} ${subcommand}`)}.`, `Run ${group} --help to list its commands.`)
  }
  return group
}

function readFlags(tokens: readonly OptionToken[], known: readonly Flag[], command: Command | null): Record<string, string | true> {
  const flags: Record<string, string | true> = {}
  for (const { name, rawName, value, isInline } of tokens) {
    const flag = known.find((one) => one.name === name)
    if (flag === undefined) throw new UsageError(`Unknown option ${rawName}.`, `Run ${command === null ? '' : `${command.name} `}--help to list the options.`)
    if (flags[name] !== undefined) throw new UsageError(`--${name} was given twice.`)
    if (flag.value === undefined) {
      if (isInline) throw new UsageError(`--${name} takes no value.`)
      flags[name] = true
    } else {
      const isMissing = value === undefined || value === '' || (!isInline && value.startsWith('--'))
      if (isMissing) throw new UsageError(`--${name} needs a value: --${name} ${flag.value}`)
      flags[name] = value
    }
  }
  return flags
}

function readArguments(command: Command, given: readonly string[]): Pick<ParsedInput, 'args' | 'rest'> {
  const { name, arguments: expected = [] } = command
  const hint = `Run ${name} --help for its arguments.`
  const missing = expected.find(({ isOptional = false }, index) => !isOptional && given[index] === undefined)
  if (missing !== undefined) throw new UsageError(`${name} needs ${missing.name}.`, hint)
  const isVariadic = expected.at(-1)?.isMany === true
  const single = isVariadic ? expected.slice(0, -1) : expected
  const rest = given.slice(single.length)
  if (!isVariadic && rest[0] !== undefined) throw new UsageError(`Unexpected argument ${JSON.stringify(rest[0])}.`, hint)
  const args = Object.fromEntries(single.flatMap((argument, index) => (given[index] === undefined ? [] : [[argument.name, given[index]] as const])))
  return { args, rest }
}
