// The project follows the layer table, and the check reports planted violations.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkLayers, LAYERS, layerOf } from './layers.ts'
import { plant, readTree, report } from './tree.ts'

const TARGETS = {
  'src/base/clock.ts': 'export interface Clock { nowMs(): number }',
  'src/exchange/assets.ts': 'export const ASSETS = []',
  'src/resources/trade.ts': 'export type Trade = object; export const trade = {}',
  'src/store/store.ts': 'export interface Store { close(): void }',
  'src/chain/rpc.ts': 'export const rpc = 1',
  'src/projections/trades.ts': 'export const listTrades = 1',
  'src/indexer/indexer.ts': 'export const indexer = 1',
  'src/routes/trades.ts': 'export const routes = 1',
  'src/gateway/gateway.ts': 'export const gateway = 1',
  'src/config/config.ts': 'export const config = 1',
  'src/limits.ts': 'export const LIMIT = 1',
  'localnet/chain.ts': 'export const chain = 1',
  'client/src/index.ts': 'export const createClient = 1',
  'test/support/gateway-fixture.ts': 'export const fixture = 1',
  'package.json': '{}',
  'docs/openapi.json': '{}',
}

/** The violations of one planted file among the targets. */
function violationsOf(path: string, source: string): string[] {
  return checkLayers(plant({ ...TARGETS, [path]: source })).map((violation) => `${violation.path}:${violation.line} ${violation.message}`)
}

