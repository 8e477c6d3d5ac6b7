// The order form: the fields of the chosen order type, each with its label, help and error message.

import { nowMs } from './clock.ts'
import { el, setChildren, setText } from './dom.ts'
import type { Feed } from './feed.ts'
import { duration, price } from './format.ts'
import { priceAgeSec, priceFreshness } from './freshness.ts'
import type { ReceivedPrice } from './freshness.ts'
import { FIELDS, OPERATIONS, parseForm } from './operations.ts'
import type { FieldName, Operation } from './operations.ts'
import type { TradeRequest } from '../client/src/index.ts'

export interface OrderForm {
  readonly element: HTMLElement
  /** Selects an order type and fills in these fields. */
  prefill(op: Operation, values: ReadonlyMap<FieldName, string>): void
  /** Whether to offer the actions of contracts of generation 2. */
  setGeneration2(isGeneration2: boolean): void
  /** While busy, the form submits nothing. */
  setBusy(isBusy: boolean): void
}

export interface OrderFormOptions {
  readonly feed: Feed
  readonly markets: () => ReadonlyMap<string, string>
  /** IDs of the account's positions and orders, as suggestions. */
  readonly ids: () => { readonly positions: readonly number[]; readonly orders: readonly number[] }
  readonly onRequest: (request: TradeRequest) => void
}

type Control = HTMLInputElement | HTMLSelectElement

const SUBMIT = 'Prepare and review'

export function createOrderForm({ feed, markets, ids, onRequest }: OrderFormOptions): OrderForm {
  /** Last value of each field, also of those that the current order type lacks. */
  const values = new Map<FieldName, string>()
  const controls = new Map<FieldName, { readonly control: Control; readonly problem: HTMLElement }>()
  let op: Operation = 'open_position'
  let isBusy = false
  let isGeneration2 = false

  const opSelect = el('select', { id: 'op', change: () => select(opSelect.value as Operation) }, ...optionGroups(false))
  const description = el('p', { class: 'note', id: 'op-description' })
  const fields = el('div', { class: 'fields' })
  const priceHint = el('p', { class: 'note' })
  const submitButton = el('button', { type: 'submit', class: 'main' }, SUBMIT)
  const form = el('form', { novalidate: true, submit },
    el('div', { class: 'field' }, el('label', { for: 'op' }, 'Order type'), opSelect, description), fields, priceHint,
    el('div', { class: 'row' }, submitButton))

  function submit(event: Event): void {
    event.preventDefault()
    if (isBusy) return
    storeValues()
    const parsed = parseForm(op, values)
    const problems: ReadonlyMap<FieldName, string> = 'problems' in parsed ? parsed.problems : new Map()
    for (const [name, { control, problem }] of controls) {
      const text = problems.get(name) ?? ''
      problem.textContent = text
      if (text === '') control.removeAttribute('aria-invalid')
      else control.setAttribute('aria-invalid', 'true')
    }
    if ('request' in parsed) onRequest(parsed.request)
    else [...controls].find(([name]) => problems.has(name))?.[1].control.focus()
  }

  function storeValues(): void {
    for (const [name, { control }] of controls) values.set(name, control.value)
  }

  function select(newOp: Operation): void {
    storeValues()
    op = newOp
    opSelect.value = op
    description.textContent = OPERATIONS[op].description
    controls.clear()
    setChildren(fields, ...OPERATIONS[op].fields.map(createField))
    showPrice()
  }

  function createField(name: FieldName): HTMLElement {
    const { label, help, initial = '' } = FIELDS[name]
    const problem = el('p', { class: 'problem', id: `${name}-problem` })
    const describedBy = `${help === undefined ? '' : `${name}-help `}${name}-problem`
    const control = createControl(name, { id: name, name, 'aria-describedby': describedBy })
    const value = values.get(name) ?? initial
    if (value !== '') control.value = value
    controls.set(name, { control, problem })
    return el('div', { class: 'field' },
      el('label', { for: name }, label), control, createSuggestions(name),
      help === undefined ? null : el('p', { class: 'note', id: `${name}-help` }, help), problem)
  }

  function createControl(name: FieldName, attributes: Readonly<Record<string, string>>): Control {
    const { options } = FIELDS[name]
    if (options === undefined) {
      const list = name === 'positionId' || name === 'orderId' ? { list: `${name}-list` } : {}
      return el('input', { ...attributes, ...list, type: 'text', inputmode: 'decimal', autocomplete: 'off' })
    }
    const choices = name === 'asset' ? [...markets()].map(([symbol, title]) => [symbol, `${symbol} ${title}`] as const) : options
    return el('select', { ...attributes, change: showPrice }, ...choices.map(([value, label]) => el('option', { value }, label)))
  }

  function createSuggestions(name: FieldName): HTMLElement | null {
    if (name !== 'positionId' && name !== 'orderId') return null
    const suggestions = name === 'positionId' ? ids().positions : ids().orders
    return el('datalist', { id: `${name}-list` }, ...suggestions.map((id) => el('option', { value: id })))
  }

  function showPrice(): void {
    const asset = controls.get('asset')?.control.value
    const received = asset === undefined ? undefined : feed.price(asset)
    setText(priceHint, asset === undefined ? '' : received === undefined ? `The price of ${asset} is not known yet.` : priceText(asset, received))
    priceHint.classList.toggle('stale', priceFreshness(received, nowMs()) === 'stale')
  }

  feed.onSecond(showPrice)
  select(op)
  return {
    element: form,
    prefill(newOp, newValues) {
      for (const { control } of controls.values()) control.removeAttribute('aria-invalid')
      select(newOp)
      for (const [name, value] of newValues) {
        const field = controls.get(name)
        if (field !== undefined) field.control.value = value
      }
      const firstEmpty = OPERATIONS[newOp].fields.find((name) => !newValues.has(name))
      if (firstEmpty === undefined) submitButton.focus()
      else controls.get(firstEmpty)?.control.focus()
    },
    setGeneration2(newIsGeneration2) {
      if (newIsGeneration2 === isGeneration2) return
      isGeneration2 = newIsGeneration2
      setChildren(opSelect, ...optionGroups(isGeneration2))
      if (!isGeneration2 && OPERATIONS[op].needsGeneration2 === true) select('open_position')
      else opSelect.value = op
    },
    setBusy(busy) {
      isBusy = busy
      // Not `disabled`: the button would lose the focus, and with it the keyboard user's place.
      submitButton.setAttribute('aria-disabled', String(busy))
      submitButton.textContent = busy ? 'Working…' : SUBMIT
    },
  }
}

function priceText(asset: string, received: ReceivedPrice): string {
  if (priceFreshness(received, nowMs()) === 'fresh') return `${asset} price: ${price(received.price)}`
  return `Stale: ${asset} price was ${price(received.price)}, ${duration(priceAgeSec(received, nowMs()))} ago.`
}

function optionGroups(isGeneration2: boolean): HTMLElement[] {
  const offered = Object.entries(OPERATIONS).filter(([, { needsGeneration2 }]) => isGeneration2 || needsGeneration2 !== true)
  const groups = Map.groupBy(offered, ([, { group }]) => group)
  return [...groups].map(([label, operations]) =>
    el('optgroup', { label }, ...operations.map(([value, { title }]) => el('option', { value }, title))))
}
