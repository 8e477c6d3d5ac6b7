// The frame of a guide's page: a bar, the list of guides with the headings of this one, the search, and what a browser needs for them. Everything is loaded
// from this server, so that the content policy allows nothing else.

import type { Product } from './docs-page.ts'

export const GUIDES_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const GUIDES_STYLE = `:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; --line: color-mix(in srgb, currentColor 20%, transparent) }
* { box-sizing: border-box }
body { margin: 0; overflow-wrap: break-word }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; padding: 12px 20px; border-bottom: 1px solid var(--line) }
.bar .name { margin-right: auto; color: inherit; font-weight: 600; text-decoration: none }
.bar small { font-weight: 400; opacity: 0.75 }
.page { display: grid; gap: 0 40px; max-width: 76rem; margin: 0 auto; padding: 0 20px 64px }
@media (min-width: 60rem) {
  .page { grid-template-columns: 16rem minmax(0, 46rem) }
  .side { position: sticky; top: 0; max-height: 100vh; overflow: auto; padding-bottom: 24px }
}
.side { padding-top: 24px; font-size: 0.9rem; min-width: 0 }
.side ul { list-style: none; margin: 0; padding: 0 0 0 12px }
.side > nav > ul { padding: 0 }
.side a { display: block; padding: 3px 8px; border-radius: 4px; text-decoration: none }
.side a:hover, .side [aria-current] { background: color-mix(in srgb, currentColor 10%, transparent) }
.side [aria-current] { font-weight: 600; color: inherit }
@media (max-width: 59.99rem) {
  .side nav { border: 1px solid var(--line); border-radius: 6px; max-height: 12rem; overflow: auto }
}
.search { display: grid; gap: 4px; margin-bottom: 12px }
.search input { width: 100%; min-height: 40px; padding: 4px 10px; font: inherit; font-size: 16px; border: 1px solid var(--line); border-radius: 6px }
.search p { margin: 0 }
.search li { margin-bottom: 6px }
.search li span { display: block; padding: 0 8px; opacity: 0.8 }
main { min-width: 0; padding-top: 8px }
h1, h2, h3 { line-height: 1.25 }
.code { position: relative }
.code button { position: absolute; top: 6px; right: 6px; min-height: 28px; padding: 0 10px; font: inherit; font-size: 0.8rem; border: 1px solid var(--line);
  border-radius: 4px; background: Canvas; color: inherit; cursor: pointer }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid var(--line); border-radius: 6px }
.code pre { padding-top: 2.5rem }
code { font: 0.9em ui-monospace, monospace }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { text-align: left; padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid var(--line) }
a { color: light-dark(#0550ae, #79b8ff) }
:focus-visible { outline: 2px solid light-dark(#0550ae, #79b8ff); outline-offset: 2px }
.t-comment { color: light-dark(#57606a, #9aa4b0) }
.t-string { color: light-dark(#0a6b3d, #7ee0a8) }
.t-number { color: light-dark(#8a4600, #f0b27a) }
.t-keyword { color: light-dark(#9a1f6a, #f29ac8) }
`

/** The search, and a button that copies each block. Without it the pages are complete, apart from these two. */
export const GUIDES_SCRIPT = `'use strict'
for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector('code').textContent.replace(/\\n$/, ''))
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Blocked by the browser'
    }
  })
  block.prepend(button)
}

const RESULTS_MAX = 12
const AROUND = 60
const input = document.querySelector('#search')
const list = document.querySelector('#results')
const status = document.querySelector('#found')
let sections = null
document.querySelector('.search').hidden = false

async function search() {
  const words = input.value.toLowerCase().split(/\\s+/).filter((word) => word !== '')
  if (words.length === 0) {
    list.replaceChildren()
    status.textContent = ''
    return
  }
  try {
    sections ??= await (await fetch('/docs/guides/search.json')).json()
  } catch {
    status.textContent = 'The search could not be loaded. Try again.'
    return
  }
  const found = sections.filter(({ title, heading, text }) => {
    const all = (title + ' ' + heading + ' ' + text).toLowerCase()
    return words.every((word) => all.includes(word))
  })
  // Headings first.
  const inHeading = ({ heading }) => words.some((word) => heading.toLowerCase().includes(word)) ? 0 : 1
  found.sort((a, b) => inHeading(a) - inHeading(b))
  list.replaceChildren(...found.slice(0, RESULTS_MAX).map(({ path, title, heading, text }) => {
    const row = document.createElement('li')
    const link = row.appendChild(document.createElement('a'))
    link.href = path
    link.textContent = heading === title ? title : title + ': ' + heading
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - AROUND)
    row.appendChild(document.createElement('span')).textContent = (at === 0 ? '' : '…') + text.slice(at, at + 2 * AROUND) + '…'
    return row
  }))
  status.textContent = found.length === 0 ? 'Nothing found.' : found.length + (found.length === 1 ? ' section' : ' sections')
}
input.addEventListener('input', search)
`

