// The published client before a whole exchange: over real sockets, on the world's clock.

import { createClient } from '../../client/src/client.ts'
import type { Client, ClientOptions } from '../../client/src/client.ts'
import type { Clock } from '../../client/src/clock.ts'
import { secretSigner } from '../../client/src/signer.ts'
import { createIdentity } from '../../localnet/actors/identity.ts'
import { ONE } from './trading.ts'
import type { World } from './world.ts'

/** The world's clock, as the client asks for one. */
export function clockOf(world: World): Clock {
  return {
    nowMs: () => world.clock.nowMs(),
    later(ms, run) {
      const timer = world.clock.setTimer(ms, run)
      return () => timer.cancel()
    },
  }
}

/** Sockets take real time, and the world's clock may run ahead of them. */
const PATIENCE_MS = 1_000_000

/** A client that signs for a funded account of this name; it has no key yet. */
export async function createTraderClient(world: World, url: string, name: string, differently: Partial<ClientOptions> = {}): Promise<Client> {
  const { secret, address } = createIdentity(world.network.networkPassphrase, `test ${name}`)
  await world.cheat('local_fund', { address, usdc: String(50_000n * ONE) })
  return createClient({ url, signer: await secretSigner(secret), clock: clockOf(world), timeoutMs: PATIENCE_MS, maxWaitMs: PATIENCE_MS, ...differently })
}

const SECONDS_MAX = 400

/** Closes ledgers and indexes them, a second each, until the work is done. */
export async function whileTimePasses<T>(world: World, work: () => Promise<T>): Promise<T> {
  let settled = false
  const done = work().finally(() => {
    settled = true
  })
  // Failing is for whoever awaits it below.
  done.catch(() => {})
  for (let second = 0; second < SECONDS_MAX && !settled; second++) {
    await Promise.race([done.catch(() => {}), world.idle()])
    if (settled) break
    await world.closeLedgers(1)
    await world.settle()
    await world.indexer.observe()
  }
  return done
}
