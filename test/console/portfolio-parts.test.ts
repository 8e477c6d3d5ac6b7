// The parts of the portfolio, trader and referral pages that need no browser: explorer links.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAddress } from '../../client/src/index.ts'
import { explorerUrl } from '../../console/explorer.ts'

const TEST_NETWORK = 'Test SDF Network ; September 2015'
const PUBLIC_NETWORK = 'Public Global Stellar Network ; September 2015'

test('links to the explorer on the test network and the public network only, never on a local network with the same passphrase', () => {
  const url = (networkPassphrase: string, localRpcUrl: string | null = null) => explorerUrl({ networkPassphrase, localRpcUrl }, 'tx', 'ab')
  assert.equal(url(TEST_NETWORK), 'https://stellar.expert/explorer/testnet/tx/ab')
  assert.equal(url(PUBLIC_NETWORK), 'https://stellar.expert/explorer/public/tx/ab')
  assert.equal(url(TEST_NETWORK, 'http://127.0.0.1:8000/rpc'), null)
  assert.equal(url('Standalone Network ; February 2017'), null)
  assert.equal(url('toString'), null)
  assert.equal(explorerUrl({ networkPassphrase: TEST_NETWORK, localRpcUrl: null }, 'contract', 'a/b'), 'https://stellar.expert/explorer/testnet/contract/a%2Fb')
})

test('an address is valid only with its checksum and of its kind', () => {
  const account = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'
  assert.equal(isAddress(account), true)
  assert.equal(isAddress(account, 'contract'), false)
  for (const text of ['', 'G', account.slice(1), account.replace('Q', 'R'), ` ${account}`, account.toLowerCase()]) assert.equal(isAddress(text), false, text)
})
