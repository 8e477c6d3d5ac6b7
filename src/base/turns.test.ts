import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'
import type { TurnCaller, Turns } from './turns.ts'

interface Task {
  readonly name: string
}

/** `a/w 1` is task 1 of wallet w at address a; `a` without a wallet; a large task is in upper case at the end: `a/w 1 L`. */
function add(turns: Turns<Task>, name: string): Task {
  const [who = '', , size] = name.split(' ')
  const [address = '', owner] = who.split('/')
  const task = { name }
  turns.add(task, { address, ...(owner === undefined ? {} : { owner }), isLarge: size === 'L' })
  return task
}

function takeAll(turns: Turns<Task>): readonly string[] {
  const names: string[] = []
  for (let task = turns.take(); task !== undefined; task = turns.take()) names.push(task.name)
  return names
}

test('addresses take turns, and so do the owners at one address', () => {
  const turns = createTurns<Task>()
  for (const name of ['a/v 1', 'a/v 2', 'a/v 3', 'a/w 1', 'b 1', 'b 2', 'c/x 1']) add(turns, name)
  turns.add({ name: 'own' })
  assert.equal(turns.size(), 8)
  assert.deepEqual(takeAll(turns), ['own', 'a/v 1', 'b 1', 'c/x 1', 'a/w 1', 'b 2', 'a/v 2', 'a/v 3'])
  assert.equal(turns.size(), 0)
})

test('an owner has one turn, at however many addresses its tasks arrive', () => {
  const turns = createTurns<Task>()
  for (let address = 0; address < 20; address++) add(turns, `a${address}/v ${address}`)
  add(turns, 'b/w 1')
  add(turns, 'b/w 2')
  assert.deepEqual(takeAll(turns).slice(0, 4), ['a0/v 0', 'b/w 1', 'a1/v 1', 'b/w 2'])
  add(turns, 'z/v 1')
  add(turns, 'a/u 1')
  assert.deepEqual(takeAll(turns), ['z/v 1', 'a/u 1'], 'an owner without tasks has no place')
})

test('small and large tasks take turns, and large ones can stay', () => {
  const turns = createTurns<Task>()
  for (const name of ['a 1 L', 'a 2 L', 'b 1 L', 'c 1', 'c 2', 'c 3']) add(turns, name)
  assert.equal(turns.take(false)?.name, 'c 1')
  assert.equal(turns.take(false)?.name, 'c 2')
  assert.deepEqual(takeAll(turns), ['a 1 L', 'c 3', 'b 1 L', 'a 2 L'])
  assert.equal(turns.take(false), undefined)
})

test('the caller with the most tasks makes room for one with fewer', () => {
  const turns = createTurns<Task>()
  for (const name of ['a/v 1', 'a/v 2 L', 'a/w 1', 'b/v 3', 'c 1', 'c 2']) add(turns, name)
  const from = (caller?: TurnCaller): string | undefined => turns.makeRoom(caller)?.name
  assert.equal(from({ address: 'd' }), 'b/v 3', 'its tasks at all addresses count together')
  assert.equal(from({ address: 'a', owner: 'v' }), undefined)
  assert.equal(from({ address: 'd' }), 'a/v 2 L')
  assert.equal(from({ address: 'd' }), 'c 2')
  assert.equal(from({ address: 'c' }), undefined, 'it would have the most')
  assert.equal(from(), 'a/w 1', 'a task of the program itself')
  assert.equal(from(), 'c 1')
  assert.equal(from(), 'a/v 1')
  assert.equal(from(), undefined)
})

test('removed tasks are not taken', () => {
  const turns = createTurns<Task>()
  const [first] = [add(turns, 'a 1'), add(turns, 'a 2')]
  const own = { name: 'own' }
  turns.add(own)
  assert.deepEqual([first, own, first].map((task) => turns.remove(task)), [true, true, false])
  assert.deepEqual(turns.clear().map(({ name }) => name), ['a 2'])
  assert.equal(turns.take(), undefined)
})
