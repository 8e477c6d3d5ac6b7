// What later protocols of the network added and this version of the gateway does not know: docs/operating.md, "Protocol upgrades".

import type { Queryable } from '../store/store.ts'

/** A form that is newer than the gateway, where it was met first. */
export interface NewerForm {
  /** Names it: "ledger value type 5". */
  readonly what: string
  /** The ledger that contains it, or before which the index stopped. */
  readonly ledger: number
  /** Its bytes, base64; null: not kept here. */
  readonly xdr: string | null
}

/** Kinds that are kept of one chain. A protocol adds a few. */
const FORMS_MAX = 100
export const FORM_NAME_MAX_LENGTH = 100

/** Keeps the first of each kind. */
export async function recordNewerForms(tx: Queryable, chain: number, forms: readonly NewerForm[], nowMs: number): Promise<void> {
  for (const { what, ledger, xdr } of forms) {
    await tx.query(
      `insert into idx.newer_forms (chain, what, ledger, xdr, seen_at)
       select $1::int, $2::text, $3::bigint, $4::text, $5::bigint
       where (select count(*) from idx.newer_forms where chain = $1::int) < ${FORMS_MAX} on conflict do nothing`,
      [chain, what.slice(0, FORM_NAME_MAX_LENGTH), ledger, xdr, nowMs],
    )
  }
}

/** SQL: the forms of the current chain that the index met, by ledger; `e` is its epoch. */
export const NEWER_FORMS = `coalesce((
  select jsonb_agg(jsonb_build_object('what', n.what, 'ledger', n.ledger) order by n.ledger, n.what) from idx.newer_forms n where n.chain = e.chain), '[]')`
