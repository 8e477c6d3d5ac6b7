import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { test } from 'node:test'
import { contentDigest, parseAcceptSignature, signatureBase, signatureInput, signBase } from './message-signatures.ts'

test('signs the example of RFC 9421, B.2.6', () => {
  const privateKey = createPrivateKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' },
  })
  const values = {
    date: 'Tue, 20 Apr 2021 02:07:55 GMT', '@method': 'POST', '@path': '/foo', '@authority': 'example.com', 'content-type': 'application/json',
    'content-length': '18',
  }
  const components = Object.entries(values).map(([name, value]) => ({ name, value, isOfRequest: false }))
  const input = signatureInput(components, { created: 1_618_884_473, keyId: 'test-key-ed25519' })
  assert.equal(
    input, '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  )
  assert.equal(
    signBase(signatureBase(components, input), { privateKey }),
    ':wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
  )
})

test('computes the digests of RFC 9530', () => {
  assert.equal(contentDigest('{"hello": "world"}'), 'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:')
  assert.equal(contentDigest(Buffer.from('{"hello": "world"}\n')), 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:')
})

test('a component of the request is marked, and nonce and expiry are parameters', () => {
  const components = [{ name: '@status', isOfRequest: false, value: '200' }, { name: '@method', isOfRequest: true, value: 'GET' }]
  const input = signatureInput(components, { created: 1, expires: 2, keyId: 'k', alg: 'ed25519', nonce: 'n' })
  assert.equal(input, '("@status" "@method";req);created=1;expires=2;keyid="k";alg="ed25519";nonce="n"')
  assert.equal(signatureBase(components, input), `"@status": 200\n"@method";req: GET\n"@signature-params": ${input}`)
})

test('reads the member pxg of Accept-Signature, and ignores what it does not understand', () => {
  const components = [{ name: '@status', isOfRequest: false }, { name: '@target-uri', isOfRequest: true }]
  assert.deepEqual(parseAcceptSignature('pxg=("@status" "@target-uri";req);alg="ed25519"'), { components, nonce: null })
  assert.deepEqual(parseAcceptSignature('other=("date"), pxg=("@status" "@target-uri";req);nonce="a b"'), { components, nonce: 'a b' })
  assert.deepEqual(parseAcceptSignature('pxg=()'), { components: [], nonce: null })
  const ignored = [
    '', 'pxg', 'pxg=', 'pxg=("@status"', 'pxg=("a" "a")', 'pxg=("a";key="b")', 'pxg=(a)', 'pxg=("A")', 'pxg=("a");alg="rsa-pss-sha512"', 'old=("a")',
    'pxg=("a");nonce="\\""', `pxg=("a");nonce="${'n'.repeat(1_024)}"`,
  ]
  for (const header of ignored) assert.equal(parseAcceptSignature(header), undefined, header)
})
