// Who may import whom: the table, and the check that holds it. What the table does not allow is forbidden.

import { builtinModules } from 'node:module'
import { allImports, isRelative, resolveRelative } from './graph.ts'
import { isTypeOnly } from './imports.ts'
import type { ImportReference } from './imports.ts'
import { isTestFile } from './tree.ts'
import type { Tree, Violation } from './tree.ts'

/** What one layer may reach besides itself and the standard library. `types` may be imported as types only. */
interface Layer {
  readonly imports: readonly string[] | 'anything'
  readonly types?: readonly string[]
}

const ALL_OF_SRC = [
  'src/base', 'src/exchange', 'src/resources', 'src/store', 'src/chain', 'src/projections', 'src/oracle', 'src/indexer', 'src/keys', 'src/account', 'src/venue',
  'src/relay', 'src/stream', 'src/redis', 'src/http', 'src/console', 'src/routes', 'src/metrics', 'src/tracing', 'src/limits.ts', 'src/config.ts',
]

/** The layer table. A file belongs to the longest entry that its path begins with; a file that belongs to none is a violation itself. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  'src/base': { imports: [] },
  'src/exchange': { imports: ['src/base'] },
  'src/resources': { imports: ['src/base', 'src/exchange', 'src/limits.ts'] },
  'src/store': { imports: ['src/base', 'src/limits.ts'] },
  'src/chain': { imports: ['src/base', 'src/exchange', 'src/limits.ts'] },
  'src/projections': { imports: ['src/base', 'src/exchange', 'src/store', 'src/limits.ts'], types: ['src/resources'] },
  'src/oracle': { imports: ['src/base', 'src/exchange', 'src/chain', 'src/projections', 'src/limits.ts'], types: ['src/resources'] },
  'src/indexer': { imports: ['src/base', 'src/exchange', 'src/chain', 'src/store', 'src/projections', 'src/limits.ts'] },
  'src/keys': { imports: ['src/base', 'src/store', 'src/chain', 'src/limits.ts'], types: ['src/resources'] },
  'src/account': { imports: ['src/base', 'src/exchange', 'src/chain', 'src/limits.ts'], types: ['src/resources'] },
  'src/venue': { imports: ['src/base', 'src/exchange', 'src/chain', 'src/limits.ts'], types: ['src/resources'] },
  'src/relay': { imports: ['src/base', 'src/exchange', 'src/chain', 'src/limits.ts'], types: ['src/resources'] },
  'src/stream': { imports: ['src/base', 'src/exchange', 'src/resources', 'src/store', 'src/projections', 'src/limits.ts'] },
  'src/redis': { imports: ['src/base', 'src/keys', 'src/limits.ts'], types: ['src/http'] },
  'src/http': { imports: ['src/base', 'src/resources', 'src/keys', 'src/limits.ts'] },
  'src/console': { imports: ['src/base'] },
  'src/routes': {
    imports: [
      'src/base', 'src/exchange', 'src/resources', 'src/projections', 'src/oracle', 'src/keys', 'src/account', 'src/venue', 'src/relay', 'src/stream',
      'src/http', 'src/console', 'src/limits.ts',
    ],
    types: ['src/store'],
  },
  'src/metrics': { imports: ['src/base'], types: ['src/projections', 'src/chain', 'src/indexer', 'src/http'] },
  'src/tracing': { imports: ['src/base'], types: ['src/http'] },
  'src/limits.ts': { imports: [] },
  'src/config': { imports: ['src/base', 'src/limits.ts'] },
  'src/config.ts': { imports: ['src/base', 'src/config', 'src/exchange', 'src/limits.ts', 'deployments'] },
  'src/gateway.ts': { imports: [...ALL_OF_SRC, 'package.json'] },
  // It starts the local network by the name of its package.
  'main.ts': { imports: [...ALL_OF_SRC, 'src/gateway.ts', 'package.json'] },
  // A workspace package of its own. What it shares with the gateway stays in src: pure helpers, and the constants and shapes that the contracts publish.
  localnet: { imports: ['src/base', 'src/exchange'] },
  'client/src': { imports: [] },
  'client/src/ccxt': { imports: ['client/src'] },
  'client/src/cli': { imports: ['client/src', 'client/package.json'] },
  // Written as a user of the published package would: by its name, and nothing else of the project.
  examples: { imports: [] },
  // What runs in the browser knows the gateway by the published client alone.
  console: { imports: ['client/src'] },
  test: { imports: 'anything' },
  bench: { imports: 'anything' },
}

const LONGEST_FIRST = Object.keys(LAYERS).sort((a, b) => b.length - a.length)

/** Data that a layer may name in its row; everything else that is not code may be read by tests only. */
const DATA = ['deployments', 'package.json', 'client/package.json']

