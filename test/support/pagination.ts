// Reading lists as a client does.

import assert from 'node:assert/strict'
import { defined } from '../../src/base/assert.ts'
import type { GatewayFixture } from './gateway-fixture.ts'
import type { ApiResponse } from './keys.ts'

const PAGES_MAX = 500

/** Whoever can GET. */
export type Reader = Pick<GatewayFixture, 'get'>

export type Row = Readonly<Record<string, unknown>>

/** The address of the next page in a Link header, or undefined at the end. */
export function nextPage(link: string | undefined): string | undefined {
  if (link === undefined) return undefined
  const match = /^<([^>]+)>; rel="next"$/.exec(link)
  return defined(match?.[1], `an address in ${link}`)
}

/** Follows the Link headers from `url` to the end and returns the pages; `meanwhile` happens between two of them. */
export async function followPages(
  fixture: Reader, url: string, key: string, meanwhile: () => Promise<void> = async () => {},
): Promise<readonly (readonly Row[])[]> {
  const pages: (readonly Row[])[] = []
  let next: string | undefined = url
  while (next !== undefined) {
    if (pages.length > 0) await meanwhile()
    assert.ok(pages.length < PAGES_MAX, `${url} does not end`)
    const answer: ApiResponse<Record<string, readonly Row[]>> = await fixture.get(next)
    assert.equal(answer.status, 200, next)
    pages.push(defined(answer.body[key], key))
    next = nextPage(answer.headers['link'])
  }
  return pages
}

/** The rows of one answer. */
export async function rowsOf(fixture: Reader, url: string, key: string): Promise<readonly Row[]> {
  const answer = await fixture.get<Record<string, readonly Row[]>>(url)
  assert.equal(answer.status, 200, url)
  return defined(answer.body[key], key)
}

/** Asserts that each of these queries is refused with a validation error that names its parameter. */
export async function assertRejected(fixture: Reader, path: string, queries: readonly string[]): Promise<void> {
  for (const query of queries) {
    const answer = await fixture.get(`${path}?${query}`)
    assert.equal(answer.status, 400, `${path}?${query}`)
    const { message, ...rest } = answer.body
    assert.deepEqual(rest, { statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request' })
    const name = query.split('=')[0] ?? ''
    assert.ok(String(message).startsWith(`querystring/${name} `), `${query}: ${String(message)}`)
  }
}

/** The queries that a list refuses whose parameters are these integers. */
export function badIntegers(name: string, least: number, most?: number): readonly string[] {
  const bad = ['abc', '', String(least - 1), '1.5', '1e2', '0x10', '%205', '+5', '05', 'NaN', 'null', '-', '99999999999999999999', '1%002', '5;']
  const beyond = most === undefined ? [] : [String(most + 1)]
  return [...[...bad, ...beyond].map((value) => `${name}=${value}`), `${name}=5&${name}=6`, `${name}=5&${name}=5`]
}

/** Asserts that a list refuses cursors that it did not hand out: changed ones, foreign ones, and none at all. */
export async function assertForeignCursorsRejected(
  fixture: Reader, path: string, own: string, foreign: readonly string[], query = '',
): Promise<void> {
  const flipped = Array.from(own, (sign, place) => `${own.slice(0, place)}${sign === 'A' ? 'B' : 'A'}${own.slice(place + 1)}`)
  const changed = [...flipped, `${own}A`, own.slice(0, -1), `${own}%20`, `${own}=`, `!${own}`, own.toLowerCase(), 'x', 'null', 'W10', '%00', own.slice(1)]
  const refused = ['cursor=', `cursor=${own}&cursor=${own}`, ...[...changed, ...foreign].map((cursor) => `cursor=${cursor}`)]
  await assertRejected(fixture, path, refused.map((each) => `${each}&${query}`))
  assert.equal((await fixture.get(`${path}?cursor=${own}&${query}`)).status, 200)
}

/** The cursor in a Link header. */
export function cursorIn(link: string | undefined): string {
  const next = defined(nextPage(link), 'a next page')
  return defined(new URL(next, 'http://gateway').searchParams.get('cursor') ?? undefined, 'a cursor')
}
