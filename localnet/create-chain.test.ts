import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Chain } from './chain.ts'
import { address, symbol, u32, vec } from './contracts/host.ts'
import type { EventRecord } from './history.ts'
import { contractDataKey, trustlineKey } from './ledger/keys.ts'
import {
  ALICE, BOB, COUNTER, counterCode, NOBODY, payment, START_BALANCE, startTestChain, type TestChain, USDC,
} from './ledger/test-chain.ts'
import { toHex } from './ledger/xdr-writer.ts'
import { valFromBase64 } from './scval.ts'

const root = mkdtempSync(join(tmpdir(), 'chain-'))
after(() => rmSync(root, { recursive: true, force: true }))

const alice = address(ALICE.publicKey())
const increment = (world: TestChain) => world.apply(world.ready(COUNTER, 'increment', [alice]))

function counted(world: TestChain): unknown {
  const simulation = world.simulate(world.call(COUNTER, 'count', [alice]))
  const val = valFromBase64((simulation['results'] as { xdr: string }[])[0]?.xdr ?? '')
  return val.type === 'u32' ? val.value : val
}

const eventsOf = (chain: Chain): readonly EventRecord[] => {
  const untilLedger = chain.history.latest().sequence + 1
  return [...chain.history.events({ afterId: null, fromLedger: 1, untilLedger, contractIds: null })]
}

/** All that can be read of a chain's past. */
function past({ history }: Chain): unknown {
  const { sequence } = history.oldest()
  return {
    ledgers: history.ledgers(sequence, 10_000).map(({ headerEntryXdr, metadataXdr }) => ({ headerEntryXdr, metadataXdr })),
    transactions: history.transactionsAfter(0, 0, 10_000).map(({ hash, resultMetaXdr, envelopeXdr }) => ({ hash, resultMetaXdr, envelopeXdr })),
  }
}

test('a chain that is opened again is the chain that was closed: state, history, events, and what follows', () => {
  const directory = join(root, 'again')
  const before = ((): unknown => {
    using world = startTestChain({ directory })
    for (let count = 0; count < 3; count++) increment(world)
    world.send(world.classic(payment(BOB)))
    return { past: past(world.chain), events: eventsOf(world.chain), counted: counted(world), balance: world.balanceOf(ALICE) }
  })()
  using world = startTestChain({ directory })
  assert.deepEqual({ past: past(world.chain), events: eventsOf(world.chain), counted: counted(world), balance: world.balanceOf(ALICE) }, before)
  assert.equal(world.chain.pending(), 0, 'what waited is forgotten, as by a real node')
  const { sequence, hash, closeTimeSec } = world.chain.history.latest()
  increment(world)
  const next = world.chain.history.latest()
  assert.deepEqual([next.sequence, next.previousHash], [sequence + 1, hash])
  assert(next.closeTimeSec > closeTimeSec)
  assert.equal(counted(world), 4)
})

test('two chains of the same seed and the same transactions are the same, byte for byte', () => {
  const [one, other] = [0, 1].map(() => {
    using world = startTestChain()
    increment(world)
    world.apply(world.classic([payment(BOB), payment(NOBODY)]))
    world.closes(3)
    return past(world.chain)
  })
  assert.deepEqual(one, other)
})

test('the offset of the clock outlives a restart', () => {
  const directory = join(root, 'offset')
  {
    using world = startTestChain({ directory })
    world.chain.advance(86_400)
    world.close()
  }
  using world = startTestChain({ directory })
  assert.equal(world.chain.clockOffsetSec, 86_400)
  const before = world.chain.history.latest().closeTimeSec
  world.clock.advance(10_000)
  world.chain.closeLedger()
  assert(world.chain.history.latest().closeTimeSec - before < 86_400)
})

