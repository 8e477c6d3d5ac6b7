import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createAccountEntry } from './classic-entries.ts'
import type { ClosedLedger } from './close.ts'
import { type Closing, openChainStore } from './chain-store.ts'
import { accountKey } from './keys.ts'
import { createLayer } from './state.ts'
import { createLedgerEntry, entryOf } from './ledger-entry.ts'
import { ALICE, PASSPHRASE, START_SEC } from './test-chain.ts'
import { createValidator } from './validator.ts'

const root = mkdtempSync(join(tmpdir(), 'chain-store-'))
after(() => rmSync(root, { recursive: true, force: true }))

const VALIDATOR = createValidator(PASSPHRASE)
const KEY = accountKey(ALICE.publicKey())

const closingAt = (sec: number): Closing => ({ closeTimeMs: sec * 1_000, protocol: 29, upgradeTo: null, dropped: null })

/** A ledger that sets ALICE's balance. */
function ledgerOf(balance: bigint): ClosedLedger {
  const layer = createLayer({ get: () => undefined })
  layer.put(KEY, createLedgerEntry(createAccountEntry(ALICE.publicKey(), balance, 1), 1, null))
  return { layer, transactions: [], evicted: [], feesCollected: 0n }
}

/** The same, but writing the entries fails after the ledger row has been written. */
function failingLedger(balance: bigint): ClosedLedger {
  const closed = ledgerOf(balance)
  let reads = 0
  const changes = (): ReturnType<ClosedLedger['layer']['changes']> => {
    reads += 1
    if (reads > 1) throw new Error('the disk is full')
    return closed.layer.changes()
  }
  return { ...closed, layer: { ...closed.layer, changes } }
}

function balanceIn(store: ReturnType<typeof openChainStore>): bigint | undefined {
  const ledgerEntry = store.state.get(KEY)
  const entry = ledgerEntry === undefined ? undefined : entryOf(ledgerEntry)
  return entry?.kind === 'account' ? entry.balance : undefined
}

test('rolls back a ledger that could not be written completely, and reuses its sequence', () => {
  const directory = join(root, 'failing')
  {
    using store = openChainStore(directory, 100, VALIDATOR)
    const first = store.append(ledgerOf(1n), closingAt(START_SEC))
    assert.throws(() => store.append(failingLedger(2n), closingAt(START_SEC + 1)), /the disk is full/)
    assert.deepEqual([store.head(), balanceIn(store), store.history.latest().hash], [first, 1n, first.hash])
    const second = store.append(ledgerOf(3n), closingAt(START_SEC + 1))
    assert.equal(second.sequence, 2)
  }
  using store = openChainStore(directory, 100, VALIDATOR)
  assert.deepEqual([store.head()?.sequence, balanceIn(store), store.history.ledgers(1, 10).length], [2, 3n, 2])
})

test('rolls back a state change outside a ledger that could not be written', () => {
  using store = openChainStore(join(root, 'amended'), 100, VALIDATOR)
  const first = store.append(ledgerOf(1n), closingAt(START_SEC))
  const broken = new Map(ledgerOf(5n).layer.changes())
  broken.set('not a key', createLedgerEntry({ kind: 'code', hash: 'zz', wasm: null as unknown as Uint8Array }, 1, null))
  assert.throws(() => store.changeState(broken))
  assert.deepEqual([store.head(), balanceIn(store)], [first, 1n])
})

test('stays at the current ledger when restoring a snapshot fails', () => {
  using store = openChainStore(join(root, 'restored'), 100, VALIDATOR)
  store.append(ledgerOf(1n), closingAt(START_SEC))
  const snapshot = store.snapshot()
  const second = store.append(ledgerOf(2n), closingAt(START_SEC + 1))
  const unwritable = {
    toString(): string {
      throw new Error('the disk is full')
    },
  }
  assert.throws(() => store.restore({ ...snapshot, head: { ...snapshot.head, feePool: unwritable as unknown as bigint } }), /the disk is full/)
  assert.deepEqual([store.head(), balanceIn(store), store.history.latest().sequence], [second, 2n, 2])
  assert.equal(store.append(ledgerOf(3n), closingAt(START_SEC + 2)).sequence, 3)
})

test('chains every change into the state hash, and the same changes give the same hash', () => {
  const hashes = [1, 2].map(() => {
    using store = openChainStore(null, 100, VALIDATOR)
    store.append(ledgerOf(1n), closingAt(START_SEC))
    store.changeState(ledgerOf(7n).layer.changes())
    return store.append(ledgerOf(2n), closingAt(START_SEC + 1)).stateHash
  })
  using other = openChainStore(null, 100, VALIDATOR)
  other.append(ledgerOf(1n), closingAt(START_SEC))
  const without = other.append(ledgerOf(2n), closingAt(START_SEC + 1)).stateHash
  assert.equal(hashes[0], hashes[1])
  assert.notEqual(hashes[0], without)
})
