// Help texts, written from the descriptions of the commands.

import { COMMON_FLAGS } from './arguments.ts'
import type { Argument, Command, Flag } from './command.ts'
import { EXIT_CODES } from './failures.ts'

export const PROGRAM = 'perpetual-exchange-client'

const UNITS = `Amounts are in USDC and prices in US dollars, both as decimals: 100, 0.25, 92370.1797515. --raw reads and prints them as the exchange stores
them, as 7-decimal integers (100 USDC is 1000000000). JSON output always uses these integers. Shares are written as 1% or 100bps.`

const SECRETS = `SECRET is the account's secret key (S…), KEY an API key (nk_…:…). Set them in the environment or in files that only their owner can read, never
on the command line. They are not printed, except a new key, once.`

export function overview(commands: readonly Command[]): string {
  const usage = `Usage: ${PROGRAM} COMMAND [ARGUMENTS] [OPTIONS]\n       ${PROGRAM} COMMAND --help\n`
  return [usage, `Commands:\n${rows(commands.map(({ name, summary }) => [name, summary]))}`, options('Common options', COMMON_FLAGS), UNITS, SECRETS,
    `Exit codes:\n${rows(Object.entries(EXIT_CODES))}`].map((part) => part.trimEnd()).join('\n\n') + '\n'
}

/** Help for a group: the commands that begin with the same word. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  return `Usage: ${PROGRAM} ${group} …\n\n${rows(commands.filter(({ name }) => name.startsWith(`${group} `)).map(({ name, summary }) => [name, summary]))}`
}

/** `words` follow the command's name. */
export function commandHelp(command: Command, words: readonly string[]): string {
  const { name, summary, arguments: wanted = [], flags = [], examples = [] } = command
  return [
    `Usage: ${[PROGRAM, name, ...wanted.map(argumentText), '[OPTIONS]'].join(' ')}`,
    summary,
    (command.detailsFor?.(words) ?? command.details ?? []).join('\n'),
    wanted.length === 0 ? '' : `Arguments:\n${rows(wanted.map((argument) => [argument.name, argument.help]))}`,
    flags.length === 0 ? '' : options('Options', flags),
    options('Common options', COMMON_FLAGS),
    examples.length === 0 ? '' : `Examples:\n${examples.map((example) => `  ${PROGRAM} ${example}\n`).join('')}`,
  ].map((part) => part.trimEnd()).filter((part) => part !== '').join('\n\n') + '\n'
}

function argumentText({ name, isOptional = false, isMany = false }: Argument): string {
  const word = isMany ? `${name}…` : name
  return isOptional ? `[${word}]` : word
}

type Row = readonly [left: string, right: string]

function options(title: string, flags: readonly Flag[]): string {
  return `${title}:\n${rows(flags.map(({ name, value, help }): Row => [`--${name}${value === undefined ? '' : ` ${value}`}`, help]))}`
}

function rows(lines: readonly Row[]): string {
  const width = Math.max(...lines.map(([left]) => left.length))
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('')
}
