// The layer table lists the allowed imports; the check reports all others.

import { builtinModules } from 'node:module'
import { allImports, isRelative, resolveRelative } from './graph.ts'
import { isTypeOnly } from './imports.ts'
import type { ImportReference } from './imports.ts'
import { isTestFile } from './tree.ts'
import type { Tree, Violation } from './tree.ts'

/** Imports that a layer may have besides itself and the standard library. `types` may only be imported as types. */
interface Layer {
  readonly imports: readonly string[] | 'anything'
  readonly types?: readonly string[]
}

const ALL_OF_SRC = [
  'src/base', 'src/base/proofs', 'src/exchange', 'src/resources', 'src/store', 'src/chain', 'src/projections', 'src/projections/exports', 'src/markets',
  'src/indexer', 'src/keys',
  'src/accounts', 'src/trading',
  'src/trading/relay', 'src/stream', 'src/http', 'src/http/console', 'src/routes', 'src/observability', 'src/deployment', 'src/config',
  'src/gateway/redis', 'src/limits.ts',
]

/** The layer table. A file belongs to the longest entry that its path starts with. A file without a layer is a violation. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  'src/limits.ts': { imports: [] },
  'src/base': { imports: [] },
  'src/base/proofs': { imports: ['src/base'] },
  'src/exchange': { imports: ['src/base'] },
  'src/resources': { imports: ['src/base', 'src/exchange', 'src/limits.ts'] },
  'src/store': { imports: ['src/base', 'src/limits.ts'] },
  'src/chain': { imports: ['src/base', 'src/exchange', 'src/limits.ts'] },
  'src/projections': { imports: ['src/base', 'src/exchange', 'src/store', 'src/base/proofs', 'src/limits.ts'], types: ['src/resources'] },
  'src/projections/exports': { imports: ['src/base', 'src/store', 'src/projections', 'src/limits.ts'], types: ['src/resources'] },
  'src/indexer': { imports: ['src/base', 'src/exchange', 'src/chain', 'src/store', 'src/base/proofs', 'src/projections', 'src/limits.ts'] },
  'src/keys': { imports: ['src/base', 'src/store', 'src/chain', 'src/limits.ts'], types: ['src/resources'] },
  'src/accounts': { imports: ['src/base', 'src/exchange', 'src/chain', 'src/limits.ts'], types: ['src/resources'] },
  'src/markets': { imports: ['src/base', 'src/exchange', 'src/chain', 'src/projections', 'src/accounts', 'src/limits.ts'], types: ['src/resources'] },
  // Without a database, so that orders can be submitted while it is down.
  'src/trading/relay': { imports: ['src/base', 'src/exchange', 'src/chain', 'src/limits.ts'], types: ['src/resources'] },
  'src/trading': {
    imports: ['src/base', 'src/exchange', 'src/chain', 'src/store', 'src/projections', 'src/trading/relay', 'src/limits.ts'], types: ['src/resources'],
  },
  'src/stream': { imports: ['src/base', 'src/exchange', 'src/resources', 'src/store', 'src/projections', 'src/limits.ts'] },
  'src/deployment': { imports: ['src/base', 'src/exchange', 'src/chain', 'src/store', 'src/projections'] },
  'src/http': { imports: ['src/base', 'src/base/proofs', 'src/resources', 'src/keys', 'src/limits.ts'] },
  'src/http/console': { imports: ['src/base'] },
  'src/routes': {
    imports: [
      'src/base', 'src/base/proofs', 'src/exchange', 'src/resources', 'src/projections', 'src/projections/exports', 'src/markets', 'src/keys', 'src/accounts',
      'src/trading', 'src/trading/relay',
      'src/stream', 'src/http', 'src/http/console', 'src/limits.ts',
    ],
    types: ['src/store'],
  },
  'src/observability': { imports: ['src/base', 'src/projections'], types: ['src/chain', 'src/exchange', 'src/indexer', 'src/http'] },
  'src/config': { imports: ['src/base', 'src/base/proofs', 'src/deployment', 'src/exchange', 'src/limits.ts'] },
  'src/gateway/redis': { imports: ['src/base', 'src/keys', 'src/limits.ts'], types: ['src/http'] },
  'src/gateway': { imports: [...ALL_OF_SRC, 'package.json'] },
  // The process imports the local network by its package name.
  'main.ts': { imports: [...ALL_OF_SRC, 'src/gateway', 'package.json'] },
  'healthy.ts': { imports: ['src/base', 'src/config'] },
  // A workspace package. Code that it shares with the gateway stays in src: pure helpers, and the contracts' constants and event shapes.
  localnet: {
    imports: [
      'src/base', 'src/exchange', 'localnet/assets.ts', 'localnet/contracts/shared', 'localnet/contracts/generation-1', 'localnet/contracts/generation-2',
    ],
  },
  'localnet/assets.ts': { imports: ['src/exchange'], types: ['localnet'] },
  'localnet/contracts/shared': { imports: ['src/base', 'src/exchange', 'localnet/assets.ts'] },
  'localnet/contracts/generation-1': { imports: ['src/base', 'src/exchange', 'localnet/contracts/shared'] },
  'localnet/contracts/generation-2': { imports: ['src/base', 'src/exchange', 'localnet/contracts/shared'] },
  'client/src': { imports: [] },
  'client/src/ccxt': { imports: ['client/src'] },
  'client/src/cli': { imports: ['client/src', 'client/package.json'] },
  // Examples import the published client by name, as its users do, and nothing else of the project.
  examples: { imports: [] },
  // The browser code reaches the gateway only through the published client.
  console: { imports: ['client/src'] },
  test: { imports: 'anything' },
  bench: { imports: 'anything' },
}

const LONGEST_FIRST = Object.keys(LAYERS).sort((a, b) => b.length - a.length)

/** Data files that a layer may import. Only tests may read other data. */
const DATA = ['package.json', 'client/package.json']

