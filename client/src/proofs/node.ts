// Calls of a ledger's node, which the caller trusts instead of the gateway.

import { UnexpectedAnswer } from '../errors.ts'
import type { FetchLike } from '../platform.ts'

/** Calls a JSON-RPC method. Rejects with UnexpectedAnswer when the node returns an error. */
export async function callNode<Result>(fetch: FetchLike, url: string, method: string, params: unknown, signal?: AbortSignal): Promise<Result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === null ? {} : { params }) })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body, signal: signal ?? new AbortController().signal, redirect: 'error' })
  const text = await response.text()
  const answer = parse(text)
  if (answer?.result === undefined) throw new UnexpectedAnswer(`${method} of the node: ${answer?.error?.message ?? `${response.status}, no result`}`)
  return answer.result as Result
}

function parse(text: string): { readonly result?: unknown; readonly error?: { readonly message?: string } } | null {
  try {
    return JSON.parse(text) as ReturnType<typeof parse>
  } catch {
    return null
  }
}
