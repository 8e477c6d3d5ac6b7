// The message that the process prints at its start.

import type { Config, Secrets } from '../config/config.ts'

/** Addresses and accounts of this process's local network. */
interface LocalAccess {
  readonly rpcUrl: string | null
  readonly friendbotUrl: string | null
  readonly accounts: readonly { readonly name: string; readonly address: string; readonly secret: string | null }[]
}

interface StartParts {
  readonly config: Config
  readonly secrets: Secrets
  /** Null: this process runs no local network. */
  readonly network: LocalAccess | null
  readonly databaseFolder: string
}

/** The addresses, funded accounts and example requests. */
export function describeStart(url: string, { config, secrets, network, databaseFolder }: StartParts): string {
  const database = secrets.databaseUrl === null ? `embedded, in ${databaseFolder}` : 'PostgreSQL server (DATABASE_URL)'
  const rows: [string, string][] = [
    ['Gateway', `${url}  (documentation: ${url}/docs)`],
    ...(config.server.console ? [['Console', `${url}/`] satisfies [string, string]] : []),
    ...(network === null ? [['Network', describeNetwork(config, secrets)] satisfies [string, string]] : []),
    ['Database', database],
  ]
  return [
    '',
    ...rows.map(describeRow),
    ...(network === null ? [] : describeLocal(network)),
    '',
    'Try:',
    `  curl -s ${url}/v1/oracle/prices`,
    `  curl -s '${url}/v1/trades?limit=3'`,
    `  curl -s ${url}/v1/health`,
    '',
  ].join('\n')
}

function describeRow([name, text]: readonly [string, string]): string {
  return `  ${name.padEnd(10)} ${text}`
}

function describeNetwork({ network }: Config, { rpcUrls }: Secrets): string {
  const name = network.manifest === null ? 'local, in another process' : `${network.name}, deployment ${network.manifest.name}`
  return `${name}, RPC ${rpcUrls.map(hostOf).join(', ')}`
}

export function describeLocal({ rpcUrl, friendbotUrl, accounts }: LocalAccess): readonly string[] {
  const funded = accounts.filter(({ secret }) => secret !== null)
  return [
    describeRow(['Network', `local, JSON-RPC at ${rpcUrl}`]),
    describeRow(['Friendbot', `${friendbotUrl}?addr=G…`]),
    '',
    'Accounts with test funds (these secret keys are public, do not reuse them):',
    ...funded.map(({ name, address, secret }) => `  ${name.padEnd(6)} ${address}\n         secret ${secret}`),
  ]
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'invalid URL'
}
