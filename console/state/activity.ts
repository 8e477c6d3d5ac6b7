// The account's history, newest first, with the notices that are shown for a few seconds. What happened while the page was closed is read once.

import { computed, effect, signal, untracked } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
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
  /** Those that are still shown over the page, newest first. */
  readonly toasts: ReadonlySignal<readonly Notice[]>
  /** Number of notices that arrived since the list was last open. */
  readonly unseen: ReadonlySignal<number>
  /** The reading of what happened before. */
  readonly past: Resource<unknown>
  /** The latest state of an order that changed; undefined if it did not change since the page was opened. */
  order(orderId: number): Order | undefined
  add(tone: Tone, text: string, txHash?: string | null): void
  dismiss(id: string): void
  /** Keeps the toasts as they are, for as long as someone points at them or has the focus there. */
  hold(isHeld: boolean): void
  /** The list was open: nothing in it is new any more. */
  markSeen(): void
}

const NOTICES_MAX = 200
const TOASTS_MAX = 3
const TOAST_MS = 8_000
/** Rows of each list that are read at the start. */
const PAST_ROWS = 30
/** A loss that happened while the page was closed is shown over the page if it is not older. */
const PAST_LOSS_SEC = 86_400
const MS_PER_SEC = 1_000
/** Unix seconds up to which everything was seen. */
const storedSeen = createStoredString(() => localStorage, 'console-activity-seen')

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

/** Notices that arrived are newer than those that were read. */
const order = (a: Notice, b: Notice): number => (b.receivedMs ?? 0) - (a.receivedMs ?? 0) || (b.ts ?? 0) - (a.ts ?? 0)

export function createActivity({ feed, session, account }: { readonly feed: Feed; readonly session: Session; readonly account: Account }): Activity {
  const notices = signal<readonly Notice[]>([])
  const dismissed = signal<ReadonlySet<string>>(new Set())
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
    const { id, tone, ts, receivedMs } = notice
    if (dismissed.value.has(id)) return false
    // A loss stays until it is dismissed.
    if (receivedMs !== null) return tone === 'urgent' || now - receivedMs < TOAST_MS
    const seen = Math.max(Number(storedSeen.read() ?? 0), now / MS_PER_SEC - PAST_LOSS_SEC)
    return tone === 'urgent' && ts !== null && ts > seen
  }

  const current = computed(() => {
    const shown = notices.value.filter((notice) => isShown(notice, feed.now.value))
    // The message about an order follows the order: its later state replaces the earlier one.
    return shown.filter(({ orderId }, index) => orderId === null || shown.findIndex((other) => other.orderId === orderId) === index).slice(0, TOASTS_MAX)
  })
  return {
    notices, past,
    toasts: computed(() => held.value?.filter(({ id }) => !dismissed.value.has(id)) ?? current.value),
    unseen: computed(() => notices.value.filter(({ receivedMs }) => receivedMs !== null && receivedMs > seenMs.value).length),
    order: (orderId) => orders.value.get(orderId),
    add(tone, text, txHash = null) {
      insert([{ id: `added ${++added}`, tone, text, txHash, orderId: null, ts: nowMs() / MS_PER_SEC, receivedMs: nowMs() }])
    },
    dismiss(id) {
      dismissed.value = new Set([...dismissed.value, id].slice(-NOTICES_MAX))
      remember(notices.peek().filter((notice) => notice.id === id && notice.tone === 'urgent'))
    },
    hold(isHeld) {
      held.value = isHeld ? current.peek() : null
    },
    markSeen() {
      seenMs.value = nowMs()
      dismissed.value = new Set(notices.peek().map(({ id }) => id))
      remember(notices.peek())
    },
  }
}

/** Stores up to when everything was seen, by the ledgers' clock. */
function remember(seen: readonly Notice[]): void {
  const newest = Math.max(Number(storedSeen.read() ?? 0), ...seen.map(({ ts }) => ts ?? 0))
  if (newest > 0) storedSeen.write(String(newest))
}
