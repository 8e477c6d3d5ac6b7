// The sender of a form, for as long as the form is shown.

import { useMemo } from 'preact/hooks'
import { useParts } from '../parts.ts'
import { createSender } from './send.ts'
import type { Sender } from './send.ts'

export function useSender(): Sender {
  const { session, feed } = useParts()
  return useMemo(() => createSender(session, feed.connection), [session, feed])
}
