import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Address, xdr } from '@stellar/stellar-sdk'

import { functionEntry, wasmHashOf, wasmOf } from './test-wasm.ts'
import { contractCodeKey, readContractCode, readContractInstances, readExecutableUpdate, readTagEntries, tagKeyOf } from './contract-code.ts'
import { instanceKey } from './ledger-keys.ts'
import type { Rpc } from '../rpc/rpc.ts'

const MARKET = 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'
const USDC = 'CA63EPM4EEXUVUANF6FQUJEJ37RWRYIXCARWFXYUMPP7RLZWFNLTVNR4'
const VAULT = 'CBLVZZ557ALB342GBQIMC2E3IYXJ5AEL7XSVMPX36CVLKRDQGDH22UL6'

const wasm = wasmOf([functionEntry('cancel_order', [], [])])
const wasmHash = wasmHashOf(wasm)

test('reads the executables of several contracts in one call', async () => {
  const node = nodeWith({ [instanceKey(MARKET)]: instance(MARKET, wasmExecutable()), [instanceKey(USDC)]: instance(USDC, assetExecutable()) })
  const { ledger, instances } = await readContractInstances(node.rpc, [MARKET, USDC, VAULT])
  assert.equal(ledger, 900)
  assert.deepEqual([...instances], [
    [MARKET, { executable: { kind: 'wasm', wasmHash }, lastModifiedLedger: 700 }],
    [USDC, { executable: { kind: 'asset' }, lastModifiedLedger: 700 }],
  ])
  assert.equal(node.calls.length, 1)
})

const TAG = { owner: VAULT, tag: 'perps-v3' }

test('reads instances and the entries that they refer to at one ledger', async () => {
  const entry = tagEntry(TAG, xdr.ScVal.scvBytes(Buffer.from(wasmHash, 'hex')))
  const node = nodeWith({ [instanceKey(MARKET)]: instance(MARKET, reference(TAG)), [tagKeyOf(TAG)]: entry })
  const { instances, tags } = await readContractInstances(node.rpc, [MARKET, USDC])
  assert.deepEqual([...instances], [[MARKET, { executable: { kind: 'reference', ...TAG }, lastModifiedLedger: 700 }]])
  assert.deepEqual([...tags], [[tagKeyOf(TAG), { wasmHash, lastModifiedLedger: 700 }]])
  assert.deepEqual(node.calls.at(-1), [instanceKey(MARKET), instanceKey(USDC), tagKeyOf(TAG)])
})

test('an entry without a hash of code is no answer, and neither is a reference that changed while it was read', async () => {
  const short = nodeWith({ [instanceKey(MARKET)]: instance(MARKET, reference(TAG)), [tagKeyOf(TAG)]: tagEntry(TAG, xdr.ScVal.scvBytes(Buffer.alloc(31))) })
  assert.equal((await readContractInstances(short.rpc, [MARKET])).tags.size, 0)
  assert.equal((await readTagEntries(short.rpc, [TAG, TAG])).size, 0)
  const moved: Record<string, string> = { [instanceKey(MARKET)]: instance(MARKET, reference({ owner: VAULT, tag: 'perps-v2' })) }
  const node = nodeWith(moved)
  const reading = readContractInstances(node.rpc, [MARKET])
  moved[instanceKey(MARKET)] = instance(MARKET, reference(TAG))
  assert.equal((await reading).instances.size, 0, 'the entry of the new reference was not read')
})

test('reads the interface of code by its hash', async () => {
  const reading = await readContractCode(nodeWith({ [contractCodeKey(wasmHash)]: codeEntry(wasm) }).rpc, wasmHash)
  assert.equal(reading?.problem, null)
  assert.deepEqual(reading?.spec?.functions, [{ name: 'cancel_order', inputs: [], output: 'void' }])
})

test('reads code of the largest size that the network allows', async () => {
  const large = Buffer.concat([wasm, Buffer.from([1, 0x80, 0x80, 0x06]), Buffer.alloc(6 * 16_384)])
  const reading = await readContractCode(nodeWith({ [contractCodeKey(wasmHashOf(large))]: codeEntry(large) }).rpc, wasmHashOf(large))
  assert.equal(reading?.problem, null)
})