test('another network does not go on with this chain, nor one that lacks its contracts', () => {
  const directory = join(root, 'foreign')
  startTestChain({ directory })[Symbol.dispose]()
  assert.throws(() => startTestChain({ directory, networkPassphrase: 'Another network' }), /another network's chain/)
  const genesis = { contracts: [{ address: COUNTER, code: counterCode }], accounts: [], trustlines: [], calls: [] }
  assert.throws(() => startTestChain({ directory, genesis }), /another network's chain/)
  startTestChain({ directory })[Symbol.dispose]()
})

test('a chain that is open is not opened twice', () => {
  const directory = join(root, 'twice')
  using world = startTestChain({ directory })
  assert.throws(() => startTestChain({ directory }), /cannot be opened/)
  world.close()
})

test('a snapshot brings back state, history and clock, and what waited is dropped', () => {
  using world = startTestChain()
  increment(world)
  const kept = { past: past(world.chain), balance: world.balanceOf(ALICE), offset: world.chain.clockOffsetSec }
  const id = world.chain.snapshot()
  const later = increment(world)
  world.chain.advance(3_600)
  world.close()
  world.send(world.classic(payment(BOB)))
  world.chain.restore(id)
  assert.deepEqual({ past: past(world.chain), balance: world.balanceOf(ALICE), offset: world.chain.clockOffsetSec }, kept)
  assert.equal(world.chain.history.transaction(later.hash), undefined)
  assert.deepEqual([counted(world), world.chain.pending()], [1, 0])
  const again = increment(world)
  assert.equal(again.ledger, later.ledger)
  assert.equal(counted(world), 2)
  assert.equal(world.chain.history.transaction(again.hash)?.ledger, again.ledger)
})

test('a snapshot is restored as often as one likes, and from branches that grew from it', () => {
  using world = startTestChain()
  increment(world)
  const [first, ids] = [world.chain.snapshot(), eventsOf(world.chain).map(({ id }) => id)]
  for (let round = 0; round < 3; round++) {
    increment(world)
    const second = world.chain.snapshot()
    increment(world)
    world.chain.restore(second)
    assert.equal(counted(world), 2)
    world.chain.restore(first)
    assert.deepEqual([counted(world), eventsOf(world.chain).map(({ id }) => id)], [1, ids])
  }
})

test('what was restored outlives a restart', () => {
  const directory = join(root, 'restored')
  const expected = ((): unknown => {
    using world = startTestChain({ directory })
    increment(world)
    const id = world.chain.snapshot()
    increment(world)
    world.chain.restore(id)
    world.apply(world.classic(payment(BOB)))
    return past(world.chain)
  })()
  using world = startTestChain({ directory })
  assert.deepEqual(past(world.chain), expected)
  assert.equal(counted(world), 1)
})

test('of many snapshots the oldest are dropped, and an unknown one is refused', () => {
  using world = startTestChain()
  const ids = Array.from({ length: 9 }, () => world.chain.snapshot())
  assert.throws(() => world.chain.restore(ids[0] ?? ''), { name: 'RangeError' })
  assert.throws(() => world.chain.restore('nothing'), { name: 'RangeError' })
  world.chain.restore(ids[1] ?? '')
})

test('a reset begins anew at ledger 1, later than all that was', () => {
  using world = startTestChain()
  const record = increment(world)
  const { closeTimeSec, hash } = world.chain.history.latest()
  world.chain.reset()
  const first = world.chain.history.latest()
  assert.deepEqual([first.sequence, world.chain.history.oldest().sequence, counted(world)], [1, 1, 0])
  assert(first.closeTimeSec > closeTimeSec && first.hash !== hash)
  assert.equal(world.chain.history.transaction(record.hash), undefined)
  assert.deepEqual(eventsOf(world.chain), [])
  assert.equal(world.balanceOf(ALICE), START_BALANCE)
  assert.equal(increment(world).ledger, 2)
})

test('a reset outlives a restart', () => {
  const directory = join(root, 'reset')
  {
    using world = startTestChain({ directory })
    increment(world)
    world.chain.reset()
  }
  using world = startTestChain({ directory })
  assert.deepEqual([world.chain.history.latest().sequence, counted(world)], [1, 0])
})

test('a failed call takes back all that it wrote, and a refused envelope leaves nothing', () => {
  using world = startTestChain()
  const before = contractDataKey(COUNTER, 'persistent', vec(symbol('Before')))
  const call = world.ready(COUNTER, 'fail_when_armed', [u32(7)])
  world.apply(world.ready(COUNTER, 'arm', [], { source: BOB }))
  assert.equal(world.apply(call).status, 'FAILED')
  assert.deepEqual(world.chain.entries([before]), [])
  const refused = world.classic(payment(BOB), { signers: [BOB] })
  assert.equal(world.chain.send(refused.toXdr()).status, 'ERROR')
  world.close()
  assert.equal(world.chain.history.transaction(toHex(refused.hash())), undefined)
})

test('only the last ledgers are kept, with all that is in them, and nothing of what is older', () => {
  using world = startTestChain({ retentionLedgers: 5 })
  const old = increment(world)
  world.closes(10)
  const { history } = world.chain
  assert.equal(history.oldest().sequence, history.latest().sequence - 4)
  assert.equal(history.ledger(old.ledger), undefined)
  assert.equal(history.transaction(old.hash), undefined)
  assert.deepEqual(eventsOf(world.chain), [])
  assert.deepEqual(history.ledgers(1, 100).length, 5)
  assert.equal(counted(world), 1, 'the present is kept')
})

test('a grant creates the account, opens the trustline and adds to balances, at once', () => {
  using world = startTestChain()
  const somebody = NOBODY.publicKey()
  const line = () => world.chain.entries([trustlineKey(somebody, USDC)]).length
  assert.equal(line(), 0)
  world.chain.grant(somebody, USDC, 700n)
  assert.equal(line(), 1)
  world.chain.grant(somebody, 'native', 1_000n)
  const before = world.balanceOf(NOBODY)
  world.chain.grant(somebody, 'native', 500n)
  assert.equal(world.balanceOf(NOBODY), before + 500n)
  assert.equal(world.account(NOBODY).numSubEntries, 1)
  const record = world.apply(world.classic(payment(BOB, '0.00001'), { source: NOBODY }))
  assert.equal(record.status, 'SUCCESS')
})

test('listeners are told of each closed ledger when it can be read already, until they stop', () => {
  using world = startTestChain()
  const told: number[] = []
  const stop = world.chain.onClose((sequence) => {
    assert.equal(world.chain.history.latest().sequence, sequence)
    told.push(sequence)
  })
  world.closes(2)
  stop()
  world.close()
  assert.deepEqual(told, [2, 3])
})

test('a key that does not decode is named by its place', () => {
  using world = startTestChain()
  const good = trustlineKey(ALICE.publicKey(), USDC)
  assert.equal(world.chain.entries([good, good]).length, 2)
  assert.throws(() => world.chain.entries([good, 'AAAA']), /cannot unmarshal key value AAAA at index 1/)
})

test('the folder is made when it is missing', () => {
  const directory = join(root, 'deep', 'folder')
  startTestChain({ directory })[Symbol.dispose]()
  assert(readdirSync(directory).length > 0)
})
