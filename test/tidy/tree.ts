// The project's files as paths and texts. A tidy rule is a pure function of such a tree, so tests can plant violations.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The text of each file by its path from the project's root, with `/`. */
export type Tree = ReadonlyMap<string, string>

/** A place where a rule is broken. Lines count from 1. */
export interface Violation {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly message: string
}

/** Returns the violations of one rule. */
export type Rule = (tree: Tree) => Violation[]

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', '.git', 'data', 'dist'])
const TEXT_ENDINGS = ['.ts', '.tsx', '.md', '.sql', '.json', '.yml', '.yaml', '.html', '.css', '.js', '.mjs', '.sh', '.txt']
const TEXT_NAMES: ReadonlySet<string> = new Set(['.gitignore', '.dockerignore', '.ci/run', '.npmrc', 'LICENSE', 'Dockerfile', 'deploy/Caddyfile'])
/** Larger files are data. */
const TEXT_MAX_BYTES = 2_000_000

export const PROJECT_ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Reads every text file of the project, and the names of its images. */
export function readTree(root: string = PROJECT_ROOT): Tree {
  const tree = new Map<string, string>()
  const entries = readdirSync(root, { withFileTypes: true, recursive: false })
  const pending = entries.map((entry) => entry.name)
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (SKIPPED_FOLDERS.has(name)) continue
    const stat = statSync(root + path)
    if (stat.isDirectory()) {
      for (const entry of readdirSync(root + path)) pending.push(`${path}/${entry}`)
    } else if (isText(path) && stat.size <= TEXT_MAX_BYTES) {
      tree.set(path, readFileSync(root + path, 'utf8'))
    } else if (path.endsWith('.png')) {
      // Pages link to images, so the tree contains their paths without content.
      tree.set(path, '')
    }
  }
  return new Map([...tree].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A tree of these files. */
export function plant(files: Readonly<Record<string, string>>): Tree {
  return new Map(Object.entries(files))
}

/** The violations as text for an assertion's message. */
export function report(violations: readonly Violation[]): string {
  return violations.map(({ rule, path, line, message }) => `${path}:${line} [${rule}] ${message}`).join('\n')
}

const PRODUCT_FOLDERS = ['src/', 'localnet/', 'client/src/', 'console/']

/** True for the path of a TypeScript file, with JSX or without. */
export function isTypeScript(path: string): boolean {
  return path.endsWith('.ts') || path.endsWith('.tsx')
}

const ENTRY_FILES: readonly string[] = ['main.ts', 'healthy.ts']

/** True for TypeScript that runs in production, unlike tests and benchmarks. */
export function isProduct(path: string): boolean {
  return isTypeScript(path) && !isTestFile(path) && (ENTRY_FILES.includes(path) || PRODUCT_FOLDERS.some((folder) => path.startsWith(folder)))
}

/** True for test files in any folder: `x.test.ts` next to `x.ts`, `test-….ts` with shared helpers, and the local network's test support. */
export function isTestFile(path: string): boolean {
  return path.startsWith('test/') || path.startsWith('localnet/test/') || path.endsWith('.test.ts') || path.slice(path.lastIndexOf('/') + 1).startsWith('test-')
}

function isText(path: string): boolean {
  return TEXT_NAMES.has(path) || TEXT_ENDINGS.some((ending) => path.endsWith(ending))
}
