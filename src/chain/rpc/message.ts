// Reads the body of a JSON-RPC response: structure, JSON, JSON-RPC and the method's own shape, in this order. Pure, so that it can run in a worker.

import { findExcess } from './json-structure.ts'
import { METHODS } from './methods.ts'
import type { Method } from './methods.ts'
import { NewerThanKnown } from '../codec/newer-than-known.ts'
import type { UnknownForm } from '../codec/newer-than-known.ts'
import { fields, MalformedResponse, NodeBusy } from './responses.ts'

/** A body with status 200, and what it must respond to. */
export interface Message {
  readonly method: Method
  /** The id of the request. */
  readonly id: number
  readonly body: string | Uint8Array
  /** The most values that the response can need. */
  readonly maxValues: number
}

export type MessageOutcome =
  /** The method's result as its `parse` returns it. */
  | { readonly kind: 'result'; readonly result: unknown }
  /** A JSON-RPC error. */
  | { readonly kind: 'error'; readonly code: number; readonly detail: string }
  | { readonly kind: 'busy' | 'malformed' | 'oversized'; readonly detail: string }
  /** The response has a form that a later protocol added. */
  | { readonly kind: 'newer'; readonly newer: UnknownForm }

/** Larger bodies are checked before they are parsed. Parsing this much of anything takes a few milliseconds; most responses are smaller. */
export const UNCHECKED_MAX_LENGTH = 64 * 1024

/** The maximum length of an error text in the log; the rest is dropped. */
export const ERROR_TEXT_MAX_LENGTH = 4_096

/** Never throws, except for errors of the program. */
export function readMessage(message: Message): MessageOutcome {
  const text = typeof message.body === 'string' ? message.body : Buffer.from(message.body.buffer, message.body.byteOffset, message.body.length).toString()
  const excess = text.length > UNCHECKED_MAX_LENGTH ? findExcess(text, message.maxValues) : null
  if (excess !== null) return { kind: 'oversized', detail: `the response has ${excess}` }
  try {
    return readFields(message, fields(parseJson(text), `the response to ${message.method}`))
  } catch (error) {
    if (error instanceof MalformedResponse) return { kind: 'malformed', detail: error.message.slice(0, ERROR_TEXT_MAX_LENGTH) }
    if (error instanceof NewerThanKnown) return { kind: 'newer', newer: { what: error.what, xdr: error.xdr } }
    if (error instanceof NodeBusy) return { kind: 'busy', detail: error.message.slice(0, ERROR_TEXT_MAX_LENGTH) }
    throw error
  }
}

function readFields({ method, id }: Message, response: Readonly<Record<string, unknown>>): MessageOutcome {
  if (response['id'] !== id) throw new MalformedResponse('the response has the id of another request')
  if (response['error'] === undefined || response['error'] === null) {
    if (response['result'] === undefined) throw new MalformedResponse('the response has neither result nor error')
    return { kind: 'result', result: METHODS[method].parse(response['result']) }
  }
  const error = fields(response['error'], 'error')
  const code = error['code']
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) throw new MalformedResponse('the error code is not an integer')
  return { kind: 'error', code, detail: typeof error['message'] === 'string' ? error['message'].slice(0, ERROR_TEXT_MAX_LENGTH) : '' }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new MalformedResponse('the response is not JSON')
  }
}
