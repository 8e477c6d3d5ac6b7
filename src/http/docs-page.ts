// The look of the interactive reference at /docs: this project's name, mark and version above it, in place of the package's own. The package loads these files
// from this server, so that the content policy needs no exception.

import { readFileSync } from 'node:fs'

/** The console's mark. */
const MARK = readFileSync(new URL('../../console/icon.svg', import.meta.url), 'utf8')

const STYLE = `.gateway-bar { background: #121820; color: #dfe6ee; font: 600 16px/1.4 system-ui, sans-serif }
.gateway-bar > div { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; max-width: 1460px; margin: 0 auto; padding: 12px 20px;
  box-sizing: border-box }
.gateway-bar a { color: #77b0ff; font-weight: 400 }
.gateway-bar .name { display: flex; align-items: center; gap: 10px; margin-right: auto; color: inherit; font-weight: 600; text-decoration: none }
.gateway-bar img { width: 28px; height: 28px }
.gateway-bar .version { color: #97a5b5; font-weight: 400; font-size: 14px }
`

/** Runs after the page's own scripts. The version of the document beside the title is that of the API. */
const script = (title: string, { version, hasConsole }: Product): string => `'use strict'
const bar = document.createElement('header')
bar.className = 'gateway-bar'
const row = bar.appendChild(document.createElement('div'))
function link(href, text, className) {
  const element = row.appendChild(document.createElement('a'))
  element.href = href
  if (className) element.className = className
  element.append(text)
  return element
}
const name = link('/docs', ${JSON.stringify(title)}, 'name')
const mark = document.createElement('img')
mark.src = 'data:image/svg+xml;base64,${Buffer.from(MARK).toString('base64')}'
mark.alt = ''
name.prepend(mark)
const version = name.appendChild(document.createElement('span'))
version.className = 'version'
version.textContent = ${JSON.stringify(version)}
${hasConsole ? "link('/', 'Console')" : ''}
link('/docs/guides', 'Guides')
link('/docs/json', 'OpenAPI')
document.body.prepend(bar)
`

/** This product, as the documents name it. */
export interface Product {
  readonly version: string
  /** False where the console is disabled: the documents then have no link to it. */
  readonly hasConsole: boolean
}

/** Options of the package's pages. */
export function docsPage(title: string, product: Product) {
  return {
    theme: {
      title,
      css: [{ filename: 'gateway.css', content: STYLE }],
      js: [{ filename: 'gateway.js', content: script(title, product) }],
      favicon: [{ filename: 'mark.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: MARK }],
    },
    // The other layout has the package's bar, whose logo is an image with a style sheet that the content policy blocks.
    uiConfig: { deepLinking: true, layout: 'BaseLayout' },
  }
}
