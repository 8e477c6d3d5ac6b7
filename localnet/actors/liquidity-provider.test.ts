import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { plain } from '../test-network.ts'
import { createLiquidityProvider } from './liquidity-provider.ts'
import { createTestLedger, DEPLOYMENT, NOW_SEC, IDENTITIES } from './test-client.ts'

const FIRST = 20_000_000n * ONE_E7
const identity = IDENTITIES.liquidityProviders[0] ?? assert.fail('there are providers')

function setUp(seed = 'provider') {
  const ledger = createTestLedger()
  const client = ledger.client(identity.address)
  const provider = createLiquidityProvider({ name: 'lp', client, deployment: DEPLOYMENT, firstDeposit: FIRST, random: createSeededRandom(seed) })
  return {
    client, provider,
    /** The vault has paid out LP tokens for the deposit. */
    credit: (amount: bigint) => ledger.setTrustline(identity.address, DEPLOYMENT.lpAsset, amount),
    turn: (seconds: number) => provider.act({ sequence: 100 + seconds, closeTimeSec: NOW_SEC + seconds }),
    called: () => client.calls.map(({ contract, functionName, args }) => ({ contract, functionName, args: args.map(plain) })),
  }
}

/** Acts every ten seconds for this long. */
async function live(turn: (seconds: number) => Promise<void>, fromSec: number, untilSec: number): Promise<void> {
  for (let seconds = fromSec; seconds < untilSec; seconds += 10) await turn(seconds)
}

test('makes the large first deposit once, also without traders', async () => {
  const { client, provider, credit, turn, called } = setUp()
  provider.setEnabled(false)
  await turn(0)
  assert.deepEqual(called(), [{ contract: DEPLOYMENT.vault, functionName: 'deposit', args: [identity.address, FIRST] }])
  credit(FIRST)
  await live(turn, 1, 20_000)
  assert.equal(client.calls.length, 1)
})

test('retries a refused first deposit until LP tokens arrive', async () => {
  const { client, provider, credit, turn } = setUp()
  provider.setEnabled(false)
  client.results.push({ kind: 'refused', code: 4, reason: 'paused' })
  await turn(0)
  await turn(1)
  assert.equal(client.calls.length, 1, 'not in the very next ledger')
  await turn(5)
  assert.equal(client.calls.length, 2)
  credit(FIRST)
  await live(turn, 10, 100)
  assert.equal(client.calls.length, 2)
})

test('then deposits and withdraws from time to time, with an approval before each withdrawal', async () => {
  const { client, credit, turn, called } = setUp()
  credit(FIRST)
  await live(turn, 0, 86_400)
  const moves = called()
  assert(moves.length >= 40 && moves.length <= 200, `${moves.length} moves in a day`)
  assert(moves.some(({ functionName }) => functionName === 'deposit'))
  for (const [index, { contract, functionName, args }] of moves.entries()) {
    if (functionName === 'deposit') assert.deepEqual([contract, args[0]], [DEPLOYMENT.vault, client.address])
    if (functionName === 'approve') {
      assert.deepEqual([contract, args.slice(0, 2)], [DEPLOYMENT.lpToken, [client.address, DEPLOYMENT.vault]])
      const next = moves[index + 1]
      if (next !== undefined) assert.deepEqual([next.functionName, next.args], ['withdraw', [client.address, args[2]]])
    }
  }
  const withdrawn = moves.filter(({ functionName }) => functionName === 'withdraw')
  assert(withdrawn.length > 5)
})

test('does not withdraw without an approval', async () => {
  const { client, credit, turn, called } = setUp()
  credit(FIRST)
  for (let seconds = 0; seconds < 86_400 && client.calls.at(-1)?.functionName !== 'approve'; seconds += 10) await turn(seconds)
  assert.equal(client.calls.at(-1)?.functionName, 'approve')
  client.settlements.push({ kind: 'failed', code: null, reason: 'no ledger took the transaction in time', isOutdated: false })
  const before = client.calls.length
  await turn(100_000)
  assert.notEqual(called().slice(before).at(0)?.functionName, 'withdraw')
})

test('makes the first deposit again on a reset network', async () => {
  const { client, provider, credit, turn, called } = setUp()
  credit(FIRST)
  await turn(0)
  provider.forget()
  credit(0n)
  await turn(1)
  assert.deepEqual(called(), [{ contract: DEPLOYMENT.vault, functionName: 'deposit', args: [identity.address, FIRST] }])
  assert.equal(client.forgetCount, 1)
})
