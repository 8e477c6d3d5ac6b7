// Generates docs/configuration.md from the table of environment variables.

import { VARIABLE_GROUPS } from '../../src/config/variables.ts'
import type { Variable } from '../../src/config/variables.ts'

const INTRODUCTION = [
  'All settings are environment variables. An empty value counts as unset. If a variable is invalid or contradicts another, the gateway does not start and',
  'reports all problems at once.',
].join(' ')

export function configurationPage(): string {
  const title = '# Configuration'
  const notice = '<!-- Generated from src/config/variables.ts. To update: npm run golden -->'
  const sections = Object.entries<Readonly<Record<string, Variable<unknown>>>>(VARIABLE_GROUPS).map(([heading, variables]) =>
    [`## ${heading}`, '', '| Variable | Format | Default | Description |', '|---|---|---|---|', ...Object.entries(variables).map(row)].join('\n'))
  return `${[title, notice, INTRODUCTION, ...sections].join('\n\n')}\n`
}

function row([name, { format, default: value, documentedDefault, description }]: readonly [string, Variable<unknown>]): string {
  return `| \`${name}\` | ${format.expected.replace(/^an? /, '')} | ${documentedDefault ?? `\`${String(value)}\``} | ${description} |`
}
