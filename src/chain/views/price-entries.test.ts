import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { CONTRACTS } from '../../../test/relay/responses.ts'
import { anyDeployment } from '../../../test/support/deployments.ts'
import { contractCodeKey } from '../codec/contract-code.ts'
import { executableTagKey, instanceKey } from '../codec/ledger-keys.ts'
import { createPriceEntries } from './price-entries.ts'
import type { PriceEntries } from './price-entries.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { encodeScVal } from '../codec/scval.ts'

test('a node that lags up to a hundred ledgers is ignored, unless it serves another chain or deployment', async () => {
  const deployment = anyDeployment({}, ['BTC'])
  deployment.replace({ ...deployment.current, contracts: { ...deployment.current.contracts, market: CONTRACTS.market } })
  let latestLedger = 200
  const entries = createPriceEntries({ rpc: { getLedgerEntries: () => Promise.resolve({ entries: [], latestLedger }) } as unknown as Rpc, deployment })
  const ledgerAt = async (ledger: number): Promise<number> => {
    latestLedger = ledger
    return (await entries.poll()).ledger
  }
  assert.deepEqual([await ledgerAt(200), await ledgerAt(199), await ledgerAt(100), await ledgerAt(99)], [200, 200, 200, 99])
  assert.deepEqual([await ledgerAt(150), await ledgerAt(149)], [150, 150])
  deployment.replace({ ...deployment.current, contracts: { ...deployment.current.contracts, oracleShim: 'another shim' } })
  assert.equal(await ledgerAt(149), 149, 'what was read of the deployment before is forgotten')
})

const SHIM = 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'
const ORACLE = 'CBLVZZ557ALB342GBQIMC2E3IYXJ5AEL7XSVMPX36CVLKRDQGDH22UL6'
const CODE = contractCodeKey('5a'.repeat(32))
const TAG = executableTagKey(ORACLE, 'shim-v2')

/** A shim whose simulation touches these entries, and the node's entries. */
function shimWith(
  readOnly: readonly string[], entries: ReadonlyMap<string, string>, change = (dataHex: string): string => dataHex,
): { readonly prices: PriceEntries; price: bigint } {
  const deployment = anyDeployment({}, ['BTC'])
  deployment.replace({ ...deployment.current, contracts: { ...deployment.current.contracts, market: CONTRACTS.market, oracleShim: SHIM } })
  const footprint = new xdr.LedgerFootprint({ readOnly: readOnly.map((key) => xdr.LedgerKey.fromXdr(key, 'base64')), readWrite: [] })
  const resources = new xdr.SorobanResources({ footprint, instructions: 1, diskReadBytes: 1, writeBytes: 0 })
  const data = new xdr.SorobanTransactionData({ ext: xdr.SorobanTransactionDataExt.v0(), resources, resourceFee: 1n })
  const transactionDataXdr = Buffer.from(change(data.toXdr('hex')), 'hex').toString('base64')
  const rpc = {
    async simulateTransaction() {
      const returnValueXdr = encodeScVal({ type: 'vec', value: [{ type: 'i128', value: shim.price }, { type: 'u64', value: 1_000n }] })
      return { error: null, latestLedger: 200, results: [{ authXdr: [], returnValueXdr }], transactionDataXdr }
    },
    async getLedgerEntries(keys: readonly string[]) {
      const found = keys.flatMap((keyXdr) => {
        const dataXdr = entries.get(keyXdr)
        return dataXdr === undefined ? [] : [{ keyXdr, dataXdr, lastModifiedLedger: 100, liveUntilLedger: null }]
      })
      return { entries: found, latestLedger: 200 }
    },
  } as unknown as Rpc
  const shim = { prices: createPriceEntries({ rpc, deployment }), price: 7n }
  return shim
}

const { signal } = new AbortController()

for (const [what, keys] of [['no entries', []], ['only code', [CODE]], ['only code and the entry that names it', [CODE, TAG]]] as const) {
  test(`a simulation that touched ${what} proves nothing about later prices, so the asset is simulated again`, async () => {
    const { prices } = shimWith(keys, new Map([[TAG, 'AAAA']]))
    await prices.read('BTC', signal)
    const { prices: found, changed } = await prices.poll()
    assert.deepEqual([[...found], changed], [[], []])
  })
}

test('a price is read although its simulation touched an entry of a later protocol, and simulated again', async () => {
  const tagType = '0000001600000007'
  const { prices } = shimWith([TAG], new Map(), (dataHex) => dataHex.replace(tagType, '0000001700000007'))
  assert.deepEqual(await prices.read('BTC', signal), { price: 7n, timestampSec: 1_000, ledger: 200 })
  const { prices: found, changed } = await prices.poll()
  assert.deepEqual([[...found], changed], [[], []])
})

test('new code behind the same executable tag is simulated, not taken for the same price', async () => {
  const instance = instanceKey(SHIM)
  const entries = new Map([[instance, 'AAAA'], [TAG, 'AAAB']])
  const { prices } = shimWith([instance, TAG, CODE], entries)
  await prices.read('BTC', signal)
  assert.deepEqual((await prices.poll()).prices.get('BTC'), { price: 7n, timestampSec: 1_000, ledger: 200 })
  entries.set(TAG, 'AAAC')
  const { prices: found, changed } = await prices.poll()
  assert.deepEqual([[...found], changed], [[], ['BTC']])
})
