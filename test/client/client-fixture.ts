// The published client against a whole exchange, over real sockets and on the fixture's clock.

import { createClient } from '../../client/src/client.ts'
import type { Client, ClientOptions } from '../../client/src/client.ts'
import type { Clock } from '../../client/src/clock.ts'
import { secretSigner } from '../../client/src/signer.ts'
import { createIdentity } from '../../localnet/actors/identity.ts'
import { ONE } from '../support/traders.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

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

const SECONDS_MAX = 400

/** Closes and indexes a ledger per second until the work has settled. `observes`: and reads the ledger's entries. */
export async function whileTimePasses<T>(
  fixture: GatewayFixture, work: () => Promise<T>, { observes = true }: { readonly observes?: boolean } = {},
): Promise<T> {
  let settled = false
  const done = work().finally(() => {
    settled = true
  })
  // The caller handles a rejection through the returned promise.
  done.catch(() => {})
  for (let second = 0; second < SECONDS_MAX && !settled; second++) {
    await Promise.race([done.catch(() => {}), fixture.idle()])
    if (settled) break
    await fixture.closeLedgers(1)
    await fixture.catchUp()
    if (observes) await fixture.indexer.observe()
  }
  return done
}
