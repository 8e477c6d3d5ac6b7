// Test support, run as a process: closes ledgers in a directory as fast as it can and prints each one, until it is killed.

import { writeSync } from 'node:fs'
import { address } from '../contracts/shared/host.ts'
import { ALICE, BOB, COUNTER, payment, startTestChain } from './test-chain.ts'

const [, , directory] = process.argv
if (directory === undefined) throw new Error('Usage: test-closing-process.ts <directory>')
const testChain = startTestChain({ directory })

for (;;) {
  testChain.send(testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())]))
  testChain.send(testChain.signed(payment(ALICE, '0.0000001'), { source: BOB }))
  const sequence = testChain.close()
  // A synchronous write of the whole line: every printed ledger was acknowledged.
  writeSync(1, `${sequence} ${testChain.chain.history.latest().hash}\n`)
}
