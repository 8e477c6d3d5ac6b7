// The ledger after kill -9: a real process that closes ledgers, ended at some instant, round after round on the same chain.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hash, xdr } from '@stellar/stellar-sdk'
import { createSeededRandom } from '../../src/base/random.ts'
import { address } from '../contracts/host.ts'
import type { LedgerRecord } from '../history.ts'
import { valFromBase64 } from '../scval.ts'
import { ALICE, BOB, COUNTER, resultOf, START_BALANCE, startTestChain, type TestChain } from './test-chain.ts'
import { toHex } from './xdr-writer.ts'

const ROUNDS = 5
/** A round ends after so many ledgers at most. */
const LEDGERS_PER_ROUND_MAX = 25

const directory = mkdtempSync(join(tmpdir(), 'ledger-kill-'))
after(() => rmSync(directory, { recursive: true, force: true }))

interface Acknowledged {
  readonly sequence: number
  readonly hash: string
}

/** Lets the process close `ledgers` ledgers, and kills it while it goes on. Answers all that it acknowledged. */
async function closeUntilKilled(ledgers: number): Promise<readonly Acknowledged[]> {
  const script = fileURLToPath(new URL('./test-closing-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = new Promise<string | null>((resolve) => void child.once('close', (_code, signal) => resolve(signal)))
  const acknowledged: Acknowledged[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const [sequence = '', of = ''] = line.split(' ')
    acknowledged.push({ sequence: Number(sequence), hash: of })
    if (acknowledged.length === ledgers) child.kill('SIGKILL')
  }
  assert.equal(await gone, 'SIGKILL')
  return acknowledged
}

/** Every ledger follows from the one before it, and holds what its header says. */
function checkLedgers({ chain }: TestChain): void {
  const ledgers = chain.history.ledgers(1, 100_000)
  assert.equal(ledgers.length, chain.history.latest().sequence)
  ledgers.forEach((ledger: LedgerRecord, index) => {
    assert.equal(ledger.sequence, index + 1)
    if (index > 0) assert.equal(ledger.previousHash, ledgers[index - 1]?.hash)
    assert.equal(toHex(hash(Buffer.from(ledger.headerXdr, 'base64'))), ledger.hash)
    const header = xdr.LedgerHeader.fromXdr(ledger.headerXdr, 'base64')
    const meta = xdr.LedgerCloseMeta.fromXdr(ledger.metadataXdr, 'base64')
    assert(meta.type === 'v2')
    const results = new xdr.TransactionResultSet({ results: meta.v2.txProcessing.map(({ result }) => result) })
    assert.equal(toHex(header.txSetResultHash.value), toHex(hash(results.toXdr())))
    assert.equal(meta.v2.txProcessing.length, index === 0 ? 0 : 2)
  })
}

/** The present is what the past led to: counter, balances and sequence numbers. */
function checkPresent(testChain: TestChain): void {
  const records = testChain.chain.history.transactionsAfter(0, 0, 100_000)
  assert(records.every(({ status }) => status === 'SUCCESS'))
  const simulation = testChain.simulate(testChain.call(COUNTER, 'count', [address(ALICE.publicKey())]))
  const counted = valFromBase64((simulation['results'] as { xdr: string }[])[0]?.xdr ?? '')
  assert.deepEqual(counted, { type: 'u32', value: records.filter(({ soroban }) => soroban).length })
  const payments = records.filter(({ soroban }) => !soroban)
  assert.equal(testChain.balanceOf(BOB), START_BALANCE - BigInt(payments.length) * 101n)
  assert.equal(testChain.sequenceOf(BOB), BigInt(payments.length))
  const charged = records.filter(({ soroban }) => soroban).reduce((total, record) => total + resultOf(record).feeCharged, 0n)
  assert.equal(testChain.balanceOf(ALICE), START_BALANCE + BigInt(payments.length) - charged)
}

test('a process that is killed while it closes ledgers leaves a whole chain, with all that it acknowledged', async () => {
  const random = createSeededRandom('kill')
  const all: Acknowledged[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await closeUntilKilled(1 + random.integer(LEDGERS_PER_ROUND_MAX))
    all.push(...acknowledged)
    using testChain = startTestChain({ directory })
    const { history } = testChain.chain
    const last = acknowledged.at(-1)?.sequence ?? 0
    // One more may have reached the disk before its process could say so.
    assert(history.latest().sequence >= last && history.latest().sequence <= last + 1, `${history.latest().sequence} after ${last}`)
    for (const { sequence, hash: of } of all) assert.equal(history.ledger(sequence)?.hash, of, `ledger ${sequence}`)
    checkLedgers(testChain)
    checkPresent(testChain)
  }
})
