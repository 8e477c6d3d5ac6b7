// What was decoded ahead may be used only while the interface in force is the one that decoded it.

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { encodeScVal } from '../../chain/codec/scval.ts'
import type { ChainEvent } from '../../chain/rpc/responses.ts'
import type { SpecEvent } from '../../exchange/contracts/contract-spec.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import type { ArchivedContractKey } from '../../exchange/contracts/contracts.ts'
import { UNKNOWN_INTERFACE } from './decode.ts'
import type { EventInterface } from './decode.ts'
import { testContracts } from '../../../test/index/history.ts'
import { epochContracts } from '../identity/epochs.ts'
import { createDecodeAhead } from './decode-ahead.ts'

const CONTRACTS = testContracts(1)
const EPOCH: Epoch = {
  number: 1, epoch: 'test', chain: 1, contractEpoch: 1, reason: 'first', passphrase: 'test', startLedger: 1, finalCursor: null, name: 'test',
  contracts: epochContracts(CONTRACTS),
}
const DECLARED: SpecEvent = { name: 'noted', prefixTopics: ['noted'], params: [], dataFormat: 'vec' }

function event(contractId: string): ChainEvent {
  const topic = encodeScVal({ type: 'symbol', value: 'paused' })
  return { id: 'id', ledger: 7, closeSec: 1, contractId, txHash: 'ab', topicsXdr: [topic], valueXdr: encodeScVal({ type: 'vec', value: [] }) }
}

test('returns what an equal interface decoded, and nothing when the interface or the contract is another', async () => {
  const [known, foreign] = [event(CONTRACTS.market), { ...event('X'), id: 'other' }]
  const by = (declared: EventInterface) => ({ epoch: EPOCH, interfaces: { at: () => declared } })
  const ahead = createDecodeAhead()
  const find = (found: ChainEvent, contract: ArchivedContractKey, declared: EventInterface, epoch = EPOCH) => ahead.find(found, { epoch, contract, declared })
  await ahead.decode([known, foreign], by({ generation: null, events: [DECLARED], structs: [] }))
  assert.equal(find(known, 'market', { generation: null, events: [{ ...DECLARED }], structs: [] })?.decoded.topic, 'paused')
  assert.equal(find(known, 'market', { generation: null, events: [DECLARED], structs: [] }, { ...EPOCH, number: 2 }), undefined, 'its id is another one there')
  assert.equal(find(known, 'vault', { generation: null, events: [DECLARED], structs: [] }), undefined)
  assert.equal(find(known, 'market', { generation: '2.0', events: [DECLARED], structs: [] }), undefined)
  assert.equal(find(known, 'market', { generation: null, events: [{ ...DECLARED, name: 'other' }], structs: [] }), undefined)
  const structs = [{ name: 'Terms', fields: [] }]
  assert.equal(find(known, 'market', { generation: null, events: [DECLARED], structs }), undefined)
  assert.equal(find(known, 'market', UNKNOWN_INTERFACE), undefined)
  assert.equal(find(foreign, 'market', UNKNOWN_INTERFACE), undefined)
  assert.equal(find(event(CONTRACTS.market), 'market', UNKNOWN_INTERFACE), undefined, 'it was not decoded')
  await ahead.decode([known], by(UNKNOWN_INTERFACE))
  assert.equal(find(known, 'market', { generation: null, events: [], structs: [] })?.decoded.topic, 'paused')
  ahead.clear()
  assert.equal(find(known, 'market', UNKNOWN_INTERFACE), undefined)
})
