// The console as bytes: its modules and those of the published client with their types taken off, its page, its style, and the two packages that it uses,
// each compressed once. Runs beside the event loop (worker.ts), because it takes some hundred milliseconds.

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, posix } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { BuildOrder, BuiltConsole, BuiltFile } from './built.ts'

/** The module that the page begins with. */
const ENTRY = 'console/main.ts'
const PAGE = 'console/index.html'
const PLAIN_FILES: Readonly<Record<string, string>> = { 'console/style.css': 'text/css', 'console/icon.svg': 'image/svg+xml' }
/** A module of this package is served as its makers built it. */
const CHARTS = {
  specifier: 'lightweight-charts', path: 'vendor/lightweight-charts.mjs', source: 'lightweight-charts/dist/lightweight-charts.standalone.production.mjs',
}
/** Not a module: it is loaded as a script of its own when a wallet is asked for. */
const WALLET = { path: 'vendor/freighter-api.js', source: '@stellar/freighter-api/build/index.min.js' }
const SCRIPT = 'text/javascript'
const BROTLI_QUALITY = 9

/** Reads, strips, hashes and compresses. Throws when a file is missing or a module imports what is not there. */
export function buildConsole({ root, settings }: BuildOrder): BuiltConsole {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const modules = readModules(read)
  const sources = new Map<string, readonly [type: string, text: string]>([
    ...[...modules.texts].map(([path, text]) => [path, [SCRIPT, text]] as const),
    ...Object.entries(PLAIN_FILES).map(([path, type]) => [path, [type, read(path)]] as const),
    [CHARTS.path, [SCRIPT, read(`node_modules/${CHARTS.source}`)]],
    [WALLET.path, [SCRIPT, read(`node_modules/${WALLET.source}`)]],
  ])
  const base = `/console/${hash('sha256', JSON.stringify([...sources]), 'hex').slice(0, 16)}/`
  const page = read(PAGE)
    .replace('%SETTINGS%', () => escaped(JSON.stringify({ ...settings, walletScript: `${base}${WALLET.path}` })))
    .replace('%PRELOAD%', () => [...modules.first, CHARTS.path].map((path) => `<link rel="modulepreload" href="${base}${path}">`).join('\n'))
    .replaceAll('%BASE%', base)
  return {
    base,
    page: built('text/html', page),
    assets: new Map([...sources].map(([path, [type, text]]) => [`${base}${path}`, built(type, text)])),
  }
}

interface Modules {
  readonly texts: ReadonlyMap<string, string>
  /** Those that are needed at once, in the order in which they are met. */
  readonly first: readonly string[]
}

/** What a module imports once its types are gone, at once or later; the specifier stands in quotes of its own. */
const IMPORT = /\b(from|import)(\s*\(?\s*)'([^']+)'/g

/** Every module that the entry reaches. */
function readModules(read: (path: string) => string): Modules {
  const texts = new Map<string, string>()
  const first = new Set([ENTRY])
  const waiting = [ENTRY]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (texts.has(path)) continue
    const from = path
    const isFirst = first.has(from)
    texts.set(from, stripTypeScriptTypes(read(from)).replaceAll(IMPORT, (whole, word: string, between: string, specifier: string) => {
      if (specifier === CHARTS.specifier) return `${word}${between}'${posix.relative(posix.dirname(from), CHARTS.path)}'`
      if (!specifier.startsWith('.')) return whole
      const target = posix.join(posix.dirname(from), specifier)
      if (isFirst && !between.includes('(')) first.add(target)
      waiting.push(target)
      return whole
    }))
  }
  return { texts, first: [...first] }
}

function built(type: string, text: string): BuiltFile {
  const plain = Buffer.from(text)
  return {
    type: type === 'image/svg+xml' ? type : `${type}; charset=utf-8`,
    etag: `W/"${hash('sha1', text, 'base64url')}"`,
    plain,
    gzip: gzipSync(plain, { level: 9 }),
    brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  }
}

/** Text inside an attribute of the page. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
