// The project as the tidy rules see it: paths and texts. A rule is a pure function over such a tree, so that a test can plant what it forbids.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Paths from the project's root, with `/`, to the text of each file. */
export type Tree = ReadonlyMap<string, string>

/** Something that a rule forbids, where it stands. Lines count from 1. */
export interface Violation {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly message: string
}

/** A rule of the house. */
export type Rule = (tree: Tree) => Violation[]

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', '.git', 'data', 'dist'])
const TEXT_ENDINGS = ['.ts', '.md', '.sql', '.json', '.yml', '.yaml', '.html', '.css', '.js', '.mjs', '.sh', '.txt']
const TEXT_NAMES: ReadonlySet<string> = new Set(['.gitignore', '.dockerignore', '.ci/run', '.npmrc', 'LICENSE', 'Dockerfile', 'deploy/Caddyfile'])
/** Larger files are data, not authored text. */
const TEXT_MAX_BYTES = 2_000_000

export const PROJECT_ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Every text file of the project, and the names of its pictures. */
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
      // Pages link to pictures, so they exist in the tree, without content.
      tree.set(path, '')
    }
  }
  return new Map([...tree].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A tree of planted files. */
export function plant(files: Readonly<Record<string, string>>): Tree {
  return new Map(Object.entries(files))
}

/** The violations as one readable block, for an assertion's message. */
export function report(violations: readonly Violation[]): string {
  return violations.map(({ rule, path, line, message }) => `${path}:${line} [${rule}] ${message}`).join('\n')
}

const PRODUCT_FOLDERS = ['src/', 'localnet/', 'client/src/', 'console/']

/** True for TypeScript that runs in production: neither a test nor a benchmark. */
export function isProduct(path: string): boolean {
  return path.endsWith('.ts') && !isTestFile(path) && (path === 'main.ts' || PRODUCT_FOLDERS.some((folder) => path.startsWith(folder)))
}

/** True for the files of the tests, wherever they stand: `x.test.ts` beside `x.ts`, and `test-….ts` for what such tests share. */
export function isTestFile(path: string): boolean {
  return path.startsWith('test/') || path.endsWith('.test.ts') || path.slice(path.lastIndexOf('/') + 1).startsWith('test-')
}

function isText(path: string): boolean {
  return TEXT_NAMES.has(path) || TEXT_ENDINGS.some((ending) => path.endsWith(ending))
}
