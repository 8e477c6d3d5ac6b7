// Golden pictures of the console, and the README's picture, taken in one run. The network has a seed and its clock is virtual, so each run shows the same.
// To update them: UPDATE_GOLDEN=1 npm test -- test/console/screenshot.test.ts

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { skipWithoutChromium, startBrowser } from '../support/browser.ts'
import { createIdentity } from '../../localnet/actors/identity.ts'
import { createTraderClient, whileTimePasses } from '../support/client-fixture.ts'
import { waitUntil } from '../support/console-fixture.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { createPictures, DIFFERENT_MAX } from '../support/pictures.ts'
import type { Pictures } from '../support/pictures.ts'
import { ONE } from '../support/traders.ts'
import { PROJECT_ROOT } from '../tidy/tree.ts'

const skip = skipWithoutChromium()
const IS_UPDATE = process.env['UPDATE_GOLDEN'] === '1'
const README_PICTURE = join(PROJECT_ROOT, 'docs', 'console.png')
const GOLDEN = join(PROJECT_ROOT, 'test', 'console', 'golden')
const DESKTOP = { width: 1_440, height: 900 }
const README_SIZE = { width: 1_440, height: 1_080 }
const SIZES = { 1440: DESKTOP, 1024: { width: 1_024, height: 768 }, 390: { width: 390, height: 844 } } as const
const THEMES = ['dark', 'light'] as const
type Size = keyof typeof SIZES
type Theme = (typeof THEMES)[number]
/** Every page once, beside the trade screen in all sizes and themes. */
const PAGES: readonly (readonly [page: string, size: Size, theme: Theme])[] = [
  ['markets', 390, 'light'], ['portfolio', 1024, 'dark'], ['vaults', 390, 'dark'], ['leaders', 1440, 'light'],
]
const LEDGERS = 60
const LEDGERS_PER_STEP = 15
const TRADES = [
  { op: 'open_position', asset: 'BTC', collateral: String(500n * ONE), leverage: 5, direction: 'Long' },
  { op: 'open_position', asset: 'ETH', collateral: String(200n * ONE), leverage: 3, direction: 'Short' },
  {
    op: 'place_limit_order', asset: 'BTC', collateral: String(200n * ONE), leverage: 5, direction: 'Long', triggerCondition: 'Below',
    triggerPrice: String(91_000n * ONE), slippageToleranceBps: 100,
  },
] as const
const TURNS_MAX = 300

let fixture: GatewayFixture
let context: BrowserContext
let page: Page
let pictures: Pictures
const resources = new AsyncDisposableStack()

