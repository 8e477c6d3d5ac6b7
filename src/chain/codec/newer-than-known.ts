// Recognises what a later protocol of the network added. The gateway is older than the network then; the node that sent it is not at fault.

/** A form that this version of the gateway does not know. */
export interface UnknownForm {
  /** Names it: "address type 6". */
  readonly what: string
  /** Its bytes, base64; null: not kept. */
  readonly xdr: string | null
}

/** Raised for a valid encoding that this version of the gateway does not know. */
export class NewerThanKnown extends Error implements UnknownForm {
  override readonly name = 'NewerThanKnown'
  readonly what: string
  readonly xdr: string | null

  constructor(what: string, xdr: string | null = null) {
    super(`this gateway is older than the network: unknown ${what}`)
    this.what = what
    this.xdr = xdr
  }
}
