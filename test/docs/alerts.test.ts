// Compares docs/alerts.yaml, docs/dashboard.json and the table of metrics with the metrics that the program exports. A rule about a metric that does not
// exist never fires.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { createMetrics } from '../../src/observability/metrics.ts'

function pageOf(name: string): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
}

const METRICS = new Map(createMetrics({ clock: createVirtualClock(0), runtime: true }).describe().map(({ name, labels }) => [name, labels]))
/** Suffixes that Prometheus adds to histograms. */
const OF_HISTOGRAMS = /_(?:bucket|sum|count)$/

interface Rule {
  readonly name: string
  readonly text: string
  readonly expression: string
}

const RULES: readonly Rule[] = pageOf('alerts.yaml').split(/^ {6}- alert: /m).slice(1).map((text) => {
  const expression = /^ {8}expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/m.exec(text)
  return { name: text.split('\n')[0] ?? '', text, expression: (expression?.[1] ?? expression?.[2] ?? '').replaceAll(/\s+/g, ' ').trim() }
})

/** The metrics of an expression, with the labels that it selects. */
function selectors(expression: string): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  return [...expression.matchAll(/\b((?:gateway|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', matchers = '']) => ({
    name: METRICS.has(name) ? name : name.replace(OF_HISTOGRAMS, ''),
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }))
}

/** Excludes `le`, by which histogram buckets are summed. */
function labelsSummedBy(expression: string): readonly string[] {
  const lists = [...expression.matchAll(/\bby \(([^)]*)\)/g)].map(([, list = '']) => list)
  return lists.flatMap((list) => list.split(',').map((label) => label.trim())).filter((label) => label !== 'le')
}

test('every rule has an expression, a severity, a summary, a description and a unique name', () => {
  assert.ok(RULES.length >= 10)
  assert.equal(new Set(RULES.map(({ name }) => name)).size, RULES.length)
  for (const { name, text, expression } of RULES) {
    assert.match(name, /^[A-Z][A-Za-z]+$/)
    assert.ok(expression.length > 10, name)
    assert.equal(expression.split('(').length, expression.split(')').length, `${name}: unbalanced parentheses`)
    assert.match(text, /\n {10}severity: (?:page|ticket)\n/, name)
    assert.match(text, /\n {10}summary: \S.{10,}\n {10}description: \S.{20,}/, name)
    // Unquoted YAML text must not contain a key or a comment.
    const values = text.split('\n').filter((line) => line.startsWith(' '.repeat(8))).map((line) => line.replace(/^ *[a-z]+: /, ''))
    for (const value of values) assert.doesNotMatch(value, /: | #/, `${name}: ${value}`)
  }
})

test('every metric in a rule exists, with the labels that the rule selects and sums by', () => {
  for (const { name, expression } of RULES) {
    const named = selectors(expression)
    assert.ok(named.length > 0, `${name} names a metric`)
    for (const { name: metric, labels } of named) {
      assert.ok(METRICS.has(metric), `${name}: there is no metric ${metric}`)
      for (const label of labels) assert.ok(METRICS.get(metric)?.includes(label), `${name}: ${metric} has no label ${label}`)
    }
    for (const label of labelsSummedBy(expression)) {
      assert.ok(named.every(({ name: metric }) => METRICS.get(metric)?.includes(label)), `${name}: ${label}`)
    }
  }
})

test('the runbook has exactly one entry per alert', () => {
  const entries = [...(pageOf('operating.md').split('\n## Runbook\n')[1] ?? '').matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name)
  assert.deepEqual(entries, RULES.map(({ name }) => name))
})

interface Panel {
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string }[]
}

test('every dashboard panel uses existing metrics and labels, and panels do not overlap', () => {
  const { panels } = JSON.parse(pageOf('dashboard.json')) as { panels: readonly Panel[] }
  const shown = new Set<string>()
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) {
      const named = selectors(expr)
      assert.ok(named.length > 0, title)
      const summedBy = labelsSummedBy(expr)
      for (const { name, labels } of named) {
        shown.add(name)
        for (const label of [...labels, ...summedBy]) assert.ok(METRICS.get(name)?.includes(label), `${title}: ${name} has no label ${label}`)
      }
    }
  }
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`))
  assert.equal(new Set(cells).size, cells.length, 'panels overlap')
  const missing = [...METRICS.keys()].filter((name) => name.startsWith('gateway_') && !shown.has(name))
  const withoutPanel = [
    'gateway_clock_skew_seconds', 'gateway_contract_info', 'gateway_contract_not_understood', 'gateway_deployment_problems', 'gateway_index_answers',
    'gateway_index_market_found',
    'gateway_index_rebuild_done_events', 'gateway_index_rebuild_total_events', 'gateway_index_unread_transactions', 'gateway_index_vault_corrections',
    'gateway_prices_unpublished', 'gateway_protocol_known', 'gateway_protocol_network', 'gateway_protocol_unknown_forms', 'gateway_rate_limit_addresses_total',
    'gateway_rpc_comparisons_total', 'gateway_rpc_node_faults_total', 'gateway_submissions_corrected_total', 'gateway_submissions_ended_total',
    'gateway_submissions_oldest_pending_seconds', 'gateway_submissions_pending',
  ]
  assert.deepEqual(missing.toSorted(), withoutPanel, 'metrics used only by alerts, the runbook and operators')
})

test('the page lists exactly the gateway\'s metrics, each with its labels', () => {
  const rows = [...pageOf('operating.md').matchAll(/^\| `(gateway_\w+)` \| ([^|]*) \|/gm)].map(([, name = '', labels = '']) => [
    name, [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  ] as const)
  const exported = [...METRICS].filter(([name]) => name.startsWith('gateway_'))
  assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(exported))
})
