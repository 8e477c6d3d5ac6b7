// A local network that another process serves: where its contracts are, asked at its door.

import { assert } from '../src/base/assert.ts'
import type { Clock } from '../src/base/clock.ts'
import { isContractAddress } from '../src/base/strkey.ts'
import { CONTRACT_KEYS } from '../src/exchange/contracts.ts'
import type { ContractAddresses } from '../src/exchange/contracts.ts'

/** One question may take this long. */
const TIMEOUT_MS = 2_000

/** Raised when nobody at the given addresses says what a local network says. */
export class LocalNetworkUnreachable extends Error {
  override readonly name = 'NoLocalNetwork'
}

/** The contracts of the local network whose door is at one of `rpcUrls`, asked in turn. Raises NoLocalNetwork. */
export async function fetchContracts(rpcUrls: readonly string[], clock: Clock): Promise<ContractAddresses> {
  const causes: unknown[] = []
  for (const url of rpcUrls) {
    try {
      return readContracts(await fetchInfo(url, clock))
    } catch (cause) {
      causes.push(cause)
    }
  }
  throw new LocalNetworkUnreachable('no local network answers at RPC_URL', { cause: causes })
}

async function fetchInfo(url: string, clock: Clock): Promise<unknown> {
  const limit = new AbortController()
  const timer = clock.setTimer(TIMEOUT_MS, () => limit.abort())
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'local_info' })
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: limit.signal, redirect: 'error' })
    return await answer.json()
  } finally {
    timer.cancel()
  }
}

function readContracts(answer: unknown): ContractAddresses {
  const { contracts } = (answer as { result?: { contracts?: Readonly<Record<string, unknown>> } }).result ?? {}
  const entries = CONTRACT_KEYS.map((key) => {
    const address = contracts?.[key]
    assert(typeof address === 'string' && isContractAddress(address), `the address of ${key}`)
    return [key, address] as const
  })
  return Object.fromEntries(entries) as Record<(typeof CONTRACT_KEYS)[number], string>
}
