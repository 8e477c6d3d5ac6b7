// The account of the API key: its state from one ledger, read again after each change, and the changes themselves from the stream.

import { effect, signal, untracked } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { AccountState, Stream } from '../../client/src/index.ts'
import type { OrderChange } from '../activity-text.ts'
import { after } from '../clock.ts'
import { STREAM_OPTIONS } from '../feed.ts'
import type { Feed } from '../feed.ts'
import type { Session } from '../session.ts'
import { createResource } from './resource.ts'
import type { Resource } from './resource.ts'

export interface Account {
  readonly state: Resource<AccountState>
  /** The account that is shown; null without an API key. */
  readonly owner: ReadonlySignal<string | null>
  /** Grows with each change of the account: lists read it to know when to read again. */
  readonly version: ReadonlySignal<number>
  /** Calls `listener` with each change of an order, a position or a submission. Returns a function that removes it. */
  onChange(listener: (change: OrderChange) => void): () => void
  /** Calls `listener` when changes were missed that the stream cannot send again. Returns a function that removes it. */
  onGap(listener: () => void): () => void
}

/** Several changes of one transaction cause one read. */
const SETTLE_MS = 400

export function createAccount({ feed, session }: { readonly feed: Feed; readonly session: Session }): Account {
  const state = createResource<AccountState>({ feed, session, title: 'Your account', read: (client) => client.getAccountState() })
  const owner = signal<string | null>(null)
  const version = signal(0)
  const listeners = new Set<(change: OrderChange) => void>()
  const gapListeners = new Set<() => void>()
  let stream: Stream | null = null
  let subscribed = ''
  let cancelRead = (): void => {}

  function onAnyChange(): void {
    cancelRead()
    cancelRead = after(SETTLE_MS, () => {
      version.value += 1
      void state.read()
    })
  }

  function subscribe(): void {
    const key = session.key()
    const account = key === null ? null : session.owner()
    const wanted = key === null || account === null ? '' : `${key.keyId} ${account}`
    if (wanted === subscribed) return
    subscribed = wanted
    // A read that is still to come would be sent without a key, or for a change of another account.
    cancelRead()
    stream?.close()
    stream = null
    // Before it is shown, so that showing it does not read it a second time.
    if (account !== null) void state.read(true)
    owner.value = account
    version.value += 1
    if (account === null) return
    stream = session.client().stream(STREAM_OPTIONS)
    stream.on(`account.events.${account}`, onAnyChange)
    stream.onProblem(({ kind }) => {
      if (kind !== 'gap') return
      onAnyChange()
      for (const listener of gapListeners) listener()
    })
    stream.on(`account.orders.${account}`, ({ data }) => {
      onAnyChange()
      // What became complete was reported before.
      if ('again' in data) return
      for (const listener of listeners) listener(data)
    })
  }

  effect(() => {
    session.key()
    session.owner()
    untracked(subscribe)
  })
  // While there is a key, the account is shown on every page: the header and the notices need it.
  let hide = (): void => {}
  effect(() => {
    hide()
    hide = owner.value === null ? () => {} : state.show()
  })
  return {
    state, owner, version,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onGap(listener) {
      gapListeners.add(listener)
      return () => void gapListeners.delete(listener)
    },
  }
}
