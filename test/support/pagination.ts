// Reads and checks paginated lists.

import assert from 'node:assert/strict'
import { defined } from '../../src/base/assert.ts'
import type { GatewayFixture } from './gateway-fixture.ts'
import type { ApiResponse } from './keys.ts'

const PAGES_MAX = 500

export type Reader = Pick<GatewayFixture, 'get'>

export type Row = Readonly<Record<string, unknown>>

/** The URL of the next page in a Link header; undefined on the last page. */
export function nextPage(link: string | undefined): string | undefined {
  if (link === undefined) return undefined
  const match = /^<([^>]+)>; rel="next"$/.exec(link)
  return defined(match?.[1], `a URL in ${link}`)
}

/** Follows the Link headers from `url` to the end. Calls `betweenPages` between two pages. */
export async function followPages(
  reader: Reader, url: string, key: string, betweenPages: () => Promise<void> = async () => {},
): Promise<readonly (readonly Row[])[]> {
  const pages: (readonly Row[])[] = []
  let next: string | undefined = url
  while (next !== undefined) {
    if (pages.length > 0) await betweenPages()
    assert.ok(pages.length < PAGES_MAX, `${url} does not end`)
    const response: ApiResponse<Record<string, readonly Row[]>> = await reader.get(next)
    assert.equal(response.status, 200, next)
    pages.push(defined(response.body[key], key))
    next = nextPage(response.headers['link'])
  }
  return pages
}

/** The rows of one response. */
export async function rowsOf(reader: Reader, url: string, key: string): Promise<readonly Row[]> {
  const response = await reader.get<Record<string, readonly Row[]>>(url)
  assert.equal(response.status, 200, url)
  return defined(response.body[key], key)
}

/** Asserts that each query is rejected with a validation error that names its parameter. */
export async function assertRejected(reader: Reader, path: string, queries: readonly string[]): Promise<void> {
  for (const query of queries) {
    const response = await reader.get(`${path}?${query}`)
    assert.equal(response.status, 400, `${path}?${query}`)
    const { message, parameter, ...rest } = response.body
    assert.deepEqual(rest, { statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', reason: 'invalid_parameter' })
    const name = query.split('=')[0] ?? ''
    assert.equal(parameter, name, query)
    assert.ok(String(message).startsWith(`querystring/${name} `), `${query}: ${String(message)}`)
  }
}

/** Invalid queries for an integer parameter with these bounds. */
export function badIntegers(name: string, min: number, max?: number): readonly string[] {
  const bad = ['abc', '', String(min - 1), '1.5', '1e2', '0x10', '%205', '+5', '05', 'NaN', 'null', '-', '99999999999999999999', '1%002', '5;']
  const aboveMax = max === undefined ? [] : [String(max + 1)]
  return [...[...bad, ...aboveMax].map((value) => `${name}=${value}`), `${name}=5&${name}=6`, `${name}=5&${name}=5`]
}

/** Asserts that a list rejects changed, foreign and empty cursors. */
export async function assertForeignCursorsRejected(
  reader: Reader, path: string, own: string, foreign: readonly string[], query = '',
): Promise<void> {
  const flipped = Array.from(own, (character, index) => `${own.slice(0, index)}${character === 'A' ? 'B' : 'A'}${own.slice(index + 1)}`)
  const changed = [...flipped, `${own}A`, own.slice(0, -1), `${own}%20`, `${own}=`, `!${own}`, own.toLowerCase(), 'x', 'null', 'W10', '%00', own.slice(1)]
  const rejected = ['cursor=', `cursor=${own}&cursor=${own}`, ...[...changed, ...foreign].map((cursor) => `cursor=${cursor}`)]
  await assertRejected(reader, path, rejected.map((each) => `${each}&${query}`))
  assert.equal((await reader.get(`${path}?cursor=${own}&${query}`)).status, 200)
}

/** The cursor in a Link header. */
export function cursorIn(link: string | undefined): string {
  const next = defined(nextPage(link), 'a next page')
  return defined(new URL(next, 'http://gateway').searchParams.get('cursor') ?? undefined, 'a cursor')
}

/** The last members of the body of a list's last page. */
export const END = { hasMore: false, nextCursor: null } as const
