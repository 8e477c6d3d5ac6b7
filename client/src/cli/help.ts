// The help, written from the descriptions of the commands.

import { COMMON_FLAGS } from './arguments.ts'
import type { Argument, Command, Flag } from './command.ts'
import { EXIT_CODES } from './failures.ts'

export const PROGRAM = 'perpetual-exchange-client'

const UNITS = `Amounts are USDC and prices are US dollars, both as decimals: 100, 0.25, 92370.1797515. The exchange counts them as integers with 7 decimals
(100 USDC is 1000000000); with --raw they are typed and shown like that, and JSON always has them so. Shares are written as 1% or 100bps.`

const SECRETS = `SECRET is the account's secret key (S…), KEY an API key (nk_…:…): from the environment, or from a file that only its owner may read.
Neither is taken from the command line, and neither is ever printed, but a new key once.`

export function overview(commands: readonly Command[]): string {
  const usage = `Usage: ${PROGRAM} COMMAND [ARGUMENTS] [OPTIONS]\n       ${PROGRAM} COMMAND --help\n`
  const codes = Object.entries(EXIT_CODES).map(([code, meaning]): Row => [code, meaning])
  return [usage, `Commands:\n${rows(commands.map(({ name, summary }) => [name, summary]))}`, options('Options of every command', COMMON_FLAGS), UNITS, SECRETS,
    `Exit codes:\n${rows(codes)}`].map((part) => part.trimEnd()).join('\n\n') + '\n'
}

/** The commands that begin with the same word. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  return `Usage: ${PROGRAM} ${group} …\n\n${rows(commands.filter(({ name }) => name.startsWith(`${group} `)).map(({ name, summary }) => [name, summary]))}`
}

export function commandHelp(command: Command): string {
  const { name, summary, details = [], arguments: wanted = [], flags = [], examples = [] } = command
  return [
    `Usage: ${[PROGRAM, name, ...wanted.map(written), '[OPTIONS]'].join(' ')}`,
    summary,
    details.join('\n'),
    wanted.length === 0 ? '' : `Arguments:\n${rows(wanted.map((argument) => [argument.name, argument.help]))}`,
    flags.length === 0 ? '' : options('Options', flags),
    options('Options of every command', COMMON_FLAGS),
    examples.length === 0 ? '' : `Examples:\n${examples.map((example) => `  ${PROGRAM} ${example}\n`).join('')}`,
  ].map((part) => part.trimEnd()).filter((part) => part !== '').join('\n\n') + '\n'
}

function written({ name, isOptional = false, isMany = false }: Argument): string {
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
