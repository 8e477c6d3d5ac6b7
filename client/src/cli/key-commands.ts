// API keys: create, lend, show, list, rotate, revoke.

import type { IssuedKey } from '../generated/resources.ts'
import type { KeyRestrictions } from '../key-restrictions.ts'
import type { Command, Context, Flag } from './command.ts'
import { flagText } from './command.ts'
import { callOptions, firstRows } from './exchange-commands.ts'
import { writeKeyFile } from './secrets.ts'
import { table } from './table.ts'
import { timeOf, toSeconds } from './time.ts'
import { UsageError } from './usage-error.ts'

async function create(context: Context): Promise<void> {
  const client = await context.signingClient(false)
  const restrictions = restrictionsOf(context)
  const issued = await context.progress.run('Creating a key', () => client.login({ signal: context.signal, ...labelOf(context), restrictions }))
  // Nobody holds a key that could not be stored, so it must not stay valid.
  await showSecret(context, issued, context.keyFile, () => client.revokeKey({ keyId: issued.keyId }))
}

async function lend(context: Context): Promise<void> {
  const client = context.clientWithKey()
  const input = { keyId: client.key()?.keyId ?? '', ...labelOf(context), ...restrictionsOf(context) }
  const { body } = await context.progress.run('Lending a key', () => client.lendKey(input, callOptions(context)))
  await showSecret(context, body, flagText(context, 'to') ?? null, () => client.revokeKey({ keyId: body.keyId }))
}

async function rotate(context: Context): Promise<void> {
  const client = context.clientWithKey()
  const keyId = context.args['KEY-ID'] ?? client.key()?.keyId ?? ''
  const overlapSec = wholeNumber(context, 'overlap') ?? 0
  const { body } = await context.progress.run('Rotating', () => client.rotateKey({ keyId, overlapSec }, callOptions(context)))
  context.note(`The secret before works until ${timeOf(body.previousUntil / 1000) ?? ''} UTC.`)
  await showSecret(context, body, flagText(context, 'to') ?? null)
}

/** Prints a new secret once, or writes it to a file. `undo` runs when the file cannot be written. */
async function showSecret(context: Context, issued: IssuedKey, file: string | null, undo?: () => Promise<unknown>): Promise<void> {
  const { keyId, secret, owner, tier, createdAt } = issued
  const print = (): void => context.show(issued, `KEY=${keyId}:${secret}\n`)
  if (file === null) {
    print()
    context.note(`This key of ${owner} is shown only once. Store it like a password.`)
    return
  }
  try {
    writeKeyFile(file, { keyId, secret })
  } catch (error) {
    if (undo === undefined) print()
    else await undo()
    throw error
  }
  context.show({ keyId, owner, tier, createdAt, keyFile: file }, `Wrote key ${keyId} of ${owner} to ${file}\n`)
}

async function show(context: Context): Promise<void> {
  const { body } = await context.progress.run('Loading the key', () => context.clientWithKey().getCurrentKey({}, callOptions(context)))
  const { caps, used, limits: { buckets } } = body
  const listed = (values: readonly string[] | null | undefined): string => values?.join(', ') ?? 'any'
  const seconds = (ms: number | null): string => (ms === null ? 'never' : `${timeOf(ms / 1000) ?? ''} UTC`)
  const trading = buckets.find(({ name }) => name === 'trading')
  const rows: readonly (readonly [string, string])[] = [
    ['key', body.keyId], ['account', body.owner], ['label', body.label ?? ''], ['lent by', body.parent ?? 'the account'], ['scopes', body.scopes.join(', ')],
    ['expires', seconds(body.expiresAt)], ['networks', listed(body.cidrs)], ['assets', listed(caps?.assets)],
    ['leverage', caps?.maxLeverage === null || caps === null ? 'any' : `up to ${caps.maxLeverage}`],
    ['notional today', `${context.format(used.notional) ?? ''} of ${context.format(caps?.maxNotionalPerDay) ?? 'any'}`],
    ['orders today', `${used.orders} of ${caps?.maxOrdersPerDay ?? 'any'}`],
    ['requests left', trading === undefined ? '' : `${trading.remaining} of ${trading.limit} for trading`],
  ]
  context.show(body, rows.map(([name, value]) => `${name.padEnd(16)}${value}`.trimEnd()).join('\n') + '\n')
}

