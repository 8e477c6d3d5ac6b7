// Whatever has no command of its own: any endpoint, any operation, and a transaction whose outcome is not known yet.

import { OPERATIONS } from '../calls.ts'
import type { TradeRequest } from '../calls.ts'
import { ENDPOINTS } from '../generated/endpoint-table.ts'
import type { SignedTransaction } from '../errors.ts'
import type { Answer, CallOptions } from '../http.ts'
import type { EndpointName } from '../rest.ts'
import type { Command, Context } from './command.ts'
import { callOptions } from './exchange-commands.ts'
import { listing } from './table.ts'
import { trade } from './trade-commands.ts'
import { UsageError } from './usage-error.ts'

/** `name=value` words as an object. */
function fieldsOf(context: Context): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const word of context.rest) {
    const at = word.indexOf('=')
    if (at < 1) throw new UsageError(`${JSON.stringify(word)} is no field: write name=value.`)
    fields[word.slice(0, at)] = word.slice(at + 1)
  }
  return fields
}

/** What is an amount or a price, and is typed as such. */
const AMOUNTS: ReadonlySet<string> = new Set(['collateral', 'amount', 'lpAmount', 'shares', 'triggerPrice', 'limitPrice'])
/** What is a number on the wire. */
const NUMBERS: ReadonlySet<string> = new Set(['leverage', 'slippageToleranceBps', 'trailingPercentBps', 'vaultId', 'expirationLedger'])

async function operate(context: Context): Promise<void> {
  const op = OPERATIONS.find((one) => one === context.args['OPERATION'])
  if (op === undefined) throw new UsageError(`There is no operation ${JSON.stringify(context.args['OPERATION'])}.`, `There are ${OPERATIONS.join(', ')}.`)
  const fields = Object.entries(fieldsOf(context)).map(([name, text]): [string, unknown] => {
    if (AMOUNTS.has(name)) return [name, context.parseUnits(text, name)]
    if (name === 'paused') return [name, text === 'true' ? true : text === 'false' ? false : text]
    return [name, NUMBERS.has(name) && /^\d{1,9}$/.test(text) ? Number(text) : text]
  })
  // Which fields an operation takes is checked by the client before anything is signed.
  await trade(context, { op, ...Object.fromEntries(fields) } as unknown as TradeRequest)
}

const READABLE = (Object.entries(ENDPOINTS) as [EndpointName, string][]).filter(([, endpoint]) => endpoint.startsWith('GET ')).map(([name]) => name)

async function call(context: Context): Promise<void> {
  const name = READABLE.find((one) => one === context.args['ENDPOINT'])
  const asked = JSON.stringify(context.args['ENDPOINT'])
  if (name === undefined) throw new UsageError(`There is no endpoint ${asked} to read.`, `There are ${READABLE.join(', ')}.`)
  const fields = fieldsOf(context)
  const missing = [...ENDPOINTS[name].matchAll(/\{(\w+)\}/g)].map(([, field = '']) => field).find((field) => fields[field] === undefined)
  if (missing !== undefined) throw new UsageError(`${name} needs ${missing}=….`)
  const client = context.client()
  const method = client[name] as unknown as (input: unknown, options: CallOptions) => Promise<Answer<unknown>>
  const { body } = await context.progress.run('Asking', () => method(fields, callOptions(context)))
  context.show(body, `${JSON.stringify(body, null, 2)}\n`)
}

async function finish(context: Context): Promise<void> {
  const transaction = parse(await context.readInput())
  // No signer is needed: it is signed.
  const client = context.clientWithKey()
  const finished = await context.progress.run('Waiting for the network\'s decision', () => client.finish(transaction, { signal: context.signal }))
  context.show(finished, listing([['transaction', finished.hash], ['ledger', finished.ledger]]))
}

function parse(text: string): SignedTransaction {
  const refuse = (): UsageError =>
    new UsageError('The standard input holds no signed transaction.', 'Hand over the line that a command with exit code 8 left on its error output.')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refuse()
  }
  // The line of a failure under --json holds it deeper down.
  const found = (value as { readonly error?: { readonly transaction?: unknown } } | null)?.error?.transaction ?? value
  const { hash, signedXdr, expiresAt } = (typeof found === 'object' && found !== null ? found : {}) as Readonly<Record<string, unknown>>
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash) || typeof signedXdr !== 'string' || typeof expiresAt !== 'number') throw refuse()
  return { hash, signedXdr, expiresAt }
}

export const OTHER_COMMANDS: readonly Command[] = [
  {
    name: 'do', summary: 'Signs and submits any operation by its name: cross margin, liquidity, trader vaults, referral.',
    arguments: [{ name: 'OPERATION', help: 'as in the gateway\'s document' }, { name: 'NAME=VALUE', help: 'its fields', isOptional: true, isMany: true }],
    details: ['There are:', ...columns(OPERATIONS)],
    flags: [{ name: 'dry-run', help: 'asks whether the network would take it now, and signs nothing' }],
    examples: ['do deposit_cross_margin amount=100', 'do create_referral_code code=alice'], run: operate,
  },
  {
    name: 'call', summary: 'Reads any endpoint by its name.', arguments: [
      { name: 'ENDPOINT', help: 'its name in the gateway\'s document' },
      { name: 'NAME=VALUE', help: 'its parameters, as on the wire', isOptional: true, isMany: true },
    ],
    details: ['There are:', ...columns(READABLE)], examples: ['call getHealth', 'call listLeaders limit=3'], run: call,
  },
  {
    name: 'finish', summary: 'Goes on with a transaction whose outcome is not known (exit code 8).',
    details: [
      'Takes on its standard input the line that the trade left on its error output.',
      'However often it is called, the network applies the transaction once.',
    ],
    examples: ['finish < transaction.json'], run: finish,
  },
]

/** Words in lines of a readable length. */
function columns(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length > 98) lines.push(`  ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
