// The client's types, written from the gateway's own document: what an answer holds and what a call takes stands in one place. Renewing them:
// docs/testing.md.

/** A schema of the document, as far as it is used there. */
interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly nullable?: boolean
  readonly description?: string
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

export interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const LINE_MAX = 150
const GENERATED = '// Written from docs/openapi.json by test/client/types.test.ts, which also says how to renew it: no line here is changed by hand.\n'
/** What is only an account's own; the other resources are the exchange's. */
const ACCOUNT_TAGS = ['account', 'keys', 'orders', 'actions', 'tx']

/** The files of client/src that the document writes, by their names. */
export function writeClientTypes(document: OpenApiDocument): Readonly<Record<string, string>> {
  const { schemas } = document.components
  const operations = operationsOf(document)
  const requests = namesIn(operations.filter(({ operation }) => operation.requestBody !== undefined), schemas, ({ requestBody }) => [bodyOf(requestBody)])
  const ofAccount = answered(operations.filter(({ operation }) => isOwn(operation)), schemas)
  const ofExchange = answered(operations.filter(({ operation }) => !isOwn(operation)), schemas)
  const own = [...ofAccount].filter((name) => !ofExchange.has(name))
  const homes = { 'resources.ts': [...ofExchange], 'account-resources.ts': own }
  return {
    'resources.ts': page('What the exchange\'s endpoints answer.', [...ofExchange].map((name) => declare(name, schemas[name] ?? {})), []),
    'account-resources.ts': page('What the endpoints of an account and its keys answer.', own.map((name) => declare(name, schemas[name] ?? {})), []),
    'requests.ts': page('The order operations and the other actions that an account signs, as the gateway prepares them.', [
      ...[...requests].map((name) => declare(typeName(name), schemas[name] ?? {})),
      ...operations.flatMap(({ operation }) => unionOf(operation)),
    ], []),
    'endpoint-table.ts': writeTable(operations),
    'exchange-endpoints.ts': writeMethods('ExchangeEndpoints', operations.filter(({ operation }) => !isOwn(operation)), homes),
    'account-endpoints.ts': writeMethods('AccountEndpoints', operations.filter(({ operation }) => isOwn(operation)), homes),
  }
}

const isOwn = ({ tags }: Operation): boolean => tags.some((tag) => ACCOUNT_TAGS.includes(tag))

interface Placed {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

function operationsOf({ paths }: OpenApiDocument): readonly Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })))
}

function page(what: string, parts: readonly string[], imports: readonly string[]): string {
  return [`${GENERATED}// ${what}\n`, ...(imports.length === 0 ? [] : [`${imports.join('\n')}\n`]), ...parts].join('\n')
}

const bodyOf = (content: Content | undefined): Schema => content?.content?.['application/json']?.schema ?? {}
const okOf = ({ responses }: Operation): Schema => bodyOf(responses['200'] ?? responses['201'])
const refName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

type Schemas = OpenApiDocument['components']['schemas']

function answered(operations: readonly Placed[], schemas: Schemas): Set<string> {
  return namesIn(operations, schemas, (operation) => [okOf(operation)])
}

/** The named schemas that what `pick` finds refers to, directly and through others, in the document's order. */
function namesIn(operations: readonly Placed[], schemas: Schemas, pick: (operation: Operation) => readonly Schema[]): Set<string> {
  const found = new Set<string>()
  const visit = (schema: Schema): void => {
    const name = schema.$ref === undefined ? undefined : refName(schema.$ref)
    if (name !== undefined && !found.has(name)) {
      found.add(name)
      visit(schemas[name] ?? {})
    }
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.items === undefined ? [] : [schema.items])]) visit(part)
    for (const part of Object.values(schema.properties ?? {})) visit(part)
  }
  for (const { operation } of operations) pick(operation).forEach(visit)
  return new Set(Object.keys(schemas).filter((name) => found.has(name)))
}

/** `open_position` is the type OpenPositionRequest: the resource OpenPosition is something else. */
function typeName(name: string): string {
  if (!/^[a-z]/.test(name)) return name
  return `${name.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Request`
}

function declare(name: string, schema: Schema): string {
  const says = comment(schema.description, '')
  const body = typeOf(schema, '')
  return body.startsWith('{') ? `${says}export interface ${name} ${body}\n` : `${says}export type ${name} = ${body}\n`
}

/** The union of the requests that an operation takes, under its own name. */
function unionOf(operation: Operation): string[] {
  const { oneOf } = bodyOf(operation.requestBody)
  if (oneOf === undefined) return []
  const names = oneOf.map(({ $ref = '' }) => `\n  | ${typeName(refName($ref))}`)
  return [`/** What \`${operation.operationId}\` takes. */\nexport type ${bodyName(operation)} =${names.join('')}\n`]
}

const bodyName = ({ operationId }: Operation): string => `${operationId.replace(/^prepare/, '')}Request`

function typeOf(schema: Schema, indent: string): string {
  const plain = plainType(schema, indent)
  return schema.nullable === true && !plain.split(' | ').includes('null') ? `${plain} | null` : plain
}

