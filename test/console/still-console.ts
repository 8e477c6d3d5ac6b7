// The console on a stopped network: its clock is virtual, ledgers close when a test says so, and each run has the same trades and prices.

import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { createIdentity } from '../../localnet/actors/identity.ts'
import { PROJECT_ROOT } from '../tidy/tree.ts'
import { startBrowser } from '../support/browser.ts'
import { waitUntil } from './console-fixture.ts'
import { createTraderClient, whileTimePasses } from '../client/client-fixture.ts'
import { createGatewayFixture, FIXTURE_START_MS } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { TEST_GENERATION } from '../support/generation.ts'
import type { TestGeneration } from '../support/generation.ts'
import { ONE } from '../support/traders.ts'

export interface StillConsole extends AsyncDisposable {
  readonly fixture: GatewayFixture
  readonly context: BrowserContext
  /** Has the wallet and the key of a trader with two positions and a resting order. */
  readonly page: Page
  readonly url: string
  /** Sends the newest prices and a heartbeat. */
  tick(): Promise<void>
  /** Sends prices and heartbeats until the expression is true on the page. No ledger closes. */
  complete(what: string, expression: string): Promise<void>
  /** Closes a ledger, publishes it, and moves the page's clock with it. */
  advance(): Promise<void>
}

const TRADERS = 16
const LEDGERS = 60
const LEDGERS_PER_STEP = 15
const TURNS_MAX = 300
const END_SEC = 120
const STEP_MS = 2_000
const HEARTBEAT_MS = 1_000
const COUNT_HEARTBEATS = `
  window.heartbeats = 0
  {
    const Native = WebSocket
    window.WebSocket = class extends Native {
      constructor(...options) {
        super(...options)
        this.addEventListener('message', ({ data }) => {
          if (data.includes('"heartbeat"')) heartbeats += 1
        })
      }
    }
  }`
const TRADED = ['BTC', 'ETH'] as const
const TRADES = [
  { op: 'open_position', asset: 'BTC', collateral: String(500n * ONE), leverage: 5, direction: 'Long' },
  { op: 'open_position', asset: 'ETH', collateral: String(200n * ONE), leverage: 3, direction: 'Short' },
  {
    op: 'place_limit_order', asset: 'BTC', collateral: String(200n * ONE), leverage: 5, direction: 'Long', triggerCondition: 'Below',
    triggerPrice: String(91_000n * ONE), slippageToleranceBps: 100,
  },
] as const

/** True if everything on the page has arrived. */
export const IS_COMPLETE = `[...document.querySelectorAll('[data-status]')].length === 3
  && [...document.querySelectorAll('[data-status]')].every(({ dataset }) => dataset.state === 'fresh')
  && ![...document.querySelectorAll('main .note')].some((note) => note.textContent.endsWith('loading…'))
  && document.fonts.status === 'loaded'`
/** With an amount of a market order in the ticket, and its quote. */
export const IS_TRADE_COMPLETE = `${IS_COMPLETE}
  && Number(document.querySelector('.chart').dataset.candles) >= 400
  && document.querySelectorAll('.tape tbody th').length > 1
  && document.querySelectorAll('[aria-label="Your positions"] tbody th').length === 2
  && ![...document.querySelectorAll('.leverage [type=range]')].some(({ disabled }) => disabled)
  && [...document.querySelectorAll('.preview dd')].every(({ textContent }) => textContent !== 'n/a' && !textContent.startsWith('about'))`

export async function createStillConsole(
  seed: string, viewport: { readonly width: number; readonly height: number }, generation: TestGeneration = TEST_GENERATION,
): Promise<StillConsole> {
  await using building = new AsyncDisposableStack()
  const fixture = building.use(await createGatewayFixture({ seed, traders: TRADERS, hasRpcServer: true, listen: true, generation }))
  const { network } = fixture
  const settings = { networkName: 'local', networkPassphrase: network.networkPassphrase, localRpcUrl: network.rpcUrl }
  await fixture.restartGateway({
    consoleBuild: { root: PROJECT_ROOT, settings }, klinesUrls: network.klinesUrl === null ? [] : [network.klinesUrl], hasKlinesOfEveryAsset: true,
  })
  for (let closed = 0; closed < LEDGERS; closed += LEDGERS_PER_STEP) {
    await fixture.closeLedgers(LEDGERS_PER_STEP)
    await fixture.catchUp()
  }
  const credentials = await openPositions(fixture)
  // How many ledgers the trades take depends on the machine. Afterwards all runs are at the same one.
  while (fixture.clock.nowMs() < FIXTURE_START_MS + END_SEC * 1_000) await fixture.closeLedgers(1)
  await fixture.catchUp()
  for (const asset of TRADED) await fixture.control('local_releasePrice', { asset })
  await fixture.control('local_actors', { traders: true, keeper: true })
  const browser = await startBrowser()
  building.defer(() => browser.close())
  const context = await browser.newContext({ viewport, colorScheme: 'dark', locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' })
  await context.addInitScript(`localStorage.setItem('console', ${JSON.stringify(JSON.stringify(credentials))})`)
  await context.addInitScript(COUNT_HEARTBEATS)
  const page = await context.newPage()
  let pageMs = fixture.clock.nowMs()
  await page.clock.setFixedTime(pageMs)
  // As from a running gateway, in real time: without them the page would reconnect while a test is at work.
  const heartbeats = setInterval(() => fixture.gateway.stream.heartbeat(), HEARTBEAT_MS)
  building.defer(() => clearInterval(heartbeats))
  const owned = building.move()

  /** Sends what the page waits for. */
  async function tick(): Promise<void> {
    const { stream } = fixture.gateway
    await stream.publishCommitted()
    await stream.tick()
    stream.heartbeat()
  }
  return {
    fixture, context, page,
    url: fixture.url,
    tick,
    async complete(what, expression) {
      for (let turns = 0; !(await page.evaluate<boolean>(expression)); turns++) {
        assert.ok(turns < TURNS_MAX, `${what} is still incomplete: ${await page.locator('body').innerText()}`)
        await tick()
      }
    },
    async advance() {
      await fixture.closeLedgers(1)
      await fixture.catchUp()
      // In steps, each with its heartbeat: a longer one would be a lost connection.
      for (; pageMs + STEP_MS < fixture.clock.nowMs(); pageMs += STEP_MS) {
        await page.clock.setFixedTime(pageMs + STEP_MS)
        const received = await page.evaluate<number>('window.heartbeats')
        fixture.gateway.stream.heartbeat()
        if (page.url() !== 'about:blank') await waitUntil(page, `heartbeats > ${received}`)
      }
      pageMs = fixture.clock.nowMs()
      await page.clock.setFixedTime(pageMs)
      await tick()
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Returns what the page stores of a burner wallet and its key. */
async function openPositions(fixture: GatewayFixture): Promise<object> {
  const name = 'console'
  // The trades get the same prices in whichever ledger they are applied.
  await fixture.control('local_actors', { traders: false, keeper: false })
  for (const asset of TRADED) {
    const { price } = (await fixture.get<{ readonly price: string }>(`/v1/markets/${asset}/price`)).body
    await fixture.control('local_setPrice', { asset, price })
  }
  const client = await createTraderClient(fixture, fixture.url, name)
  const { keyId, secret, owner } = await client.login()
  for (const trade of TRADES) await whileTimePasses(fixture, () => client.trade(trade))
  return { isStored: true, secret: createIdentity(fixture.network.networkPassphrase, `test ${name}`).secret, key: { keyId, secret }, owner }
}