const UP = '../chain/rpc.ts'
const FORBIDDEN: readonly (readonly [kind: string, path: string, source: string, expected: RegExp])[] = [
  ['a named import', 'src/base/x.ts', `import { rpc } from '${UP}'`, /static import: src\/base may not import src\/chain/],
  ['a namespace import', 'src/base/x.ts', `import * as all from '${UP}'`, /src\/base may not import src\/chain/],
  ['an import with its clause over lines', 'src/base/x.ts', `import {\n  rpc, // 'from'\n  other as from,\n} from '${UP}'`, /x\.ts:1 static/],
  ['a type-only import', 'src/base/x.ts', `import type { Rpc } from '${UP}'`, /type import: src\/base may not import src\/chain/],
  ['an import of marked types', 'src/base/x.ts', `import { type Rpc, type Other } from '${UP}'`, /type import: src\/base/],
  ['a side-effect import', 'src/base/x.ts', `import "${UP}"`, /side-effect import/],
  ['a dynamic import', 'src/base/x.ts', `export const load = () => import('${UP}')`, /dynamic import: src\/base/],
  ['a dynamic import in backquotes', 'src/base/x.ts', `const x = await import(\`${UP}\`)`, /dynamic import: src\/base/],
  ['a dynamic import inside a template', 'src/base/x.ts', `const x = \`\${await import('${UP}')}\``, /dynamic import: src\/base/],
  ['an import type', 'src/base/x.ts', `let x: import('${UP}').Rpc`, /type import: src\/base/],
  ['typeof an import', 'src/base/x.ts', `type X = typeof import('${UP}')`, /type import: src\/base/],
  ['a computed import', 'src/base/x.ts', `const x = await import('../chain/' + name)`, /computed/],
  ['a template with a substitution', 'src/base/x.ts', 'const x = await import(`../chain/${name}.ts`)', /computed/],
  ['a re-export', 'src/base/x.ts', `export { rpc } from '${UP}'`, /re-export import: src\/base/],
  ['a re-export of everything', 'src/base/x.ts', `export * from '${UP}'`, /re-export import: src\/base/],
  ['a named re-export of everything', 'src/base/x.ts', `export * as rpc from '${UP}'`, /re-export import: src\/base/],
  ['a re-export of types', 'src/base/x.ts', `export type { Rpc } from '${UP}'`, /type re-export import: src\/base/],
  ['a worker file', 'src/base/x.ts', `new Worker(new URL('${UP}', import.meta.url))`, /url import: src\/base/],
  ['a resolved file', 'src/base/x.ts', `const x = import.meta.resolve('${UP}')`, /url import: src\/base/],
  ['an escaped specifier', 'src/base/x.ts', "import { rpc } from '../ch\\u0061in/rpc.ts'", /src\/base may not import src\/chain/],
  ['a detour through the root', 'src/base/x.ts', "import { rpc } from '../../src/./chain/rpc.ts'", /src\/base may not import src\/chain/],
  ['require', 'src/base/x.ts', `const x = require('${UP}')`, /use import instead of require/],
  ['import = require', 'src/base/x.ts', `import x = require('${UP}')`, /use import instead of require/],
  ['createRequire', 'src/base/x.ts', 'const load = createRequire(import.meta.url)', /require import/],
  ['process.getBuiltinModule', 'src/base/x.ts', "const fs = process.getBuiltinModule('node:fs')", /use import instead of require/],
  ['a reference comment', 'src/base/x.ts', `/// <reference path="${UP}" />`, /instead of reference comments/],
  ['a missing extension', 'src/chain/x.ts', "import { rpc } from './rpc'", /no file src\/chain\/rpc/],
  ['a file that does not exist', 'src/chain/x.ts', "import { rpc } from './rpc.js'", /no file/],
  ['a path into node_modules', 'src/chain/x.ts', "import x from '../../node_modules/pg/lib/index.js'", /no file node_modules/],
  ['a path out of the project', 'src/chain/x.ts', "import x from '../../../other/x.ts'", /outside the project/],
  ['an alias', 'src/chain/x.ts', "import x from '#base/clock'", /has no owner/],
  ['an address', 'src/chain/x.ts', "import x from 'https://example.org/x.ts'", /has no owner/],
  ['an absolute path', 'src/chain/x.ts', "import x from '/src/chain/rpc.ts'", /has no owner/],
  ['a standard library module without node:', 'src/chain/x.ts', "import fs from 'fs'", /write node:fs/],
  ['an unknown standard library module', 'src/chain/x.ts', "import fs from 'node:nothing'", /does not exist/],
  ['SQLite outside its owners', 'src/keys/x.ts', "import { DatabaseSync } from 'node:sqlite'", /node:sqlite is not allowed in src\/keys/],
  ['timers outside the clock', 'src/chain/x.ts', "import { setTimeout } from 'node:timers/promises'", /timers\/promises is not allowed in src\/chain/],
  ['an unknown package', 'src/chain/x.ts', "import _ from 'lodash'", /lodash has no owner/],
  ['a package named like a prototype property', 'src/chain/x.ts', "import _ from 'constructor'", /constructor has no owner/],
  ['the SDK outside its owners', 'src/routes/x.ts', "import { xdr } from '@stellar/stellar-sdk'", /is not allowed in src\/routes/],
  ['a part of the SDK, as a type', 'src/routes/x.ts', "import type { Api } from '@stellar/stellar-sdk/rpc'", /is not allowed in src\/routes/],
  ['a deep path of a driver', 'src/projections/x.ts', "import x from 'pg/lib/client.js'", /pg\/lib\/client\.js is not allowed in src\/projections/],
  ['a part of a scoped driver', 'src/indexer/x.ts', "import x from '@electric-sql/pglite/nodefs'", /is not allowed in src\/indexer/],
  ['the framework in a projection', 'src/projections/x.ts', "import type { FastifyInstance } from 'fastify'", /is not allowed in src\/projections/],
  ['a test tool in the product', 'src/base/x.ts', "import fc from 'fast-check'", /only in tests/],
  ['the test runner in the product', 'src/base/x.ts', "import { test } from 'node:test'", /is not allowed in src\/base/],
  ['a schema as a value', 'src/projections/x.ts', "import { trade } from '../resources/trade.ts'", /as types only/],
  ['a schema among types', 'src/projections/x.ts', "import { type Trade, trade } from '../resources/trade.ts'", /as types only/],
  ['the store as a value in a route', 'src/routes/x.ts', "import { StoreUnavailable } from '../store/store.ts'", /as types only/],
  ['the configuration below the top', 'src/http/x.ts', "import { config } from '../config/config.ts'", /may not import src\/config/],
  ['the composition from below', 'src/routes/x.ts', "import { gateway } from '../gateway/gateway.ts'", /may not import src\/gateway/],
  ['the local network in the gateway', 'src/gateway/x.ts', "import { chain } from '../../localnet/chain.ts'", /may not import localnet/],
  ['the gateway in the local network', 'localnet/x.ts', "import { rpc } from '../src/chain/rpc.ts'", /localnet may not import src\/chain/],
  ['the local network by its path in main.ts', 'main.ts', "import { chain } from './localnet/chain.ts'", /main\.ts may not import localnet/],
  ['the local network by its name in the gateway', 'src/gateway/x.ts', "import { start } from 'perpetual-exchange-localnet'", /is not allowed in src\/gateway/],
  ['the local network in the configuration', 'src/config/x.ts', "import type { Chain } from '../../localnet/chain.ts'", /may not import localnet/],
  ['tests in the product', 'src/chain/x.ts', "import { fixture } from '../../test/support/gateway-fixture.ts'", /may not import test/],
  ['a test file next to the importing file', 'src/chain/x.ts', "import { help } from './rpc.test.ts'", /no file|may not import test/],
  ['data in a layer that may not read it', 'src/chain/x.ts', "import x from '../../package.json' with { type: 'json' }", /may not import package\.json/],
  ['a golden file in the product', 'src/http/x.ts', "new URL('../../docs/openapi.json', import.meta.url)", /docs\/openapi\.json belongs to no layer/],
  ['a folder outside the table', 'src/helpers/x.ts', 'export const x = 1', /belongs to no layer/],
  ['a file outside the table', 'src/util.ts', 'export const x = 1', /belongs to no layer/],
  ['the client by its path in an example', 'examples/x.ts', "import { createClient } from '../client/src/index.ts'", /examples may not import client\/src/],
  ['the gateway in an example', 'examples/x.ts', "import { ASSETS } from '../src/exchange/assets.ts'", /examples may not import src\/exchange/],
  ['the SDK in an example', 'examples/x.ts', "import { Keypair } from '@stellar/stellar-sdk'", /is not allowed in examples/],
  ['the published client in the gateway', 'src/chain/x.ts', "import { createClient } from 'perpetual-exchange-client'", /only in examples/],
  ['a script outside the table', 'scripts/x.ts', 'export const x = 1', /belongs to no layer/],
]

