// Test support, a process of its own: closes ledgers in a folder as fast as it can, and says each one that is closed, until it is killed.

import { writeSync } from 'node:fs'
import { address } from '../contracts/host.ts'
import { ALICE, BOB, COUNTER, payment, startTestChain } from './test-chain.ts'

const [, , directory] = process.argv
if (directory === undefined) throw new Error('which folder?')
const world = startTestChain({ directory })

for (;;) {
  world.send(world.ready(COUNTER, 'increment', [address(ALICE.publicKey())]))
  world.send(world.classic(payment(ALICE, '0.0000001'), { source: BOB }))
  const sequence = world.close()
  // At once and in one piece: what was said is what the ledger has acknowledged.
  writeSync(1, `${sequence} ${world.chain.history.latest().hash}\n`)
}