function plainType(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return typeName(refName(schema.$ref))
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return [...new Set(either.map((part) => typeOf(part, indent)))].join(' | ')
  if (schema.enum !== undefined) return schema.enum.map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))).join(' | ')
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {}, indent)
    return item.includes(' | ') && !item.startsWith('{') ? `readonly (${item})[]` : `readonly ${item}[]`
  }
  if (schema.type === 'object') return objectType(schema, indent)
  return { integer: 'number', number: 'number', string: 'string', boolean: 'boolean' }[schema.type ?? ''] ?? 'unknown'
}

function objectType({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, schema]) => field(name, schema, { isRequired: required.includes(name), indent: inner }))
  return `{\n${fields.join('')}${indent}}`
}

function field(name: string, schema: Schema, how: { readonly isRequired: boolean; readonly indent: string }): string {
  const text = `${how.indent}readonly ${name}${how.isRequired ? '' : '?'}: ${typeOf(schema, how.indent)}\n`
  const isOneLine = text.indexOf('\n') === text.length - 1
  const beside = `${how.indent}/** ${schema.description} */ ${text.trimStart()}`
  if (schema.description !== undefined && isOneLine && beside.length <= LINE_MAX) return beside
  return `${comment(schema.description, how.indent)}${text}`
}

function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return ''
  const short = `${indent}/** ${text} */\n`
  if (short.length <= LINE_MAX && !text.includes('\n')) return short
  const lines = text.split('\n').flatMap((line) => wrap(line, LINE_MAX - indent.length - 3))
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}

/** The table of all endpoints. */
function writeTable(operations: readonly Placed[]): string {
  const rows = operations.map(({ method, path, operation }) => `  ${operation.operationId}: '${method} ${path}',\n`)
  const lists = operations.flatMap(({ operation }) => (listOf(operation) === undefined ? [] : [`  ${operation.operationId}: '${listOf(operation)}',\n`]))
  return page('The endpoints as a table.', [
    `/** Method and path of every endpoint, by its name in the document. */\nexport const ENDPOINTS = {\n${rows.join('')}} as const\n`,
    `/** The lists that go on page by page, and the field that holds a page's rows. */\nexport const LISTS = {\n${lists.join('')}} as const\n`,
  ], [])
}

/** The interface of the methods that call some endpoints. */
function writeMethods(name: string, operations: readonly Placed[], homes: Readonly<Record<string, readonly string[]>>): string {
  const methods = operations.map(({ operation }) => {
    const input = inputOf(operation)
    const params = input === '' ? 'input?: Readonly<Record<string, never>>, options?: CallOptions' : `${input}, options?: CallOptions`
    const key = operation.security === undefined ? '' : ' Needs a key.'
    const says = comment(`${operation.summary}.${key}\n\n${operation.description}`.replace(/\n+(?:undefined)?$/, ''), '  ')
    return `${says}  ${operation.operationId}(${params}): Promise<Answer<${typeOf(okOf(operation), '  ')}>>\n`
  })
  const says = '/** Endpoints as methods. Parameters of the path and of the query, or the body, are the fields of `input`. */'
  const text = `${says}\nexport interface ${name} {\n${methods.join('\n')}}\n`
  const used = (type: string): boolean => new RegExp(`(?<![.'/])\\b${type}\\b(?! *\\()`).test(text.replaceAll(/\/\*[\s\S]*?\*\//g, ''))
  const imports = Object.entries({ ...homes, 'requests.ts': operations.flatMap(({ operation }) => unionOf(operation).map(() => bodyName(operation))) })
    .map(([file, names]) => [file, names.filter(used)] as const)
    .filter(([, names]) => names.length > 0)
    .map(([file, names]) => `import type {\n${wrap(names.join(', '), LINE_MAX - 2).map((line) => `  ${line}`).join('\n')},\n} from './${file}'`)
  return page('Methods of endpoints.', [text], ['import type { Answer, CallOptions } from \'./http.ts\'', ...imports])
}

/** The field of a list's rows; undefined where there is no cursor. */
function listOf(operation: Operation): string | undefined {
  if (operation.parameters?.some(({ name }) => name === 'cursor') !== true) return undefined
  const arrays = Object.entries(okOf(operation).properties ?? {}).filter(([, { type }]) => type === 'array')
  return arrays[0]?.[0]
}

function inputOf(operation: Operation): string {
  const body = bodyOf(operation.requestBody)
  if (body.oneOf !== undefined) return `input: ${bodyName(operation)}`
  if (operation.requestBody !== undefined) return `input: ${typeOf(body, '  ')}`
  const parameters = operation.parameters?.filter((one) => one.in !== 'header') ?? []
  if (parameters.length === 0) return ''
  const fields = parameters.map(({ name, required = false, description, schema }) =>
    field(name, { ...schema, ...(description === undefined ? {} : { description }) }, { isRequired: required, indent: '    ' }))
  return `input${parameters.some(({ required }) => required === true) ? '' : '?'}: {\n${fields.join('')}  }`
}
