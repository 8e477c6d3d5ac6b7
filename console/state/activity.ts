// What happened to the account, newest first, with the notices that are shown for a few seconds.

import { computed, signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { describeChange, transactionOf } from '../activity-text.ts'
import type { Tone } from '../activity-text.ts'
import { nowMs } from '../clock.ts'
import type { Feed } from '../feed.ts'
import type { Account } from './account.ts'

export interface Notice {
  readonly id: number
  readonly tone: Tone
  readonly text: string
  /** The transaction that it is about; null without one. */
  readonly txHash: string | null
  readonly receivedMs: number
}

export interface Activity {
  /** All notices of this page, newest first, at most 200. */
  readonly notices: ReadonlySignal<readonly Notice[]>
  /** Those that are still shown over the page, newest first. */
  readonly toasts: ReadonlySignal<readonly Notice[]>
  add(tone: Tone, text: string, txHash?: string | null): void
  dismiss(id: number): void
}

const NOTICES_MAX = 200
const TOASTS_MAX = 3
const TOAST_MS = 8_000
/** A loss stays until it is dismissed. */
const isLasting = ({ tone }: Notice): boolean => tone === 'urgent'

export function createActivity({ feed, account }: { readonly feed: Feed; readonly account: Account }): Activity {
  const notices = signal<readonly Notice[]>([])
  const dismissed = signal<ReadonlySet<number>>(new Set())
  let lastId = 0

  function add(tone: Tone, text: string, txHash: string | null = null): void {
    notices.value = [{ id: ++lastId, tone, text, txHash, receivedMs: nowMs() }, ...notices.value].slice(0, NOTICES_MAX)
  }

  account.onChange((change) => {
    const sentence = describeChange(change)
    if (sentence !== null) add(sentence.tone, sentence.text, transactionOf(change))
  })
  return {
    notices,
    toasts: computed(() => notices.value
      .filter((notice) => !dismissed.value.has(notice.id) && (isLasting(notice) || feed.now.value - notice.receivedMs < TOAST_MS)).slice(0, TOASTS_MAX)),
    add,
    dismiss(id) {
      dismissed.value = new Set([...dismissed.value, id].slice(-NOTICES_MAX))
    },
  }
}
