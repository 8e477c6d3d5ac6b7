import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizedCall } from './auth-tree.ts'
import { createInvocation } from './auth-tree.ts'
import { createCallStack } from './call-stack.ts'
import { CALLER, callerCode, COUNTER, counterCode } from './test-chain.ts'

const call = authorizedCall(COUNTER, 'clock', [])
const grant = createInvocation(call).id

function runningCaller() {
  const stack = createCallStack()
  const frame = stack.push({ contract: CALLER, functionName: 'forward', args: [], code: callerCode })
  return { stack, frame }
}

test('the stack names the running contract and the one that called it', () => {
  const { stack, frame } = runningCaller()
  const inner = stack.push({ contract: COUNTER, functionName: 'clock', args: [], code: counterCode })
  assert.deepEqual([stack.depth, stack.current(), stack.caller()], [2, inner, frame])
  assert.equal(stack.isRunning(COUNTER), true)
  stack.pop()
  assert.equal(stack.isRunning(COUNTER), false)
  assert.deepEqual([stack.depth, stack.current(), stack.caller()], [1, frame, undefined])
})

test('a grant authorizes one call, and only while the next call runs', () => {
  const { stack, frame } = runningCaller()
  frame.grantsForNextCall = [grant]
  assert.equal(stack.consumeGrant(CALLER, call), false, 'the call has not started')
  const endGrants = stack.activateGrants(frame)
  assert.equal(stack.consumeGrant(COUNTER, call), false, 'another contract granted it')
  assert.equal(stack.consumeGrant(CALLER, authorizedCall(COUNTER, 'count', [])), false, 'another call')
  assert.equal(stack.consumeGrant(CALLER, call), true)
  assert.equal(stack.consumeGrant(CALLER, call), false, 'the grant is used up')
  frame.grantsForNextCall = [grant]
  endGrants()
  assert.equal(stack.consumeGrant(CALLER, call), false)
  assert.deepEqual(frame.grantsForNextCall, [grant], 'ending a call keeps the grants for the next one')
})

test('restoring saved grants returns those consumed since', () => {
  const { stack, frame } = runningCaller()
  frame.grantsForNextCall = [grant]
  stack.activateGrants(frame)
  const restore = stack.saveGrants()
  assert.equal(stack.consumeGrant(CALLER, call), true)
  restore()
  assert.equal(stack.consumeGrant(CALLER, call), true)
})
