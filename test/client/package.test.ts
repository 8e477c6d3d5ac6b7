// The package as users get it: packed, installed into an empty project, type-checked by two compilers, and run on the oldest supported Node.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { serveHttp } from '../support/http-server.ts'
import { createWallet } from '../support/keys.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/**
 * Compressed size of each part, not minified: the library, the code that verifies and is loaded when it is used, the CCXT interface, the command line, without
 * comments, because no editor shows them.
 */
const MAX_SIZES_BYTES = { '.': 31_000, generated: 5_000, proofs: 16_000, ccxt: 18_500, cli: 37_200 }
const OLDEST_NODE = 22
const TIMEOUT_MS = 120_000

const run = promisify(execFile)
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let project: string

before(async () => {
  folder = await temporaryFolder()
  const [parts, made] = [join(folder.path, 'package'), join(folder.path, 'project')]
  project = made
  for (const path of [parts, project]) mkdirSync(path)
  // The same steps as the package's build script.
  for (const part of ['tsconfig.json', 'tsconfig.cli.json']) {
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', join(ROOT, 'client', part), '--outDir', join(parts, 'dist')])
  }
  for (const file of ['package.json', 'README.md', 'LICENSE']) copyFileSync(join(ROOT, 'client', file), join(parts, file))
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', project], { cwd: parts, timeout: TIMEOUT_MS })
  const [packed] = Object.values(JSON.parse(stdout) as Readonly<Record<string, { readonly filename: string }>>)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }))
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${packed?.filename}`], { cwd: project, timeout: TIMEOUT_MS })
})
after(() => folder[Symbol.asyncDispose]())

const installed = (): string => join(project, 'node_modules/perpetual-exchange-client')

test('the package holds code, types, README and LICENSE, and has no dependencies', () => {
  assert.deepEqual(readdirSync(installed()).toSorted((a, b) => a.localeCompare(b)), ['dist', 'LICENSE', 'package.json', 'README.md'])
  assert.deepEqual(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')), ['perpetual-exchange-client'])
  const files = readdirSync(join(installed(), 'dist'), { recursive: true, encoding: 'utf8' })
  for (const file of files) assert.match(file, /^(?:cli|ccxt|generated|proofs)$|\.(?:js|d\.ts)$/)
})

test('the package stays within its size limits', () => {
  for (const [part, maxBytes] of Object.entries(MAX_SIZES_BYTES)) {
    const directory = join(installed(), 'dist', part)
    const files = readdirSync(directory).filter((file) => file.endsWith('.js'))
    const bytes = gzipSync(Buffer.concat(files.map((file) => readFileSync(join(directory, file))))).length
    assert.ok(bytes <= maxBytes, `${part}: ${bytes} bytes compressed, ${maxBytes} at most`)
  }
})

/** A correct program, and one with a type error. */
const USE = `import { createClient, GatewayError, secretSigner } from 'perpetual-exchange-client'
import type { Traded, TradeRequest } from 'perpetual-exchange-client'

