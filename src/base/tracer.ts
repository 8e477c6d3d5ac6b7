// The tracing interface of all parts: how long work took, and which work it was part of.

/** Attributes of a span. Never include client data or secrets. */
type Attributes = Readonly<Record<string, string | number | boolean>>

export interface Tracer {
  /** Runs the work in a span that is a child of the current span. Resolves or rejects like the work. */
  span<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
}

/** Runs the work without recording a span. */
export const NOOP_TRACER: Tracer = { span: (_name, _attributes, work) => work() }
