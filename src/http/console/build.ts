// Builds the console: bundles the page's modules with esbuild and compresses each file once. Synchronous: it runs in a worker thread (worker.ts).

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'
import type { Metafile } from 'esbuild'

/** Facts that the page needs about the gateway that serves it. */
interface ConsoleSettings {
  /** As in /v1/health. */
  readonly networkName: string
  readonly networkPassphrase: string
  /** RPC URL of the local network that this process runs; null on every other network. */
  readonly localRpcUrl: string | null
}

export interface ConsoleBuildOptions {
  /** The project's folder. */
  readonly root: string
  readonly settings: ConsoleSettings
}

/** A file with its compressed forms. */
interface BuiltFile {
  readonly type: string
  readonly etag: string
  readonly plain: Uint8Array
  readonly gzip: Uint8Array
  readonly brotli: Uint8Array
}

export interface BuiltConsole {
  readonly page: BuiltFile
  /** By URL path. Each path contains a hash of the content, so clients may cache the file forever. */
  readonly assets: ReadonlyMap<string, BuiltFile>
}

const PAGE = 'console/index.html'
const SCRIPT = 'console/main.tsx'
const ENTRY_POINTS = [SCRIPT, 'console/page.css', 'console/icon.svg'] as const
const URL_PREFIX = '/console/'
/** The page's link for each of the files that its script imports. */
const PRELOAD = '<link rel="modulepreload" href="%SHARED%">'
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
/** Higher levels take up to half a second for 0.3 % less. */
const BROTLI_QUALITY = 7
const GZIP_LEVEL = 6

/** Throws if a file is missing or a module does not resolve. */
export function buildConsole({ root, settings }: ConsoleBuildOptions): BuiltConsole {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: [...ENTRY_POINTS],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: 'console',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    assetNames: '[name]-[hash]',
    publicPath: URL_PREFIX,
    loader: { '.svg': 'copy', '.woff2': 'file' },
    // The console's tsconfig.json is for the type checker only.
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  const urlOf = new Map(Object.entries(metafile.outputs).map(([path, { entryPoint, inputs }]) =>
    [entryPoint ?? Object.keys(inputs)[0] ?? '', `${URL_PREFIX}${basename(path)}`]))
  const template = readFileSync(join(root, PAGE), 'utf8')
  const page = fillIn(template.replace(PRELOAD, sharedUrls(metafile).map((url) => PRELOAD.replace('%SHARED%', url)).join('')), {
    SETTINGS: JSON.stringify(settings),
    SCRIPT: urlOf.get(SCRIPT),
    STYLE: urlOf.get('console/page.css'),
    FONT: urlOf.get('console/ui/inter.woff2'),
    ICON: urlOf.get('console/icon.svg'),
  })
  return {
    page: compress('.html', Buffer.from(page)),
    assets: new Map(outputFiles.map(({ path, contents }) => [`${URL_PREFIX}${basename(path)}`, compress(extname(path), contents)])),
  }
}

/** The files that the page's script imports, and those that they import, so that the browser loads all of them at the same time. */
function sharedUrls({ outputs }: Metafile): readonly string[] {
  const loaded = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint === SCRIPT))
  for (const path of loaded) for (const imported of outputs[path]?.imports ?? []) if (imported.kind === 'import-statement') loaded.add(imported.path)
  return [...loaded].slice(1).map((path) => `${URL_PREFIX}${basename(path)}`)
}

/** Replaces `%NAME%`, which must be inside a quoted attribute. */
function fillIn(template: string, values: Readonly<Record<string, string | undefined>>): string {
  return template.replaceAll(/%([A-Z]+)%/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`${PAGE}: no value for %${name}%`)
    return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  })
}

function compress(extension: string, plain: Uint8Array): BuiltFile {
  const type = CONTENT_TYPES[extension]
  if (type === undefined) throw new Error(`no content type for ${extension}`)
  return {
    type,
    etag: `W/"${hash('sha1', plain, 'base64url')}"`,
    plain,
    gzip: gzipSync(plain, { level: GZIP_LEVEL }),
    brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  }
}
