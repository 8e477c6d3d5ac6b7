// Durability after kill -9: a process that closes ledgers is killed at a random moment, repeatedly on the same chain.

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
import { address } from '../contracts/shared/host.ts'
import type { LedgerRecord } from '../history.ts'
import { valFromBase64 } from '../scval.ts'
import { ALICE, BOB, COUNTER, resultOf, START_BALANCE, startTestChain, type TestChain } from './test-chain.ts'
import { closeMetaOf, readHeader } from './test-header-reader.ts'
import { toHex } from './xdr-writer.ts'

const ROUNDS = 5
/** The maximum number of ledgers per round. */
const LEDGERS_PER_ROUND_MAX = 25

const directory = mkdtempSync(join(tmpdir(), 'ledger-kill-'))
after(() => rmSync(directory, { recursive: true, force: true }))

interface Acknowledged {
  readonly sequence: number
  readonly hash: string
}

/** Kills the process after it closed `ledgers` ledgers, while it closes more. Returns all ledgers that it acknowledged. */
async function closeUntilKilled(ledgers: number): Promise<readonly Acknowledged[]> {
  const script = fileURLToPath(new URL('./test-closing-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exitSignal = new Promise<string | null>((resolve) => void child.once('close', (_code, signal) => resolve(signal)))
  const acknowledged: Acknowledged[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const [sequence = '', ledgerHash = ''] = line.split(' ')
    acknowledged.push({ sequence: Number(sequence), hash: ledgerHash })
    if (acknowledged.length === ledgers) child.kill('SIGKILL')
  }
  assert.equal(await exitSignal, 'SIGKILL')
  return acknowledged
}

/** Each ledger refers to the previous one, and its content matches its header. */
function checkLedgers({ chain }: TestChain): void {
  const ledgers = chain.history.ledgers(1, 100_000)
  assert.equal(ledgers.length, chain.history.latest().sequence)
  ledgers.forEach((ledger: LedgerRecord, index) => {
    assert.equal(ledger.sequence, index + 1)
    if (index > 0) assert.equal(ledger.previousHash, ledgers[index - 1]?.hash)
    assert.equal(toHex(hash(Buffer.from(ledger.headerXdr, 'base64'))), ledger.hash)
    const header = readHeader(ledger.headerXdr)
    const meta = closeMetaOf(ledger)
    const results = new xdr.TransactionResultSet({ results: meta.txProcessing.map(({ result }) => result) })
    assert.equal(header.resultsHash, toHex(hash(results.toXdr())))
    assert.equal(meta.txProcessing.length, index === 0 ? 0 : 2)
  })
}

/** The current state matches the history: counter, balances and sequence numbers. */
function checkState(testChain: TestChain): void {
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

test('a process killed while closing ledgers leaves a consistent chain with every acknowledged ledger', async () => {
  const random = createSeededRandom('kill')
  const all: Acknowledged[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await closeUntilKilled(1 + random.integer(LEDGERS_PER_ROUND_MAX))
    all.push(...acknowledged)
    using testChain = startTestChain({ directory })
    const { history } = testChain.chain
    const last = acknowledged.at(-1)?.sequence ?? 0
    // One more ledger may have reached the disk before the process could print it.
    assert(history.latest().sequence >= last && history.latest().sequence <= last + 1, `${history.latest().sequence} after ${last}`)
    for (const { sequence, hash: ledgerHash } of all) assert.equal(history.ledger(sequence)?.hash, ledgerHash, `ledger ${sequence}`)
    checkLedgers(testChain)
    checkState(testChain)
  }
})
