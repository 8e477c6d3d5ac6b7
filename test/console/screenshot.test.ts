// Golden pictures of the console, and the README's picture, taken in one run. The network has a seed and its clock is virtual, so each run shows the same.
// To update them: npm run golden

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { skipWithoutChromium } from '../support/browser.ts'
import { waitUntil } from './console-fixture.ts'
import { SIZES, THEMES } from './display.ts'
import type { Size } from './display.ts'
import { createPictures, DIFFERENT_MAX } from './pictures.ts'
import type { Pictures } from './pictures.ts'
import { createStillConsole, IS_COMPLETE, IS_TRADE_COMPLETE } from './still-console.ts'
import type { StillConsole } from './still-console.ts'
import { PROJECT_ROOT } from '../tidy/tree.ts'
import { UPDATES_GOLDEN } from '../support/golden.ts'

const skip = skipWithoutChromium()
const README_PICTURE = join(PROJECT_ROOT, 'docs', 'console.png')
const GOLDEN = join(PROJECT_ROOT, 'test', 'console', 'golden')
const README_SIZE = { width: 1_440, height: 1_080 }
type Theme = (typeof THEMES)[number]
/** In all sizes and themes, beside the trade screen. */
const PAGES = ['portfolio', 'vaults', 'pool'] as const
const ONCE: readonly (readonly [page: string, size: Size, theme: Theme])[] = [['markets', 390, 'light'], ['leaders', 1440, 'light']]
const TURNS_MAX = 300
const SETTLE_TURNS = 10

let still: StillConsole
let pictures: Pictures

before(async () => {
  if (skip !== false) return
  // The pictures show the markets and figures of generation 1.
  still = await createStillConsole('screenshot', SIZES[1440], '1')
  pictures = await createPictures(still.context)
})
after(() => still?.[Symbol.asyncDispose]())

/** The picture once the page has drawn its last change: two in a row are the same. */
async function settledShot(): Promise<Buffer> {
  const { page } = still
  let previous: Buffer = Buffer.alloc(0)
  for (let turns = 0; turns < TURNS_MAX; turns++) {
    // Which candles the chart shows, and so its scale and the places of its labels, depends on how fast the page was.
    const shot = await page.screenshot({ mask: [page.locator('.chart-box')], maskColor: '#808080' })
    if (shot.equals(previous)) return shot
    previous = shot
  }
  return assert.fail('the page does not stop changing')
}

async function view(size: Size, theme: Theme): Promise<void> {
  const { page } = still
  await page.setViewportSize(SIZES[size])
  await page.emulateMedia({ colorScheme: theme })
  await waitUntil(page, `document.documentElement.dataset.theme === '${theme}'`)
}

async function storeReadmePicture(): Promise<void> {
  const { page } = still
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize(README_SIZE)
  await settledShot()
  await writeFile(README_PICTURE, await page.screenshot())
}

async function checkAll(name: string): Promise<string[]> {
  const problems: string[] = []
  for (const theme of THEMES) {
    for (const size of [1440, 1024, 390] as const) {
      await view(size, theme)
      problems.push(...await check(`${name}-${size}-${theme}`))
    }
  }
  return problems
}

/** The share that differs, after whatever may still arrive: two pictures in a row are also the same between two answers. */
async function differenceFrom(path: string): Promise<number> {
  let difference = 1
  for (let turns = 0; turns < SETTLE_TURNS && difference > DIFFERENT_MAX; turns++) {
    if (turns > 0) await still.tick()
    difference = await pictures.difference(await settledShot(), path)
  }
  return difference
}

async function check(name: string): Promise<string[]> {
  const path = join(GOLDEN, `${name}.webp`)
  if (UPDATES_GOLDEN) await pictures.store(await settledShot(), path)
  const difference = await differenceFrom(path)
  return difference > DIFFERENT_MAX ? [`${name}: ${(difference * 100).toFixed(2)} % of the picture differs`] : []
}

test('the console looks as in its golden pictures, and a missing part is noticed', { skip }, async () => {
  const { page, url } = still
  await page.goto(`${url}/#/trade/BTC`)
  await page.getByLabel('Amount', { exact: true }).fill('1000')
  await still.complete('the trade screen', IS_TRADE_COMPLETE)
  const problems = await checkAll('trade')
  if (UPDATES_GOLDEN) await storeReadmePicture()
  for (const name of PAGES) {
    await page.goto(`${url}/#/${name}`)
    await still.complete(name, IS_COMPLETE)
    problems.push(...await checkAll(name))
  }
  for (const [name, size, theme] of ONCE) {
    await page.goto(`${url}/#/${name}`)
    await still.complete(name, IS_COMPLETE)
    await view(size, theme)
    problems.push(...await check(`${name}-${size}-${theme}`))
  }
  await page.getByRole('button', { name: 'Activity' }).click()
  await view(390, 'dark')
  problems.push(...await check('activity-390-dark'))
  assert.deepEqual(problems, [])
  await page.getByRole('button', { name: 'Close' }).click()
  await page.evaluate('document.querySelector("main .card").remove()')
  const [name, size, theme] = ONCE.at(-1) ?? assert.fail()
  await view(size, theme)
  assert.ok(await differenceFrom(join(GOLDEN, `${name}-${size}-${theme}.webp`)) > DIFFERENT_MAX)
})

test('the README\'s picture is the trade screen at 1440 by 1080 pixels', async () => {
  const picture = await readFile(README_PICTURE)
  assert.equal(picture.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n')
  assert.deepEqual({ width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) }, README_SIZE)
})
