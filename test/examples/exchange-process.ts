// The whole exchange as `npm start` runs it, without traders, in a process that a test can kill and restart.

import { createClient } from '../../client/src/client.ts'
import type { Client } from '../../client/src/client.ts'
import { secretSigner } from '../../client/src/signer.ts'
import { startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { PROJECT_ROOT, startProgram } from '../support/program.ts'
import type { Program } from '../support/program.ts'
import { freePort } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export interface ExchangeProcess extends AsyncDisposable {
  readonly url: string
  /** A temporary folder for the test's own files. */
  readonly folder: string
  /** Calls a control method of the local network. */
  control<Result = unknown>(method: string, params?: object): Promise<Result>
  /** The secret of one of the accounts that `npm start` prints. */
  secretOf(name: string): Promise<string>
  /** A client with an API key of that account. */
  clientOf(name: string): Promise<Client>
  /** Starts a program from `examples`. */
  example(name: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Program
  kill(): Promise<void>
  /** Restarts a killed exchange on the same ports and data. */
  start(): Promise<void>
}

interface Info {
  readonly accounts: readonly { readonly name: string; readonly secret: string }[]
}

export async function startExchange(extra: Readonly<Record<string, string>> = {}): Promise<ExchangeProcess> {
  await using building = new AsyncDisposableStack()
  const folder = building.use(await temporaryFolder())
  const [port, rpcPort] = [String(await freePort()), String(await freePort())]
  const environment = { DATA_DIR: `${folder.path}/data`, PORT: port, LOCAL_RPC_PORT: rpcPort, LOCAL_TRADERS: '0', LOG_LEVEL: 'error', ...extra }
  let main: MainProcess
  const start = async (): Promise<void> => {
    main = startMain(environment)
    await main.waitForLine(/^Indexer in sync/)
  }
  const url = `http://127.0.0.1:${port}`
  building.defer(() => main[Symbol.asyncDispose]())
  await start()
  const owned = building.move()

  async function secretOf(name: string): Promise<string> {
    const { accounts } = await main.control<Info>('local_info')
    return accounts.find((account) => account.name === name)?.secret ?? ''
  }

  return {
    url, secretOf, start,
    folder: folder.path,
    control: (method, params) => main.control(method, params),
    async clientOf(name) {
      const client = createClient({ url, signer: await secretSigner(await secretOf(name)) })
      await client.login()
      return client
    },
    example(name, args, environmentOfExample = {}) {
      const command = [process.execPath, '--conditions=perpetual-exchange-source', `${PROJECT_ROOT}examples/${name}.ts`, ...args]
      return startProgram(command, { GATEWAY_URL: url, ...environmentOfExample }, { cwd: folder.path })
    },
    kill: async () => void (await main.stop('SIGKILL')),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
