// The README's picture of the console. To update: UPDATE_GOLDEN=1 npm test -- test/console/screenshot.test.ts

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { RATE_LIMIT_PER_WINDOW } from '../../src/limits.ts'
import { startBrowser } from '../support/browser.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import { PROJECT_ROOT } from '../tidy/tree.ts'

const PICTURE = join(PROJECT_ROOT, 'docs', 'console.png')
const SIZE = { width: 1_280, height: 800 }
const HISTORY_MIN = 95
const LEDGERS_PER_TICK = 10
const TRADES_MIN = 24
const WAIT_MAX_LEDGERS = 500

test('docs/console.png is a PNG of 1280 by 800 pixels', async () => {
  if (process.env['UPDATE_GOLDEN'] === '1') await takeScreenshot(PICTURE)
  const picture = await readFile(PICTURE)
  assert.equal(picture.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n')
  assert.deepEqual({ width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) }, SIZE)
})

/** The trade screen on a local network whose clock is virtual: an hour and a half of trading takes about two minutes of CPU time. */
async function takeScreenshot(path: string): Promise<void> {
  const settings = { networkName: 'local', networkPassphrase: 'Test SDF Network ; September 2015', localRpcUrl: null }
  await using fixture = await createGatewayFixture({
    seed: 'screenshot', traders: 40, gateway: { consoleBuild: { root: PROJECT_ROOT, settings }, rateLimits: RATE_LIMIT_PER_WINDOW },
  })
  const { stream } = fixture.gateway
  async function advance(ledgers: number): Promise<void> {
    await fixture.closeLedgers(ledgers)
    await fixture.catchUp()
    await stream.publishCommitted()
    await stream.tick()
    stream.heartbeat()
  }
  for (let second = 0; second < HISTORY_MIN * 60; second += LEDGERS_PER_TICK) await advance(LEDGERS_PER_TICK)

  const url = await fixture.gateway.listen({ host: '127.0.0.1', port: 0 })
  const browser = await startBrowser()
  try {
    const context = await browser.newContext({ viewport: SIZE, colorScheme: 'dark', locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.clock.setFixedTime(fixture.clock.nowMs())
    await page.goto(`${url}/#/trade/BTC`)
    const isComplete = `[...document.querySelectorAll('[data-status]')].length === 4
      && [...document.querySelectorAll('[data-status]')].every(({ dataset }) => dataset.state === 'fresh')
      && Number(document.querySelector('.chart').dataset.candles) >= ${HISTORY_MIN - 5}
      && document.querySelectorAll('.tape tbody tr').length >= ${TRADES_MIN}`
    for (let ledgers = 0; !(await page.evaluate<boolean>(isComplete)); ledgers++) {
      assert.ok(ledgers < WAIT_MAX_LEDGERS, 'the page is still incomplete')
      await advance(1)
    }
    await page.screenshot({ path })
  } finally {
    await browser.close()
  }
}
