// The memory of a page: what its objects take, without what the browser adds to run them.

import type { Page } from 'playwright-core'

/** The part of a heap snapshot that is read: the nodes are rows of numbers in one array. */
interface HeapSnapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly [readonly string[], ...unknown[]] } }
  readonly nodes: readonly number[]
}

/** Compiled code grows for hours with the functions that the browser optimizes; its own lists of events have limits. */
const OF_THE_BROWSER: ReadonlySet<string> = new Set(['code', 'native'])

/** Nodes and event listeners of a page, also those that scripts keep outside of the document. Exact after `objectBytes`, which collects garbage. */
export async function countNodes(page: Page): Promise<{ readonly nodes: number; readonly listeners: number }> {
  const cdp = await page.context().newCDPSession(page)
  const { nodes, jsEventListeners: listeners } = await cdp.send('Memory.getDOMCounters')
  await cdp.detach()
  return { nodes, listeners }
}

/** Bytes of the objects, strings, numbers and functions that are in use after a garbage collection. */
export async function objectBytes(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page)
  const chunks: string[] = []
  cdp.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await cdp.send('HeapProfiler.takeHeapSnapshot')
  await cdp.detach()
  const { snapshot: { meta }, nodes } = JSON.parse(chunks.join('')) as HeapSnapshot
  const [type, size] = [meta.node_fields.indexOf('type'), meta.node_fields.indexOf('self_size')]
  let bytes = 0
  for (let node = 0; node < nodes.length; node += meta.node_fields.length) {
    if (!OF_THE_BROWSER.has(meta.node_types[0][nodes[node + type] ?? 0] ?? '')) bytes += nodes[node + size] ?? 0
  }
  return bytes
}
