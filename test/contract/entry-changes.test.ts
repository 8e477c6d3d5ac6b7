// Changes by transactions, decoded from the local network's meta and simulations, against the entries of its ledger.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { decodeMeta, decodeStateChanges, META_MAX_LENGTH } from '../../src/chain/codec/entry-changes.ts'
import { accountEntryKey, numberedKey, readAmount, readOrder, readPosition } from '../../src/chain/views/market-entries.ts'
import { parseTransaction } from '../../src/chain/rpc/responses.ts'
import type { TransactionResponse } from '../../src/chain/rpc/responses.ts'
import type { EntryChange, EntryChanges } from '../../src/exchange/contracts/entry-changes.ts'
import { startTestNetwork } from '../../localnet/test-network.ts'
import type { TestNetwork } from '../../localnet/test-network.ts'

const LEDGERS = 80

/** All successful transactions: some change orders without an event. */
async function transactionsOf(network: TestNetwork): Promise<readonly TransactionResponse[]> {
  const found: TransactionResponse[] = []
  let params: Record<string, unknown> = { startLedger: 2, pagination: { limit: 200 } }
  for (;;) {
    const page = await network.call<{ transactions: { txHash: string; status: string }[]; cursor: string }>('getTransactions', params)
    if (page.transactions.length === 0) return found
    for (const { txHash, status } of page.transactions) {
      if (status === 'SUCCESS') found.push(parseTransaction(await network.call('getTransaction', { hash: txHash })))
    }
    params = { pagination: { limit: 200, cursor: page.cursor } }
  }
}

function metaOf(response: TransactionResponse): string {
  assert.ok(response.status === 'SUCCESS' && response.metaXdr !== undefined)
  return response.metaXdr
}

async function entriesOf(network: TestNetwork, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { entries } = await network.call<{ entries: { key: string; xdr: string }[] }>('getLedgerEntries', { keys })
  return new Map(entries.map((entry) => [entry.key, entry.xdr]))
}

/** Each change begins where the one before ended; returns what each entry was last. */
function lastStates<Entry>(changes: readonly (readonly [string, EntryChange<Entry>])[]): ReadonlyMap<string, Entry | null> {
  const last = new Map<string, Entry | null>()
  for (const [key, { before, after }] of changes) {
    if (last.has(key)) assert.deepEqual(before, last.get(key), key)
    last.set(key, after)
  }
  return last
}

for (const generation of ['1', '2'] as const) {
  test(`generation ${generation}: the changes of all transactions lead to the entries of the ledger`, async () => {
    await using network = await startTestNetwork({ generation, traders: 8, seed: `entry changes ${generation}` })
    await network.closeLedgers(LEDGERS)
    const { market } = network.contracts
    const metas = (await transactionsOf(network)).map((response) => decodeMeta(metaOf(response), market))
    const decoded = metas.flatMap((meta) => (meta === null ? [] : [meta.changes]))
    assert.ok(decoded.length > 20 && decoded.length === metas.length)
    const positions = lastStates(decoded.flatMap((changes) =>
      [...changes.positions].map(([id, change]) => [numberedKey(market, 'Position', id), change] as const)))
    const orders = lastStates(decoded.flatMap((changes) => [...changes.orders].map(([id, change]) => [numberedKey(market, 'Order', id), change] as const)))
    const balances = lastStates(decoded.flatMap(({ crossBalances }) =>
      [...crossBalances].map(([trader, change]) => [accountEntryKey(market, 'CrossMarginBalance', trader), change] as const)))
    assert.ok(positions.size > 5 && orders.size > 2 && balances.size > 0)
    const entries = await entriesOf(network, [...positions.keys(), ...orders.keys(), ...balances.keys()])
    for (const [key, entry] of positions) assert.deepEqual(entry, readPosition(entries.get(key) ?? '') ?? null)
    for (const [key, entry] of orders) assert.deepEqual(entry, readOrder(entries.get(key) ?? '') ?? null)
    for (const [key, balance] of balances) assert.equal(balance, readAmount(entries.get(key) ?? ''))
  })
}