/** The layers that may import each third-party package; an empty list allows tests only. Unlisted packages are forbidden. */
export const PACKAGE_OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@stellar/stellar-sdk': ['src/chain', 'src/keys', 'localnet'],
  fastify: ['src/http', 'src/routes', 'src/gateway'],
  '@fastify/ajv-compiler': ['src/http'],
  '@fastify/fast-json-stringify-compiler': ['src/http'],
  '@fastify/swagger': ['src/http', 'src/gateway'],
  '@fastify/swagger-ui': ['src/http', 'src/gateway'],
  '@fastify/type-provider-typebox': ['src/http', 'src/routes', 'src/gateway'],
  typebox: ['src/resources', 'src/http', 'src/routes'],
  '@redis/client': ['src/gateway/redis'],
  pg: ['src/store'],
  'lru-cache': ['src/base'],
  marked: ['src/http'],
  ws: ['src/stream'],
  '@electric-sql/pglite': ['src/store'],
  pino: ['src/observability'],
  'prom-client': ['src/observability'],
  '@opentelemetry/api': ['src/observability'],
  '@opentelemetry/core': ['src/observability'],
  '@opentelemetry/exporter-trace-otlp-http': ['src/observability'],
  '@opentelemetry/resources': ['src/observability'],
  '@opentelemetry/sdk-trace': ['src/observability'],
  'perpetual-exchange-client': ['examples'],
  esbuild: ['src/http/console'],
  'perpetual-exchange-localnet': ['main.ts'],
  'lightweight-charts': ['console'],
  preact: ['console'],
  '@preact/signals': ['console'],
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

/** Restricted modules of the standard library, with the layers that may import them. */
const BUILTIN_OWNERS: Readonly<Record<string, readonly string[]>> = {
  'node:sqlite': ['localnet', 'src/store'],
  'node:timers': ['src/base'],
  'node:timers/promises': ['src/base', 'examples'],
  'node:perf_hooks': ['src/base'],
  'node:process': ['main.ts', 'src/config'],
  'node:child_process': [],
  'node:vm': [],
  'node:module': [],
  'node:test': [],
  'node:assert': [],
  'node:assert/strict': [],
}

