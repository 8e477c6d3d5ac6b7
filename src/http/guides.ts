// GET /docs/guides: the guides and background pages of docs/ as HTML, so that a running gateway explains itself without the repository.

import { readFileSync } from 'node:fs'
import { Marked } from 'marked'
import type { App } from './app.ts'
import type { Product } from './docs-page.ts'
import { lazyDocument } from './documents.ts'
import type { Documents } from './documents.ts'
import { escapeHtml, guidePage, GUIDES_POLICY, GUIDES_SCRIPT, GUIDES_STYLE, highlight } from './guides-page.ts'
import { CACHE_REVALIDATE, JSON_TYPE } from './response.ts'

const DOCS = new URL('../../docs/', import.meta.url)

export interface Guide {
  /** The last segment of its path: `/docs/guides/<name>`. */
  readonly name: string
  /** The page's file, relative to docs/. */
  readonly file: string
  /** Its readers or its purpose. */
  readonly summary: string
}

export const GUIDES: readonly Guide[] = [
  { name: 'first-order', file: 'guides/first-order.md', summary: 'Every request from an API key to a position.' },
  { name: 'bot-author', file: 'guides/bot-author.md', summary: 'For authors of trading bots: prices, orders, restarts without loss.' },
  { name: 'python', file: 'guides/python.md', summary: 'From pip install to a filled order.' },
  { name: 'account-ledger', file: 'guides/account-ledger.md', summary: 'Where did my money go: the account ledger, PnL curves, vault history.' },
  { name: 'analyst', file: 'guides/analyst.md', summary: 'Answers as of a ledger, and daily files.' },
  { name: 'front-end', file: 'guides/front-end.md', summary: 'For front-end developers: browsers, wallets, charts, live data.' },
  { name: 'operator', file: 'guides/operator.md', summary: 'For operators: installation, metrics, upgrades, incidents.' },
  { name: 'how-the-exchange-works', file: 'how-the-exchange-works.md', summary: 'Markets, fees, funding, margin, liquidation, keepers and vaults.' },
  { name: 'generations', file: 'generations.md', summary: 'What differs for clients between contracts of generation 1 and 2.' },
  { name: 'trading', file: 'trading.md', summary: 'Previews, warnings, client ids and quotes.' },
  { name: 'websocket', file: 'websocket.md', summary: 'The protocol of the WebSocket stream.' },
  { name: 'glossary', file: 'glossary.md', summary: 'Terms of the exchange, of Stellar and of this code.' },
]

const HTML_TYPE = 'text/html; charset=utf-8'
const CSS_TYPE = 'text/css; charset=utf-8'
const SCRIPT_TYPE = 'text/javascript; charset=utf-8'
const INDEX = '/docs/guides'

/** Exempt from the rate limit, like the rest of /docs. Each page is rendered at its first request. */
export function serveGuides(app: App, documents: Documents, product: Product): void {
  const options = { schema: { hide: true }, config: { rateLimited: false } } as const
  const headers = { 'cache-control': CACHE_REVALIDATE, 'content-security-policy': GUIDES_POLICY }
  const pages: readonly { readonly path: string; readonly type: string; readonly render: () => string }[] = [
    { path: `${INDEX}/style.css`, type: CSS_TYPE, render: () => GUIDES_STYLE },
    { path: `${INDEX}/guides.js`, type: SCRIPT_TYPE, render: () => GUIDES_SCRIPT },
    { path: `${INDEX}/search.json`, type: JSON_TYPE, render: () => JSON.stringify(GUIDES.flatMap(sectionsOf)) },
    { path: INDEX, type: HTML_TYPE, render: () => renderIndex(product) },
    ...GUIDES.map((guide) => ({ path: pathOf(guide), type: HTML_TYPE, render: () => renderGuide(guide, product) })),
  ]
  for (const { path, type, render } of pages) {
    const document = lazyDocument(render, type)
    app.get(path, options, async (request, reply) => documents.send(request, reply, await document(), headers))
  }
}

const pathOf = ({ name }: Guide): string => `${INDEX}/${name}`
const listed = (): readonly { readonly path: string; readonly title: string }[] =>
  GUIDES.map((guide) => ({ path: pathOf(guide), title: titleOf(readGuide(guide)) }))

function renderIndex(product: Product): string {
  const rows = GUIDES.map((guide) => `<li><a href="${pathOf(guide)}">${escapeHtml(titleOf(readGuide(guide)))}</a>: ${escapeHtml(guide.summary)}</li>`)
  const body = `<h1>Guides</h1>\n<ul>\n${rows.join('\n')}\n</ul>\n`
  return guidePage({ title: 'Guides', product, body, guides: listed(), path: INDEX, headings: [] })
}

function renderGuide(guide: Guide, product: Product): string {
  const markdown = readGuide(guide)
  const headings = sectionsOf(guide).filter(({ depth }) => depth === 2).map(({ anchor, heading }) => ({ anchor, text: heading }))
  return guidePage({ title: titleOf(markdown), product, body: renderMarkdown(markdown, guide.file), guides: listed(), path: pathOf(guide), headings })
}

/** A part of a guide, from one heading to the next, as the search finds it. */
interface Section {
  readonly path: string
  readonly title: string
  readonly heading: string
  readonly text: string
  readonly anchor: string
  readonly depth: number
}

function sectionsOf(guide: Guide): readonly Section[] {
  const markdown = readGuide(guide)
  const title = titleOf(markdown)
  const sections: (Section & { readonly parts: string[] })[] = []
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading') {
      const [anchor, heading] = [anchorOf(String(token['text'])), plainText(String(token['text']))]
      sections.push({ path: `${pathOf(guide)}#${anchor}`, title, heading, anchor, depth: Number(token['depth']), text: '', parts: [] })
    } else sections.at(-1)?.parts.push(plainText(token.raw))
  }
  return sections.map(({ parts, ...section }) => ({ ...section, text: parts.join(' ').replaceAll(/\s+/g, ' ').trim() }))
}

/** Without the marks of Markdown and the targets of links. */
function plainText(markdown: string): string {
  return markdown.replaceAll(/\]\([^)]*\)/g, '').replaceAll(/[`*[\]|]|^#+ |^[-: |]+$/gm, '')
}

function readGuide({ file }: Guide): string {
  return readFileSync(new URL(file, DOCS), 'utf8')
}

function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? ''
}

/** Links to other guides lead to their pages. Links to files that this server does not have become text that names the file. */
function renderMarkdown(markdown: string, file: string): string {
  return new Marked({
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = linkTarget(href, file)
        return target === null ? `${text} (<code>${escapeHtml(projectPath(href, file))}</code>)` : `<a href="${escapeHtml(target)}">${text}</a>`
      },
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      code({ text, lang }) {
        return `<div class="code"><pre tabindex="0"><code>${highlight(`${text}\n`, lang)}</code></pre></div>\n`
      },
    },
  }).parse(markdown, { async: false })
}

function linkTarget(href: string, file: string): string | null {
  if (/^(?:https?:|#)/.test(href)) return href
  const { pathname, hash } = new URL(href, `file:///docs/${file}`)
  const guide = GUIDES.find((each) => `/docs/${each.file}` === pathname)
  return guide === undefined ? null : `/docs/guides/${guide.name}${hash}`
}

function projectPath(href: string, file: string): string {
  return new URL(href, `file:///docs/${file}`).pathname.slice(1)
}

/** The anchor of a heading, as the common renderers make it. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(/\s/g, '-')
}
