import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { isOwnHost, isOwnOrigin } from './hosts.ts'

test('accepts addresses, loopback names and allowed hosts as Host, and nothing else', () => {
  const allowed = ['exchange', 'api.example']
  const own = [
    undefined, 'localhost', 'LOCALHOST:8080', 'localhost.', 'a.localhost:1', '127.0.0.1:8080', '127.0.0.2', '[::1]:8080', '10.1.2.3:8080', '[fd00::1]',
    'exchange:8000', 'api.example', 'API.example:443',
  ]
  for (const host of own) assert.ok(isOwnHost(host, allowed), String(host))
  const foreign = [
    '', 'evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example', 'notlocalhost', 'x@localhost', 'localhost/evil',
    'evil api.example', 'a.api.example', 'localhost:99999',
  ]
  for (const host of foreign) assert.ok(!isOwnHost(host, allowed), host)
})

test('accepts only origins of the own port on a loopback name, and of allowed hosts', () => {
  const own = ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080', 'https://app.example', 'http://app.example:8080']
  for (const origin of own) assert.ok(isOwnOrigin(origin, 8080, ['app.example']), origin)
  const foreign = [
    'null', '', 'http://localhost', 'http://localhost:8081', 'http://6.6.6.6:8080', 'http://evil.example:8080', 'https://evil.example',
    'http://app.example:9999', 'file://localhost:8080', 'chrome-extension://localhost:8080', 'http://localhost.evil.example:8080',
  ]
  for (const origin of foreign) assert.ok(!isOwnOrigin(origin, 8080, ['app.example']), origin)
  assert.ok(isOwnOrigin('http://localhost', 80, []))
  assert.ok(!isOwnOrigin('http://app.example:8080', 8080, []))
})

test('accepts no https origin that no page can have: the server has no TLS', () => {
  for (const origin of ['https://localhost:8080', 'https://127.0.0.1:8080', 'https://[::1]:8080', 'https://a.localhost:8080', 'https://app.example:8080']) {
    assert.ok(!isOwnOrigin(origin, 8080, ['app.example']), origin)
  }
  assert.ok(!isOwnOrigin('https://localhost', 443, ['app.example']))
  assert.ok(isOwnOrigin('https://app.example', 443, ['app.example']), 'a proxy')
})
