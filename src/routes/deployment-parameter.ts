// `?deployment=`: the history of another deployment than the served one.

import { Type } from 'typebox'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { Page } from '../projections/log/page.ts'
import { readSideIndex } from '../projections/state/side-index.ts'
import type { Queryable } from '../store/store.ts'
import { FILTER_MAX_LENGTH } from './parameters.ts'

export const deploymentParameter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: FILTER_MAX_LENGTH,
    description: 'Return only rows of the deployment with this name. By default, rows of every deployment while it was served.',
  }),
)

/** Reads a page of a deployment's history: from its own index when it has one. */
export async function readHistory<Row extends { readonly deployment?: string }, Rest extends Page<Row>>(
  { db, deployment }: { readonly db: Queryable; readonly deployment: CurrentDeployment },
  name: string | undefined,
  read: (from: Queryable, only: string | undefined) => Promise<Rest>,
): Promise<Rest> {
  const side = name === undefined || name === deployment.current.name ? undefined : await readSideIndex(db, name)
  if (name === undefined || side === undefined) return await read(db, name)
  const page = await read(side, undefined)
  return { ...page, rows: page.rows.map((row) => ({ ...row, deployment: name })) }
}
