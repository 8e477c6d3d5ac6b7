// The form of the guidance for contract errors, and its common phrases.

/** The cause of an error and how to resolve it, each as one or more sentences. */
export type Guidance = readonly [meaning: string, resolution: string]

/** The resolution of an error that no contract raises. */
export const NOT_RAISED = 'The contract defines this error but never raises it.'
export const OPERATORS = 'Contact the operator of the exchange.'
export const KEEPERS_SKIP = 'Keepers: skip it.'
