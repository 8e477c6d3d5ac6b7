// The grid bot on contracts of generation 1; test/examples/generation-2.test.ts runs the same walk on those of generation 2.

import { test } from 'node:test'
import { startExchange } from './exchange-process.ts'
import { walkGrid } from './grid-walk.ts'

test('the grid bot buys at its levels, sells one step higher, and continues after a kill', async () => {
  await using exchange = await startExchange()
  await walkGrid(exchange, { account: 'alice', asset: 'BTC', stepUsdc: 100 })
})
