// The pages that notifications carry. In the indexer's process they are parsed and serialised while COMMIT waits for the disk, not between the commit and its
// frames.

import { parseLogNotification } from '../projections/log/log-notification.ts'
import type { LogNotification } from '../projections/log/log-notification.ts'
import type { RowFrames } from './row-frames.ts'

export interface NotifiedPages {
  /** Prepares the page of a notification whose commit may still fail. */
  prepare(payload: string): void
  /** The page of a notification; undefined when it carries none. */
  take(payload: string): LogNotification | undefined
}

export function createNotifiedPages(rowFrames: Pick<RowFrames, 'prepare'>): NotifiedPages {
  let prepared: { readonly payload: string; readonly page: LogNotification | undefined } | undefined
  return {
    prepare(payload) {
      const page = parseLogNotification(payload)
      prepared = { payload, page }
      rowFrames.prepare(page?.rows ?? [])
    },
    take: (payload) => (prepared?.payload === payload ? prepared.page : parseLogNotification(payload)),
  }
}
