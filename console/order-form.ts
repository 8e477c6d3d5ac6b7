// The form of an operation: its fields in the units of people, each with its label, its help and what is wrong with it.

import { nowMs } from './clock.ts'
import { el, refill, write } from './dom.ts'
import type { Feed } from './feed.ts'
import { duration, price } from './format.ts'
import { priceAgeSec, priceFreshness } from './freshness.ts'
import type { HeardPrice } from './freshness.ts'
import { FIELDS, OPERATIONS, requestOf } from './operations.ts'
import type { FieldName, Operation } from './operations.ts'
import type { TradeRequest } from '../client/src/index.ts'

export interface OrderForm {
  readonly element: HTMLElement
  /** Chooses an operation, and fills in what it is about. */
  begin(op: Operation, values: ReadonlyMap<FieldName, string>): void
  /** Before a request is under way nothing else is sent. */
  busy(isBusy: boolean): void
}

export interface OrderFormOptions {
  readonly feed: Feed
  readonly markets: () => ReadonlyMap<string, string>
  /** The account's own, to choose among. */
  readonly ids: () => { readonly positions: readonly number[]; readonly orders: readonly number[] }
  readonly onRequest: (request: TradeRequest) => void
}

type Control = HTMLInputElement | HTMLSelectElement

export function createOrderForm({ feed, markets, ids, onRequest }: OrderFormOptions): OrderForm {
  const kept = new Map<FieldName, string>()
  const controls = new Map<FieldName, { readonly control: Control; readonly problem: HTMLElement }>()
  let op: Operation = 'open_position'
  let isBusy = false

  const chosen = el('select', { id: 'op', change: () => choose(chosen.value as Operation) }, ...groups())
  const says = el('p', { class: 'note', id: 'op-says' })
  const fields = el('div', { class: 'fields' })
  const hint = el('p', { class: 'note' })
  const send = el('button', { type: 'submit', class: 'main' }, 'Prepare and review')
  const form = el('form', { novalidate: true, submit },
    el('div', { class: 'field' }, el('label', { for: 'op' }, 'What to do'), chosen, says), fields, hint, el('div', { class: 'row' }, send))

  function submit(event: Event): void {
    event.preventDefault()
    if (isBusy) return
    keep()
    const filled = requestOf(op, kept)
    const problems: ReadonlyMap<FieldName, string> = 'problems' in filled ? filled.problems : new Map()
    for (const [name, { control, problem }] of controls) {
      const text = problems.get(name) ?? ''
      problem.textContent = text
      if (text === '') control.removeAttribute('aria-invalid')
      else control.setAttribute('aria-invalid', 'true')
    }
    if ('request' in filled) onRequest(filled.request)
    else [...controls].find(([name]) => problems.has(name))?.[1].control.focus()
  }

  function keep(): void {
    for (const [name, { control }] of controls) kept.set(name, control.value)
  }

  function choose(next: Operation): void {
    keep()
    op = next
    chosen.value = op
    says.textContent = OPERATIONS[op].says
    controls.clear()
    refill(fields, ...OPERATIONS[op].fields.map((name) => field(name)))
    showHint()
  }

  function field(name: FieldName): HTMLElement {
    const { label, help, initial = '' } = FIELDS[name]
    const problem = el('p', { class: 'problem', id: `${name}-problem` })
    const described = `${help === undefined ? '' : `${name}-help `}${name}-problem`
    const control = controlOf(name, { id: name, name, 'aria-describedby': described })
    const value = kept.get(name) ?? initial
    if (value !== '') control.value = value
    controls.set(name, { control, problem })
    return el('div', { class: 'field' },
      el('label', { for: name }, label), control, listOf(name), help === undefined ? null : el('p', { class: 'note', id: `${name}-help` }, help), problem)
  }

  function controlOf(name: FieldName, attributes: Readonly<Record<string, string>>): Control {
    const { options } = FIELDS[name]
    if (options === undefined) {
      const list = name === 'positionId' || name === 'orderId' ? { list: `${name}-list` } : {}
      return el('input', { ...attributes, ...list, type: 'text', inputmode: 'decimal', autocomplete: 'off' })
    }
    const choices = name === 'asset' ? [...markets()].map(([symbol, title]) => [symbol, `${symbol} ${title}`] as const) : options
    return el('select', { ...attributes, change: showHint }, ...choices.map(([value, label]) => el('option', { value }, label)))
  }

  /** Suggestions for a number: the account's own. */
  function listOf(name: FieldName): HTMLElement | null {
    if (name !== 'positionId' && name !== 'orderId') return null
    const own = name === 'positionId' ? ids().positions : ids().orders
    return el('datalist', { id: `${name}-list` }, ...own.map((id) => el('option', { value: id })))
  }

  function showHint(): void {
    const asset = controls.get('asset')?.control.value
    const heard = asset === undefined ? undefined : feed.price(asset)
    write(hint, asset === undefined ? '' : heard === undefined ? `The price of ${asset} is not known.` : priceNow(asset, heard))
    hint.classList.toggle('stale', priceFreshness(heard, nowMs()) === 'stale')
  }

  feed.onSecond(showHint)
  choose(op)
  return {
    element: form,
    begin(next, values) {
      for (const { control } of controls.values()) control.removeAttribute('aria-invalid')
      choose(next)
      for (const [name, value] of values) {
        const known = controls.get(name)
        if (known !== undefined) known.control.value = value
      }
      const first = OPERATIONS[next].fields.find((name) => !values.has(name))
      if (first === undefined) send.focus()
      else controls.get(first)?.control.focus()
    },
    busy(now) {
      isBusy = now
      // It keeps the focus: whoever hears the page is told what comes of it there.
      send.setAttribute('aria-disabled', String(now))
      send.textContent = now ? 'Under way…' : 'Prepare and review'
    },
  }
}

function priceNow(asset: string, heard: HeardPrice): string {
  if (priceFreshness(heard, nowMs()) === 'fresh') return `${asset} is at ${price(heard.price)} now.`
  return `Stale: ${asset} was at ${price(heard.price)}, ${duration(priceAgeSec(heard, nowMs()))} ago.`
}

function groups(): HTMLElement[] {
  const names = [...new Set(Object.values(OPERATIONS).map(({ group }) => group))]
  return names.map((name) => el('optgroup', { label: name }, ...(Object.entries(OPERATIONS))
    .filter(([, { group }]) => group === name).map(([value, { title }]) => el('option', { value }, title))))
}
