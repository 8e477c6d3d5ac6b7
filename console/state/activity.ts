// The account's history, newest first, with the notices that are shown for a few seconds. What happened while the page was closed is read once.

import { computed, effect, signal, untracked } from '@preact/signals'
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { Answer, Client, Order } from '../../client/src/index.ts'
import { describeChange, identityOf, timeOf, transactionOf } from '../activity-text.ts'
import type { OrderChange, Tone } from '../activity-text.ts'
import { nowMs } from '../clock.ts'
import type { Feed } from '../feed.ts'
import type { Session } from '../session.ts'
import { createStoredString } from '../storage.ts'
import type { Account } from './account.ts'
import { createResource } from './resource.ts'
import type { Resource } from './resource.ts'

export interface Notice {
  readonly id: string
  readonly tone: Tone
  readonly text: string
  /** The transaction that it is about; null without one. */
  readonly txHash: string | null
  /** The order that it is about; null without one. */
  readonly orderId: number | null
  /** Unix seconds of the ledger; null if it is in none. */
  readonly ts: number | null
  /** Time at which it arrived; null if it was read later. */
  readonly receivedMs: number | null
}

export interface Activity {
  /** All notices, newest first, at most 200. */
  readonly notices: ReadonlySignal<readonly Notice[]>
  /** Those that the page still shows by itself: losses first, then newest first. */
  readonly current: ReadonlySignal<readonly Notice[]>
  /** True while the list of all notices is open. */
  readonly isOpen: Signal<boolean>
  /** Number of notices that arrived since the list was last open. */
  readonly unseen: ReadonlySignal<number>
  /** The reading of what happened before. */
  readonly past: Resource<unknown>
  /** The latest state of an order that changed; undefined if it did not change since the page was opened. */
  order(orderId: number): Order | undefined
  add(tone: Tone, text: string, txHash?: string | null): void
  dismiss(seen: readonly Notice[]): void
  /** Keeps the current ones as they are, for as long as someone points at them or has the focus there. */
  hold(isHeld: boolean): void
  /** The list was open: nothing in it is new any more. */
  markSeen(): void
}

const NOTICES_MAX = 200
const SHOWN_MS = 8_000
/** Rows of each list that are read at the start. */
const PAST_ROWS = 30
/** A loss that happened while the page was closed is shown by itself if it is not older. */
const PAST_LOSS_SEC = 86_400
const MS_PER_SEC = 1_000
/** The notices that were dismissed, one a line. */
const storedDismissed = createStoredString(() => localStorage, 'console-dismissed')

/** Reads the past from the three lists of the account, as changes. */
async function readPast(client: Client): Promise<Answer<readonly OrderChange[]>> {
  const limit = PAST_ROWS
  const [fills, orders, transactions] = await Promise.all([
    client.listAccountFills({ limit }), client.listAccountOrderHistory({ limit }), client.listAccountTransactions({ limit }),
  ])
  const body: OrderChange[] = [
    ...transactions.body.transactions.map((row) => ({ kind: 'submission', row }) as const),
    ...orders.body.orders.map((row) => ({ kind: 'order', row }) as const),
    ...fills.body.fills.map((row) => ({ kind: 'fill', row }) as const),
  ]
  return { ...fills, body }
}

function noticeOf(change: OrderChange, receivedMs: number | null): Notice | null {
  const sentence = describeChange(change)
  if (sentence === null) return null
  const orderId = change.kind === 'order' ? change.row.orderId : null
  return { ...sentence, id: identityOf(change), orderId, txHash: transactionOf(change), ts: timeOf(change), receivedMs }
}

/** Identifies a notice in storage, where those of an earlier local network may be. */
const keyOf = ({ id, ts }: Notice): string => `${id} ${ts}`
const isUrgent = ({ tone }: Notice): boolean => tone === 'urgent'

/** Notices that arrived are newer than those that were read. */
const order = (a: Notice, b: Notice): number => (b.receivedMs ?? 0) - (a.receivedMs ?? 0) || (b.ts ?? 0) - (a.ts ?? 0)

export function createActivity({ feed, session, account }: { readonly feed: Feed; readonly session: Session; readonly account: Account }): Activity {
  const notices = signal<readonly Notice[]>([])
  const dismissed = signal<ReadonlySet<string>>(new Set(storedDismissed.read()?.split('\n')))
  const orders = signal<ReadonlyMap<number, Order>>(new Map())
  const seenMs = signal(nowMs())
  const held = signal<readonly Notice[] | null>(null)
  const past = createResource({ feed, session, title: 'Activity', isManual: true, read: readPast })
  let added = 0

  function insert(fresh: readonly Notice[]): void {
    const known = new Set(notices.peek().map(({ id }) => id))
    const unknown = fresh.filter(({ id }) => !known.has(id))
    if (unknown.length > 0) notices.value = [...unknown, ...notices.peek()].toSorted(order).slice(0, NOTICES_MAX)
  }

  account.onChange((change) => {
    if (change.kind === 'order') orders.value = new Map([...orders.value, [change.row.orderId, change.row] as const].slice(-NOTICES_MAX))
    const notice = noticeOf(change, nowMs())
    if (notice !== null) insert([notice])
  })
  account.onGap(() => void past.read())
  effect(() => {
    const owner = account.owner.value
    untracked(() => {
      notices.value = []
      if (owner !== null) void past.read(true)
    })
  })
  effect(() => {
    const changes = past.answer.value?.body ?? []
    untracked(() => insert(changes.flatMap((change) => noticeOf(change, null) ?? [])))
  })

  function isShown(notice: Notice, now: number): boolean {
    const { ts, receivedMs } = notice
    if (dismissed.value.has(keyOf(notice))) return false
    // A loss stays until it is dismissed.
    if (receivedMs !== null) return isUrgent(notice) || now - receivedMs < SHOWN_MS
    return isUrgent(notice) && ts !== null && ts > now / MS_PER_SEC - PAST_LOSS_SEC
  }

  function dismissAll(seen: readonly Notice[]): void {
    dismissed.value = new Set([...dismissed.value, ...seen.map(keyOf)].slice(-NOTICES_MAX))
    storedDismissed.write([...dismissed.value].join('\n'))
  }

  const latest = computed(() => {
    const shown = notices.value.filter((notice) => isShown(notice, feed.now.value))
    // The message about an order follows the order: its later state replaces the earlier one.
    return shown.filter(({ orderId }, index) => orderId === null || shown.findIndex((other) => other.orderId === orderId) === index)
      .toSorted((a, b) => Number(isUrgent(b)) - Number(isUrgent(a)))
  })
  return {
    notices, past, isOpen: signal(false),
    current: computed(() => held.value?.filter((notice) => !dismissed.value.has(keyOf(notice))) ?? latest.value),
    unseen: computed(() => notices.value.filter(({ receivedMs }) => receivedMs !== null && receivedMs > seenMs.value).length),
    order: (orderId) => orders.value.get(orderId),
    add(tone, text, txHash = null) {
      insert([{ id: `added ${++added}`, tone, text, txHash, orderId: null, ts: nowMs() / MS_PER_SEC, receivedMs: nowMs() }])
    },
    dismiss: dismissAll,
    hold(isHeld) {
      held.value = isHeld ? latest.peek() : null
    },
    markSeen() {
      seenMs.value = nowMs()
      dismissAll(notices.peek())
    },
  }
}
