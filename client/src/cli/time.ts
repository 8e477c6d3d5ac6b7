// Times: Unix seconds for the gateway, UTC for people.

import { UsageError } from './usage-error.ts'

/** Unix seconds as `2026-11-22 04:19:39`, in UTC. */
export function timeOf(seconds: number | null | undefined): string | null {
  return seconds === null || seconds === undefined ? null : new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19)
}

/** `2026-11-22`, `2026-11-22 04:19`, `2026-11-22T04:19:39Z` or Unix seconds as Unix seconds. Throws UsageError for anything else; `what` names the value. */
export function toSeconds(text: string, what: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text)
  const [, day, minute = '00:00', second = ':00'] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?Z?)?$/.exec(text) ?? []
  const date = new Date(`${day ?? ''}T${minute}${second}Z`)
  // Date accepts the 31st of every month and returns a day of the next one.
  if (day === undefined || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day)) {
    throw new UsageError(`${what}: ${JSON.stringify(text)} is not a time. Write UTC, like 2026-11-22 or "2026-11-22 04:19", or Unix seconds.`)
  }
  return date.getTime() / 1000
}
