// The files of client/src/generated, written from the gateway's OpenAPI document. openapi-typescript translates the schemas; this file leaves out what the
// client does not read and adds what openapi-typescript does not write: a name for each resource and request, and the tables that the client needs at run time.

import { registerHooks } from 'node:module'
import ts from 'typescript5'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly required?: readonly string[]
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: object
  readonly security?: readonly unknown[]
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const HEADER = '// Generated from docs/openapi.json. Do not edit: test/client/types.test.ts says how to regenerate it.\n'

/** The generated files by name. */
export async function generateClientTypes(document: OpenApiDocument): Promise<Readonly<Record<string, string>>> {
  const reduced = reduceDocument(document)
  const endpoints = Object.entries(reduced.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Endpoint => ({ method: method.toUpperCase(), path, operation })))
  return {
    'openapi.ts': await writeSchemas(reduced, endpoints),
    'resources.ts': writeNames(reduced, endpoints),
    'endpoint-table.ts': writeTables(reduced, endpoints),
    'operation-fields.ts': writeOperationFields(document),
  }
}

/** The document without what the client's types leave out: errors, headers, examples, and the schemas that only those refer to. */
function reduceDocument(document: OpenApiDocument): OpenApiDocument {
  const withoutStreams = Object.entries(document.paths).filter(([, operations]) => !Object.values(operations).some(isStream))
  const paths = mapValues(Object.fromEntries(withoutStreams), (operations) => mapValues(operations, (operation): Operation => {
    const { operationId, summary, description, requestBody, parameters = [], responses } = operation
    const ok = Object.entries(responses).filter(([status]) => status === '200' || status === '201')
    return {
      operationId, summary: needsKey(document, operation) ? `${summary}. Needs a key.` : `${summary}.`,
      ...(description === undefined ? {} : { description }), ...(requestBody === undefined ? {} : { requestBody }),
      parameters: parameters.filter((parameter) => parameter.in !== 'header'),
      responses: Object.fromEntries(ok.map(([status, { content }]) => [status, content === undefined ? {} : { content }])),
    }
  }))
  const reachable = new Set<string>()
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (reachable.has(name)) continue
      reachable.add(name)
      visit(document.components.schemas[name])
    }
  }
  visit(paths)
  const schemas = Object.entries(document.components.schemas).filter(([name]) => reachable.has(name))
  const reduced = { openapi: document.openapi, info: document.info, paths, components: { schemas: Object.fromEntries(schemas) } }
  return JSON.parse(JSON.stringify(reduced, (key, value: unknown) => (key === 'example' ? undefined : value))) as OpenApiDocument
}

/** The client has methods for responses that end. */
function isStream({ responses }: Operation): boolean {
  return responses['200']?.content?.['text/event-stream'] !== undefined
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}

function needsKey(document: OpenApiDocument, { security = document.security ?? [] }: Operation): boolean {
  return security.length > 0
}

/** `open_position` becomes OpenPositionRequest; OpenPosition is a resource. */
function typeName(schema: string): string {
  if (!/^[a-z]/.test(schema)) return schema
  return `${schema.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Request`
}

/** Writes what openapi-typescript makes of the document: its schemas and operations. */
async function writeSchemas(document: OpenApiDocument, endpoints: readonly Endpoint[]): Promise<string> {
  const { astToString, generate, addComment } = await loadOpenapiTypescript()
  const nodes = await generate(structuredClone(document), { immutable: true, defaultNonNullable: false })
  const wanted = nodes.filter(ts.isInterfaceDeclaration).filter(({ name }) => name.text === 'components' || name.text === 'operations')
  // openapi-typescript documents paths, which nothing refers to. The client's methods are made of operations.
  for (const member of wanted.find(({ name }) => name.text === 'operations')?.members ?? []) {
    const found = endpoints.find(({ operation }) => member.name !== undefined && ts.isIdentifier(member.name) && operation.operationId === member.name.text)
    if (found !== undefined) addComment({ summary: found.operation.summary, description: found.operation.description }, member)
  }
  return HEADER + astToString(wanted).replaceAll(/^( {4})+/gm, (spaces) => ' '.repeat(spaces.length / 2))
}

interface OpenapiTypescript {
  generate(document: unknown, options: { readonly immutable: boolean; readonly defaultNonNullable: boolean }): Promise<readonly ts.Node[]>
  astToString(nodes: readonly ts.Node[]): string
  addComment(texts: { readonly summary: string; readonly description: string | undefined }, node: ts.Node): void
}

