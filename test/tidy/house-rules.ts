// The rules about the house as a whole: nothing lies about unused, and what is installed is what was meant.

import { allImports, reachable } from './graph.ts'
import { PACKAGE_OWNERS } from './layers.ts'
import { isProduct, isTestFile } from './tree.ts'
import type { Rule, Tree, Violation } from './tree.ts'

/**
 * Files from which everything that runs is reached: package.json's scripts start them, the client's users import its doors or call its command, and the
 * console's page begins with its own.
 */
const ROOTS = [
  'main.ts', 'src/store/prepare.ts', 'test/run.ts', 'test/mutations.ts', 'test/lint-documents.ts', 'bench/run.ts', 'client/src/index.ts',
  'client/src/ccxt/index.ts', 'client/src/cli/main.ts', 'console/main.ts',
]

const deadFiles: Rule = (tree) => {
  // Each example is started by whoever reads it.
  const running = reachable(tree, [...ROOTS, ...[...tree.keys()].filter((path) => path.startsWith('examples/'))])
  const tested = reachable(tree, [...tree.keys()].filter((path) => path.endsWith('.test.ts')))
  const violations: Violation[] = []
  for (const path of tree.keys()) {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts') || running.has(path)) continue
    if (isProduct(path)) violations.push({ rule: 'dead-files', path, line: 1, message: 'main.ts does not reach it' })
    else if (!isTestFile(path) || !tested.has(path)) violations.push({ rule: 'dead-files', path, line: 1, message: 'nothing reaches it' })
  }
  return violations
}

/** Tools that are called by name, never imported. */
const TOOLS = ['typescript', 'typescript5', 'oxlint', 'oxlint-tsgolint']

/** Node itself: one package for each platform. */
const RUNTIME_PACKAGE = /^node-(?:bin-)?(?:linux|darwin|win)-(?:x64|arm64)$/

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
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
    return pinned ? [] : [{ rule: 'pinned-packages', path: 'package.json', line: 1, message: `${name} ${version} is not one exact version` }]
  })

/** A lock file made where another platform's packages could not be had is refused by `npm ci` everywhere. */
const completeLock: Rule = (tree) => {
  const lock = JSON.parse(tree.get('package-lock.json') ?? '{"packages":{}}') as Lock
  const says = (message: string): Violation => ({ rule: 'complete-lock', path: 'package-lock.json', line: 1, message })
  const wrong = Object.entries(manifestOf(tree)).flatMap(([name, version]) => {
    const locked = lock.packages[`node_modules/${name}`]?.version
    // A package under another name is written with its own: `npm:typescript@5.9.3`.
    return locked === version.replace(/^npm:.+@/, '') ? [] : [says(`${name} is locked at ${locked ?? 'nothing'}, package.json says ${version}`)]
  })
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {}).flatMap((name) => {
      const there = lock.packages[`node_modules/${name}`] ?? lock.packages[`${path}/node_modules/${name}`]
      return there === undefined ? [says(`${path} may need ${name}, which is not locked`)] : []
    }),
  )
  return [...wrong, ...missing]
}

/**
 * Packages whose install script only optimizes: it links a binary that the lock file already names, with its digest. The container image is installed with
 * `--ignore-scripts` and runs without it.
 */
const OPTIONAL_INSTALL_SCRIPTS = ['node_modules/esbuild']

/** `npm ci --ignore-scripts` must be enough, and must install exactly the bytes that were reviewed: a digest for every package, and no install scripts. */
const lockedDigests: Rule = (tree) => {
  const lock = JSON.parse(tree.get('package-lock.json') ?? '{"packages":{}}') as Lock
  return Object.entries(lock.packages).flatMap(([path, { link = false, integrity = '', hasInstallScript = false }]) => {
    if (!path.includes('node_modules/') || link) return []
    const says = (message: string): Violation => ({ rule: 'locked-digests', path: 'package-lock.json', line: 1, message: `${path} ${message}` })
    return [
      ...(integrity.startsWith('sha512-') ? [] : [says('has no SHA-512 digest')]),
      ...(hasInstallScript && !OPTIONAL_INSTALL_SCRIPTS.includes(path) ? [says('runs an install script')] : []),
    ]
  })
}

/** Every package is imported by somebody, has an owner, and has a page that says why it is here. */
const reasonedPackages: Rule = (tree) => {
  const imported = new Set([...allImports(tree).values()].flat().map(({ specifier }) => packageName(specifier ?? '')))
  const pages = [...tree].filter(([path]) => path.startsWith('docs/decisions/')).map(([, source]) => source).join('\n')
  return Object.keys(manifestOf(tree)).flatMap((name) => {
    const says = (message: string): Violation => ({ rule: 'reasoned-packages', path: 'package.json', line: 1, message: `${name}: ${message}` })
    const violations: Violation[] = []
    const isTool = TOOLS.includes(name) || RUNTIME_PACKAGE.test(name) || name.startsWith('@types/')
    if (!isTool && !Object.hasOwn(PACKAGE_OWNERS, name)) violations.push(says('it has no owner in the layer table'))
    if (!isTool && !imported.has(name)) violations.push(says('nobody imports it'))
    if (!pages.includes(`\`${name}\``)) violations.push(says('no page of docs/decisions says why it is here'))
    return violations
  })
}

function packageName(specifier: string): string {
  return specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

/** Every rule of this file by its name. */
export const HOUSE_RULES: Readonly<Record<string, Rule>> = {
  'dead-files': deadFiles,
  'pinned-packages': pinnedPackages,
  'complete-lock': completeLock,
  'locked-digests': lockedDigests,
  'reasoned-packages': reasonedPackages,
}

/** What every rule of this file says of a tree. */
export function checkHouse(tree: Tree): Violation[] {
  return Object.values(HOUSE_RULES).flatMap((rule) => rule(tree))
}
