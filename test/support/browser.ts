// Starts Chromium for browser tests, which are skipped if it is not installed.

import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

const USUAL_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']
/**
 * With each window, Chromium would load two hundred scripts of suggestions for an address bar that nobody sees. Only the last of several options of this name
 * counts, so the others repeat those of Playwright.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay', 'MediaRouter',
  'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch', 'ThirdPartyStoragePartitioning',
]
/** No sandbox, because it does not work for root in a container. The tests load only this project's pages. */
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', `--disable-features=${DISABLED_FEATURES.join(',')}`,
]

/** Path of Chromium: TEST_CHROMIUM if set, else the first of the usual paths that exists; null if there is none. */
function chromiumPath(): string | null {
  const named = process.env['TEST_CHROMIUM']
  return (named === undefined ? USUAL_PATHS : [named]).find((path) => existsSync(path)) ?? null
}

/** The reason to skip browser tests; false if Chromium is installed. */
export function skipWithoutChromium(): string | false {
  return chromiumPath() === null ? 'Chromium not found: install it (Debian: apt-get install chromium) or set TEST_CHROMIUM to its path' : false
}

/** Starts Chromium with a temporary profile. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath() ?? '', args: FLAGS })
}