before(async () => {
  if (skip !== false) return
  fixture = resources.use(await createGatewayFixture({ seed: 'screenshot', traders: 16, hasRpcServer: true, listen: true }))
  const { network } = fixture
  const settings = { networkName: 'local', networkPassphrase: network.networkPassphrase, localRpcUrl: network.rpcUrl }
  await fixture.restartGateway({
    consoleBuild: { root: PROJECT_ROOT, settings }, klinesUrls: network.klinesUrl === null ? [] : [network.klinesUrl], hasKlinesOfEveryAsset: true,
  })
  for (let closed = 0; closed < LEDGERS; closed += LEDGERS_PER_STEP) {
    await fixture.closeLedgers(LEDGERS_PER_STEP)
    await fixture.catchUp()
  }
  const credentials = await openPositions()
  const browser = await startBrowser()
  resources.defer(() => browser.close())
  pictures = await createPictures(browser)
  context = await browser.newContext({ viewport: DESKTOP, colorScheme: 'dark', locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' })
  await context.addInitScript(`localStorage.setItem('console', ${JSON.stringify(JSON.stringify(credentials))})`)
  page = await context.newPage()
  await page.clock.setFixedTime(fixture.clock.nowMs())
})
after(() => resources.disposeAsync())

/** A trader with two positions and a resting order. Returns what the page stores of its wallet and key. */
async function openPositions(): Promise<object> {
  const name = 'screenshot'
  const client = await createTraderClient(fixture, fixture.url, name)
  const { keyId, secret, owner } = await client.login()
  for (const trade of TRADES) await whileTimePasses(fixture, () => client.trade(trade))
  return { isStored: true, secret: createIdentity(fixture.network.networkPassphrase, `test ${name}`).secret, key: { keyId, secret }, owner }
}

/** Sends what the page waits for; the chain stands still. */
async function tick(): Promise<void> {
  const { stream } = fixture.gateway
  await stream.publishCommitted()
  await stream.tick()
  stream.heartbeat()
}

/** Whether everything on the page has arrived. */
const IS_COMPLETE = `[...document.querySelectorAll('[data-status]')].length === 4
  && [...document.querySelectorAll('[data-status]')].every(({ dataset }) => dataset.state === 'fresh')
  && ![...document.querySelectorAll('main .note')].some((note) => note.textContent.endsWith('loading…'))
  && document.fonts.status === 'loaded'`
const IS_TRADE_COMPLETE = `${IS_COMPLETE}
  && Number(document.querySelector('.chart').dataset.candles) >= 400
  && document.querySelectorAll('.tape tbody th').length > 2
  && document.querySelectorAll('[aria-label="Your positions"] tbody th').length === 2
  && !document.querySelector('.preview').textContent.includes('n/a')`

async function complete(what: string, expression: string): Promise<void> {
  for (let turns = 0; !(await page.evaluate<boolean>(expression)); turns++) {
    assert.ok(turns < TURNS_MAX, `${what} is still incomplete: ${await page.locator('body').innerText()}`)
    await tick()
  }
}

/** The picture once the page has drawn its last change: two in a row are the same. */
async function settledShot(): Promise<Buffer> {
  let previous: Buffer = Buffer.alloc(0)
  for (let turns = 0; turns < TURNS_MAX; turns++) {
    // The number of calls left depends on how fast the page was.
    const shot = await page.screenshot({ mask: [page.locator('[data-status=calls] dd')], maskColor: '#808080' })
    if (shot.equals(previous)) return shot
    previous = shot
  }
  return assert.fail('the page does not stop changing')
}

async function view(size: Size, theme: Theme): Promise<Buffer> {
  await page.setViewportSize(SIZES[size])
  await page.emulateMedia({ colorScheme: theme })
  await waitUntil(page, `document.documentElement.dataset.theme === '${theme}'`)
  return settledShot()
}

async function storeReadmePicture(): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize(README_SIZE)
  await settledShot()
  await writeFile(README_PICTURE, await page.screenshot())
}

async function check(name: string, shot: Buffer): Promise<string[]> {
  const path = join(GOLDEN, `${name}.webp`)
  if (IS_UPDATE) await pictures.store(shot, path)
  const difference = await pictures.difference(shot, path)
  return difference > DIFFERENT_MAX ? [`${name}: ${(difference * 100).toFixed(2)} % of the picture differs`] : []
}

test('the console looks as in its golden pictures, and a missing part is noticed', { skip }, async () => {
  await page.goto(`${fixture.url}/#/trade/BTC`)
  await page.getByLabel('Amount', { exact: true }).fill('1000')
  await complete('the trade screen', IS_TRADE_COMPLETE)
  const problems: string[] = []
  for (const theme of THEMES) {
    for (const size of [1440, 1024, 390] as const) {
      const shot = await view(size, theme)
      problems.push(...await check(`trade-${size}-${theme}`, shot))
    }
  }
  if (IS_UPDATE) await storeReadmePicture()
  for (const [name, size, theme] of PAGES) {
    await page.goto(`${fixture.url}/#/${name}`)
    await complete(name, IS_COMPLETE)
    problems.push(...await check(`${name}-${size}-${theme}`, await view(size, theme)))
  }
  await page.getByRole('button', { name: 'Activity' }).click()
  problems.push(...await check('activity-390-dark', await view(390, 'dark')))
  assert.deepEqual(problems, [])
  await page.getByRole('button', { name: 'Close' }).click()
  await page.evaluate('document.querySelector("main .card").remove()')
  const [name, size, theme] = PAGES.at(-1) ?? assert.fail()
  const damaged = await view(size, theme)
  assert.ok(await pictures.difference(damaged, join(GOLDEN, `${name}-${size}-${theme}.webp`)) > DIFFERENT_MAX)
})

test('the README\'s picture is the trade screen at 1440 by 1080 pixels', async () => {
  const picture = await readFile(README_PICTURE)
  assert.equal(picture.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n')
  assert.deepEqual({ width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) }, README_SIZE)
})
