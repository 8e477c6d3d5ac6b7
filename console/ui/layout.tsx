// The building blocks of pages: headings, sections, facts, and notes about when something was read.

import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Resource } from '../state/resource.ts'

/** The page's first heading, which gets the focus when the page opens. */
export function PageHeading({ children }: { readonly children: ComponentChildren }) {
  return <h1 tabIndex={-1}>{children}</h1>
}

/** A section labelled by its heading. */
export function Card({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const id = useId()
  return (
    <section class='card stack' aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** A description list of names and values. */
export function Facts({ rows, inline = false }: { readonly rows: readonly (readonly [name: string, value: ComponentChildren])[]; readonly inline?: boolean }) {
  return (
    <dl class={inline ? 'facts inline' : 'facts'}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Says why a resource is missing or may not be current. */
export function ReadNote({ resource }: { readonly resource: Resource<unknown> }) {
  const code = resource.problemCode.value
  if (resource.note.value === '') return null
  return <p class={resource.hasProblem.value ? 'note problem' : 'note'}>{resource.note}{code !== null && <> <code class='note'>{code}</code></>}</p>
}

/** Content of a resource: grey while it may be out of date. */
export function Fresh({ resource, children }: { readonly resource: Resource<unknown>; readonly children: ComponentChildren }) {
  return <div class={resource.isStale.value ? 'stack stale' : 'stack'}>{children}</div>
}

/** One of a few choices. */
export function Choice<Value extends string>({ label, options, value, onChoose }: {
  readonly label: string
  readonly options: readonly (readonly [value: Value, text: string])[]
  readonly value: Value
  readonly onChoose: (value: Value) => void
}) {
  return (
    <div class='choice' role='group' aria-label={label}>
      {options.map(([each, text]) => (
        <button key={each} type='button' aria-pressed={each === value} onClick={() => onChoose(each)}>{text}</button>
      ))}
    </div>
  )
}