export async function use(secret: string): Promise<Traded> {
  const client = createClient({ url: 'http://127.0.0.1:1', signer: await secretSigner(secret), fetch })
  const { body } = await client.listTrades({ asset: 'BTC', limit: 5 })
  const pnl: string | null | undefined = body.trades[0]?.pnl
  for await (const row of client.rows('listEvents', { topic: pnl ?? '' })) console.log(row.eventId.length, row.ledger + 1)
  for await (const page of client.pages('getFunding')) console.log(page.body.history.length)
  const request: TradeRequest = { op: 'close_position', positionId: 7 }
  try {
    return await client.trade(request)
  } catch (error) {
    if (error instanceof GatewayError) console.log(error.status + 1, error.requestId?.length)
    throw error
  }
}
`
const WRONG = `import { createClient } from 'perpetual-exchange-client'
void createClient({ url: '' }).trade({ op: 'open_position', asset: 'BTC', collateral: 5, leverage: 5, direction: 'Long' })
`

async function check(compiler: string): Promise<void> {
  const options = {
    target: 'es2022', lib: ['es2022', 'dom'], module: 'nodenext', types: [], strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false,
  }
  const compile = async (name: string, source: string): Promise<string> => {
    writeFileSync(join(project, `${name}.ts`), source)
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: [`${name}.ts`] }))
    const compiled = run(process.execPath, [compiler, '--project', project], { timeout: TIMEOUT_MS })
    return compiled.then(({ stdout }) => stdout, (error: { stdout: string }) => error.stdout)
  }
  assert.equal(await compile('use', USE), '')
  assert.match(await compile('wrong', WRONG), /wrong\.ts\(2,\d+\): error TS2322/)
}

test('its types compile with TypeScript 7', () => check(join(ROOT, 'node_modules/typescript/bin/tsc')))

test('its types compile with TypeScript 5', async (context: TestContext) => {
  const compiler = join(ROOT, 'node_modules/typescript5/bin/tsc')
  if (!existsSync(compiler)) return context.skip('TypeScript 5 is not installed as `typescript5`')
  await check(compiler)
})

test('the examples compile against the installed package', async () => {
  const files = readdirSync(join(ROOT, 'examples')).filter((file) => file.endsWith('.ts'))
  for (const file of files) copyFileSync(join(ROOT, 'examples', file), join(project, file))
  const options = {
    target: 'es2024', lib: ['es2024'], module: 'nodenext', types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')], strict: true, noEmit: true,
    skipLibCheck: true,
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }))
  const compiled = run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', project], { timeout: TIMEOUT_MS })
  assert.equal(await compiled.then(({ stdout }) => stdout, (error: { stdout: string }) => error.stdout), '')
})

/** The oldest supported Node, if it is in TEST_RUNTIMES_DIR or on the PATH, else this process's. */
async function findNode(): Promise<string> {
  const runtimes = process.env['TEST_RUNTIMES_DIR']
  const packaged = runtimes === undefined ? [] : globSync('node_modules/node-*/bin/node', { cwd: runtimes }).map((file) => join(runtimes, file))
  const directories = (process.env['PATH'] ?? '').split(delimiter).filter((directory) => !directory.includes('node_modules'))
  const onPath = directories.map((directory) => join(directory, 'node'))
  for (const node of [...packaged, ...onPath].filter((file) => existsSync(file))) {
    const { stdout } = await run(node, ['--version'])
    if (stdout.startsWith(`v${OLDEST_NODE}.`)) return node
  }
  return process.execPath
}

test('it reads, signs, has a WebSocket and runs as a command on the oldest Node available', async () => {
  const node = await findNode()
  const headers = { 'content-type': 'application/json', 'x-seq': '7' }
  await using server = await serveHttp((_request, response) => response.writeHead(200, headers).end('{"trades":[]}'))
  const wallet = createWallet('oldest node')
  const script = `import { createClient, secretSigner } from 'perpetual-exchange-client'
    const answer = await createClient({ url: process.env.URL }).listTrades()
    const signer = await secretSigner(process.env.SECRET)
    const signature = await signer.signHash(new Uint8Array(32))
    createClient({ url: process.env.URL }).stream().close()
    console.log(JSON.stringify([answer.seq, answer.body, signer.address, Buffer.from(signature).toString('hex')]))`
  const env = { PATH: process.env['PATH'], URL: server.url, SECRET: wallet.secret() }
  const { stdout } = await run(node, ['--input-type=module', '--eval', script], { cwd: project, env, timeout: TIMEOUT_MS })
  const signature = Buffer.from(wallet.sign(Buffer.alloc(32))).toString('hex')
  assert.deepEqual(JSON.parse(stdout), [7, { trades: [] }, wallet.publicKey(), signature])
  const command = join(project, 'node_modules/.bin/perpetual-exchange-client')
  const called = await run(node, [command, 'trades', '--json'], { cwd: project, env, timeout: TIMEOUT_MS })
  assert.deepEqual([JSON.parse(called.stdout), called.stderr], [{ trades: [] }, ''])
  // As users run it: npx finds the command, and its first line finds Node on the PATH.
  const path = `${dirname(node)}${delimiter}${env.PATH ?? ''}`
  const npx = await run('npx', ['--offline', 'perpetual-exchange-client', '--version'], { cwd: project, env: { ...env, PATH: path }, timeout: TIMEOUT_MS })
  assert.match(npx.stdout, /^perpetual-exchange-client \d/)
})
