// The published client against a whole exchange, over real sockets and on the fixture's clock.

import { createClient } from '../../client/src/client.ts'
import type { Client, ClientOptions } from '../../client/src/client.ts'
import type { Clock } from '../../client/src/clock.ts'
import { secretSigner } from '../../client/src/signer.ts'
import { createIdentity } from '../../localnet/actors/identity.ts'
import { ONE } from '../support/traders.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { stepUntilSettled } from '../support/until.ts'

/** The fixture's clock in the form that the client takes. */
export function clockOf(fixture: GatewayFixture): Clock {
  return {
    nowMs: () => fixture.clock.nowMs(),
    later(ms, run) {
      const timer = fixture.clock.setTimer(ms, run)
      return () => timer.cancel()
    },
  }
}

/** Sockets take real time, and the virtual clock may run ahead of them. */
const TIMEOUT_MS = 1_000_000

/** The options of a client that waits on the fixture's clock. */
export function waitsOf(fixture: GatewayFixture): Required<Pick<ClientOptions, 'clock' | 'timeoutMs' | 'maxWaitMs'>> {
  return { clock: clockOf(fixture), timeoutMs: TIMEOUT_MS, maxWaitMs: TIMEOUT_MS }
}

/** A client that signs for a funded account of this name, without an API key. */
export async function createTraderClient(fixture: GatewayFixture, url: string, name: string, overrides: Partial<ClientOptions> = {}): Promise<Client> {
  const { secret, address } = createIdentity(fixture.network.networkPassphrase, `test ${name}`)
  await fixture.control('local_fund', { address, usdc: String(50_000n * ONE) })
  return createClient({ url, signer: await secretSigner(secret), ...waitsOf(fixture), ...overrides })
}

/** The most that a client's call may take, in seconds of virtual time. */
const SECONDS_MAX = 400

/** Closes and indexes a ledger per second until the work has settled. `observes`: and reads the ledger's entries. */
export async function whileTimePasses<T>(
  fixture: GatewayFixture, work: () => Promise<T>, { observes = true }: { readonly observes?: boolean } = {},
): Promise<T> {
  async function step(): Promise<void> {
    await fixture.closeLedgers(1)
    await fixture.catchUp()
    if (observes) await fixture.indexer.observe()
  }
  return await stepUntilSettled(work(), { idle: fixture.idle, step, stepsMax: SECONDS_MAX })
}

/** Holds the price of BTC. Advances ten minutes first, after which the market accepts any change of price. */
export async function holdPrice(fixture: GatewayFixture, price: bigint): Promise<void> {
  fixture.clock.advance(700_000)
  await fixture.closeLedgers(1)
  await fixture.control('local_setPrice', { asset: 'BTC', price: String(price) })
  await fixture.closeLedgers(2)
  await fixture.catchUp()
}
