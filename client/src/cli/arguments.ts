// From the words of the command line to a command and what it was given.

import type { Command, Flag, ParsedInput } from './command.ts'
import { UsageError } from './usage-error.ts'

/** What every command takes. */
export const COMMON_FLAGS: readonly Flag[] = [
  { name: 'url', value: 'URL', help: 'the gateway\'s address; else the environment\'s URL, else http://127.0.0.1:8080' },
  { name: 'json', help: 'answer with JSON as the gateway gives it: one value, or one a line when it goes on' },
  { name: 'raw', help: 'amounts and prices as integers with 7 decimals, in what is typed and in what is shown' },
  { name: 'wide', help: 'whole addresses in tables' },
  { name: 'quiet', help: 'no progress' },
  { name: 'timeout', value: 'SECONDS', help: 'how long to wait for one answer; 10 by default' },
  { name: 'key-file', value: 'FILE', help: 'a file that holds the API key; else the environment\'s KEY, or the file of KEY_FILE' },
  { name: 'secret-file', value: 'FILE', help: 'a file that holds the account\'s secret (S…); else the environment\'s SECRET, or the file of SECRET_FILE' },
  { name: 'help', help: 'how the command is used' },
]

export interface Parsed extends ParsedInput {
  readonly command: Command | null
  /** The first words, where they name no command but the beginning of some. */
  readonly group: string | null
}

const SHORT: Readonly<Record<string, string>> = { '-h': '--help' }
/** Secrets have no place on the command line, where every user of the machine can read them. */
const FORBIDDEN = /^--(?:secret|key)(?:=|$)/
const SECRET = /S[A-Z2-7]{55}|nk_\w+:\w+/

/** Reads the words behind the program's name. Throws UsageError. */
export function parseArguments(words: readonly string[], commands: readonly Command[]): Parsed {
  for (const word of words) {
    if (FORBIDDEN.test(word) || SECRET.test(word)) {
      throw new UsageError(
        'A secret does not belong on the command line, where others can see it.',
        'Put it into the environment (SECRET, KEY) or into a file (--secret-file, --key-file). If it was a real one, take it for known now.',
      )
    }
  }
  const { names, rest } = splitNames(words)
  const command = [2, 1].map((count) => commands.find(({ name }) => name === names.slice(0, count).join(' '))).find((found) => found !== undefined) ?? null
  const isHelp = rest.includes('--help')
  if (command === null) {
    const [group = null] = names
    const isGroup = group !== null && commands.some(({ name }) => name.startsWith(`${group} `))
    if (group !== null && !isGroup) throw new UsageError(`There is no command ${JSON.stringify(group)}.`, 'See --help for all of them.')
    const two = names.slice(0, 2).join(' ')
    if (isGroup && names.length > 1 && !isHelp) throw new UsageError(`There is no command ${JSON.stringify(two)}.`, `See ${group} --help.`)
    return { command: null, group: isGroup ? group : null, args: {}, rest: [], flags: flagsOf(rest, COMMON_FLAGS).flags }
  }
  const { flags, values } = flagsOf(rest, [...COMMON_FLAGS, ...(command.flags ?? [])])
  const given = [...names.slice(command.name.split(' ').length), ...values]
  // Whoever asks for help need not know the arguments yet.
  if (flags['help'] === true) return { command, group: null, args: {}, rest: [], flags }
  return { command, group: null, flags, ...assign(command, given) }
}

/** The words before the second kind of word begins: names of commands come first, only options of all commands may stand among them. */
function splitNames(words: readonly string[]): { readonly names: readonly string[]; readonly rest: readonly string[] } {
  const names: string[] = []
  const rest: string[] = []
  let isValue = false
  let isOver = false
  for (const given of words) {
    const word = SHORT[given] ?? given
    if (isValue || isOver || word.startsWith('-')) {
      isOver ||= word === '--' && !isValue
      rest.push(word)
      isValue = !isValue && COMMON_FLAGS.some(({ name, value }) => value !== undefined && word === `--${name}`)
      // Behind an option of its own nothing names a command any more.
      isOver ||= !isValue && word.startsWith('--') && !COMMON_FLAGS.some(({ name }) => word === `--${name}` || word.startsWith(`--${name}=`))
    } else names.push(word)
  }
  return { names, rest }
}

function flagsOf(words: readonly string[], known: readonly Flag[]): { readonly flags: Record<string, string | true>; readonly values: readonly string[] } {
  const flags: Record<string, string | true> = {}
  const values: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') {
      values.push(...words.slice(at + 1))
      break
    }
    if (!word.startsWith('-')) {
      values.push(word)
      continue
    }
    const [name = '', ...behind] = word.replace(/^--?/, '').split('=')
    const flag = known.find((one) => one.name === name)
    if (flag === undefined) throw new UsageError(`There is no option --${name} here.`, 'See --help.')
    if (flags[name] !== undefined) throw new UsageError(`--${name} stands there twice.`)
    if (flag.value === undefined) {
      if (behind.length > 0) throw new UsageError(`--${name} takes no value.`)
      flags[name] = true
    } else {
      const value = behind.length > 0 ? behind.join('=') : words[++at]
      if (value === undefined || value === '') throw new UsageError(`--${name} needs a value: --${name} ${flag.value}`)
      flags[name] = value
    }
  }
  return { flags, values }
}

function assign(command: Command, given: readonly string[]): Pick<ParsedInput, 'args' | 'rest'> {
  const { arguments: wanted = [] } = command
  const words: Record<string, string> = {}
  let others: readonly string[] = []
  let at = 0
  for (const { name, isOptional = false, isMany = false } of wanted) {
    const left = given.slice(at)
    if (left.length === 0 && !isOptional) throw new UsageError(`${command.name} needs ${name}.`, `See ${command.name} --help.`)
    if (isMany) others = left
    else if (left[0] !== undefined) words[name] = left[0]
    at += isMany ? left.length : 1
  }
  const [surplus] = given.slice(at)
  if (surplus !== undefined) throw new UsageError(`${command.name} takes no ${JSON.stringify(surplus)}.`, `See ${command.name} --help.`)
  return { args: words, rest: others }
}
