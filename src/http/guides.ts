// GET /docs/guides: the guides and background pages of docs/ as HTML, so that a running gateway explains itself without the repository.

import { readFileSync } from 'node:fs'
import { Marked } from 'marked'
import type { App } from './app.ts'
import { lazyDocument } from './documents.ts'
import type { Documents } from './documents.ts'
import { CACHE_REVALIDATE } from './response.ts'

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
const CONTENT_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const STYLE = `:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif }
body { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
nav { font-size: 0.9rem }
h1, h2, h3 { line-height: 1.25 }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 6px }
code { font: 0.9em ui-monospace, monospace }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { text-align: left; padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
a { color: light-dark(#0550ae, #79b8ff) }
`

/** Exempt from the rate limit, like the rest of /docs. Each page is rendered at its first request. */
export function serveGuides(app: App, documents: Documents): void {
  const options = { schema: { hide: true }, config: { rateLimited: false } } as const
  const headers = { 'cache-control': CACHE_REVALIDATE, 'content-security-policy': CONTENT_POLICY }
  const style = lazyDocument(() => STYLE, CSS_TYPE)
  app.get('/docs/guides/style.css', options, async (request, reply) => documents.send(request, reply, await style(), headers))
  const pages: readonly { readonly path: string, readonly render: () => string }[] = [
    { path: '/docs/guides', render: renderIndex },
    ...GUIDES.map((guide) => ({ path: `/docs/guides/${guide.name}`, render: () => renderGuide(guide) })),
  ]
  for (const { path, render } of pages) {
    const document = lazyDocument(render, HTML_TYPE)
    app.get(path, options, async (request, reply) => documents.send(request, reply, await document(), headers))
  }
}

function renderIndex(): string {
  const rows = GUIDES.map((guide) => `<li><a href="/docs/guides/${guide.name}">${escapeHtml(titleOf(readGuide(guide)))}</a>: ${escapeHtml(guide.summary)}</li>`)
  return htmlPage('Guides', `<h1>Guides</h1>\n<ul>\n${rows.join('\n')}\n</ul>\n`)
}

function renderGuide(guide: Guide): string {
  const markdown = readGuide(guide)
  return htmlPage(titleOf(markdown), renderMarkdown(markdown, guide.file))
}

function readGuide({ file }: Guide): string {
  return readFileSync(new URL(file, DOCS), 'utf8')
}

function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? ''
}

/** Links to other guides lead to their pages. Links to files that this server does not have become text that names the file. */
function renderMarkdown(markdown: string, file: string): string {
  const marked = new Marked({
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = linkTarget(href, file)
        return target === null ? `${text} (<code>${escapeHtml(projectPath(href, file))}</code>)` : `<a href="${escapeHtml(target)}">${text}</a>`
      },
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
    },
  })
  return marked.parse(markdown, { async: false })
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

function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Perpetual Exchange Gateway</title>
<link rel="stylesheet" href="/docs/guides/style.css">
</head>
<body>
<nav><a href="/docs">API reference</a> · <a href="/docs/guides">Guides</a></nav>
<main>
${body}</main>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
