// A real Chromium for the tests of the console. Where there is none, those tests step aside and say so.

import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']
/** No sandbox: tests run as root in containers as well, and load nothing but this project's own pages. */
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync',
]

/** Where Chromium is: what TEST_CHROMIUM names, or the usual places; null where there is none. */
export function chromiumPath(): string | null {
  const named = process.env['TEST_CHROMIUM']
  return (named === undefined ? PLACES : [named]).find((path) => existsSync(path)) ?? null
}

/** Why the tests that need it step aside; false where it is there. */
export function withoutChromium(): string | false {
  return chromiumPath() === null ? 'there is no Chromium here: install it (Debian: apt-get install chromium), or name it in TEST_CHROMIUM' : false
}

/** Starts it with a profile of its own, which goes with it. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath() ?? '', args: FLAGS })
}