test('the events of a meta are those that getEvents returns', async () => {
  await using network = await startTestNetwork({ traders: 4, seed: 'events of metas' })
  await network.closeLedgers(60)
  const { market, vault, vaultFactory, referral } = network.contracts
  const own = [market, vault, vaultFactory, referral]
  for (const [hash, events] of Map.groupBy(network.exchangeEvents(), ({ txHash }) => txHash)) {
    const meta = decodeMeta(metaOf(parseTransaction(await network.call('getTransaction', { hash }))), market)
    const archived = events.map(({ contractId, topics, value }) => [contractId, ...topics, value].join(' '))
    assert.deepEqual(meta?.events.filter((event) => own.includes(event.split(' ')[0] ?? '')), archived)
  }
})

test('a simulation shows the changes that the transaction then makes', async () => {
  await using network = await startTestNetwork({ traders: 4, seed: 'simulated changes' })
  await network.closeLedgers(30)
  const { market } = network.contracts
  const opened = network.exchangeEvents('position_opened').at(-1)
  assert.ok(opened !== undefined)
  // The envelope simulates again although its position exists by now: the next id is taken.
  const { envelopeXdr } = await network.call<{ envelopeXdr: string }>('getTransaction', { hash: opened.txHash })
  const transaction = { transaction: envelopeXdr }
  const simulated = await network.call<{ stateChanges?: { before: string | null; after: string | null }[] }>('simulateTransaction', transaction)
  const stateChanges = (simulated.stateChanges ?? []).map(({ before, after }) => ({ beforeXdr: before, afterXdr: after }))
  const changes = decodeStateChanges(stateChanges, market)
  const [change] = changes?.positions.values() ?? []
  assert.ok(change?.before === null && change.after?.asset === opened.fields[2])
  assert.equal(decodeStateChanges(stateChanges, network.contracts.vault)?.positions.size, 0, 'only entries of the market count')
})

const NOTHING: EntryChanges = { positions: new Map(), orders: new Map(), crossBalances: new Map() }

function metaWith(changes: xdr.LedgerEntryChange[]): string {
  const ext = xdr.ExtensionPoint.v0()
  const operation = new xdr.OperationMetaV2({ ext, changes, events: [] })
  return xdr.TransactionMeta.v4(new xdr.TransactionMetaV4({
    ext, txChangesBefore: [], operations: [operation], txChangesAfter: [], sorobanMeta: null, events: [], diagnosticEvents: [],
  })).toXdr('base64')
}

test('entries of other contracts and of unknown shapes are left out, and what does not decode is unknown', async () => {
  await using network = await startTestNetwork({ traders: 0, seed: 'unknown shapes' })
  const { market } = network.contracts
  assert.equal(decodeMeta('', market), null)
  assert.equal(decodeMeta('AAAA', market), null)
  assert.equal(decodeMeta('A'.repeat(META_MAX_LENGTH + 4), market), null)
  assert.equal(decodeMeta(xdr.TransactionMeta.operations([]).toXdr('base64'), market), null, 'metas before contracts')
  assert.equal(decodeStateChanges([{ beforeXdr: 'x', afterXdr: null }], market), null)
  assert.deepEqual(decodeStateChanges([{ beforeXdr: null, afterXdr: null }], market), NOTHING)
  const entry = (val: xdr.ScVal): xdr.LedgerEntry => {
    const key = xdr.LedgerKey.fromXdr(numberedKey(market, 'Position', 7), 'base64')
    assert.ok(key.type === 'contractData')
    const data = new xdr.ContractDataEntry({
      ext: xdr.ExtensionPoint.v0(), contract: key.contractData.contract, key: key.contractData.key, durability: key.contractData.durability, val,
    })
    return new xdr.LedgerEntry({ lastModifiedLedgerSeq: 1, data: xdr.LedgerEntryData.contractData(data), ext: xdr.LedgerEntryExt.v0() })
  }
  const created = xdr.LedgerEntryChange.ledgerEntryCreated(entry(xdr.ScVal.scvBool(true)))
  assert.deepEqual(decodeMeta(metaWith([created]), market)?.changes, NOTHING)
})
