// The import graph: the references of all files, resolved to paths of the tree.

import { findImports } from './imports.ts'
import type { ImportReference } from './imports.ts'
import { isTypeScript } from './tree.ts'
import type { Tree, Violation } from './tree.ts'

/** A reference to another file of the project. */
export interface Edge {
  readonly from: string
  readonly to: string
  readonly reference: ImportReference
}

const cache = new WeakMap<Tree, ReadonlyMap<string, readonly ImportReference[]>>()

/** The references of every TypeScript file. */
export function allImports(tree: Tree): ReadonlyMap<string, readonly ImportReference[]> {
  const cached = cache.get(tree)
  if (cached !== undefined) return cached
  const imports = new Map<string, readonly ImportReference[]>()
  for (const [path, text] of tree) {
    if (isTypeScript(path)) imports.set(path, findImports(text))
  }
  cache.set(tree, imports)
  return imports
}

/** True for `./x.ts` and `../x.ts`. */
export function isRelative(specifier: string): boolean {
  return specifier.startsWith('./') || specifier.startsWith('../')
}

/** Resolves a relative specifier to a path, or to null outside the project. */
export function resolveRelative(from: string, specifier: string): string | null {
  const parts = from.split('/').slice(0, -1)
  for (const part of specifier.split('/')) {
    if (part === '.' || part === '') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.join('/')
}

/** The folders of the workspace packages that the project imports by name, without a build. */
const WORKSPACES: Readonly<Record<string, string>> = { 'perpetual-exchange-localnet': 'localnet' }

/** The file that a workspace package exports under this specifier, or null for every other specifier. */
function resolveWorkspace(tree: Tree, specifier: string): string | null {
  const [name = '', ...path] = specifier.split('/')
  const folder = Object.hasOwn(WORKSPACES, name) ? WORKSPACES[name] : undefined
  if (folder === undefined) return null
  const manifestPath = `${folder}/package.json`
  const { exports } = JSON.parse(tree.get(manifestPath) ?? '{}') as { readonly exports?: Readonly<Record<string, string>> }
  const target = exports?.[['.', ...path].join('/')]
  return target === undefined ? null : resolveRelative(manifestPath, target)
}

/** All references between files of the project. */
export function edges(tree: Tree): Edge[] {
  const found: Edge[] = []
  for (const [from, references] of allImports(tree)) {
    for (const reference of references) {
      const { specifier } = reference
      if (specifier === null) continue
      const to = isRelative(specifier) ? resolveRelative(from, specifier) : resolveWorkspace(tree, specifier)
      if (to !== null) found.push({ from, to, reference })
    }
  }
  return found
}

/** Reports import cycles, types included: one violation for each group of files. */
export function checkCycles(tree: Tree): Violation[] {
  const targets = targetsOf(tree)
  const violations: Violation[] = []
  const seen = new Set<string>()
  for (const start of targets.keys()) {
    if (seen.has(start)) continue
    const cycle = shortestCycle(targets, start)
    if (cycle === undefined) continue
    for (const path of cycle) seen.add(path)
    violations.push({ rule: 'no-cycle', path: start, line: 1, message: `imports itself through ${[...cycle, start].join(' -> ')}` })
  }
  return violations
}

/** Every file that can be reached from these, themselves included. */
export function reachable(tree: Tree, roots: readonly string[]): ReadonlySet<string> {
  const targets = targetsOf(tree)
  const reached = new Set(roots)
  for (const path of reached) {
    for (const target of targets.get(path) ?? []) reached.add(target)
  }
  return reached
}

function targetsOf(tree: Tree): ReadonlyMap<string, ReadonlySet<string>> {
  const targets = new Map<string, Set<string>>()
  for (const edge of edges(tree)) {
    const known = targets.get(edge.from) ?? new Set()
    targets.set(edge.from, known.add(edge.to))
  }
  return targets
}

/** Breadth-first search from `start` back to it. */
function shortestCycle(targets: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (const path of queue) {
    for (const target of targets.get(path) ?? []) {
      if (target === start) return pathTo(cameFrom, start, path)
      if (cameFrom.has(target)) continue
      cameFrom.set(target, path)
      queue.push(target)
    }
  }
  return undefined
}

function pathTo(cameFrom: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const files = [end]
  for (let file = end; file !== start;) {
    file = cameFrom.get(file) ?? start
    files.unshift(file)
  }
  return files
}
