// What later protocols of the network added and this version of the gateway does not know: docs/operating.md, "Protocol upgrades".

import { KNOWN_PROTOCOL } from '../../base/protocol.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { NEWER_PREFIX } from '../log/archived-event.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'

/** A form that is newer than the gateway. */
export interface NewerForm {
  /** Names it: "ledger value type 5". */
  readonly what: string
  /** The first ledger that contains it, or before which the index stopped. */
  readonly ledger: number
  /** Its bytes, base64; null: not kept here. */
  readonly xdr: string | null
}

/** A form as the state of the index has it. */
export interface ReportedForm extends Pick<NewerForm, 'what' | 'ledger'> {
  /** True if the index stopped before its ledger, and has not continued since. */
  readonly isStop: boolean
}

/** Kinds that are kept of one chain, the ones met last. A protocol adds a few. */
const FORMS_MAX = 100
const NAME_MAX_LENGTH = 100
/** A form that was not met for this long is not reported any more: what a node sends is not always proven. */
const REPORTED_MS = 7 * 24 * 60 * 60_000

/** Keeps the first of each kind, and when it was met last; drops what was met longest ago. `isStop`: the index stops before its ledger. */
export async function recordNewerForms(
  tx: Writable, chain: number, forms: readonly NewerForm[], { nowMs, isStop = false }: { readonly nowMs: number; readonly isStop?: boolean },
): Promise<void> {
  for (const form of forms) {
    const what = form.what.slice(0, NAME_MAX_LENGTH)
    await tx.run(
      sql`${sql.deleteFrom(idx.newer_forms)} where chain = $1::int and what in (
         select what from ${idx.newer_forms} where chain = $1::int and what <> $2::text order by seen_at desc, what offset ${FORMS_MAX - 1})`,
      [chain, what],
    )
    await insertRows(
      tx, idx.newer_forms, [form],
      {
        chain: { all: chain }, what: { all: what }, ledger: 'ledger', is_stop: { all: isStop }, xdr: 'xdr', known_protocol: { all: KNOWN_PROTOCOL },
        seen_at: { all: nowMs },
      },
      sql`on conflict (chain, what) do update set ledger = case when excluded.is_stop then excluded.ledger else newer_forms.ledger end,
        is_stop = excluded.is_stop, known_protocol = excluded.known_protocol, seen_at = excluded.seen_at`,
    )
  }
}

/** The forms in these events that are newer than the gateway. The archive has their bytes. */
export function newerFormsOf(archived: readonly ArchivedEvent[]): readonly NewerForm[] {
  const forms = new Map<string, NewerForm>()
  for (const { problem, ledger } of archived) {
    const what = problem?.startsWith(NEWER_PREFIX) === true ? problem.slice(NEWER_PREFIX.length) : null
    if (what !== null && !forms.has(what)) forms.set(what, { what, ledger, xdr: null })
  }
  return [...forms.values()]
}

/**
 * SQL: the forms of the current chain that this version does not know, by ledger; `e` is the epoch and `c` the cursor row. Without those that only an earlier
 * version did not know, and those before which the index stopped once and then continued.
 */
export const NEWER_FORMS = sql`coalesce((
  select jsonb_agg(jsonb_build_object('what', n.what, 'ledger', n.ledger, 'isStop', n.is_stop) order by n.ledger, n.what) from ${idx.newer_forms} n
  where n.chain = e.chain and n.known_protocol >= ${KNOWN_PROTOCOL} and n.seen_at > c.updated_at - ${REPORTED_MS}
    and not (n.is_stop and n.ledger <= c.last_ledger)), '[]')`
