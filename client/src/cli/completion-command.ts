// Completion for bash and zsh. The shells' scripts ask the program itself, which needs no gateway for it.

import { OPERATIONS } from '../calls.ts'
import { OPERATION_FIELDS } from '../generated/operation-fields.ts'
import { COMMON_FLAGS } from './arguments.ts'
import type { Command, Context } from './command.ts'
import { PROGRAM } from './help.ts'
import { INTERVALS } from './history-commands.ts'
import { READABLE } from './other-commands.ts'
import { UsageError } from './usage-error.ts'

/** The assets of the exchange. Others can be typed, too. */
export const ASSETS = ['BTC', 'ETH', 'XLM', 'SOL', 'XRP', 'ADA', 'BNB', 'TRX', 'HYPE', 'DOGE', 'ZEC', 'LINK', 'BCH', 'LTC'] as const

const FUNCTION = `_${PROGRAM.replaceAll('-', '_')}`
const SCRIPTS: Readonly<Record<string, string>> = {
  // bash splits words at = and : as well. What has no space before it continues a word, and bash replaces only the part after the last of the two.
  bash: `${FUNCTION}() {
  local IFS=$'\\n' line=\${COMP_LINE:0:COMP_POINT} part words=() i last=-1
  for ((i = 0; i <= COMP_CWORD; i++)); do
    part=\${COMP_WORDS[i]}
    if ((i > 0)) && [[ $line != [[:space:]]* ]]; then words[last]+=$part; else words[++last]=$part; fi
    line=\${line#"\${line%%[![:space:]]*}"}
    line=\${line#"$part"}
  done
  local typed=\${words[last]}
  local kept=\${typed%"\${typed##*[=:]}"}
  COMPREPLY=($(${PROGRAM} completion words -- "\${words[@]:1}" 2>/dev/null))
  COMPREPLY=("\${COMPREPLY[@]#"$kept"}")
  [[ \${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null || true
}
complete -o default -F ${FUNCTION} ${PROGRAM}
`,
  zsh: `#compdef ${PROGRAM}
${FUNCTION}() {
  local -a found fields
  found=(\${(f)"$(${PROGRAM} completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  fields=(\${(M)found:#*=})
  found=(\${found:#*=})
  (( $#fields )) && compadd -S '' -- $fields
  (( $#found )) && compadd -- $found
  (( $#fields + $#found )) || _files
}
compdef ${FUNCTION} ${PROGRAM}
`,
}

/** Values of options and arguments, by the names in their descriptions. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  ASSET: ASSETS, SIDE: ['long', 'short'], WHEN: ['above', 'below'], WIDTH: INTERVALS, OPERATION: OPERATIONS, ENDPOINT: READABLE,
  SHELL: Object.keys(SCRIPTS), ORDER: ['pnl', 'volume'],
  CHANNEL: [
    ...ASSETS, 'events', 'heartbeat', 'account', 'account.orders', 'corrections',
    ...ASSETS.flatMap((asset) => [`trades.${asset}`, `prices.${asset}`, `ticker.${asset}`]),
  ],
}

/** Returns the possible completions of the last word; empty for anything that is not known here, like a file. */
export function completionsOf(words: readonly string[], commands: readonly Command[]): readonly string[] {
  const typed = words.at(-1) ?? ''
  const earlier = words.slice(0, -1)
  const flags = [...COMMON_FLAGS, ...commands.flatMap((command) => command.flags ?? [])]
  const takesValue = (word: string | undefined): boolean => flags.some(({ name, value }) => value !== undefined && word === `--${name}`)
  const valuesOfFlag = (flag: string | undefined): readonly string[] => VALUES[flags.find(({ name }) => flag === `--${name}`)?.value ?? ''] ?? []
  const [, flag, value = ''] = /^(--[\w-]+)=(.*)$/.exec(typed) ?? []
  if (flag !== undefined) return startingWith(value, valuesOfFlag(flag)).map((one) => `${flag}=${one}`)
  const last = earlier.at(-1)
  if (takesValue(last)) return startingWith(typed, valuesOfFlag(last))
  const positionals = earlier.filter((word, index) => !word.startsWith('-') && !takesValue(earlier[index - 1]))
  const command = [2, 1].map((count) => commands.find(({ name }) => name === positionals.slice(0, count).join(' '))).find((one) => one !== undefined)
  if (typed.startsWith('-')) {
    const own = [...(command?.flags ?? []), ...COMMON_FLAGS].map(({ name }) => `--${name}`)
    return startingWith(typed, own.filter((name) => !earlier.some((word) => word === name || word.startsWith(`${name}=`))))
  }
  const next = commands.flatMap(({ name }) => {
    const parts = name.split(' ')
    return positionals.length < parts.length && positionals.every((word, index) => word === parts[index]) ? [parts[positionals.length] ?? ''] : []
  })
  const values = command === undefined ? [] : valuesOf(command, positionals)
  return [...new Set(startingWith(typed, [...next, ...values]))]
}

function valuesOf({ name, arguments: expected = [] }: Command, positionals: readonly string[]): readonly string[] {
  const given = positionals.slice(name.split(' ').length)
  const argument = expected[given.length] ?? (expected.at(-1)?.isMany === true ? expected.at(-1) : undefined)
  if (name === 'do' && argument?.name === 'NAME=VALUE') return Object.keys(OPERATION_FIELDS[given[0] ?? '']?.fields ?? {}).map((field) => `${field}=`)
  return VALUES[argument?.name ?? ''] ?? []
}

function startingWith(typed: string, words: readonly string[]): readonly string[] {
  return words.filter((word) => word.toLowerCase().startsWith(typed.toLowerCase()))
}

/** `commands` are those that are completed. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'completion', summary: 'Prints the completion script of a shell.',
    arguments: [
      { name: 'SHELL', help: 'bash or zsh' },
      { name: 'WORD', help: 'for the scripts: with `words` as the shell, the command line so far', isOptional: true, isMany: true },
    ],
    details: [
      'It completes commands, options, assets, intervals, operations and their fields.',
      `bash: add this to ~/.bashrc: source <(${PROGRAM} completion bash)`,
      `zsh: add this to ~/.zshrc, after compinit: source <(${PROGRAM} completion zsh)`,
    ],
    examples: ['completion bash'],
    async run(context: Context): Promise<void> {
      const shell = context.args['SHELL'] ?? ''
      const script = SCRIPTS[shell]
      if (script !== undefined) return context.show({ script }, script)
      if (shell !== 'words') throw new UsageError(`SHELL: ${JSON.stringify(shell)} is neither bash nor zsh.`)
      const found = completionsOf(context.rest, commands())
      context.show(found, found.map((word) => `${word}\n`).join(''))
    },
  }
}