/** Third-party packages have owners; a package that stands in no row may be imported by nobody. */
export const PACKAGE_OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@stellar/stellar-sdk': ['src/chain', 'src/keys', 'localnet'],
  fastify: ['src/http', 'src/routes', 'src/gateway.ts'],
  '@fastify/fast-json-stringify-compiler': ['src/http'],
  '@fastify/swagger': ['src/http', 'src/gateway.ts'],
  '@fastify/swagger-ui': ['src/http', 'src/gateway.ts'],
  '@fastify/type-provider-typebox': ['src/http', 'src/routes', 'src/gateway.ts'],
  typebox: ['src/resources', 'src/http', 'src/routes'],
  '@redis/client': ['src/redis'],
  pg: ['src/store'],
  marked: ['src/http'],
  ws: ['src/stream'],
  '@electric-sql/pglite': ['src/store'],
  pino: ['main.ts'],
  'prom-client': ['src/metrics'],
  '@opentelemetry/api': ['src/tracing'],
  '@opentelemetry/core': ['src/tracing'],
  '@opentelemetry/exporter-trace-otlp-http': ['src/tracing'],
  '@opentelemetry/resources': ['src/tracing'],
  '@opentelemetry/sdk-trace': ['src/tracing'],
  'perpetual-exchange-client': ['examples'],
  esbuild: ['src/console'],
  'perpetual-exchange-localnet': ['main.ts'],
  'lightweight-charts': ['console'],
  '@stellar/freighter-api': ['console'],
  'fast-check': [],
  typescript5: [],
  'openapi-typescript': [],
  '@asyncapi/parser': [],
  '@redocly/openapi-core': [],
  '@stoplight/spectral-core': [],
  '@stoplight/spectral-rulesets': [],
  'playwright-core': [],
  'axe-core': [],
}

/** Parts of the standard library that only some may touch. */
const BUILTIN_OWNERS: Readonly<Record<string, readonly string[]>> = {
  'node:sqlite': ['localnet'],
  'node:timers': ['src/base'],
  'node:timers/promises': ['src/base', 'examples'],
  'node:perf_hooks': ['src/base'],
  'node:process': ['main.ts', 'src/config.ts'],
  'node:child_process': [],
  'node:vm': [],
  'node:module': [],
  'node:test': [],
  'node:assert': [],
  'node:assert/strict': [],
}

const RULE = 'layers'

/** Holds the layer table, the owners of packages and the form of specifiers. */
export function checkLayers(tree: Tree): Violation[] {
  const violations: Violation[] = []
  for (const [path, references] of allImports(tree)) {
    const layer = layerOf(path)
    if (layer === undefined) {
      violations.push({ rule: RULE, path, line: 1, message: 'belongs to no layer of the table' })
      continue
    }
    for (const reference of references) {
      const message = judge(tree, path, layer, reference)
      if (message !== undefined) violations.push({ rule: RULE, path, line: reference.line, message: `${reference.form} import: ${message}` })
    }
  }
  return violations
}

/** The layer that a path belongs to; tests beside their file belong to `test`. */
export function layerOf(path: string): string | undefined {
  if (isTestFile(path)) return 'test'
  return LONGEST_FIRST.find((layer) => path === layer || path.startsWith(`${layer}/`))
}

function judge(tree: Tree, path: string, layer: string, reference: ImportReference): string | undefined {
  const { specifier, form } = reference
  if (specifier === null) return 'the module is computed, so that nobody can tell what it is'
  if (form === 'reference') return `${specifier}: reference comments are not used here`
  if (form === 'require') return `${specifier}: require is not used here`
  if (isRelative(specifier)) return judgeFile(tree, path, layer, specifier, isTypeOnly(reference))
  if (specifier.startsWith('node:')) return judgeBuiltin(layer, specifier)
  if (builtinModules.includes(specifier)) return `${specifier}: write node:${specifier}`
  return judgePackage(layer, specifier)
}

function judgeFile(tree: Tree, path: string, layer: string, specifier: string, typeOnly: boolean): string | undefined {
  const target = resolveRelative(path, specifier)
  if (target === null) return `${specifier} leaves the project`
  if (!tree.has(target)) return `${specifier}: there is no file ${target} (an extension is written out)`
  const row = LAYERS[layer]
  // A file of code outside the table is reported on its own; what is left here is data, which tests may read.
  if (row === undefined || row.imports === 'anything') return undefined
  const targetLayer = DATA.find((data) => target === data || target.startsWith(`${data}/`)) ?? layerOf(target)
  if (targetLayer === undefined) return `${target} belongs to no layer of the table`
  if (targetLayer === layer || row.imports.includes(targetLayer)) return undefined
  if (row.types?.includes(targetLayer) === true) {
    return typeOnly ? undefined : `${layer} may import ${targetLayer} as types only (${target})`
  }
  return `${layer} may not import ${targetLayer} (${target})`
}

function judgeBuiltin(layer: string, specifier: string): string | undefined {
  if (!builtinModules.includes(specifier.slice('node:'.length)) && !builtinModules.includes(specifier)) return `${specifier} does not exist`
  const owners = BUILTIN_OWNERS[specifier]
  if (owners === undefined || owners.includes(layer) || isTestLayer(layer)) return undefined
  return `${specifier} is not for ${layer}${owners.length === 0 ? '' : ` (only for ${owners.join(', ')})`}`
}

function judgePackage(layer: string, specifier: string): string | undefined {
  const name = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
  const owners = Object.hasOwn(PACKAGE_OWNERS, name) ? PACKAGE_OWNERS[name] : undefined
  if (owners === undefined) return `${specifier}: the package ${name} has no owner`
  if (owners.includes(layer) || isTestLayer(layer)) return undefined
  return `${specifier} is not for ${layer}${owners.length === 0 ? ' (only for tests)' : ` (only for ${owners.join(', ')})`}`
}

function isTestLayer(layer: string): boolean {
  return layer === 'test' || layer === 'bench'
}
