// A command: its description, from which the help is written and the arguments are parsed, and its function.

import type { Client } from '../client.ts'
import type { LogTrust } from '../verify-types.ts'
import type { Progress } from './progress.ts'

/** An option, `--name` or `--name VALUE`. */
export interface Flag {
  readonly name: string
  /** The name of its value in the help; a flag without one is a switch. */
  readonly value?: string
  readonly help: string
}

/** A positional argument. */
export interface Argument {
  readonly name: string
  readonly help: string
  readonly isOptional?: boolean
  /** Takes all remaining words. Only the last argument can. */
  readonly isMany?: boolean
}

export interface Command {
  /** One or two words. */
  readonly name: string
  readonly summary: string
  /** More lines for the help. */
  readonly details?: readonly string[]
  /** Lines that replace `details` in the help, for the words after the command's name; null without any. */
  readonly detailsFor?: (words: readonly string[]) => readonly string[] | null
  readonly arguments?: readonly Argument[]
  readonly flags?: readonly Flag[]
  readonly examples?: readonly string[]
  run(context: Context): Promise<void>
}

/** The parsed arguments and options, by their names in the description. */
export interface ParsedInput {
  readonly args: Readonly<Record<string, string>>
  /** The words of the last argument, when it takes many. */
  readonly rest: readonly string[]
  readonly flags: Readonly<Record<string, string | true>>
}

/** The input, clients and output of a command. */
export interface Context extends ParsedInput {
  /** Aborts on Ctrl-C, and when the output is closed. */
  readonly signal: AbortSignal
  readonly progress: Progress
  /** A client, with the caller's API key if one is configured. `log`: what its verification trusts. */
  client(log?: LogTrust): Client
  /** A client with an API key. Throws UsageError without one. */
  clientWithKey(): Client
  /** A client that can sign; with `needsKey` it also has an API key. */
  signingClient(needsKey: boolean): Promise<Client>
  /** Prints the result: `value` as JSON with --json, else `text`. */
  show(value: unknown, text: string): void
  /** Prints one line of a stream of results. */
  showLine(value: unknown, text: string): void
  /** Prints a remark on the error output. */
  note(text: string): void
  readonly isJson: boolean
  /** Converts a typed amount or price to 7-decimal integer units. `what` names it in errors. */
  parseUnits(text: string, what: string): string
  /** Formats units for output. */
  format(units: string | null | undefined): string | null
  /** Formats an address for tables. */
  formatAddress(address: string | null | undefined): string | null
  /** Reads the standard input to its end. */
  readInput(): Promise<string>
  /** The file of --key-file; null without the option. */
  readonly keyFile: string | null
}

/** The value of a flag; undefined when it was not given. */
export function flagText(input: ParsedInput, name: string): string | undefined {
  const value = input.flags[name]
  return typeof value === 'string' ? value : undefined
}
