import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACTS } from '../../test/relay/responses.ts'
import { anyDeployment } from '../../test/support/deployments.ts'
import { createPriceEntries } from './price-entries.ts'
import type { Rpc } from './rpc.ts'

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
