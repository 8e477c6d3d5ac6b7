// Creates elements. Data becomes text, never markup, and hidden characters become visible: anyone can choose the labels and names on the chain.

import { displayText } from '../client/src/index.ts'

export type Child = Node | string | null
type Attributes = Readonly<Record<string, string | number | boolean | ((event: Event) => void)>>

/** Creates an element with attributes (functions become listeners) and children. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name, attributes: Attributes = {}, ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value)
    else if (value !== false) element.setAttribute(key, value === true ? '' : String(value))
  }
  element.append(...children.filter((child) => child !== null).map((child) => (typeof child === 'string' ? displayText(child) : child)))
  return element
}

/** A section labelled by its heading. */
export function card(id: string, title: string | HTMLElement, ...children: readonly Child[]): HTMLElement {
  const heading = typeof title === 'string' ? el('h2', {}, title) : title
  heading.id = id
  return el('section', { class: 'card stack', 'aria-labelledby': id }, heading, ...children)
}

/** An element of index.html. */
export function pageElement(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no element #${id}`)
  return element
}

/** Replaces the children. If the focused one had a `data-key`, its replacement with the same key gets the focus. */
export function setChildren(parent: HTMLElement, ...children: readonly Child[]): void {
  const { activeElement } = document
  const key = activeElement instanceof HTMLElement && parent.contains(activeElement) ? activeElement.dataset['key'] : undefined
  parent.replaceChildren(...children.filter((child) => child !== null))
  if (key !== undefined) [...parent.querySelectorAll<HTMLElement>('[data-key]')].find((each) => each.dataset['key'] === key)?.focus()
}

/** Sets the text if it differs, so that unchanged text causes no layout and no screen-reader output. */
export function setText(element: HTMLElement, text: string): void {
  const shown = displayText(text)
  if (element.textContent !== shown) element.textContent = shown
}

export interface Column<Row> {
  readonly title: string
  /** Aligned to the right. */
  readonly isNumeric?: boolean
  /** Hidden on narrow screens. */
  readonly isMinor?: boolean
  readonly cell: (row: Row) => Child | readonly Child[]
}

export interface Table<Row> {
  /** A region that scrolls sideways if the table is too wide. */
  readonly element: HTMLElement
  setRows(rows: readonly Row[]): void
}

/** A table with a caption. The cells of the first column are row headers. */
export function createTable<Row>(options: { readonly caption: string; readonly columns: readonly Column<Row>[]; readonly empty: string }): Table<Row> {
  const { caption, columns, empty } = options
  const classOf = ({ isNumeric, isMinor }: Column<Row>): string => [isNumeric === true ? 'numeric' : '', isMinor === true ? 'minor' : ''].join(' ').trim()
  const body = el('tbody')
  const head = el('tr', {}, ...columns.map((column) => el('th', { scope: 'col', class: classOf(column) }, column.title)))
  const table = el('table', {}, el('caption', {}, caption), el('thead', {}, head), body)
  return {
    element: el('div', { class: 'scroll', role: 'region', 'aria-label': caption, tabindex: 0 }, table),
    setRows(rows) {
      const filled = rows.map((row) => el('tr', {}, ...columns.map((column, index) => {
        const attributes = index === 0 ? { scope: 'row', class: classOf(column) } : { class: classOf(column) }
        const content = column.cell(row)
        return el(index === 0 ? 'th' : 'td', attributes, ...(isList(content) ? content : [content]))
      })))
      setChildren(body, ...(filled.length > 0 ? filled : [el('tr', {}, el('td', { colspan: columns.length, class: 'empty' }, empty))]))
    },
  }
}

function isList(content: Child | readonly Child[]): content is readonly Child[] {
  return Array.isArray(content)
}

/** A name from the chain, whose direction does not affect the text around it. */
export function nameOf(text: string): HTMLElement {
  return el('bdi', {}, text)
}

/** A description list of names and values. */
export function facts(rows: readonly (readonly [name: string, value: Child])[], className = 'facts'): HTMLElement {
  return el('dl', { class: className }, ...rows.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))))
}

/** Colors a profit or loss by its sign. */
export function profit(text: string): HTMLElement {
  return el('span', { class: text.startsWith('+') ? 'up' : text.startsWith('−') ? 'down' : '' }, text)
}

/** Shows a shortened address. Screen readers and the tooltip get the whole one. */
export function address(text: string, shortened: string): HTMLElement {
  return el('span', { class: 'address', title: text }, el('span', { 'aria-hidden': true }, shortened), el('span', { class: 'visually-hidden' }, text))
}

/** Announces a text to screen readers. */
export function announce(text: string): void {
  setText(pageElement('announcements'), text)
}
