// Commands for any endpoint, any operation, and transactions with an unknown outcome.

import { OPERATIONS } from '../calls.ts'
import type { TradeRequest } from '../calls.ts'
import { ENDPOINTS } from '../generated/endpoint-table.ts'
import { OPERATION_FIELDS } from '../generated/operation-fields.ts'
import type { OperationField } from '../generated/operation-fields.ts'
import type { SignedTransaction } from '../errors.ts'
import type { Answer, CallOptions } from '../http.ts'
import type { EndpointName } from '../rest.ts'
import type { Command, Context } from './command.ts'
import { callOptions } from './exchange-commands.ts'
import { listing } from './table.ts'
import { HASH_PATTERN } from './life-commands.ts'
import { SIGNING_FLAGS, trade } from './trade-commands.ts'
import { UsageError } from './usage-error.ts'

/** The `name=value` words as an object. */
function fieldsOf(context: Context): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const word of context.rest) {
    const separator = word.indexOf('=')
    if (separator < 1) throw new UsageError(`${JSON.stringify(word)} is not a field. Write name=value.`)
    fields[word.slice(0, separator)] = word.slice(separator + 1)
  }
  return fields
}

async function operate(context: Context): Promise<void> {
  const named = context.args['OPERATION']
  if (named === undefined) {
    const operations = OPERATIONS.map((name) => ({ op: name, help: OPERATION_FIELDS[name]?.help ?? '' }))
    context.show({ operations }, listing(operations.map((one) => [one.op, one.help])))
    return
  }
  const op = OPERATIONS.find((one) => one === named)
  if (op === undefined) throw new UsageError(`Unknown operation ${JSON.stringify(named)}.`, `Operations: ${OPERATIONS.join(', ')}.`)
  const fields = Object.entries(fieldsOf(context)).map(([name, text]): [string, unknown] => {
    const field = OPERATION_FIELDS[op]?.fields[name]
    if (field === undefined) throw new UsageError(`${op} has no field ${JSON.stringify(name)}.`, `Run do ${op} --help for its fields.`)
    return [name, valueOf(context, field, name, text)]
  })
  // The gateway and the client check the fields before anything is signed.
  await trade(context, { op, ...Object.fromEntries(fields) } as unknown as TradeRequest)
}

function valueOf(context: Context, { kind }: OperationField, name: string, text: string): unknown {
  if (kind === 'decimal') return context.parseUnits(text, name)
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return kind === 'integer' && /^\d{1,10}$/.test(text) ? Number(text) : text
}

/** The fields of an operation, for `do OPERATION --help`. */
function operationHelp([op = '']: readonly string[]): readonly string[] | null {
  const operation = OPERATION_FIELDS[op]
  if (operation === undefined) return null
  const fields = Object.entries(operation.fields)
  const width = Math.max(...fields.map(([name]) => name.length))
  const form = { decimal: 'a decimal like 100 or 0.25', integer: 'a whole number', boolean: 'true or false', text: '' }
  return [
    `${op}: ${operation.help}`, '', fields.length === 0 ? 'It has no fields.' : 'Fields:',
    ...fields.map(([name, { kind, help, isOptional = false }]) =>
      `  ${name.padEnd(width)}  ${help}${form[kind] === '' ? '' : ` Write ${form[kind]}.`}${isOptional ? ' May be omitted.' : ''}`),
  ]
}

export const READABLE = (Object.entries(ENDPOINTS) as [EndpointName, string][]).filter(([, endpoint]) => endpoint.startsWith('GET ')).map(([name]) => name)

async function call(context: Context): Promise<void> {
  const name = READABLE.find((one) => one === context.args['ENDPOINT'])
  if (name === undefined) throw new UsageError(`Unknown endpoint ${JSON.stringify(context.args['ENDPOINT'])}.`, `Endpoints: ${READABLE.join(', ')}.`)
  const fields = fieldsOf(context)
  const missing = [...ENDPOINTS[name].matchAll(/\{(\w+)\}/g)].map(([, field = '']) => field).find((field) => fields[field] === undefined)
  if (missing !== undefined) throw new UsageError(`${name} needs ${missing}=….`)
  const client = context.client()
  const method = client[name] as unknown as (input: unknown, options: CallOptions) => Promise<Answer<unknown>>
  const { body } = await context.progress.run('Loading', () => method(fields, callOptions(context)))
  context.show(body, `${JSON.stringify(body, null, 2)}\n`)
}

async function finish(context: Context): Promise<void> {
  const text = context.args['HASH']
  const hash = text?.toLowerCase()
  if (hash !== undefined && !HASH_PATTERN.test(hash)) throw new UsageError(`${JSON.stringify(text)} is not a transaction hash.`)
  const transaction = hash === undefined ? parse(await context.readInput()) : null
  // The transaction is already signed, so no signer is needed.
  const client = context.clientWithKey()
  const { signal } = context
  const finished = await context.progress.run('Waiting for the outcome', () =>
    transaction === null ? client.transactions.finish(hash ?? '', { signal }) : client.finish(transaction, { signal }))
  context.show(finished, listing([['transaction', finished.hash], ['ledger', finished.ledger]]))
}

function parse(text: string): SignedTransaction {
  const invalid = (): UsageError =>
    new UsageError('The standard input holds no signed transaction.', 'Pass the line that a command with exit code 8 printed on its error output.')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid()
  }
  // With --json the transaction is nested in the error.
  const transaction = (value as { readonly error?: { readonly transaction?: unknown } } | null)?.error?.transaction ?? value
  const fields = (typeof transaction === 'object' && transaction !== null ? transaction : {}) as Readonly<Record<string, unknown>>
  const { hash, signedXdr, expiresAt, clientId } = fields
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash) || typeof signedXdr !== 'string' || typeof expiresAt !== 'number') throw invalid()
  return { hash, signedXdr, expiresAt, ...(typeof clientId === 'string' ? { clientId } : {}) }
}

export const OTHER_COMMANDS: readonly Command[] = [
  {
    name: 'do', summary: 'Signs and submits any operation: cross margin, liquidity, trader vaults, referral.',
    arguments: [
      { name: 'OPERATION', help: 'its name in the API reference; without it, lists the operations', isOptional: true },
      { name: 'NAME=VALUE', help: 'its fields', isOptional: true, isMany: true },
    ],
    details: ['Operations; `do OPERATION --help` explains the fields of one:', ...columns(OPERATIONS)],
    detailsFor: operationHelp,
    flags: SIGNING_FLAGS,
    examples: ['do', 'do deposit_cross_margin --help', 'do deposit_cross_margin amount=100', 'do create_referral_code code=alice'], run: operate,
  },
  {
    name: 'call', summary: 'Calls any GET endpoint.', arguments: [
      { name: 'ENDPOINT', help: 'its name in the API reference' },
      { name: 'NAME=VALUE', help: 'its parameters, as in the API reference', isOptional: true, isMany: true },
    ],
    details: ['Endpoints:', ...columns(READABLE)], examples: ['call getHealth', 'call listLeaders limit=3'], run: call,
  },
  {
    name: 'finish', summary: 'Waits for the outcome of a transaction, of which it may have been unknown (exit code 8).',
    arguments: [{ name: 'HASH', help: 'a submitted transaction; without it, a signed one is read from the standard input', isOptional: true }],
    details: [
      'The standard input is the line that the trade printed on its error output. That transaction is submitted again.',
      'The network applies the transaction at most once, however often this is run.',
    ],
    examples: ['finish 3389e9f0…', 'finish < transaction.json'], run: finish,
  },
]

/** Words in lines of at most 100 characters. */
function columns(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length > 98) lines.push(`  ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
