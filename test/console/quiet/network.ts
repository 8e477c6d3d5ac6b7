// The network that several topics share: nobody else trades, and the prices of two markets stand still. Starting it takes longer than most tests.

import { after, before } from 'node:test'
import { skipWithoutChromium } from '../../support/browser.ts'
import { createConsoleFixture } from '../console-fixture.ts'
import type { ConsoleFixture } from '../console-fixture.ts'

export const skip = skipWithoutChromium()

export let fixture: ConsoleFixture
before(async () => {
  if (skip !== false) return
  fixture = await createConsoleFixture({ LOCAL_TRADERS: '0' }, '1440-dark')
  await fixture.freezeMarket('BTC')
  await fixture.freezeMarket('ETH')
})
after(() => fixture?.[Symbol.asyncDispose]())
