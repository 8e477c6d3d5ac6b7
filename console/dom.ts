// Elements out of data. Whatever comes from the gateway becomes text, and never markup: labels, names and addresses on the chain are anybody's.

export type Child = Node | string | null
type Attributes = Readonly<Record<string, string | number | boolean | ((event: Event) => void)>>

/** An element with attributes (functions become listeners) and children. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name, attributes: Attributes = {}, ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value)
    else if (value !== false) element.setAttribute(key, value === true ? '' : String(value))
  }
  element.append(...children.filter((child) => child !== null))
  return element
}

/** A part of a page, named by its heading. */
export function card(id: string, title: string | HTMLElement, ...children: readonly Child[]): HTMLElement {
  const heading = typeof title === 'string' ? el('h2', {}, title) : title
  heading.id = id
  return el('section', { class: 'card stack', 'aria-labelledby': id }, heading, ...children)
}

/** An element of the page itself. */
export function find(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no ${id}`)
  return found
}

/** Puts other children in; whoever had the focus there has it again, told by `data-key`. */
export function refill(parent: HTMLElement, ...children: readonly Child[]): void {
  const { activeElement } = document
  const key = activeElement instanceof HTMLElement && parent.contains(activeElement) ? activeElement.dataset['key'] : undefined
  parent.replaceChildren(...children.filter((child) => child !== null))
  if (key !== undefined) [...parent.querySelectorAll<HTMLElement>('[data-key]')].find((each) => each.dataset['key'] === key)?.focus()
}

/** Writes a text, when it is another one. */
export function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

export interface Column<Row> {
  readonly title: string
  /** Stands to the right, in figures of one width. */
  readonly isFigure?: boolean
  /** Left out where the screen is narrow. */
  readonly isMinor?: boolean
  readonly cell: (row: Row) => Child | readonly Child[]
}

export interface Table<Row> {
  /** The table, in a region that scrolls by itself where it is too wide. */
  readonly element: HTMLElement
  put(rows: readonly Row[]): void
}

/** A table with a caption; the first column names its rows. */
export function createTable<Row>(how: { readonly caption: string; readonly columns: readonly Column<Row>[]; readonly empty: string }): Table<Row> {
  const classOf = ({ isFigure, isMinor }: Column<Row>): string => [isFigure === true ? 'figure' : '', isMinor === true ? 'minor' : ''].join(' ').trim()
  const body = el('tbody')
  const head = el('tr', {}, ...how.columns.map((column) => el('th', { scope: 'col', class: classOf(column) }, column.title)))
  const table = el('table', {}, el('caption', {}, how.caption), el('thead', {}, head), body)
  return {
    element: el('div', { class: 'scroll', role: 'region', 'aria-label': how.caption, tabindex: 0 }, table),
    put(rows) {
      const filled = rows.map((row) => el('tr', {}, ...how.columns.map((column, index) => {
        const attributes = index === 0 ? { scope: 'row', class: classOf(column) } : { class: classOf(column) }
        const content = column.cell(row)
        return el(index === 0 ? 'th' : 'td', attributes, ...(isList(content) ? content : [content]))
      })))
      refill(body, ...(filled.length > 0 ? filled : [el('tr', {}, el('td', { colspan: how.columns.length, class: 'empty' }, how.empty))]))
    },
  }
}

function isList(content: Child | readonly Child[]): content is readonly Child[] {
  return Array.isArray(content)
}

/** Names and values, one below the other. */
export function facts(rows: readonly (readonly [name: string, value: Child])[], className = 'facts'): HTMLElement {
  return el('dl', { class: className }, ...rows.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))))
}

/** A figure that was won or lost: told by its sign first, by its colour second. */
export function gain(text: string): HTMLElement {
  return el('span', { class: text.startsWith('+') ? 'up' : text.startsWith('−') ? 'down' : '' }, text)
}

/** Long or short, told by an arrow and its word. */
export function side(word: string): HTMLElement {
  return el('span', { class: word === 'Long' ? 'up' : word === 'Short' ? 'down' : '' }, word === 'Long' ? '▲ Long' : word === 'Short' ? '▼ Short' : word)
}

/** An address that shows its ends and tells the whole. */
export function address(text: string, shown: string): HTMLElement {
  return el('span', { class: 'address', title: text }, el('span', { 'aria-hidden': true }, shown), el('span', { class: 'unseen' }, text))
}

/** Says something to whoever does not see the page; the last thing only, and nothing twice. */
export function announce(text: string): void {
  write(find('announcements'), text)
}
