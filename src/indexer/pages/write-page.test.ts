import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChainEvent } from '../../chain/rpc/responses.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import { testContracts } from '../../../test/index/history.ts'
import { epochContracts } from '../identity/epochs.ts'
import { interfacesOf } from './interfaces.ts'
import { toNumberedPage } from './write-page.ts'

const CONTRACTS = testContracts(1)
const EPOCH: Epoch = {
  number: 1, epoch: 'test', chain: 1, contractEpoch: 1, reason: 'first', passphrase: 'test', startLedger: 1, finalCursor: null, name: 'test',
  contracts: epochContracts(CONTRACTS),
}

/** A vector of 3,000 void values. */
const EXPENSIVE_XDR = Buffer.concat([Buffer.from([0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0x0b, 0xb8]), Buffer.from([0, 0, 0, 1]).toString('latin1').repeat(3_000)]
  .map((part) => Buffer.from(part))).toString('base64')

function event(index: number): ChainEvent {
  return {
    id: `0000000030064775169-${String(index).padStart(10, '0')}`, ledger: 7, closeSec: 1, contractId: CONTRACTS.market, txHash: 'ab'.repeat(32),
    topicsXdr: [EXPENSIVE_XDR], valueXdr: EXPENSIVE_XDR,
  }
}

test('lets the event loop turn while it decodes a page of expensive events', async () => {
  const events = Array.from({ length: 40 }, (_, index) => event(index))
  let turns = 0
  const count = (): void => {
    turns++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const declared = { interfaces: interfacesOf([], new Map()), upgrades: new Map(), code: [] }
  const { archived } = await toNumberedPage(events, { epoch: EPOCH, epochs: [EPOCH], afterSeq: 10 }, declared).finally(() => clearImmediate(counting))
  assert.deepEqual([archived.length, archived[0]?.seq, archived.at(-1)?.seq, archived[0]?.problem], [40, 11, 50, 'no topic'])
  assert.ok(turns >= 10, `the event loop turned ${turns} times`)
})
