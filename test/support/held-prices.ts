// The local network's own doings, asked of the program as it is started.

import type { MainProcess } from './main-process.ts'

/** Holds the prices of these assets where they are: a close whose profit turns into a loss between its simulation and its ledger would fail there. */
export async function holdPrices(main: MainProcess, ...assets: readonly string[]): Promise<void> {
  const rpc = /http:\S+/.exec(await main.waitForLine(/^ *Network /))?.[0] ?? ''
  for (const asset of assets) {
    const { price } = await main.get<{ readonly price: string }>(`/v1/markets/${asset}/price`)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'local_setPrice', params: { asset, price } })
    const answer = await fetch(rpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { error } = (await answer.json()) as { readonly error?: unknown }
    if (error !== undefined) throw new Error(`the price of ${asset} is not held: ${JSON.stringify(error)}`)
  }
}
