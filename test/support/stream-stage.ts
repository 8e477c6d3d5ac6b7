// A world whose gateway listens, for tests of the stream.

import type { ContractAddresses } from '../../src/exchange/contracts.ts'
import type { GatewayParts } from '../../src/gateway.ts'
import { connectStream } from './stream-client.ts'
import type { StreamClient } from './stream-client.ts'
import { createGatewayFixture } from './gateway-fixture.ts'
import type { GatewayFixture, GatewayFixtureOptions } from './gateway-fixture.ts'

export interface Stage {
  readonly world: GatewayFixture
  /** Where the gateway listens; another address after a restart. */
  readonly url: string
  /** Another gateway on the same database, with nothing in memory. Whoever is connected must have left. */
  restart(differently?: Partial<GatewayParts>): Promise<void>
  /** Indexer and gateway with other addresses, on the same database. Whoever is connected must have left. */
  restartWith(contracts: ContractAddresses): Promise<void>
  connect(headers?: Readonly<Record<string, string>>): Promise<StreamClient>
  /** Closes ledgers, has them indexed and published. */
  publishLedgers(ledgers: number): Promise<void>
}

/** A world with a listening gateway. Whoever is still connected at the end is disconnected. */
export async function onStage(options: GatewayFixtureOptions, play: (stage: Stage) => Promise<void>): Promise<void> {
  await using world = await createGatewayFixture(options)
  let url = await world.gateway.listen({ host: '127.0.0.1', port: 0 })
  const clients: StreamClient[] = []
  const stage: Stage = {
    world,
    get url() {
      return url
    },
    async restart(differently) {
      await world.restartGateway(differently)
      url = await world.gateway.listen({ host: '127.0.0.1', port: 0 })
    },
    async restartWith(contracts) {
      await world.restartWithContracts(contracts)
      url = await world.gateway.listen({ host: '127.0.0.1', port: 0 })
    },
    async connect(headers) {
      const client = await connectStream(url, headers)
      clients.push(client)
      return client
    },
    async publishLedgers(ledgers) {
      await world.closeLedgers(ledgers)
      await world.catchUp()
      await world.gateway.stream.publishCommitted()
    },
  }
  try {
    await play(stage)
  } finally {
    await Promise.all(clients.map((client) => client.close()))
  }
}
