// kill -9 with submissions open: the next process brings them to an end at once, instead of waiting for the leases of the dead one.

import assert from 'node:assert/strict'
import test from 'node:test'
import { Account, Asset, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { createSystemClock } from '../../src/base/clock.ts'
import { accountKey, readAccountSequence } from '../../src/chain/codec/transaction.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import type { IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'
import type { Order } from '../../src/resources/order.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import type { TransactionRow } from '../../src/resources/transaction.ts'
import { databaseUrl, openTestStore, testServerUrl } from '../support/database.ts'
import { bearer, createWallet, signChallenge } from '../support/keys.ts'
import { startMain } from '../support/main-process.ts'
import { startNetworkOn } from '../support/network.ts'
import { sign } from '../support/traders.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SUBMISSIONS = 12
const BALANCE = 1_000_000_000n
/** Few enough requests for the rate limit. */
const POLL_MS = 250
const POLLS_MAX = 240
/** Leases last 30 s. */
const ENDED_WITHIN_MS = 10_000

/** The location of a database for processes: of the tests' server, or in a folder. */
async function openLocation(disposables: AsyncDisposableStack): Promise<Readonly<Record<string, string>>> {
  const serverUrl = testServerUrl()
  if (serverUrl === null) return { DATA_DIR: disposables.use(await temporaryFolder()).path }
  const store = disposables.use(await openTestStore())
  const [database] = await store.read.query<{ name: string }>('select current_database() as name')
  return { DATABASE_URL: databaseUrl(serverUrl, database?.name ?? '') }
}

async function post<Body>(url: string, body: object, key?: IssuedKey): Promise<Body> {
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: bearer(key) }) }
  return await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Body
}

async function obtainKey(url: string): Promise<IssuedKey> {
  const wallet = createWallet('killed')
  const address = wallet.publicKey()
  const { challengeHex } = await post<KeyChallenge>(`${url}/v1/keys/challenge`, { address })
  return await post<IssuedKey>(`${url}/v1/keys`, { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) })
}

async function listStates(url: string, key: IssuedKey): Promise<readonly string[]> {
  const response = await fetch(`${url}/v1/account/me/transactions`, { headers: { authorization: bearer(key) } })
  const { transactions } = await response.json() as { readonly transactions: readonly TransactionRow[] }
  return transactions.map(({ status }) => status)
}

async function untilStates(url: string, key: IssuedKey, holds: (states: readonly string[]) => boolean): Promise<void> {
  const clock = createSystemClock()
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    if (holds(await listStates(url, key))) return
    await clock.sleep(POLL_MS)
  }
  assert.fail(`the submissions are ${(await listStates(url, key)).join(', ')}`)
}

/** A payment of a new account. */
async function signPayment(network: LocalNetwork): Promise<string> {
  const payer = Keypair.random()
  network.chain.grant(payer.publicKey(), 'native', BALANCE)
  const found = await network.rpc.call('getLedgerEntries', { keys: [accountKey(payer.publicKey())] })
  const { entries } = found as { readonly entries: readonly { readonly xdr: string }[] }
  const sequence = readAccountSequence(entries[0]?.xdr ?? assert.fail('the account'))
  const payment = Operation.payment({ destination: payer.publicKey(), asset: Asset.native(), amount: '1' })
  const transaction = new TransactionBuilder(new Account(payer.publicKey(), String(sequence)), { fee: '1000', networkPassphrase: network.networkPassphrase })
    .addOperation(payment).setTimeout(300).build()
  transaction.sign(payer)
  return transaction.toXdr()
}

test(`the ${SUBMISSIONS} open submissions of a killed process are final soon after its restart`, async () => {
  await using disposables = new AsyncDisposableStack()
  const clock = createSystemClock()
  const network = disposables.use(await startNetworkOn(clock, { seed: 'open submissions', port: 0, traders: 0 }))
  const environment = { NETWORK: 'local', RPC_URL: network.rpcUrl ?? '', POLL_INTERVAL_MS: '250', ...await openLocation(disposables) }
  const first = disposables.use(startMain(environment))
  const url = await first.url()
  const key = await obtainKey(url)

  await network.rpc.call('local_autoClose', { enabled: false })
  for (let index = 0; index < SUBMISSIONS; index++) {
    void post(`${url}/v1/tx/submit`, { signedXdr: await signPayment(network), pollTimeoutMs: 60_000 }, key).catch(() => {})
  }
  await untilStates(url, key, (states) => states.length === SUBMISSIONS)
  await first.stop('SIGKILL')

  await network.rpc.call('local_autoClose', { enabled: true })
  const second = disposables.use(startMain(environment))
  const secondUrl = await second.url()
  const startedMs = clock.elapsedMs()
  await untilStates(secondUrl, key, (states) => states.every((status) => status === 'SUCCESS'))
  const tookMs = Math.round(clock.elapsedMs() - startedMs)
  assert.ok(tookMs < ENDED_WITHIN_MS, `took ${tookMs} ms`)
})

test('an order whose submission a killed process left open is there with its terms when it has succeeded', async () => {
  await using disposables = new AsyncDisposableStack()
  const network = disposables.use(await startNetworkOn(createSystemClock(), { seed: 'killed order', port: 0, traders: 0 }))
  const environment = { NETWORK: 'local', RPC_URL: network.rpcUrl ?? '', POLL_INTERVAL_MS: '250', ...await openLocation(disposables) }
  const first = disposables.use(startMain(environment))
  const url = await first.url()
  const key = await obtainKey(url)
  await network.rpc.call('local_fund', { address: key.owner, usdc: '50000000000' })
  const terms = { asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long', slippageToleranceBps: 100 }
  const trigger = { triggerPrice: '10000000000', limitPrice: '10000000000', triggerCondition: 'Below' }
  // Reported by no event.
  const prepared = await post<PreparedTransaction>(`${url}/v1/orders/prepare`, { op: 'place_stop_limit_order', ...terms, ...trigger }, key)
  await network.rpc.call('local_autoClose', { enabled: false })
  const signedXdr = sign(prepared, createWallet('killed'), network.networkPassphrase)
  void post(`${url}/v1/tx/submit`, { signedXdr, pollTimeoutMs: 60_000 }, key).catch(() => {})
  // It is listed as prepared before it is submitted.
  await untilStates(url, key, ([status]) => status === 'PENDING')
  await first.stop('SIGKILL')

  await network.rpc.call('local_autoClose', { enabled: true })
  const secondUrl = await disposables.use(startMain(environment)).url()
  await untilStates(secondUrl, key, (states) => states.every((status) => status === 'SUCCESS'))
  const read = async <Body>(path: string): Promise<Body> =>
    await (await fetch(`${secondUrl}${path}`, { headers: { authorization: bearer(key) } })).json() as Body
  const { orderId, ledger } = await read<TransactionRow>(`/v1/tx/${prepared.hash}`)
  const order = await read<Order>(`/v1/orders/${orderId}`)
  assert.deepEqual([order.orderType, order.asset, order.collateral, order.limitPrice], ['stop_limit', 'BTC', terms.collateral, trigger.limitPrice])
  assert.deepEqual([order.placed?.txHash, order.placed?.ledger], [prepared.hash, ledger])
})
