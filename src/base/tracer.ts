// What a part needs to tell how long its work took and what it was part of. Nobody has to listen.

/** Facts about a piece of work: few, and none of them a client's or a secret. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface Tracer {
  /** Does the work and tells of it under this name, as a part of the work that it was begun in. Ends as the work does. */
  span<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
}

/** Just does the work. */
export const NOOP_TRACER: Tracer = { span: (_name, _attributes, work) => work() }