const RESTRICTION_FLAGS: readonly Flag[] = [
  { name: 'label', value: 'TEXT', help: 'a label for the key' },
  { name: 'scopes', value: 'LIST', help: 'what it may do: read, trade, close, vaults, referral, keys, lend, with commas between' },
  { name: 'expires', value: 'TIME', help: 'when it ends, in UTC' },
  { name: 'networks', value: 'LIST', help: 'where it works, like 203.0.113.0/24,2001:db8::/32' },
  { name: 'assets', value: 'LIST', help: 'what it may open, like BTC,ETH' },
  { name: 'max-leverage', value: 'N', help: 'the highest leverage of what it opens' },
  { name: 'max-notional', value: 'USDC', help: 'collateral times leverage of all that it opens in a UTC day' },
  { name: 'max-orders', value: 'N', help: 'how much it opens and places in a UTC day' },
]
const TO_FLAG: Flag = { name: 'to', value: 'FILE', help: 'a new file for the secret, readable by its owner only' }

function labelOf(context: Context): { readonly label?: string } {
  const label = flagText(context, 'label')
  return label === undefined ? {} : { label }
}

/** The restrictions of the options; what is absent is inherited. */
function restrictionsOf(context: Context): KeyRestrictions {
  const listOf = (name: string): string[] | undefined => flagText(context, name)?.split(',').map((item) => item.trim())
  const expires = flagText(context, 'expires')
  const notional = flagText(context, 'max-notional')
  const caps = withoutAbsent({
    assets: listOf('assets')?.map((asset) => asset.toUpperCase()), maxLeverage: wholeNumber(context, 'max-leverage'),
    maxNotionalPerDay: notional === undefined ? undefined : context.parseUnits(notional, '--max-notional'), maxOrdersPerDay: wholeNumber(context, 'max-orders'),
  })
  return withoutAbsent({
    // The gateway names the scopes that exist.
    scopes: listOf('scopes') as KeyRestrictions['scopes'] | undefined, cidrs: listOf('networks'),
    expiresAt: expires === undefined ? undefined : toSeconds(expires, '--expires') * 1000, caps: Object.keys(caps).length === 0 ? undefined : caps,
  })
}

function withoutAbsent<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

function wholeNumber(context: Context, name: string): number | undefined {
  const text = flagText(context, name)
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name}: ${JSON.stringify(text)} is not a whole number.`)
  return Number(text)
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

/** A key that trades two assets up to a daily limit. */
const LIMITED = '--scopes read,trade --assets BTC,ETH --max-notional 10000'

export const KEY_COMMANDS: readonly Command[] = [
  {
    name: 'key new', summary: 'Creates an API key by signing a challenge with SECRET.',
    details: ['Prints the key once, as KEY=…. With --key-file, writes it to that file instead, readable by its owner only.'],
    flags: RESTRICTION_FLAGS, examples: ['key new --key-file ./exchange.key', `key new ${LIMITED}`], run: create,
  },
  {
    name: 'key lend', summary: 'Creates a key that can do less than yours, without the account\'s secret.',
    details: ['Yours needs the scope lend. What you leave out is inherited. The new key ends with yours, and uses your caps too.'],
    flags: [...RESTRICTION_FLAGS, TO_FLAG], examples: [`key lend ${LIMITED} --to ./bot.key`], run: lend,
  },
  {
    name: 'key rotate', summary: 'Replaces the secret of your key, or of another key of the account.',
    arguments: [{ name: 'KEY-ID', help: 'the key\'s id, nk_…; yours by default', isOptional: true }],
    flags: [{ name: 'overlap', value: 'SECONDS', help: 'how long the secret before still works; 0 by default, at most 86400' }, TO_FLAG],
    examples: ['key rotate --overlap 3600 --to ./next.key'], run: rotate,
  },
  { name: 'key show', summary: 'Shows what your key may do, and what it has used today.', examples: ['key show'], run: show },
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