test('reports code without an interface, and no code where the node sends other code than the hash names', async () => {
  const bare = Buffer.from('0061736d01000000', 'hex')
  const reading = await readContractCode(nodeWith({ [contractCodeKey(wasmHashOf(bare))]: codeEntry(bare) }).rpc, wasmHashOf(bare))
  assert.deepEqual(reading, { spec: null, problem: 'the code has no section contractspecv0' })
  assert.equal(await readContractCode(nodeWith({ [contractCodeKey(wasmHash)]: codeEntry(bare) }).rpc, wasmHash), undefined)
  assert.equal(await readContractCode(nodeWith({ [contractCodeKey(wasmHash)]: 'not XDR' }).rpc, wasmHash), undefined)
  assert.equal(await readContractCode(nodeWith({}).rpc, wasmHash), undefined)
})

test('reads the system event of an upgrade', () => {
  const name = xdr.ScVal.scvSymbol('executable_update').toXdr('base64')
  const before = xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('Wasm'), xdr.ScVal.scvBytes(Buffer.alloc(32, 1))]).toXdr('base64')
  const after = xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('Wasm'), xdr.ScVal.scvBytes(Buffer.from(wasmHash, 'hex'))]).toXdr('base64')
  assert.deepEqual(readExecutableUpdate([name, before, after]), {
    before: { kind: 'wasm', wasmHash: '01'.repeat(32) }, after: { kind: 'wasm', wasmHash },
  })
  for (const topics of [[name, before], [name, before, 'AAAA'], [before, before, after], []]) assert.equal(readExecutableUpdate(topics), undefined)
})

function nodeWith(entries: Readonly<Record<string, string>>): { readonly rpc: Rpc; readonly calls: readonly (readonly string[])[] } {
  const calls: (readonly string[])[] = []
  const rpc: Pick<Rpc, 'getLedgerEntries'> = {
    async getLedgerEntries(keys) {
      calls.push(keys)
      const found = keys.filter((key) => entries[key] !== undefined)
      return {
        latestLedger: 900,
        entries: found.map((keyXdr) => ({ keyXdr, dataXdr: entries[keyXdr] ?? '', lastModifiedLedger: 700, liveUntilLedger: 5_000 })),
      }
    },
  }
  return { rpc: rpc as Rpc, calls }
}

function instance(address: string, executable: xdr.ContractExecutable): string {
  return xdr.LedgerEntryData.contractData(new xdr.ContractDataEntry({
    ext: xdr.ExtensionPoint.fromXdr(Buffer.alloc(4)),
    contract: new Address(address).toScAddress(),
    key: xdr.ScVal.scvLedgerKeyContractInstance(),
    durability: xdr.ContractDataDurability.persistent,
    val: xdr.ScVal.scvContractInstance(new xdr.ScContractInstance({ executable, storage: null })),
  })).toXdr('base64')
}

function wasmExecutable(): xdr.ContractExecutable {
  return xdr.ContractExecutable.contractExecutableWasm(Buffer.from(wasmHash, 'hex'))
}

function reference({ owner, tag }: { readonly owner: string; readonly tag: string }): xdr.ContractExecutable {
  const executableOwner = new Address(owner).toScAddress()
  return xdr.ContractExecutable.contractExecutableExternalRef(new xdr.ContractExecutableExternalRef({ executableOwner, tag }))
}

function tagEntry({ owner, tag }: { readonly owner: string; readonly tag: string }, val: xdr.ScVal): string {
  return xdr.LedgerEntryData.contractData(new xdr.ContractDataEntry({
    ext: xdr.ExtensionPoint.v0(), contract: new Address(owner).toScAddress(), key: xdr.ScVal.scvExecutableTag(tag),
    durability: xdr.ContractDataDurability.persistent, val,
  })).toXdr('base64')
}

function assetExecutable(): xdr.ContractExecutable {
  return xdr.ContractExecutable.contractExecutableStellarAsset()
}

function codeEntry(code: Uint8Array): string {
  return xdr.LedgerEntryData.contractCode(new xdr.ContractCodeEntry({
    ext: xdr.ContractCodeEntryExt.fromXdr(Buffer.alloc(4)), hash: Buffer.from(wasmHashOf(code), 'hex'), code,
  })).toXdr('base64')
}