for (const [kind, path, source, expected] of FORBIDDEN) {
  test(`reports ${kind}`, () => {
    const violations = violationsOf(path, source)
    assert.equal(violations.length, 1, `expected one violation, got: ${violations.join('; ')}`)
    assert.match(violations[0] ?? '', expected)
  })
}

const ALLOWED: readonly (readonly [kind: string, path: string, source: string])[] = [
  ['imports of lower layers', 'src/chain/x.ts', "import type { Clock } from '../base/clock.ts'\nimport { ASSETS } from '../exchange/assets.ts'"],
  ['imports of limits', 'src/chain/x.ts', "import { LIMIT } from '../limits.ts'"],
  ['imports within a layer', 'src/chain/deep/x.ts', "import { rpc } from '../rpc.ts'"],
  [
    'type imports of a schema', 'src/projections/x.ts',
    "import type { Trade } from '../resources/trade.ts'\nimport { type Trade as T } from '../resources/trade.ts'",
  ],
  ['type imports of the store', 'src/routes/x.ts', "import type { Queryable } from '../store/store.ts'"],
  [
    'packages in their owner\'s folder', 'src/store/x.ts',
    "import pg from 'pg'\nimport { NodeFS } from '@electric-sql/pglite/nodefs'\nimport { readFileSync } from 'node:fs'",
  ],
  ['any import in a test next to its file', 'src/base/x.test.ts', "import { rpc } from '../chain/rpc.ts'\nimport fc from 'fast-check'"],
  ['the published client in an example', 'examples/x.ts', "import { createClient } from 'perpetual-exchange-client'\nimport { readFileSync } from 'node:fs'"],
  ['a golden file in a test', 'src/http/x.test.ts', "const golden = new URL('../../docs/openapi.json', import.meta.url)"],
  [
    'the local network and the gateway in main.ts', 'main.ts',
    "import { startLocalNetwork } from 'perpetual-exchange-localnet'\nimport { gateway } from './src/gateway/gateway.ts'",
  ],
  [
    'comments, strings and names that only look like imports', 'src/base/x.ts',
    [
      `// import { rpc } from '${UP}'`, `/* export * from '${UP}' */`, `const text = "import { rpc } from '${UP}'"`,
      `const nested = \`import('\${'x'}')\``, 'const pattern = /import("x")\'/', 'const record = { import: 1, export: 2, from: 3 }',
      'record.import', 'const url = import.meta.url', `const half = 1 / 2 // import '${UP}'`, 'export { text }', 'export type { Local }',
      "const from = 'x'", 'export const list = [from]', "type Local = 'a' | 'b'", "new URL('../..', import.meta.url)",
    ].join('\n'),
  ],
]

for (const [kind, path, source] of ALLOWED) {
  test(`accepts ${kind}`, () => {
    assert.deepEqual(violationsOf(path, source), [])
  })
}

test('each layer may import only the layers in its row', () => {
  const probe = Object.fromEntries(Object.keys(LAYERS).map((layer) => [layer.endsWith('.ts') ? layer : `${layer}/probe.ts`, 'export {}']))
  let rejectedCount = 0
  for (const [layer, row] of Object.entries(LAYERS)) {
    if (row.imports === 'anything') continue
    const path = layer.endsWith('.ts') ? layer : `${layer}/probe.ts`
    for (const [other, target] of Object.keys(LAYERS).map((name) => [name, name.endsWith('.ts') ? name : `${name}/probe.ts`] as const)) {
      if (other === layer) continue
      const specifier = `${'../'.repeat(path.split('/').length - 1) || './'}${target}`
      const source = `import { probe } from '${specifier}'`
      const isRejected = checkLayers(plant({ ...probe, [path]: source })).length > 0
      assert.equal(isRejected, !row.imports.includes(other), `${layer} -> ${other}`)
      rejectedCount += isRejected ? 1 : 0
    }
  }
  assert.ok(rejectedCount > 200, `only ${rejectedCount} pairs are rejected`)
})

test('a file belongs to the layer of its folder, and its tests to the layer of tests', () => {
  assert.equal(layerOf('src/chain/rpc.ts'), 'src/chain')
  assert.equal(layerOf('src/chain/rpc.test.ts'), 'test')
  assert.equal(layerOf('src/chains/rpc.ts'), undefined)
  assert.equal(layerOf('src/gateway/redis/redis.ts'), 'src/gateway/redis')
  assert.equal(layerOf('localnet/rpc/getEvents.ts'), 'localnet')
})

test('the project follows the layer table', () => {
  const tree = readTree()
  const product = [...tree.keys()].filter((path) => path.startsWith('src/') && path.endsWith('.ts'))
  assert.ok(product.length >= 15, `only ${product.length} files of src found`)
  const violations = checkLayers(tree)
  assert.equal(violations.length, 0, `\n${report(violations)}`)
})
