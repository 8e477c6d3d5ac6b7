// Test support, a process of its own: closes ledgers in a folder as fast as it can, and says each one that is closed, until it is killed.

import { writeSync } from 'node:fs'
import { address } from '../contracts/host.ts'
import { ALICE, BOB, COUNTER, payment, startTestChain } from './test-chain.ts'

const [, , directory] = process.argv
if (directory === undefined) throw new Error('which folder?')
const testChain = startTestChain({ directory })

for (;;) {
  testChain.send(testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())]))
  testChain.send(testChain.signed(payment(ALICE, '0.0000001'), { source: BOB }))
  const sequence = testChain.close()
  // At once and in one piece: what was said is what the ledger has acknowledged.
  writeSync(1, `${sequence} ${testChain.chain.history.latest().hash}\n`)
}
