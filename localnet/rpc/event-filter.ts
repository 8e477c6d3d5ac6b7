// The filters of getEvents (soroban-rpc, "getEvents": filters, patterns and their errors).

import { StrKey, xdr } from '@stellar/stellar-sdk'
import type { EventRecord } from '../history.ts'
import { CONTRACT_IDS_PER_FILTER_MAX, EVENT_FILTERS_MAX, TOPIC_PATTERNS_PER_FILTER_MAX, TOPIC_SEGMENTS_MAX } from './limits.ts'
import type { Params } from './params.ts'
import { optionalArray, optionalString, optionalStrings } from './params.ts'
import { invalidParams, wrongType } from './rpc-error.ts'

const ANY_ONE = '*'
const ANY_REST = '**'

/** Segments: `*`, or an ScVal in its canonical base64. */
interface TopicPattern {
  readonly segments: readonly string[]
  /** The pattern ends with `**`: further topics may follow. */
  readonly open: boolean
}

/** An event must match all three lists. It matches a list when it matches one of its items, or when the list is empty. */
export interface EventFilter {
  readonly types: readonly string[]
  readonly contractIds: readonly string[]
  readonly patterns: readonly TopicPattern[]
}

/** Reads `filters`. Throws RpcError. */
export function parseEventFilters(params: Params): readonly EventFilter[] {
  const filters = optionalArray(params, 'filters').map((filter, index) => decodeFilter(filter, index))
  if (filters.length > EVENT_FILTERS_MAX) throw invalidParams(`maximum ${EVENT_FILTERS_MAX} filters per request`)
  return filters.map((filter, index) => {
    const problem = filterProblem(filter)
    if (problem !== null) throw invalidParams(`filter ${index + 1} invalid: ${problem}`)
    return { ...filter, patterns: filter.topics.map(pattern) }
  })
}

/** True for an event that matches one of the filters, and for every event without filters. */
export function matchesFilters(filters: readonly EventFilter[], event: EventRecord): boolean {
  return filters.length === 0 || filters.some((filter) => matchesFilter(filter, event))
}

/** The contracts that the filters name, or null when one of them matches every contract. */
export function contractIdsOf(filters: readonly EventFilter[]): readonly string[] | null {
  if (filters.length === 0 || filters.some((filter) => filter.contractIds.length === 0)) return null
  return [...new Set(filters.flatMap((filter) => filter.contractIds))]
}

interface DecodedFilter {
  readonly types: readonly string[]
  readonly contractIds: readonly string[]
  readonly topics: readonly (readonly string[])[]
}

/** Checks JSON types. They are validated before all other rules. */
function decodeFilter(filter: unknown, index: number): DecodedFilter {
  if (filter === null) return { types: [], contractIds: [], topics: [] }
  if (typeof filter !== 'object' || Array.isArray(filter)) throw wrongType(`filters[${index}] must be an object`)
  const fields = filter as Params
  const type = optionalString(fields, 'type') ?? ''
  return {
    types: type === '' ? [] : type.split(','),
    contractIds: optionalStrings(fields, 'contractIds'),
    topics: optionalArray(fields, 'topics').map((topic, position) => decodeTopic(topic, position)),
  }
}

function decodeTopic(topic: unknown, position: number): readonly string[] {
  if (topic === null) return []
  if (!Array.isArray(topic)) throw wrongType(`topics[${position}] must be an array`)
  return topic.map((segment: unknown, index) => decodeSegment(segment, `topics[${position}][${index}]`))
}

function decodeSegment(segment: unknown, where: string): string {
  if (segment === ANY_ONE || segment === ANY_REST) return segment
  if (typeof segment !== 'string') throw wrongType(`${where} must be a string`)
  try {
    return xdr.ScVal.fromXdr(segment, 'base64').toXdr('base64')
  } catch {
    throw wrongType(`${where} must be '*', '**' or a base64 ScVal`)
  }
}

function filterProblem(filter: DecodedFilter): string | null {
  if (filter.types.some((type) => type !== 'contract' && type !== 'system')) {
    return "filter type invalid: if set, type must be either 'system' or 'contract'"
  }
  if (filter.contractIds.length > CONTRACT_IDS_PER_FILTER_MAX) return `maximum ${CONTRACT_IDS_PER_FILTER_MAX} contract IDs per filter`
  if (filter.topics.length > TOPIC_PATTERNS_PER_FILTER_MAX) return `maximum ${TOPIC_PATTERNS_PER_FILTER_MAX} topics per filter`
  const invalidIndex = filter.contractIds.findIndex((id) => !StrKey.isValidContract(id))
  if (invalidIndex >= 0) return `contract ID ${invalidIndex + 1} invalid`
  for (const [index, topic] of filter.topics.entries()) {
    const problem = topicProblem(topic)
    if (problem !== null) return `topic ${index + 1} invalid: ${problem}`
  }
  return null
}

function topicProblem(topic: readonly string[]): string | null {
  if (topic.length === 0) return 'topic must have at least 1 segment'
  const { segments } = pattern(topic)
  const misplaced = segments.indexOf(ANY_REST)
  if (misplaced >= 0) return `segment ${misplaced + 1} invalid: wildcard '**' is only allowed as the last segment`
  if (segments.length > TOPIC_SEGMENTS_MAX) return `topic cannot have more than ${TOPIC_SEGMENTS_MAX} segments`
  return null
}

function pattern(topic: readonly string[]): TopicPattern {
  const open = topic.at(-1) === ANY_REST
  return { segments: open ? topic.slice(0, -1) : topic, open }
}

function matchesFilter(filter: EventFilter, event: EventRecord): boolean {
  if (filter.types.length > 0 && !filter.types.includes(event.type)) return false
  if (filter.contractIds.length > 0 && !filter.contractIds.includes(event.contractId)) return false
  return filter.patterns.length === 0 || filter.patterns.some((each) => matchesPattern(each, event.topics))
}

function matchesPattern({ segments, open }: TopicPattern, topics: readonly string[]): boolean {
  if (open ? topics.length < segments.length : topics.length !== segments.length) return false
  return segments.every((segment, index) => segment === ANY_ONE || segment === topics[index])
}