/** openapi-typescript needs the programming interface of TypeScript 5, which this project installs as `typescript5` beside TypeScript 7. */
async function loadOpenapiTypescript(): Promise<OpenapiTypescript> {
  const hooks = registerHooks({ resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript5' : specifier, context) })
  try {
    const { default: generate, astToString, addJSDocComment: addComment } = await import('openapi-typescript')
    return { generate, astToString, addComment } as unknown as OpenapiTypescript
  } finally {
    hooks.deregister()
  }
}

const bodyOf = (content: Content | undefined): Schema => content?.content?.['application/json']?.schema ?? {}

/** A type for every schema, and for every union of requests that an endpoint takes. */
function writeNames({ components }: OpenApiDocument, endpoints: readonly Endpoint[]): string {
  const names = Object.keys(components.schemas).map((name) => `export type ${typeName(name)} = components['schemas']['${name}']\n`)
  const unions = endpoints.filter(({ operation }) => bodyOf(operation.requestBody).oneOf !== undefined).map(({ operation: { operationId } }) =>
    `export type ${operationId.replace(/^prepare/, '')}Request = operations['${operationId}']['requestBody']['content']['application/json']\n`)
  return `${HEADER}\nimport type { components, operations } from './openapi.ts'\n\n${names.join('')}\n${unions.join('')}`
}

function writeTables(document: OpenApiDocument, endpoints: readonly Endpoint[]): string {
  const rows = endpoints.map(({ method, path, operation }) => `  ${operation.operationId}: '${method} ${path}',\n`)
  const lists = endpoints.flatMap(({ operation }) => {
    const field = rowsField(document, operation)
    return field === undefined ? [] : [`  ${operation.operationId}: '${field}',\n`]
  })
  return [
    HEADER,
    `/** Method and path of every endpoint, by its name in the document. */\nexport const ENDPOINTS = {\n${rows.join('')}} as const\n`,
    `/** The lists that continue page by page, and the field that holds a page's rows. */\nexport const LISTS = {\n${lists.join('')}} as const\n`,
  ].join('\n')
}

/** The field of a list's rows; undefined for an endpoint without pages. */
function rowsField({ components }: OpenApiDocument, operation: Operation): string | undefined {
  if (operation.parameters?.some(({ name }) => name === 'cursor') !== true) return undefined
  const body = bodyOf(operation.responses['200'])
  const { properties = {} } = components.schemas[body.$ref?.split('/').at(-1) ?? ''] ?? body
  return Object.entries(properties).find(([, { type }]) => type === 'array')?.[0]
}

/** The fields of every operation, for the help of the command line. */
function writeOperationFields({ components }: OpenApiDocument): string {
  const requests = Object.entries(components.schemas).filter(([name]) => /^[a-z]/.test(name))
  const operations = requests.map(([name, { description = '', properties = {}, required = [] }]) => {
    const fields = Object.entries(properties).filter(([field]) => field !== 'op' && field !== 'clientId').map(([field, schema]) =>
      `    ${field}: ${JSON.stringify({ kind: kindOf(schema), help: helpOf(schema), ...(required.includes(field) ? {} : { isOptional: true }) })},\n`)
    return `  ${name}: { help: ${JSON.stringify(description)}, fields: {\n${fields.join('')}  } },\n`
  })
  return [
    HEADER,
    'export interface OperationField {',
    '  readonly kind: \'decimal\' | \'integer\' | \'boolean\' | \'text\'',
    '  /** Its meaning, unit, and range or values. */',
    '  readonly help: string',
    '  readonly isOptional?: true',
    '}\n',
    '/** Every operation with its fields, except op and clientId. */',
    'export const OPERATION_FIELDS: Readonly<Record<string, {',
    '  readonly help: string',
    '  readonly fields: Readonly<Record<string, OperationField>>',
    `}>> = {\n${operations.join('')}}\n`,
  ].join('\n')
}

function kindOf({ type, description = '' }: Schema): string {
  if (type === 'integer' || type === 'boolean') return type
  return description.includes('7-decimal') ? 'decimal' : 'text'
}

function helpOf({ description = '', enum: values, minimum, maximum, default: standard }: Schema): string {
  const text = description.replace(/,? 7-decimal(?: fixed point)?/, '')
  const range = values !== undefined ? `One of ${values.join(', ')}.`
    : minimum === undefined ? '' : maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? `At least ${minimum}.` : `From ${minimum} to ${maximum}.`
  return [text, range, standard === undefined ? '' : `${JSON.stringify(standard).replaceAll('"', '')} by default.`].filter((part) => part !== '').join(' ')
}
