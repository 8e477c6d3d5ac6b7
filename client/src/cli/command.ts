// What a command of the command line is: a description that the help is written from and the arguments are read by, and what it does.

import type { Client } from '../client.ts'
import type { Progress } from './progress.ts'

/** An option, `--name` or `--name VALUE`. */
export interface Flag {
  readonly name: string
  /** What stands behind it; without one it is a switch. */
  readonly value?: string
  readonly help: string
}

/** A word that stands by its place. */
export interface Argument {
  readonly name: string
  readonly help: string
  readonly isOptional?: boolean
  /** Takes all words from here on. */
  readonly isMany?: boolean
}

export interface Command {
  /** One or two words. */
  readonly name: string
  readonly summary: string
  /** More about it, lines of text. */
  readonly details?: readonly string[]
  readonly arguments?: readonly Argument[]
  readonly flags?: readonly Flag[]
  readonly examples?: readonly string[]
  run(context: Context): Promise<void>
}

/** What a command was called with, by the names of its description. */
export interface ParsedInput {
  readonly args: Readonly<Record<string, string>>
  /** What the last argument took, when it takes many. */
  readonly rest: readonly string[]
  readonly flags: Readonly<Record<string, string | true>>
}

/** What a command has to do with. */
export interface Context extends ParsedInput {
  /** Ends when the caller presses Ctrl-C, or nobody reads any more. */
  readonly signal: AbortSignal
  readonly progress: Progress
  /** A client that may read; with the caller's key, if there is one. */
  client(): Client
  /** The same with a key, which has to be there. */
  clientWithKey(): Client
  /** A client that can sign; `needsKey`: it has a key as well. */
  signingClient(needsKey: boolean): Promise<Client>
  /** The answer: `value` as JSON for scripts, `text` for people. */
  show(value: unknown, text: string): void
  /** One of many answers. */
  showLine(value: unknown, text: string): void
  /** Something beside the answer; on the error output. */
  note(text: string): void
  readonly isJson: boolean
  /** An amount or price that was typed, as the exchange counts. */
  parseUnits(text: string, what: string): string
  /** An amount or price of the exchange, as it is shown. */
  format(units: string | null | undefined): string | null
  /** An address as tables show it. */
  formatAddress(address: string | null | undefined): string | null
  /** Everything on the standard input. */
  readInput(): Promise<string>
  /** Where a new key goes; null when the caller wants it on the standard output. */
  readonly keyFile: string | null
}

/** A flag's text; undefined when it was not given. */
export function flagText(given: ParsedInput, name: string): string | undefined {
  const value = given.flags[name]
  return typeof value === 'string' ? value : undefined
}
