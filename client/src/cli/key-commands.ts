// API keys: gotten by signing a challenge, listed, revoked.

import type { Command, Context } from './command.ts'
import { flagText } from './command.ts'
import { callOptions } from './exchange-commands.ts'
import { writeKeyFile } from './secrets.ts'
import { table, timeOf } from './table.ts'

async function create(context: Context): Promise<void> {
  const client = await context.signingClient(false)
  const label = flagText(context, 'label')
  const issued = await context.progress.run('Getting a key', () => client.login({ signal: context.signal, ...(label === undefined ? {} : { label }) }))
  const { keyId, secret, owner } = issued
  if (context.keyFile === null) {
    context.show(issued, `KEY=${keyId}:${secret}\n`)
    context.note(`This is the only time that it is told. It is a key of ${owner}; keep it like a password.`)
    return
  }
  try {
    writeKeyFile(context.keyFile, { keyId, secret })
  } catch (error) {
    // A key that nobody has is taken back rather than left behind.
    await client.revokeKey({ keyId })
    throw error
  }
  const { tier, createdAt } = issued
  context.show({ keyId, owner, tier, createdAt, keyFile: context.keyFile }, `Key ${keyId} of ${owner} is in ${context.keyFile}\n`)
}

async function list(context: Context): Promise<void> {
  const { body } = await context.progress.run('Asking for keys', () => context.clientWithKey().listKeys({}, callOptions(context)))
  const seconds = (ms: number | null): string | null => (ms === null ? null : timeOf(ms / 1000))
  context.show(body, table([
    { title: 'key', text: ({ keyId }) => keyId }, { title: 'label', text: ({ label }) => label }, { title: 'tier', text: ({ tier }) => tier },
    { title: 'issued (UTC)', text: ({ createdAt }) => seconds(createdAt) }, { title: 'last used', text: ({ lastUsedAt }) => seconds(lastUsedAt) },
    { title: 'revoked', text: ({ revokedAt }) => seconds(revokedAt) },
  ], body.keys, 'No keys.'))
}

async function revoke(context: Context): Promise<void> {
  const keyId = context.args['KEY-ID'] ?? ''
  const { body } = await context.progress.run('Revoking', () => context.clientWithKey().revokeKey({ keyId }, callOptions(context)))
  context.show(body, `${keyId} is revoked.\n`)
}

export const KEY_COMMANDS: readonly Command[] = [
  {
    name: 'key new', summary: 'Gets an API key by signing a challenge with SECRET.',
    details: ['The key is printed once, as KEY=…; with --key-file it goes into that file instead, which only its owner may read, and is not printed.'],
    flags: [{ name: 'label', value: 'TEXT', help: 'what to call it' }], examples: ['key new --key-file ./exchange.key'], run: create,
  },
  { name: 'key list', summary: 'The account\'s keys; their secrets are never told again.', examples: ['key list'], run: list },
  {
    name: 'key revoke', summary: 'Revokes a key of the account.', arguments: [{ name: 'KEY-ID', help: 'its name, nk_…' }],
    examples: ['key revoke nk_…'], run: revoke,
  },
]
