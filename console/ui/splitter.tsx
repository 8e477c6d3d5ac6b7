// The edge of a panel, which resizes it by dragging or with the arrow keys. The size is kept in this browser; a double click returns to the usual one.

import { useEffect, useRef, useState } from 'preact/hooks'
import { createStoredString } from '../storage.ts'

interface SplitterOptions {
  /** Name of what is resized. */
  readonly label: string
  /** The custom property of the style sheets that has the size. */
  readonly property: `--${string}`
  /** The side of the panel on which the edge is. */
  readonly edge: 'below' | 'left'
  readonly min: number
  readonly max: number
}

const STEP = 16

export function Splitter({ label, property, edge, min, max }: SplitterOptions) {
  const handle = useRef<HTMLDivElement>(null)
  const stored = createStoredString(() => localStorage, `console${property}`)
  const [size, setSize] = useState<number | null>(() => clamp(Number(stored.read() ?? Number.NaN)))
  const [measured, setMeasured] = useState(min)
  const isBelow = edge === 'below'
  useEffect(() => {
    const { style } = document.documentElement
    if (size === null) style.removeProperty(property)
    else style.setProperty(property, `${size}px`)
    setMeasured(measure())
  }, [size])

  function clamp(wanted: number): number | null {
    return Number.isFinite(wanted) ? Math.round(Math.min(max, Math.max(min, wanted))) : null
  }

  function measure(): number {
    const panel = handle.current?.parentElement?.querySelector('[data-resized]') ?? handle.current?.parentElement
    const { width = min, height = min } = panel?.getBoundingClientRect() ?? {}
    return Math.round(isBelow ? height : width)
  }

  function resize(wanted: number | null): void {
    const next = wanted === null ? null : clamp(wanted)
    setSize(next)
    if (next === null) stored.remove()
    else stored.write(String(next))
  }

  function drag(start: PointerEvent): void {
    const from = measure()
    const move = ({ clientX, clientY }: PointerEvent): void => resize(from + (isBelow ? clientY - start.clientY : start.clientX - clientX))
    const element = handle.current
    element?.setPointerCapture(start.pointerId)
    element?.addEventListener('pointermove', move)
    element?.addEventListener('lostpointercapture', () => element.removeEventListener('pointermove', move), { once: true })
  }

  function onKey(event: KeyboardEvent): void {
    const [grow, shrink] = isBelow ? ['ArrowDown', 'ArrowUp'] : ['ArrowLeft', 'ArrowRight']
    if (event.key !== grow && event.key !== shrink) return
    event.preventDefault()
    resize(measure() + (event.key === grow ? STEP : -STEP))
  }

  return (
    <div
      class={`splitter ${edge}`} ref={handle} role='separator' tabIndex={0} aria-label={label} aria-orientation={isBelow ? 'horizontal' : 'vertical'}
      aria-valuemin={min} aria-valuemax={Math.max(max, measured)} aria-valuenow={measured} title='Drag to resize; double click for the usual size'
      onPointerDown={drag} onKeyDown={onKey} onDblClick={() => resize(null)}
    />
  )
}
