// The members of a list's body that continue the list. Not in the specification.

import { Type } from 'typebox'
import { textOrNull } from './fields.ts'

/** The last members of every list that has pages. */
export const PAGE_MEMBERS = {
  hasMore: Type.Boolean({ description: 'Whether rows follow this page.' }),
  nextCursor: textOrNull({
    description: 'Cursor of the next page, the same as in the Link header. Send it as cursor, with the other parameters. Null on the last page.',
  }),
}

export interface PageMembers {
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

/** `next` is the cursor of the next page; null on the last page. */
export function pageMembers(next: string | null): PageMembers {
  return { hasMore: next !== null, nextCursor: next }
}