const RULE = 'layers'

/** Checks imports against the layer table and the owners of packages, and the form of specifiers. */
export function checkLayers(tree: Tree): Violation[] {
  const violations: Violation[] = []
  for (const [path, references] of allImports(tree)) {
    const layer = layerOf(path)
    if (layer === undefined) {
      violations.push({ rule: RULE, path, line: 1, message: 'belongs to no layer; add it to the table in test/tidy/layers.ts' })
      continue
    }
    for (const reference of references) {
      const message = problemOf(tree, path, layer, reference)
      if (message !== undefined) violations.push({ rule: RULE, path, line: reference.line, message: `${reference.form} import: ${message}` })
    }
  }
  return violations
}

/** The layer of a path; test files in any folder belong to `test`. */
export function layerOf(path: string): string | undefined {
  if (isTestFile(path)) return 'test'
  return LONGEST_FIRST.find((layer) => path === layer || path.startsWith(`${layer}/`))
}

function problemOf(tree: Tree, path: string, layer: string, reference: ImportReference): string | undefined {
  const { specifier, form } = reference
  if (specifier === null) return 'the specifier is computed; use a string literal'
  if (form === 'reference') return `${specifier}: use import instead of reference comments`
  if (form === 'require') return `${specifier}: use import instead of require`
  if (isRelative(specifier)) return fileProblem(tree, path, layer, specifier, isTypeOnly(reference))
  if (specifier.startsWith('node:')) return builtinProblem(layer, specifier)
  if (builtinModules.includes(specifier)) return `${specifier}: write node:${specifier}`
  return packageProblem(layer, specifier)
}

function fileProblem(tree: Tree, path: string, layer: string, specifier: string, typeOnly: boolean): string | undefined {
  const target = resolveRelative(path, specifier)
  if (target === null) return `${specifier} is outside the project`
  if (!tree.has(target)) return `${specifier}: there is no file ${target}; write the extension`
  const row = LAYERS[layer]
  // Code without a layer is reported separately. All other targets are data, which tests may read.
  if (row === undefined || row.imports === 'anything') return undefined
  const targetLayer = DATA.find((data) => target === data || target.startsWith(`${data}/`)) ?? layerOf(target)
  if (targetLayer === undefined) return `${target} belongs to no layer`
  if (targetLayer === layer || row.imports.includes(targetLayer)) return undefined
  if (row.types?.includes(targetLayer) === true) {
    return typeOnly ? undefined : `${layer} may import ${targetLayer} as types only (${target})`
  }
  return `${layer} may not import ${targetLayer} (${target})`
}

function builtinProblem(layer: string, specifier: string): string | undefined {
  if (!builtinModules.includes(specifier.slice('node:'.length)) && !builtinModules.includes(specifier)) return `${specifier} does not exist`
  const owners = BUILTIN_OWNERS[specifier]
  if (owners === undefined || owners.includes(layer) || isTestLayer(layer)) return undefined
  return `${specifier} is not allowed in ${layer}${owners.length === 0 ? '' : ` (only in ${owners.join(', ')})`}`
}

function packageProblem(layer: string, specifier: string): string | undefined {
  const name = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
  const owners = Object.hasOwn(PACKAGE_OWNERS, name) ? PACKAGE_OWNERS[name] : undefined
  if (owners === undefined) return `${specifier}: the package ${name} has no owner; add it to PACKAGE_OWNERS in test/tidy/layers.ts`
  if (owners.includes(layer) || isTestLayer(layer)) return undefined
  return `${specifier} is not allowed in ${layer}${owners.length === 0 ? ' (only in tests)' : ` (only in ${owners.join(', ')})`}`
}

function isTestLayer(layer: string): boolean {
  return layer === 'test' || layer === 'bench'
}
