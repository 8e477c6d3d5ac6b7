import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { decodeCursor, encodeCursor, InvalidCursor } from './page.ts'

/** A cursor with any content and a correct digest. */
function forge(content: string): string {
  const packed = Buffer.from(content, 'utf8').toString('base64url')
  return packed + hash('sha256', packed, 'base64url').slice(0, 6)
}

test('a cursor holds a position of texts and safe integers', () => {
  for (const position of [[5], ['G…', 0], ['a', -1, Number.MAX_SAFE_INTEGER]]) {
    const cursor = encodeCursor('trades', position)
    assert.match(cursor, /^[\w-]+$/)
    assert.deepEqual(decodeCursor('trades', cursor, position.length), position)
  }
})

test('rejects a cursor of another list or length, and one that was changed in any character', () => {
  const cursor = encodeCursor('trades', [12_345])
  const rejects = (kind: string, text: string, length = 1): void => assert.throws(() => decodeCursor(kind, text, length), InvalidCursor, text)
  rejects('events', cursor)
  rejects('trades', cursor, 0)
  rejects('trades', cursor, 2)
  for (const text of ['', 'x', cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, ` ${cursor}`]) rejects('trades', text)
  for (let index = 0; index < cursor.length; index++) {
    rejects('trades', `${cursor.slice(0, index)}${cursor[index] === 'A' ? 'B' : 'A'}${cursor.slice(index + 1)}`)
  }
})

test('rejects forged contents', () => {
  const contents = [
    '', '{', 'null', '{"0":"trades","1":5,"length":2}', '["trades"]', '["trades",null]', '["trades",1.5]', '["trades",9007199254740992]', '["trades",[5]]',
    '["trades",true]', '["events",5]', '[5,"trades"]', '["trades",5,6]',
  ]
  for (const content of contents) {
    assert.throws(() => decodeCursor('trades', forge(content), 1), InvalidCursor, content)
  }
  assert.deepEqual(decodeCursor('trades', forge('["trades",5]'), 1), [5])
})
