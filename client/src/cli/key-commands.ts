// API keys: create, list, revoke.

import type { Command, Context } from './command.ts'
import { flagText } from './command.ts'
import { callOptions, firstRows } from './exchange-commands.ts'
import { writeKeyFile } from './secrets.ts'
import { table } from './table.ts'
import { timeOf } from './time.ts'

async function create(context: Context): Promise<void> {
  const client = await context.signingClient(false)
  const label = flagText(context, 'label')
  const issued = await context.progress.run('Creating a key', () => client.login({ signal: context.signal, ...(label === undefined ? {} : { label }) }))
  const { keyId, secret, owner } = issued
  if (context.keyFile === null) {
    context.show(issued, `KEY=${keyId}:${secret}\n`)
    context.note(`This key of ${owner} is shown only once. Store it like a password.`)
    return
  }
  try {
    writeKeyFile(context.keyFile, { keyId, secret })
  } catch (error) {
    // Nobody holds this key, so it must not stay valid.
    await client.revokeKey({ keyId })
    throw error
  }
  const { tier, createdAt } = issued
  context.show({ keyId, owner, tier, createdAt, keyFile: context.keyFile }, `Wrote key ${keyId} of ${owner} to ${context.keyFile}\n`)
}

async function list(context: Context): Promise<void> {
  const rows = context.clientWithKey().rows('listKeys', {}, callOptions(context))
  const keys = await context.progress.run('Loading keys', () => firstRows(rows, Number.POSITIVE_INFINITY))
  const seconds = (ms: number | null): string | null => (ms === null ? null : timeOf(ms / 1000))
  context.show({ keys }, table([
    { title: 'key', text: ({ keyId }) => keyId }, { title: 'label', text: ({ label }) => label }, { title: 'tier', text: ({ tier }) => tier },
    { title: 'issued (UTC)', text: ({ createdAt }) => seconds(createdAt) }, { title: 'last used', text: ({ lastUsedAt }) => seconds(lastUsedAt) },
    { title: 'revoked', text: ({ revokedAt }) => seconds(revokedAt) },
  ], keys, 'No keys.'))
}

async function limits(context: Context): Promise<void> {
  const { body } = await context.progress.run('Loading limits', () => context.clientWithKey().getAccountLimits({}, callOptions(context)))
  const text = table([
    { title: 'requests', text: ({ name }) => name }, { title: 'counted per', text: ({ countedPer }) => countedPer },
    { title: 'per minute', align: 'right', text: ({ limit }) => limit }, { title: 'left', align: 'right', text: ({ remaining }) => remaining },
  ], body.buckets, 'No limits.')
  context.show(body, `${text}Full again in ${body.resetSec} s. Tier: ${body.tier}.\n`)
}

async function revoke(context: Context): Promise<void> {
  const keyId = context.args['KEY-ID'] ?? ''
  const { body } = await context.progress.run('Revoking', () => context.clientWithKey().revokeKey({ keyId }, callOptions(context)))
  context.show(body, `Revoked ${keyId}.\n`)
}

export const KEY_COMMANDS: readonly Command[] = [
  {
    name: 'key new', summary: 'Creates an API key by signing a challenge with SECRET.',
    details: ['Prints the key once, as KEY=…. With --key-file, writes it to that file instead, readable by its owner only.'],
    flags: [{ name: 'label', value: 'TEXT', help: 'a label for the key' }], examples: ['key new --key-file ./exchange.key'], run: create,
  },
  { name: 'key list', summary: 'Lists the account\'s keys, without their secrets.', examples: ['key list'], run: list },
  {
    name: 'key limits', summary: 'Shows every rate limit of the key, and what is left of it in this minute.',
    details: ['Trading counts separately from reads. All keys used from one address share a limit, and requests without a key have their own.'],
    examples: ['key limits'], run: limits,
  },
  {
    name: 'key revoke', summary: 'Revokes a key of the account.', arguments: [{ name: 'KEY-ID', help: 'the key\'s id, nk_…' }],
    examples: ['key revoke nk_…'], run: revoke,
  },
]