export interface GuidePage {
  readonly title: string
  readonly product: Product
  /** HTML of the page. */
  readonly body: string
  /** All guides, with the path of the present page. */
  readonly guides: readonly { readonly path: string; readonly title: string }[]
  readonly path: string
  /** Anchors of the present page. */
  readonly headings: readonly { readonly anchor: string; readonly text: string }[]
}

export function guidePage({ title, product, body, guides, path, headings }: GuidePage): string {
  const anchors = headings.map(({ anchor, text }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`)
  const own = anchors.length === 0 ? '' : `\n<ul>${anchors.join('\n')}</ul>`
  const entries = guides.map((guide) => (guide.path === path
    ? `<li><a href="${guide.path}" aria-current="page">${escapeHtml(guide.title)}</a>${own}</li>`
    : `<li><a href="${guide.path}">${escapeHtml(guide.title)}</a></li>`))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Perpetual Exchange Gateway</title>
<link rel="stylesheet" href="/docs/guides/style.css">
<link rel="icon" type="image/svg+xml" href="/docs/static/theme/mark.svg">
<script src="/docs/guides/guides.js" defer></script>
</head>
<body>
<header class="bar">
<a class="name" href="/docs/guides">Perpetual Exchange Gateway <small>${escapeHtml(product.version)}</small></a>
<a href="/docs/guides">Guides</a><a href="/docs">API reference</a>${product.hasConsole ? '<a href="/">Console</a>' : ''}
</header>
<div class="page">
<aside class="side" aria-label="Guides and search">
<div class="search" role="search" hidden>
<label for="search">Search the guides</label>
<input id="search" type="search" autocomplete="off">
<p id="found" role="status"></p>
<ul id="results"></ul>
</div>
<nav aria-label="Guides">
<ul>
${entries.join('\n')}
</ul>
</nav>
</aside>
<main>
${body}</main>
</div>
</body>
</html>
`
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const WORDS = 'await|async|const|let|for|of|if|else|import|from|export|function|return|new|throw|try|catch|while|true|false|null|undefined'
/** In the order of precedence: what is inside of a comment or a string is nothing else. */
const TOKENS: Readonly<Record<string, RegExp>> = {
  ts: new RegExp(`(?<comment>//[^\\n]*)|(?<string>'[^'\\n]*'|\`[^\`]*\`|"[^"\\n]*")|(?<number>\\b\\d[\\d_.]*n?\\b)|\\b(?<keyword>${WORDS})\\b`, 'g'),
  sh: /(?<comment>(?<=^|\s)#[^\n]*)|(?<string>'[^']*'|"[^"]*")|(?<number>(?<=\s)\d+\b)|(?<keyword>(?<=^|[|&;]\s*)(?:npm|npx|node|curl|export|cd|cp|jq)\b)/gm,
  json: /(?<keyword>"[^"\n]*"(?=\s*:)|\b(?:true|false|null)\b)|(?<string>"[^"\n]*")|(?<number>-?\b\d[\d.eE+-]*\b)/g,
  http: /(?<keyword>^(?:GET|POST|DELETE|HTTP\/\S+))|(?<number>\b\d{3}\b)|(?<string>"[^"\n]*")/gm,
}

/** Code as HTML, with a class for each comment, string, number and keyword. Languages without rules are only escaped. */
export function highlight(code: string, language: string | undefined): string {
  const pattern = language !== undefined && Object.hasOwn(TOKENS, language) ? TOKENS[language] : undefined
  if (pattern === undefined) return escapeHtml(code)
  let html = ''
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? []
    html += `${escapeHtml(code.slice(end, match.index))}<span class="t-${kind}">${escapeHtml(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(end))
}
