// The console in a browser: the time until its trade screen is useful, the pictures per second while all channels send, and its memory after an hour.

import { startBrowser } from '../../test/support/browser.ts'
import { RECORD_FRAMES, awaitFrames, replayFrames } from '../../test/console/frame-replay.ts'
import { objectBytes } from '../../test/console/page-memory.ts'
import { createStillConsole } from '../../test/console/still-console.ts'
import type { StillConsole } from '../../test/console/still-console.ts'
import type { Figure, ReportProgress } from '../support/report.ts'

const SIZE = { width: 1_440, height: 900 }
const ROUNDS = 8
const PACED_SEC = 8
const QUICK_SEC = 2
const HOUR_SEC = 3_600
const WARM_SEC = 600
/** The target of the first useful picture. */
const USEFUL_MS = 1_000
const BYTES_PER_MB = 1_000_000
/** The price, the chart and the ticket are there. */
const IS_USEFUL = `/\\d/.test(document.querySelector('.market-header [data-price]')?.textContent ?? '')
  && Number(document.querySelector('.chart')?.dataset.candles) > 0
  && document.querySelector('[aria-label="Order ticket"] button[type=submit]') !== null`
/** Records when it was true first, in milliseconds after the navigation began. */
const RECORD_USEFUL = `(() => {
  const check = () => {
    if (${IS_USEFUL}) window.usefulMs = performance.now()
    else requestAnimationFrame(check)
  }
  requestAnimationFrame(check)
})()`

export async function measureConsole(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  await using still = await createStillConsole('bench', SIZE)
  const useful = await measureUseful(still, quick ? 1 : ROUNDS, reportProgress)
  reportProgress('frames of all channels')
  const page = await still.context.newPage()
  await page.clock.setFixedTime(still.fixture.clock.nowMs())
  await page.addInitScript(RECORD_FRAMES)
  await page.goto(`${still.url}/#/trade/BTC`)
  await awaitFrames(still, page)
  const seconds = quick ? QUICK_SEC : PACED_SEC
  const drawn = await page.evaluate<number>(replayFrames(seconds, true))
  const baseline = await drawnByEmptyPage(seconds)
  reportProgress('an hour of frames')
  await page.evaluate(replayFrames(WARM_SEC))
  const early = await objectBytes(page) / BYTES_PER_MB
  await page.evaluate(replayFrames(quick ? WARM_SEC : HOUR_SEC))
  const late = await objectBytes(page) / BYTES_PER_MB
  return [
    { name: `first useful picture of the trade screen, to ${USEFUL_MS} ms`, rounds: useful, unit: 'ms', target: { max: 1 } },
    { name: 'pictures while all channels send, to an empty page', rounds: [{ ours: drawn, baseline }], unit: '1/s', target: { min: 0.95 } },
    { name: 'memory of the objects after an hour of frames, to ten minutes', rounds: [{ ours: late, baseline: early }], unit: 'MB', target: { max: 1.05 } },
  ]
}

/** Each time in a new profile, so nothing is cached. */
async function measureUseful(still: StillConsole, rounds: number, reportProgress: ReportProgress): Promise<Figure['rounds']> {
  const measured: { ours: number; baseline: number }[] = []
  await using browser = await startBrowser()
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ viewport: SIZE })
    const page = await context.newPage()
    await page.addInitScript(RECORD_USEFUL)
    await page.goto(`${still.url}/#/trade/BTC`)
    while (!(await page.evaluate<boolean>('window.usefulMs !== undefined'))) await still.tick()
    measured.push({ ours: await page.evaluate<number>('usefulMs'), baseline: USEFUL_MS })
    await context.close()
    reportProgress(`first picture ${round + 1} of ${rounds}`)
  }
  return measured
}

async function drawnByEmptyPage(seconds: number): Promise<number> {
  await using browser = await startBrowser()
  const page = await browser.newPage()
  return await page.evaluate<number>(`(async () => {
    const begun = performance.now()
    let drawn = 0
    for (; performance.now() - begun < ${seconds * 1_000}; drawn++) await new Promise(requestAnimationFrame)
    return drawn / ((performance.now() - begun) / 1000)
  })()`)
}
