// Places one limit order and follows it to its end. It survives being killed at any moment, and never places the order twice.
//
//   SECRET=S… npm run example examples/follow-order.ts order.json BTC 90000
//
// Expect the transaction's hash, the order's id, and a line for each change of the order: pending, then executed with price, fee and PnL, or cancelled. Kill it
// at any time with `kill -9` and start it again with the same file: it asks the gateway what happened to its transaction, by the hash, and continues. Without a
// price the order is placed 1 % below the present one. Ctrl-C stops following; the order stays. Set GATEWAY_URL for a gateway other than http://127.0.0.1:8080.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ContractFailure, createClient, NotFinal, secretSigner, TransactionExpired } from 'perpetual-exchange-client'

/** 20 USDC at leverage 2: a position of 40 USDC. */
const SIZE = { collateral: '200000000', leverage: 2 } as const
const SLIPPAGE_BPS = 100
/** Interval at which an unsubmitted transaction is looked up until it has expired, which takes 300 seconds. */
const EXPIRY_POLL_MS = 5_000

interface State {
  readonly asset: string
  readonly triggerPrice: string
  /** Names the order's transaction. A request that is repeated with it does not trade twice. */
  readonly clientId: string
  /** Its hash, once it was signed. */
  readonly hash?: string
  readonly orderId?: number
}

const [, , file = 'order.json', asset = 'BTC', price] = process.argv
const signer = await secretSigner(process.env['SECRET'] ?? '')
const client = createClient({ url: process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080', signer })
await client.login({ label: 'follow an order' })

/** The state of an earlier run, or that of a new order. */
async function loadState(): Promise<State> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as State
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  if (price !== undefined && !/^\d+$/.test(price)) throw new TypeError(`${price} is not a price in whole dollars`)
  const current = BigInt((await client.getMarketPrice({ asset })).body.price)
  const triggerPrice = price === undefined ? String((current * 99n) / 100n) : `${price}0000000`
  return { asset, triggerPrice, clientId: crypto.randomUUID() }
}

/** Writes the state in one step, so that a crash leaves the previous or the next one. */
function save(next: State): void {
  writeFileSync(`${file}.new`, JSON.stringify(next))
  renameSync(`${file}.new`, file)
  state = next
}

let state = await loadState()
save(state)

const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort(new Error('stopped')))

/** The id of the order that the transaction of an earlier run placed; null when it placed none and never will. */
async function finishEarlier(hash: string): Promise<number | null> {
  for (;;) {
    try {
      return (await client.transactions.finish(hash, { signal: stopped.signal })).orderId
    } catch (error) {
      if (error instanceof TransactionExpired || error instanceof ContractFailure) {
        console.log(`the earlier transaction placed no order: ${error.message}`)
        return null
      }
      if (!(error instanceof NotFinal && error.status === 'PREPARED')) throw error
      console.log('the earlier transaction was not submitted; waiting until it expires')
      await sleep(EXPIRY_POLL_MS, undefined, { signal: stopped.signal })
    }
  }
}

async function placeOrder(): Promise<number | null> {
  const { asset: wanted, triggerPrice, clientId } = state
  const { order } = await client.place({
    op: 'place_limit_order', asset: wanted, direction: 'Long', ...SIZE, triggerPrice, triggerCondition: 'Below', slippageToleranceBps: SLIPPAGE_BPS, clientId,
  }, {
    onSigned({ hash }) {
      save({ ...state, hash })
      console.log(`signed as ${hash}`)
    },
  })
  return order?.orderId ?? null
}

async function findOrder(): Promise<number> {
  if (state.orderId !== undefined) return state.orderId
  const earlier = state.hash === undefined ? null : await finishEarlier(state.hash)
  if (earlier !== null) console.log(`order ${earlier} was placed by the transaction signed before`)
  // A transaction that is over keeps its client id for a day.
  if (state.hash !== undefined && earlier === null) save({ asset: state.asset, triggerPrice: state.triggerPrice, clientId: crypto.randomUUID() })
  const orderId = earlier ?? await placeOrder()
  if (orderId === null) throw new Error('the order was placed, and its id is unknown: see `orders history`')
  save({ ...state, orderId })
  return orderId
}

try {
  for await (const { orderId, status, ended, execution } of client.orders.watch(await findOrder(), { signal: stopped.signal })) {
    const reason = status === 'cancelled' ? ` (${ended?.reason ?? 'unknown'})` : ''
    const fill = execution === null ? '' : ` at ${execution.price}, fee ${execution.fee ?? 'unknown'}, position ${execution.positionId}`
    console.log(`order ${orderId} ${status}${reason}${fill}`)
  }
} catch (error) {
  if (!stopped.signal.aborted) throw error
}
