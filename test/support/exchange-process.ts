// The whole exchange as `npm start` runs it, in a process of its own and without traders, with what a test does to it from outside.

import { createClient } from '../../client/src/client.ts'
import type { Client } from '../../client/src/client.ts'
import { secretSigner } from '../../client/src/signer.ts'
import { freePort } from './proxies.ts'
import { startMain } from './main-process.ts'
import type { MainProcess } from './main-process.ts'
import { PROJECT_ROOT, startProgram } from './program.ts'
import type { Program } from './program.ts'
import { temporaryFolder } from './store-child.ts'

export interface ExchangeProcess extends AsyncDisposable {
  readonly url: string
  /** A folder of the test's own. */
  readonly folder: string
  /** One of the local network's extra methods. */
  control<Result = unknown>(method: string, params?: object): Promise<Result>
  /** The secret of one of the accounts that `npm start` prints. */
  secretOf(name: string): Promise<string>
  /** A client with a key of that account. */
  clientOf(name: string): Promise<Client>
  /** One of the files in `examples`, started as its header says. */
  example(name: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Program
  /** Kills it, and starts it again on the same ports and data. */
  kill(): Promise<void>
  start(): Promise<void>
}

interface Info {
  readonly accounts: readonly { readonly name: string; readonly secret: string }[]
}

export async function startExchange(settings: Readonly<Record<string, string>> = {}): Promise<ExchangeProcess> {
  await using things = new AsyncDisposableStack()
  const folder = things.use(await temporaryFolder())
  const [port, rpcPort] = [String(await freePort()), String(await freePort())]
  const environment = { DATA_DIR: `${folder.path}/data`, PORT: port, LOCAL_RPC_PORT: rpcPort, LOCAL_TRADERS: '0', LOG_LEVEL: 'error', ...settings }
  let main: MainProcess
  const start = async (): Promise<void> => {
    main = startMain(environment)
    await main.waitForLine(/^Indexer in sync/)
  }
  const url = `http://127.0.0.1:${port}`
  things.defer(() => main[Symbol.asyncDispose]())
  await start()
  const owned = things.move()

  async function cheat<Result>(method: string, params: object = {}): Promise<Result> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch(`http://127.0.0.1:${rpcPort}/rpc`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await answer.json()) as { result?: Result; error?: unknown }
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }

  async function secretOf(name: string): Promise<string> {
    const { accounts } = await cheat<Info>('local_info')
    return accounts.find((account) => account.name === name)?.secret ?? ''
  }

  return {
    url, control: cheat, secretOf, start,
    folder: folder.path,
    async clientOf(name) {
      const client = createClient({ url, signer: await secretSigner(await secretOf(name)) })
      await client.login()
      return client
    },
    example(name, args, environment = {}) {
      const command = [process.execPath, '--conditions=perpetual-exchange-source', `${PROJECT_ROOT}examples/${name}.ts`, ...args]
      return startProgram(command, { GATEWAY_URL: url, ...environment }, { cwd: folder.path })
    },
    kill: async () => void (await main.stop('SIGKILL')),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
