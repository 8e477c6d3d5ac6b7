// Rules about the project as a whole: no unused files, and pinned, locked and documented packages.

import { allImports, reachable } from './graph.ts'
import { PACKAGE_OWNERS } from './layers.ts'
import { isProduct, isTestFile, isTypeScript } from './tree.ts'
import type { Rule, Tree, Violation } from './tree.ts'

/** Entry files: started by the scripts of package.json, imported or run by users of the client, or loaded by the console's page. */
const ENTRY_FILES = [
  'main.ts', 'healthy.ts', 'src/store/prepare.ts', 'test/run.ts', 'test/mutations/run.ts', 'test/cash-ledger.ts', 'test/console-displays.ts',
  'test/generated-requests.ts', 'test/lint-documents.ts', 'bench/run.ts', 'client/src/index.ts',
  'client/src/ccxt/index.ts', 'client/src/cli/main.ts', 'console/main.tsx',
]

const deadFiles: Rule = (tree) => {
  // Readers run the examples directly.
  const running = reachable(tree, [...ENTRY_FILES, ...[...tree.keys()].filter((path) => path.startsWith('examples/'))])
  const tested = reachable(tree, [...tree.keys()].filter((path) => path.endsWith('.test.ts')))
  const violations: Violation[] = []
  for (const path of tree.keys()) {
    if (!isTypeScript(path) || path.endsWith('.test.ts') || running.has(path)) continue
    const add = (importer: string) => violations.push({ rule: 'dead-files', path, line: 1, message: `no ${importer} reaches it; delete the file or import it` })
    if (isProduct(path)) add('entry file')
    else if (!isTestFile(path) || !tested.has(path)) add('entry file or test')
  }
  return violations
}

/** Tools that scripts run, never imported. */
const TOOLS = ['typescript', 'typescript5', 'oxlint', 'oxlint-tsgolint', 'knip']

/** The Node binary: one package for each platform. */
const RUNTIME_PACKAGE = /^node-(?:bin-)?(?:linux|darwin|win)-(?:x64|arm64)$/

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly allowScripts?: Readonly<Record<string, boolean>>
}

interface LockedPackage {
  readonly version?: string
  readonly link?: boolean
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

function manifestOf(tree: Tree): Readonly<Record<string, string>> {
  const manifest = JSON.parse(tree.get('package.json') ?? '{}') as Manifest
  return { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies }
}

const pinnedPackages: Rule = (tree) =>
  Object.entries(manifestOf(tree)).flatMap(([name, version]) => {
    const pinned = /^(?:npm:[\w@/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)
    return pinned ? [] : [{ rule: 'pinned-packages', path: 'package.json', line: 1, message: `${name} ${version}: specify an exact version` }]
  })

/** A lock file that lacks another platform's optional packages makes `npm ci` fail. */
const completeLock: Rule = (tree) => {
  const lock = JSON.parse(tree.get('package-lock.json') ?? '{"packages":{}}') as Lock
  const violation = (message: string): Violation => ({ rule: 'complete-lock', path: 'package-lock.json', line: 1, message })
  const wrong = Object.entries(manifestOf(tree)).flatMap(([name, version]) => {
    const locked = lock.packages[`node_modules/${name}`]?.version
    // An aliased package has the form `npm:typescript@5.9.3`.
    if (locked === version.replace(/^npm:.+@/, '')) return []
    return [violation(`${name} is locked at ${locked ?? 'no version'}, but package.json requires ${version}; run npm install`)]
  })
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {}).flatMap((name) => {
      const isLocked = [`node_modules/${name}`, `${path}/node_modules/${name}`].some((location) => lock.packages[location] !== undefined)
      return isLocked ? [] : [violation(`${path} has the optional dependency ${name}, which is not locked; lock all platforms`)]
    }),
  )
  return [...wrong, ...missing]
}

/**
 * `npm ci --ignore-scripts` must suffice and install the reviewed bytes: every package has a digest, and none runs an install script. A package that works
 * without its script is accepted if `allowScripts` denies the script.
 */
const lockedDigests: Rule = (tree) => {
  const lock = JSON.parse(tree.get('package-lock.json') ?? '{"packages":{}}') as Lock
  const { allowScripts = {} } = JSON.parse(tree.get('package.json') ?? '{}') as Manifest
  const isDenied = (path: string): boolean => allowScripts[path.split('node_modules/').at(-1) ?? ''] === false
  return Object.entries(lock.packages).flatMap(([path, { link = false, integrity = '', hasInstallScript = false }]) => {
    if (!path.includes('node_modules/') || link) return []
    const violation = (message: string): Violation => ({ rule: 'locked-digests', path: 'package-lock.json', line: 1, message: `${path} ${message}` })
    return [
      ...(integrity.startsWith('sha512-') ? [] : [violation('has no SHA-512 digest')]),
      ...(hasInstallScript && !isDenied(path) ? [violation('runs an install script; replace the package')] : []),
    ]
  })
}

/** Every package is imported, has an owner in the layer table, and a decision page that names it. */
const documentedPackages: Rule = (tree) => {
  const imported = new Set([...allImports(tree).values()].flat().map(({ specifier }) => packageName(specifier ?? '')))
  const pages = [...tree].filter(([path]) => path.startsWith('docs/decisions/')).map(([, source]) => source).join('\n')
  return Object.keys(manifestOf(tree)).flatMap((name) => {
    const violation = (message: string): Violation => ({ rule: 'documented-packages', path: 'package.json', line: 1, message: `${name}: ${message}` })
    const violations: Violation[] = []
    const isTool = TOOLS.includes(name) || RUNTIME_PACKAGE.test(name) || name.startsWith('@types/')
    if (!isTool && !Object.hasOwn(PACKAGE_OWNERS, name)) violations.push(violation('add its owner to the layer table'))
    if (!isTool && !imported.has(name)) violations.push(violation('no file imports it; remove the package'))
    if (!pages.includes(`\`${name}\``)) violations.push(violation('add a page to docs/decisions that explains why the project uses it'))
    return violations
  })
}

function packageName(specifier: string): string {
  return specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

/** The rules of this file by name. */
export const PROJECT_RULES: Readonly<Record<string, Rule>> = {
  'dead-files': deadFiles,
  'pinned-packages': pinnedPackages,
  'complete-lock': completeLock,
  'locked-digests': lockedDigests,
  'documented-packages': documentedPackages,
}

/** The violations of all rules of this file. */
export function checkProject(tree: Tree): Violation[] {
  return Object.values(PROJECT_RULES).flatMap((rule) => rule(tree))
}
