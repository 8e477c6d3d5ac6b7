// The RPC handler on a fake chain and a virtual clock.

import assert from 'node:assert/strict'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createFaults } from '../../localnet/faults.ts'
import type { Faults, FaultsOptions } from '../../localnet/faults.ts'
import { createRpcHandler } from '../../localnet/rpc/handler.ts'
import type { ExtraMethod, RpcHandler } from '../../localnet/rpc/handler.ts'
import { createFriendbot } from '../../localnet/rpc/friendbot.ts'
import { RpcError } from '../../localnet/rpc/rpc-error.ts'
import { createFakeChain, FAKE_FIRST_CLOSE_TIME_SEC } from './fake-chain.ts'
import type { FakeChain } from './fake-chain.ts'

export interface ChainFixture {
  readonly chain: FakeChain
  readonly clock: VirtualClock
  readonly faults: Faults
  readonly rpc: RpcHandler
  /** A method's result as it looks after its way over the wire. */
  call(method: string, params?: unknown): Promise<Record<string, unknown>>
}

/** Builds an RPC handler on a chain with one empty ledger. */
export function createChainFixture(options: { extraMethods?: Record<string, ExtraMethod>; faults?: FaultsOptions } = {}): ChainFixture {
  const chain = createFakeChain()
  chain.closeLedgerWith()
  const clock = createVirtualClock(FAKE_FIRST_CLOSE_TIME_SEC * 1000)
  const faults = createFaults(options.faults)
  const friendbot = createFriendbot({ chain, clock })
  const rpc = createRpcHandler({ chain, faults, friendbot, clock, log: silentLog, extraMethods: options.extraMethods ?? {} })
  return {
    chain,
    clock,
    faults,
    rpc,
    call: async (method, params) => JSON.parse(JSON.stringify(await rpc.call(method, params))) as Record<string, unknown>,
  }
}

/** Expects a JSON-RPC error with exactly this code and text. */
export async function rejectsWith(call: Promise<unknown>, code: number, message: string | RegExp): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof RpcError, String(error))
    if (typeof message === 'string') assert.equal(error.message, message)
    else assert.match(error.message, message)
    assert.equal(error.code, code)
    return true
  })
}

/** The body of a JSON-RPC request. */
export function requestBody(method: string, params?: unknown, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}
