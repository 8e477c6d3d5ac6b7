// The unmodified SDK reads from the local network over HTTP.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Address, Asset, rpc, xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { DEFAULT_PROTOCOL, NEWEST_PROTOCOL } from '../../localnet/ledger/protocol.ts'
import { VARIABLES } from '../../src/config/variables.ts'
import { createNetworkFixture } from './network-fixture.ts'
import type { NetworkFixture } from './network-fixture.ts'

let fixture: NetworkFixture
before(async () => {
  fixture = await createNetworkFixture({ protocol: DEFAULT_PROTOCOL })
})
after(() => fixture[Symbol.asyncDispose]())

test('getHealth, getNetwork, getVersionInfo and getFeeStats decode', async () => {
  const { server, network } = fixture
  assert.equal((await server.getHealth()).status, 'healthy')
  const { passphrase, friendbotUrl } = await server.getNetwork()
  assert.deepEqual([passphrase, friendbotUrl], [network.networkPassphrase, network.friendbotUrl])
  assert.match((await server.getVersionInfo()).version, /localnet/)
  assert.equal((await server.getFeeStats()).latestLedger, network.chain.history.latest().sequence)
})

test('getLatestLedger decodes, and its header matches the ledger', async () => {
  const latest = await fixture.server.getLatestLedger()
  assert.equal(latest.sequence, fixture.network.chain.history.latest().sequence)
  assert.equal(latest.headerXdr.ledgerSeq, latest.sequence)
  assert.equal(latest.headerXdr.scpValue.closeTime.toString(), latest.closeTime)
})

test('the default protocol is the newest at which the SDK decodes ledgers', async () => {
  for (let protocol = DEFAULT_PROTOCOL + 1; protocol <= NEWEST_PROTOCOL; protocol++) {
    await using newer = await createNetworkFixture({ protocol })
    await assert.rejects(newer.server.getLatestLedger(), { name: 'XdrError' }, `works at ${protocol}: raise DEFAULT_PROTOCOL and LOCAL_PROTOCOL`)
    await assert.rejects(newer.server.getLedgers({ startLedger: 1 }), { name: 'XdrError' })
  }
  assert.equal((await fixture.server.getNetwork()).protocolVersion, DEFAULT_PROTOCOL)
  assert.equal(VARIABLES.LOCAL_PROTOCOL.default, DEFAULT_PROTOCOL)
})

test('getLedgers decodes every ledger across pages, and the hashes form a chain', async () => {
  const { server, network } = fixture
  for (let count = 0; count < 5; count++) network.chain.closeLedger()
  const { oldestLedger } = await server.getHealth()
  const first = await server.getLedgers({ startLedger: oldestLedger, pagination: { limit: 3 } })
  const second = await server.getLedgers({ pagination: { cursor: first.cursor, limit: 3 } })
  const ledgers = [...first.ledgers, ...second.ledgers]
  assert.deepEqual(ledgers.map((ledger) => ledger.sequence), [0, 1, 2, 3, 4, 5].map((offset) => oldestLedger + offset))
  for (const [index, ledger] of ledgers.entries()) {
    assert.equal(ledger.headerXdr.hash.toString(), ledger.hash)
    const previous = ledgers[index - 1]
    if (previous !== undefined) assert.equal(ledger.headerXdr.header.previousLedgerHash.toString(), previous.hash)
  }
})

test('getAccount and getTrustline return existing entries, and reject a missing account', async () => {
  const { server, network } = fixture
  const alice = fixture.keypair('alice').publicKey()
  assert.equal((await server.getAccount(alice)).accountId(), alice)
  assert.ok((await server.getAccountEntry(alice)).balance > 0n)
  const issuer = defined(network.accounts.find((account) => account.name === 'usdc-issuer'), 'the issuer').address
  assert.ok((await server.getTrustline(alice, new Asset('USDC', issuer))).balance > 0n)
  await assert.rejects(server.getAccount('GAIH3ULLFQ4DGSECF2AR555KZ4KNDGEKN4AFI4SU2M7B43MGK3QJZNSR'), /Account not found/)
})

test('getLedgerEntries and getContractData return a contract instance and omit a missing entry', async () => {
  const { server, network } = fixture
  const instance = await server.getContractData(network.contracts.market, xdr.ScVal.scvLedgerKeyContractInstance(), rpc.Durability.Persistent)
  assert.equal(instance.val.type, 'contractData')
  assert.ok((instance.liveUntilLedgerSeq ?? 0) > network.chain.history.latest().sequence)
  const missing = xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: new Address(network.contracts.market).toScAddress(),
      key: xdr.ScVal.scvU32(4_000_000),
      durability: xdr.ContractDataDurability.persistent,
    }),
  )
  const { entries } = await server.getLedgerEntries(missing, instance.key)
  assert.deepEqual(entries.map((entry) => entry.key.toXdr('base64')), [instance.key.toXdr('base64')])
})

test('getEvents decodes events, and rejects a start past the latest ledger with a plain error object', async () => {
  const { server } = fixture
  const { oldestLedger, latestLedger } = await server.getHealth()
  const page = await server.getEvents({ startLedger: oldestLedger, filters: [], limit: 5 })
  assert.equal(page.latestLedger, latestLedger)
  await assert.rejects(server.getEvents({ startLedger: latestLedger + 1, filters: [] }), (error) => {
    const { code, message } = error as { code: number; message: string }
    assert.deepEqual([code, message], [-32600, `startLedger must be within the ledger range: ${oldestLedger} - ${latestLedger}`])
    return true
  })
})
